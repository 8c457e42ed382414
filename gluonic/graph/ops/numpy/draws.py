"""NumPy's random numbers: a table of distributions, whose parameters are numbers or arrays.

They are drawn from the single Mersenne Twister, one word per element whatever the dtype, as in MXNet.
"""

import inspect
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from gluonic.graph.attributes import DType, Shape
from gluonic.graph.derivation import derived
from gluonic.graph.dtypes import DEFAULT
from gluonic.graph.errors import AttributeValueError, InferenceError
from gluonic.graph.operator import Array, GradientRule, Operator, Run, operator
from gluonic.graph.ops.numpy.gamma_numbers import gamma_numbers
from gluonic.graph.rules import broadcast_shapes
from gluonic.graph.view import PartialShape, peek, title_of

FLOAT32 = DType(DEFAULT)
INPUTS = ("input1", "input2")
Source = Literal["uniform", "normal", "gamma"]


class DrawnFrom(NamedTuple):
    """A row of the table.

    Attributes
    ----------
    name : the operator's name without its prefix
    documentation : a description of the numbers
    parameters : the names of the parameters, and their defaults
    source : the standard distribution that the numbers are computed from
    made : computes the numbers from standard ones and the parameters
    gradients : the gradient rules of the parameters, over ``F, n, g`` and their values
    has_dtype : whether the dtype may be chosen
    spare : number of extra draws that are not used
    valid : whether the parameters define a distribution
    """

    name: str
    documentation: str
    parameters: tuple[tuple[str, Any], ...]
    source: Source
    made: Callable[..., Array]
    gradients: tuple[Callable[..., Any], ...] = ()
    has_dtype: bool = False
    spare: int = 0
    valid: Callable[..., Any] = lambda *values: True


LEAST = np.float32(1e-37)
"""The smallest uniform number passed to logarithms, which keeps them finite."""


def _exponential(u: Array) -> Array:
    return -np.log(u)


_LOCATION_AND_SCALE = (
    lambda F, n, g, loc, scale: g,
    lambda F, n, g, loc, scale: g * _standardized(F, n, loc, scale),
)


def _standardized(F: Any, n: Any, loc: Any, scale: Any) -> Any:
    """The standard numbers, before scaling and shifting."""
    return (n.output - loc) / scale


ROWS = [
    DrawnFrom(
        "uniform",
        "Numbers distributed uniformly between `low` and `high`",
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
        "Gumbel distributed numbers, as are the largest of many samples",
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
        "Rayleigh distributed numbers, the lengths of vectors of two normal numbers",
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
        "Numbers of the Pareto distribution of shape `a` (Lomax), starting at 0",
        (("a", None),),
        "uniform",
        lambda u, a: np.exp(_exponential(u) / a) - 1,
        (lambda F, n, g, a: -(g * (n.output + 1.0) * F.log(n.output + 1.0) / a),),
        valid=lambda a: a > 0,
    ),
    DrawnFrom(
        "powerd",
        "Numbers in [0, 1] whose `a`-th powers are uniformly distributed",
        (("a", None),),
        "uniform",
        lambda u, a: (1 - u) ** (1 / a),
        spare=1,
        valid=lambda a: a > 0,
    ),
    DrawnFrom(
        "gamma",
        "Gamma distributed numbers",
        (("shape", None), ("scale", 1.0)),
        "gamma",
        lambda u, shape, scale: u,
        has_dtype=True,
        valid=lambda shape, scale: np.logical_and(shape > 0, scale > 0),
    ),
]


def _given(row: DrawnFrom, settings: dict[str, Any]) -> list[str]:
    """The parameters that are arrays: those whose attribute is None."""
    return [name for name, _ in row.parameters if settings[name] is None]


def _values(row: DrawnFrom, arrays: list[Any], settings: dict[str, Any]) -> list[Any]:
    """The parameters, numbers or arrays."""
    left = iter(arrays)
    return [
        settings[name] if settings[name] is not None else next(left) for name, _ in row.parameters
    ]


def drawn_shape(size: Shape | None, shapes: list[PartialShape], title: str) -> PartialShape:
    """The shape of the draw: `size`, or that of the parameters broadcast together."""
    whole: PartialShape = ()
    for shape in shapes:
        whole = broadcast_shapes(whole, shape, title)
    if size is None:
        return whole
    if broadcast_shapes(whole, size, title) != size:
        raise InferenceError(
            f"{title}: parameters of the shape {whole} cannot be broadcast to size={size}"
        )
    return size


def _behind(size: Shape | None, shapes: list[PartialShape], title: str) -> PartialShape:
    """The shape of `size` draws of each distribution; the axes of the distributions come last."""
    return (*(size or ()), *drawn_shape(None, shapes, title))


def _drawn(row: DrawnFrom, random: Any, shape: Any, values: list[Any]) -> Array:
    if row.source == "uniform":
        numbers: Array = random.uniforms(shape)
        random.uniforms((row.spare,))
        return numbers if row.name == "uniform" else np.maximum(numbers, LEAST)
    if row.source == "normal":
        normals: Array = random.normals(shape)
        return normals
    given = [value.dtype for value in values if isinstance(value, np.ndarray)]
    kind = given[0] if given and given[0].kind == "f" else np.float32
    both = [np.asarray(value, kind) for value in values]
    if any(value.size > 1 for value in both):
        both = [np.broadcast_to(value, shape) for value in both]
    return gamma_numbers(random, shape, np.float64, *both)


def _parameters(row: DrawnFrom) -> list[inspect.Parameter]:
    def keyword(name: str, kind: Any, default: Any) -> inspect.Parameter:
        return inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default
        )

    either = inspect.Parameter.POSITIONAL_OR_KEYWORD
    made = [
        inspect.Parameter(name, either, annotation=Array, default=None)
        for name in INPUTS[: len(row.parameters)]
    ]
    made += [keyword(name, float | None, None) for name, _ in row.parameters]
    made.append(keyword("size", Shape | None, None))
    made.append(keyword("ctx", str, "cpu"))
    if row.has_dtype:
        made.append(keyword("dtype", DType, FLOAT32))
    made.append(keyword("run", Run, inspect.Parameter.empty))
    return made


def _gradient(row: DrawnFrom, place: int) -> GradientRule:
    """The gradient rule of an input: the first or second of the parameters that are arrays."""

    def rule(F: Any, n: Any, g: Any) -> Any:
        inputs = [getattr(n, name) for name in INPUTS[: len(row.parameters)]]
        arrays = [array for array in inputs if array is not None]
        settings = {name: getattr(n, name) for name, _ in row.parameters}
        stretched = [F.broadcast_like(F._cast_like(array, n.output), n.output) for array in arrays]
        values = _values(row, stretched, settings)
        which = list(settings).index(_given(row, settings)[place])
        found = row.gradients[which](F, n, g, *values)
        return F._cast_like(F._reduce_like(found, arrays[place]), arrays[place])

    return rule


def _register(row: DrawnFrom, name: str, place: Callable[..., PartialShape]) -> Operator:
    def kernel(*arrays: Array | None, run: Run, **settings: Any) -> Any:
        values = _values(row, [array for array in arrays if array is not None], settings)
        if not all(np.all(ok) for ok in [row.valid(*values)]):
            raise AttributeValueError(f"{name}: the parameters define no distribution: {settings}")
        shapes: list[PartialShape] = [np.shape(value) for value in values]
        shape = place(settings["size"], shapes, name)
        u = _drawn(row, run.random, shape, values)
        return row.made(u, *[np.asarray(value, np.float32)[()] for value in values])

    def rule(n: Any) -> None:
        given = [peek(n, each) for each in INPUTS]
        wanted = _given(row, {p: getattr(n, p) for p, _ in row.parameters})
        shapes = [shape for shape in given if shape is not None]
        if len(shapes) == len(wanted):
            n.output = place(n.size, shapes, title_of(n))

    def absent(n: Any) -> tuple[str, ...]:
        count = len(_given(row, {p: getattr(n, p) for p, _ in row.parameters}))
        return INPUTS[count : len(row.parameters)]

    kernel.__signature__ = inspect.Signature(_parameters(row))  # type: ignore[attr-defined]
    kernel.__doc__ = f"""{row.documentation}.

    Parameters
    ----------
    input1, input2 : the parameters that are arrays, in order: those whose attribute is None
    size : the shape of the result; by default that of the parameters broadcast together
    """

    def dtype(n: Any) -> None:
        n.output = n.dtype if row.has_dtype else FLOAT32

    op = operator(name, shape=rule, dtype=dtype, absent=absent)(kernel)
    if row.gradients:
        op.gradient(**{INPUTS[i]: _gradient(row, i) for i in range(len(row.parameters))})
    else:
        op.gradient()
    return op


for _row in ROWS:
    _register(_row, f"_npi_{_row.name}", drawn_shape)
    if _row.name in ("uniform", "normal"):
        _register(_row, f"_npi_{_row.name}_n", _behind)


derived("_npi_random_randint", "_random_randint")
