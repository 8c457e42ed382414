"""NumPy's random numbers: a table of distributions, whose parameters are numbers or arrays.

They come off the single twister, a word an element, whatever their dtype, as MXNet's do.
"""

import inspect
from collections.abc import Callable
from math import prod
from typing import Any, Literal, NamedTuple

import numpy as np

from gluonic.graph.attributes import DType, Shape
from gluonic.graph.derivation import INT64, derived
from gluonic.graph.dtypes import DEFAULT
from gluonic.graph.errors import AttributeValueError, InferenceError
from gluonic.graph.operator import Array, GradientRule, Operator, Run, operator
from gluonic.graph.ops import distributions
from gluonic.graph.rules import broadcast_shapes, output_dtype
from gluonic.graph.view import PartialShape, peek, title_of

FLOAT32 = DType(DEFAULT)
_INPUTS = ("input1", "input2")
Source = Literal["uniform", "normal", "gamma"]


class DrawnFrom(NamedTuple):
    """A row of the table.

    Attributes
    ----------
    name : of the operator, without its prefix
    documentation : what is drawn
    parameters : the names of the parameters, and their defaults
    source : what it is made of
    made : from such numbers and the parameters
    gradients : of the parameters, over ``F, n, g`` and their values
    has_dtype : whether the dtype may be chosen
    valid : of the parameters, whether there is such a distribution
    """

    name: str
    documentation: str
    parameters: tuple[tuple[str, Any], ...]
    source: Source
    made: Callable[..., Array]
    gradients: tuple[Callable[..., Any], ...] = ()
    has_dtype: bool = False
    valid: Callable[..., Any] = lambda *values: True


_LEAST = np.float32(1e-37)
"""So that logarithms are finite."""


def _exponential(u: Array) -> Array:
    return -np.log(u)


_LOCATION_AND_SCALE = (
    lambda F, n, g, loc, scale: g,
    lambda F, n, g, loc, scale: g * _standardized(F, n, loc, scale),
)


def _standardized(F: Any, n: Any, loc: Any, scale: Any) -> Any:
    """What was drawn before it was scaled and moved."""
    return (n.output - loc) / scale


ROWS = [
    DrawnFrom(
        "uniform",
        "Numbers distributed evenly between `low` and `high`",
        (("low", 0.0), ("high", 1.0)),
        "uniform",
        lambda u, low, high: u * (high - low) + low,
        has_dtype=True,
    ),
    DrawnFrom(
        "normal",
        "Normally distributed numbers with mean `loc` and standard deviation `scale`",
        (("loc", 0.0), ("scale", 1.0)),
        "normal",
        lambda u, loc, scale: u * scale + loc,
        _LOCATION_AND_SCALE,
        has_dtype=True,
        valid=lambda loc, scale: scale >= 0,
    ),
    DrawnFrom(
        "gumbel",
        "Gumbel distributed numbers, the largest of many",
        (("loc", 0.0), ("scale", 1.0)),
        "uniform",
        lambda u, loc, scale: loc - scale * np.log(_exponential(u)),
        _LOCATION_AND_SCALE,
        valid=lambda loc, scale: scale >= 0,
    ),
    DrawnFrom(
        "logistic",
        "Numbers of the logistic distribution",
        (("loc", 0.0), ("scale", 1.0)),
        "uniform",
        lambda u, loc, scale: loc + scale * np.log(u / (1 - u)),
        _LOCATION_AND_SCALE,
        valid=lambda loc, scale: scale >= 0,
    ),
    DrawnFrom(
        "exponential",
        "Exponentially distributed numbers of mean `scale`",
        (("scale", 1.0),),
        "uniform",
        lambda u, scale: _exponential(u) * scale,
        (lambda F, n, g, scale: g * n.output / scale,),
        valid=lambda scale: scale >= 0,
    ),
    DrawnFrom(
        "rayleigh",
        "Rayleigh distributed numbers, the lengths of vectors of normal ones",
        (("scale", 1.0),),
        "uniform",
        lambda u, scale: np.sqrt(2 * _exponential(u)) * scale,
        (lambda F, n, g, scale: g * n.output / scale,),
        valid=lambda scale: scale >= 0,
    ),
    DrawnFrom(
        "weibull",
        "Weibull distributed numbers of shape `a`",
        (("a", None),),
        "uniform",
        lambda u, a: _exponential(u) ** (1 / a),
        (lambda F, n, g, a: -(g * n.output * F.log(n.output) / a),),
        valid=lambda a: a > 0,
    ),
    DrawnFrom(
        "pareto",
        "Numbers of Pareto's distribution of shape `a`, from 0 on",
        (("a", None),),
        "uniform",
        lambda u, a: np.exp(_exponential(u) / a) - 1,
        (lambda F, n, g, a: -(g * (n.output + 1.0) * F.log(n.output + 1.0) / a),),
        valid=lambda a: a > 0,
    ),
    DrawnFrom(
        "powerd",
        "Numbers of [0, 1] whose `a`-th powers are evenly distributed",
        (("a", None),),
        "uniform",
        lambda u, a: (1 - u) ** (1 / a),
        valid=lambda a: a > 0,
    ),
    DrawnFrom(
        "gamma",
        "Gamma distributed numbers",
        (("shape", None), ("scale", 1.0)),
        "gamma",
        lambda u, shape, scale: u * scale,
        has_dtype=True,
        valid=lambda shape, scale: np.logical_and(shape > 0, scale > 0),
    ),
]


def _given(row: DrawnFrom, settings: dict[str, Any]) -> list[str]:
    """The parameters that are arrays: those whose attribute is None."""
    return [name for name, _ in row.parameters if settings[name] is None]


def _values(
    row: DrawnFrom, arrays: tuple[Array | None, ...], settings: dict[str, Any]
) -> list[Any]:
    """The parameters, numbers or arrays."""
    left = iter([array for array in arrays if array is not None])
    return [
        settings[name] if settings[name] is not None else next(left) for name, _ in row.parameters
    ]


def _shape_of(size: Shape | None, shapes: list[PartialShape], title: str) -> PartialShape:
    """What is drawn: as many as asked for, or as parameters are broadcast together."""
    whole: PartialShape = ()
    for shape in shapes:
        whole = broadcast_shapes(whole, shape, title)
    if size is None:
        return whole
    if broadcast_shapes(whole, size, title) != size:
        raise InferenceError(
            f"{title}: parameters of the shape {whole} have no place in size={size}"
        )
    return size


def _behind(size: Shape | None, shapes: list[PartialShape], title: str) -> PartialShape:
    """As many of each distribution as asked for: those that parameters are broadcast to, behind."""
    return (*(size or ()), *_shape_of(None, shapes, title))


def _drawn(row: DrawnFrom, random: Any, shape: Any, values: list[Any]) -> Array:
    if row.source == "uniform":
        numbers: Array = random.uniforms(shape)
        return numbers if row.name == "uniform" else np.maximum(numbers, _LEAST)
    if row.source == "normal":
        return np.array(random.normals(prod(shape)), np.float32).reshape(shape)
    forms = np.asarray(values[0], np.float32)
    each = (np.broadcast_to(forms, shape) if forms.ndim else forms).reshape(-1)
    return distributions.gamma(random, shape, np.float32, each, np.ones_like(each))


def _parameters(row: DrawnFrom, sized: bool) -> list[inspect.Parameter]:
    def keyword(name: str, kind: Any, default: Any) -> inspect.Parameter:
        return inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default
        )

    either = inspect.Parameter.POSITIONAL_OR_KEYWORD
    made = [
        inspect.Parameter(name, either, annotation=Array, default=None)
        for name in _INPUTS[: len(row.parameters)]
    ]
    made += [keyword(name, float | None, None) for name, _ in row.parameters]
    made.append(keyword("size", Shape | None, None))
    made.append(keyword("ctx", str, "cpu"))
    if row.has_dtype:
        made.append(keyword("dtype", DType, FLOAT32))
    made.append(keyword("run", Run, inspect.Parameter.empty))
    return made


def _gradient(row: DrawnFrom, place: int) -> GradientRule:
    """Of an input, which is the first or the second of the parameters that are arrays."""

    def rule(F: Any, n: Any, g: Any) -> Any:
        arrays = [getattr(n, name) for name in _INPUTS[: len(row.parameters)]]
        settings = {name: getattr(n, name) for name, _ in row.parameters}
        given = _given(row, settings)
        values = []
        for array, name in zip(_places(row, arrays, settings), settings, strict=True):
            if array is not None:
                array = F.broadcast_like(F._cast_like(array, n.output), n.output)
            values.append(settings[name] if array is None else array)
        which = list(settings).index(given[place])
        target = [array for array in arrays if array is not None][place]
        found = row.gradients[which](F, n, g, *values)
        return F._cast_like(F._reduce_like(found, target), target)

    return rule


def _places(row: DrawnFrom, arrays: list[Any], settings: dict[str, Any]) -> list[Any]:
    """For each parameter its array, None if it is a number."""
    left = iter([array for array in arrays if array is not None])
    return [None if settings[name] is not None else next(left) for name, _ in row.parameters]


def _register(row: DrawnFrom, name: str, place: Callable[..., PartialShape]) -> Operator:
    def kernel(*arrays: Array | None, run: Run, **settings: Any) -> Any:
        values = _values(row, arrays, settings)
        if not all(np.all(ok) for ok in [row.valid(*values)]):
            raise AttributeValueError(f"{name}: there is no such distribution: {settings}")
        shapes: list[PartialShape] = [np.shape(value) for value in values]
        shape = place(settings["size"], shapes, name)
        u = _drawn(row, run.random, shape, values)
        return row.made(u, *[np.asarray(value, np.float32)[()] for value in values])

    def rule(n: Any) -> None:
        given = [peek(n, each) for each in _INPUTS]
        wanted = _given(row, {p: getattr(n, p) for p, _ in row.parameters})
        shapes = [shape for shape in given if shape is not None]
        if len(shapes) == len(wanted):
            n.output = place(n.size, shapes, title_of(n))

    def absent(n: Any) -> tuple[str, ...]:
        count = len(_given(row, {p: getattr(n, p) for p, _ in row.parameters}))
        return _INPUTS[count : len(row.parameters)]

    kernel.__signature__ = inspect.Signature(_parameters(row, True))  # type: ignore[attr-defined]
    kernel.__doc__ = f"""{row.documentation}.

    Parameters
    ----------
    input1, input2 : the parameters that are arrays, in order: those whose attribute is None
    size : the shape of what is drawn, default that of the parameters broadcast together
    """

    def dtype(n: Any) -> None:
        n.output = n.dtype if row.has_dtype else FLOAT32

    op = operator(name, shape=rule, dtype=dtype, absent=absent)(kernel)
    if row.gradients:
        op.gradient(**{_INPUTS[i]: _gradient(row, i) for i in range(len(row.parameters))})
    else:
        op.gradient()
    return op


for _row in ROWS:
    _register(_row, f"_npi_{_row.name}", _shape_of)
    if _row.name in ("uniform", "normal"):
        _register(_row, f"_npi_{_row.name}_n", _behind)


derived("_npi_random_randint", "_random_randint")


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
    shape: Any = _shape_of(size, [chance.shape], "_npi_bernoulli")
    return run.random.uniforms(shape) < chance


@bernoulli.infer_shape
def _(n: Any) -> None:
    shapes = [] if n.prob is not None or n.logit is not None else [n.input1]
    n.output = _shape_of(n.size, shapes, title_of(n))


@bernoulli.infer_dtype
def _(n: Any) -> None:
    n.output = n.dtype


bernoulli.gradient()


@operator(
    "_npi_choice",
    dtype=output_dtype(INT64),
    absent=lambda n: tuple(_INPUTS[(n.a is None) + n.weighted :]),
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
        numbers: Array = np.maximum(run.random.uniforms((count,)), _LEAST)
        keys: Array = np.log(numbers) / np.maximum(given[-1].astype(np.float32), _LEAST)
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
