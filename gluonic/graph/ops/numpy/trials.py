"""NumPy's random trials: ones with a probability, places among many, counts of categories."""

from math import prod
from typing import Any

import numpy as np

from gluonic.graph.attributes import DType, Shape
from gluonic.graph.derivation import INT64
from gluonic.graph.errors import AttributeValueError
from gluonic.graph.operator import Array, Run, operator
from gluonic.graph.ops.numpy.draws import FLOAT32, INPUTS, LEAST, drawn_shape
from gluonic.graph.rules import output_dtype
from gluonic.graph.view import title_of


@operator(
    "_npi_bernoulli",
    absent=lambda n: () if n.prob is n.logit is None else ("input1",),
)
def bernoulli(
    input1: Array | None = None,
    *,
    prob: float | None = None,
    logit: float | None = None,
    size: Shape | None = None,
    ctx: str = "cpu",
    dtype: DType = FLOAT32,
    is_logit: bool = False,
    run: Run,
) -> Any:
    """Ones with a probability, zeros otherwise.

    Parameters
    ----------
    input1 : the probabilities, or their logarithmic odds, unless they are a number
    prob, logit : the number
    size : the shape of what is drawn, default that of `input1`
    is_logit : whether `input1` is of logarithmic odds
    """
    number = logit if is_logit else prob
    chance: Any = np.asarray(input1 if number is None else number, np.float32)
    if is_logit:
        chance = 1 / (1 + np.exp(-chance))
    elif not np.all((chance >= 0) & (chance <= 1)):
        raise AttributeValueError("_npi_bernoulli: probabilities must lie between 0 and 1")
    shape: Any = drawn_shape(size, [chance.shape], "_npi_bernoulli")
    return run.random.uniforms(shape) < chance


@bernoulli.infer_shape
def _(n: Any) -> None:
    shapes = [] if n.prob is not None or n.logit is not None else [n.input1]
    n.output = drawn_shape(n.size, shapes, title_of(n))


@bernoulli.infer_dtype
def _(n: Any) -> None:
    n.output = n.dtype


bernoulli.gradient()


@operator(
    "_npi_choice",
    dtype=output_dtype(INT64),
    absent=lambda n: tuple(INPUTS[(n.a is None) + n.weighted :]),
)
def choice(
    input1: Array | None = None,
    input2: Array | None = None,
    *,
    a: int | None = None,
    size: Shape | None = None,
    ctx: str = "cpu",
    replace: bool = True,
    weighted: bool = False,
    run: Run,
) -> Any:
    """Places drawn among those of the first axis of an array, or of so many.

    Parameters
    ----------
    input1, input2 : the array, if `a` does not say how many there are, and the probabilities, if weighted
    a : how many there are
    size : the shape of what is drawn
    replace : whether one may come several times
    weighted : whether there are probabilities
    """
    given = [array for array in (input1, input2) if array is not None]
    count = a if a is not None else len(given[0])
    shape = size or ()
    wanted = prod(shape)
    if not replace and wanted > count:
        raise AttributeValueError(
            f"_npi_choice: {wanted} different ones of {count} cannot be drawn"
        )
    if weighted:
        cumulated = np.cumsum(given[-1].astype(np.float64)).astype(np.float32)
        if replace:
            found = np.searchsorted(cumulated, run.random.uniforms((wanted,)), side="left")
            return np.minimum(found, count - 1).reshape(shape)
        numbers: Array = np.maximum(run.random.uniforms((count,)), LEAST)
        keys: Array = np.log(numbers) / np.maximum(given[-1].astype(np.float32), LEAST)
        return np.argsort(-keys, kind="stable")[:wanted].reshape(shape)
    if replace:
        return run.random.words(wanted).reshape(shape) % count
    order = np.arange(count)
    drawn = run.random.below(np.arange(2, count + 1, dtype=np.int64))
    for place, other in zip(range(1, count), drawn.tolist(), strict=True):
        order[place], order[other] = order[other], order[place]
    return order[:wanted].reshape(shape)


@choice.infer_shape
def _(n: Any) -> None:
    n.output = n.size or ()


choice.gradient()


@operator(
    "_npi_multinomial",
    dtype=output_dtype(INT64),
    absent=lambda n: ("a",) if n.pvals is not None else (),
)
def multinomial(
    a: Array | None = None,
    *,
    n: int,
    pvals: tuple[float, ...] | None = None,
    size: Shape | None = None,
    run: Run,
) -> Any:
    """How often each of some categories comes in `n` trials.

    Parameters
    ----------
    a : the probabilities of the categories, unless `pvals` says them
    n : how many trials
    pvals : the probabilities
    size : how many such experiments
    """
    chances = np.asarray(a if pvals is None else pvals, np.float64)
    shape = size or ()
    if not chances.size:
        return np.zeros((*shape, 0), np.int64)
    cumulated = np.cumsum(chances)
    if cumulated[-1] > 1.0 + 1e-12 and a is None:
        raise AttributeValueError("_npi_multinomial: sum(pvals[:-1]) > 1.0")
    trials = run.random.uniforms((prod(shape), n)).astype(np.float64)
    found = np.minimum(np.searchsorted(cumulated, trials), len(chances) - 1)
    rows = [np.bincount(each, minlength=len(chances)) for each in found]
    return np.array(rows, np.int64).reshape(*shape, len(chances))


@multinomial.infer_shape
def _(n: Any) -> None:
    count = n.a[0] if n.pvals is None else len(n.pvals)
    n.output = (*(n.size or ()), count)


multinomial.gradient()
