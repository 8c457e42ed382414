"""NumPy's random trials: Bernoulli, choice and multinomial."""

from math import prod
from typing import Any

import numpy as np

from gluonic.graph.attributes import DType, Shape
from gluonic.graph.derivation import INT64
from gluonic.graph.errors import AttributeValueError
from gluonic.graph.operator import Array, Run, operator
from gluonic.graph.ops.numpy.draws import FLOAT32, INPUTS, drawn_shape
from gluonic.graph.random_source import Draws
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
    input1 : the probabilities or logits; absent if `prob` or `logit` is given
    prob, logit : a single probability, or a single logit
    size : the shape of the result; by default that of `input1`
    is_logit : whether the numbers are logits
    """
    number = logit if is_logit else prob
    chance: Any = np.asarray(input1 if number is None else number, np.float32)
    if is_logit:
        chance = 1 / (1 + np.exp(-chance))
    elif not np.all((chance >= 0) & (chance <= 1)):
        raise AttributeValueError("_npi_bernoulli: probabilities must be between 0 and 1")
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
    """Draw indices into the first axis of an array, or below a number.

    Parameters
    ----------
    input1, input2 : the array, unless `a` is given, and the probabilities, if `weighted`
    a : the number of indices
    size : the shape of the result
    replace : whether an index may be drawn several times
    weighted : whether there are probabilities
    """
    given = [array for array in (input1, input2) if array is not None]
    count = a if a is not None else len(given[0])
    shape = size or ()
    wanted = prod(shape)
    if not replace and wanted > count:
        raise AttributeValueError(
            f"_npi_choice: cannot draw {wanted} different ones of {count} without replacement"
        )
    if weighted:
        cumulated = np.cumsum(given[-1].astype(np.float64)).astype(np.float32)
        if replace:
            found = np.searchsorted(cumulated, run.random.uniforms((wanted,)), side="left")
            return np.minimum(found, count - 1).reshape(shape)
        uniforms = run.random.uniforms((count,))
        with np.errstate(divide="ignore"):
            keys: Array = np.log(given[-1].astype(np.float32)) - np.log(-np.log(uniforms))
        return np.argsort(-keys, kind="stable")[:wanted].reshape(shape)
    if replace:
        return run.random.words(wanted).reshape(shape) % count
    return _different(run.random, count, wanted).reshape(shape)


def _different(random: Draws, count: int, wanted: int) -> Array:
    """Draw `wanted` different indices by reservoir sampling, with a draw for each exchange of the last ones.

    The sample is the last indices if fewer than half are wanted, otherwise the first; all of them are in order.
    """
    exchanged = min(wanted, count - wanted)
    kept = count - exchanged
    others = random.words(exchanged) % np.arange(kept + 1, count + 1)
    last = list(range(kept, count))
    held: dict[int, int] = {}
    for index, other in enumerate(others.tolist()):
        if other < kept:
            last[index], held[other] = held.get(other, other), last[index]
    if 2 * wanted < count:
        return np.array(last, np.int64)
    order = np.arange(kept)
    order[list(held)] = list(held.values())
    return order


@choice.infer_shape
def _(n: Any) -> None:
    n.output = n.size or ()


choice.gradient()


_ROUNDING = 1e-3
"""The excess over one allowed for the sum of an array's probabilities."""


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
    """Count how often each category is drawn in `n` trials.

    Parameters
    ----------
    a : the probabilities of the categories, unless `pvals` gives them
    n : number of trials
    pvals : the probabilities
    size : the shape of experiments, each of `n` trials
    """
    chances: Array = np.array(pvals, np.float64) if a is None else a
    shape = size or ()
    result = np.zeros((*shape, len(chances)), np.int64)
    if not result.size:
        return result
    if chances.sum(dtype=np.float64) > 1 + (1e-12 if a is None else _ROUNDING):
        raise AttributeValueError("_npi_multinomial: sum(pvals[:-1]) > 1.0")
    drawn = run.random.uniforms((prod(shape) * n,), np.float64).astype(chances.dtype)
    if a is None:
        run.random.uniforms((len(chances),), np.float64)  # as MXNet does when it copies them
    found = np.searchsorted(chances.cumsum(dtype=chances.dtype), drawn, side="right")
    rows = np.arange(drawn.size) // n * len(chances)
    counts = np.bincount(rows + np.minimum(found, len(chances) - 1), minlength=result.size)
    return counts.reshape(result.shape)


@multinomial.infer_shape
def _(n: Any) -> None:
    count = n.a[0] if n.pvals is None else len(n.pvals)
    n.output = (*(n.size or ()), count)


multinomial.gradient()
