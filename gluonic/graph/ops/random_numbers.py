"""Random numbers: one table of distributions, each drawn in three ways.

``_random_X`` takes the parameters as attributes, ``_random_X_like`` also takes its shape from an
array, and ``_sample_X`` takes an array for each parameter and draws from each of these
distributions.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gluonic.graph.attributes import DType, Shape
from gluonic.graph.dtypes import DEFAULT
from gluonic.graph.errors import AttributeValueError
from gluonic.graph.normal_numbers import fill_exponentially, fill_normally
from gluonic.graph.operator import Array, Operator, Run, operator
from gluonic.graph.random_words import drawn, fill_uniformly
from gluonic.graph.rules import like
from gluonic.graph.view import NodeView, unify

Generator = np.random.Generator
Draw = Callable[..., Any]


class Distribution(NamedTuple):
    """A row of the table.

    Attributes
    ----------
    name : how the operators' names end
    aliases : further names of the operator that takes attributes
    documentation : what is drawn
    parameters : the parameters' names, types and defaults
    draw : of a run, a shape, a floating dtype and the parameters, numbers or arrays
    valid : of the parameters, whether there is such a distribution
    requirement : `valid` in words
    """

    name: str
    aliases: tuple[str, ...]
    documentation: str
    parameters: tuple[tuple[str, type, float], ...]
    draw: Draw
    valid: Callable[..., bool]
    requirement: str


class Standard(NamedTuple):
    """A distribution with its usual parameters, whose numbers follow from a key and their positions.

    Attributes
    ----------
    fill : writes its numbers into an array, from random bits; see `random_words.drawn`
    moved : a number of other parameters, as an expression of a usual one and these
    """

    fill: Callable[[Array, Array], None]
    moved: Callable[..., Any]


STANDARD = {
    "uniform": Standard(fill_uniformly, lambda x, low, high: low + (high - low) * x),
    "normal": Standard(fill_normally, lambda x, loc, scale: loc + scale * x),
    "exponential": Standard(fill_exponentially, lambda x, lam: x / lam),
}


def draw_with_key(name: str, key: int, shape: Shape, dtype: Any, *values: Any) -> Array:
    """Numbers of a distribution in `STANDARD` that follow from a key."""
    fill, moved = STANDARD[name]
    if any(isinstance(value, np.ndarray) for value in values):
        found: Array = moved(drawn(key, shape, dtype, fill), *values)
        return found

    def move(bits: Array, part: Array) -> None:
        part[:] = moved(part, *values)

    return drawn(key, shape, dtype, fill, move)


def _from_key(name: str) -> Draw:
    return lambda run, *asked: draw_with_key(name, run.take_key(), *asked)


def _from_generator(draw: Draw) -> Draw:
    return lambda run, *asked: draw(run.own_random(), *asked)


def _poisson_of_gamma(r: Generator, shape: Shape, k: Any, scale: Any) -> Any:
    """Poisson numbers whose rates are gamma distributed: the negative binomial distribution."""
    return r.poisson(r.standard_gamma(k, shape) * scale)


def _generalized(r: Generator, shape: Shape, dtype: Any, mu: Any, alpha: Any) -> Any:
    mean, spread = np.broadcast_arrays(mu, alpha)
    k = 1 / np.where(spread > 0, spread, 1.0)
    mixed = _poisson_of_gamma(r, shape, k, mean / k)
    return np.where(spread > 0, mixed, r.poisson(mean, shape)) if (spread == 0).any() else mixed


DISTRIBUTIONS = [
    Distribution(
        "uniform",
        ("random_uniform", "uniform"),
        "Numbers distributed evenly between `low` and `high`, which only rounding can give",
        (("low", float, 0.0), ("high", float, 1.0)),
        _from_key("uniform"),
        lambda low, high: low <= high,
        "low <= high",
    ),
    Distribution(
        "normal",
        ("random_normal", "normal"),
        "Normally distributed numbers with mean `loc` and standard deviation `scale`",
        (("loc", float, 0.0), ("scale", float, 1.0)),
        _from_key("normal"),
        lambda loc, scale: scale >= 0,
        "scale >= 0",
    ),
    Distribution(
        "gamma",
        ("random_gamma",),
        "Gamma distributed numbers of shape `alpha` and scale `beta`",
        (("alpha", float, 1.0), ("beta", float, 1.0)),
        _from_generator(
            lambda r, shape, dtype, alpha, beta: beta * r.standard_gamma(alpha, shape, dtype)
        ),
        lambda alpha, beta: alpha > 0 and beta > 0,
        "alpha > 0 and beta > 0",
    ),
    Distribution(
        "exponential",
        ("random_exponential",),
        "Exponentially distributed numbers of rate `lam`, so of mean ``1 / lam``",
        (("lam", float, 1.0),),
        _from_key("exponential"),
        lambda lam: lam > 0,
        "lam > 0",
    ),
    Distribution(
        "poisson",
        ("random_poisson",),
        "Poisson distributed numbers of mean `lam`",
        (("lam", float, 1.0),),
        _from_generator(lambda r, shape, dtype, lam: r.poisson(lam, shape)),
        lambda lam: lam >= 0,
        "lam >= 0",
    ),
    Distribution(
        "negative_binomial",
        ("random_negative_binomial",),
        "How many trials of success probability ``1 - p`` succeed before `k` fail",
        (("k", int, 1), ("p", float, 1.0)),
        _from_generator(
            lambda r, shape, dtype, k, p: _poisson_of_gamma(r, shape, k, (1.0 - p) / p)
        ),
        lambda k, p: k >= 0 and 0 < p <= 1,
        "k >= 0 and 0 < p <= 1",
    ),
    Distribution(
        "generalized_negative_binomial",
        ("random_generalized_negative_binomial",),
        "Negative binomial numbers of mean `mu` and variance ``mu + alpha * mu**2``",
        (("mu", float, 1.0), ("alpha", float, 1.0)),
        _from_generator(_generalized),
        lambda mu, alpha: mu >= 0 and alpha >= 0,
        "mu >= 0 and alpha >= 0",
    ),
]
# The names of the parameters where they are arrays.
ARRAY_NAMES = {"normal": ("mu", "sigma")}


def generated(dtype: Any) -> Any:
    """The dtype that NumPy generates for one of ours."""
    return np.float64 if dtype == np.float64 else np.float32


def _check(n: Any, row: Distribution) -> None:
    """Refuse parameters for which there is no distribution."""
    values = {name: n._settings[name] for name, _, _ in row.parameters}
    if not row.valid(**values):
        raise AttributeValueError(f"{n._title}: {values} must satisfy {row.requirement}")


def _keyword(name: str, kind: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default)


def _input(name: str) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Array)


RUN = _keyword("run", Run)
SHAPE_AND_DTYPE = (_keyword("shape", Shape, ()), _keyword("dtype", DType | None, None))


def _drawn_dtype(n: NodeView) -> None:
    """The dtype rule of what is drawn: as asked for, float32 if nothing is."""
    n.output = n.dtype or DEFAULT


Asked = Callable[[Sequence[Array], Mapping[str, Any]], tuple[Shape, Any, list[Any]]]
"""From an operator's arrays and attributes the shape, the dtype to generate, and the parameters."""


class Form(NamedTuple):
    """How an operator is asked for numbers of a distribution.

    Attributes
    ----------
    row : the distribution
    names : what the operator calls the parameters
    """

    row: Distribution
    names: tuple[str, ...]


FORMS: dict[str, Form] = {}
"""Of each operator that draws from a row of the table."""


def _register_kernel(
    name: str,
    aliases: tuple[str, ...],
    form: Form,
    asked: Asked,
    parameters: list[inspect.Parameter],
    documentation: str,
    **rules: Any,
) -> Operator:
    def kernel(*arrays: Array, run: Run, **settings: Any) -> Any:
        shape, dtype, values = asked(arrays, settings)
        return form.row.draw(run, shape, dtype, *values)

    kernel.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    kernel.__doc__ = documentation
    op = operator(name, *aliases, **rules)(kernel)
    op.gradient()
    FORMS[name] = form
    return op


def _from_attributes(row: Distribution) -> None:
    names = tuple(name for name, _, _ in row.parameters)

    def asked(arrays: Sequence[Array], settings: Mapping[str, Any]) -> Any:
        values = [settings[name] for name in names]
        return settings["shape"], generated(settings["dtype"]), values

    op = _register_kernel(
        f"_random_{row.name}",
        row.aliases,
        Form(row, names),
        asked,
        [
            *(_keyword(*parameter) for parameter in row.parameters),
            _keyword("shape", Shape, (1,)),
            _keyword("ctx", str, ""),
            _keyword("dtype", DType | None, None),
            RUN,
        ],
        f"{row.documentation}; float32 unless `dtype` says otherwise.",
        dtype=_drawn_dtype,
    )

    @op.infer_shape
    def _(n: NodeView) -> None:
        _check(n, row)
        n.output = n.shape


def _like_an_array(row: Distribution) -> None:
    names = tuple(name for name, _, _ in row.parameters)

    def asked(arrays: Sequence[Array], settings: Mapping[str, Any]) -> Any:
        (data,) = arrays
        return data.shape, generated(data.dtype), [settings[name] for name in names]

    op = _register_kernel(
        f"_random_{row.name}_like",
        (),
        Form(row, names),
        asked,
        [_input("data"), *(_keyword(*parameter) for parameter in row.parameters), RUN],
        f"{row.documentation}; of the shape and dtype of `data`.",
        dtype=like("data"),
    )

    @op.infer_shape
    def _(n: NodeView) -> None:
        _check(n, row)
        like("data")(n)


def _from_arrays(row: Distribution) -> None:
    names = ARRAY_NAMES.get(row.name, tuple(name for name, _, _ in row.parameters))

    def asked(arrays: Sequence[Array], settings: Mapping[str, Any]) -> Any:
        shape, dtype = settings["shape"], generated(settings["dtype"])
        kind = dtype if row.name in STANDARD else np.float64
        values = [a.reshape(a.shape + (1,) * len(shape)).astype(kind) for a in arrays]
        return (*arrays[0].shape, *shape), dtype, values

    op = _register_kernel(
        f"_sample_{row.name}",
        (f"sample_{row.name}",),
        Form(row, names),
        asked,
        [*map(_input, names), *SHAPE_AND_DTYPE, RUN],
        f"{row.documentation}; `shape` of them for each element of the parameters.",
    )

    @op.infer_shape
    def _(n: NodeView) -> None:
        common = None
        for name in names:
            common = unify(common, n._known(name), f"{n._title}: {name}")
        output = n._known("output")
        if common is None and output is not None:
            common = output[: len(output) - len(n.shape)]
        for name in names:
            setattr(n, name, common)
        n.output = (*getattr(n, names[0]), *n.shape)

    @op.infer_dtype
    def _(n: NodeView) -> None:
        n.output = n.dtype or DEFAULT
        common = None
        for name in names:
            common = unify(common, n._known(name), f"{n._title}: {name}")
        for name in names:
            setattr(n, name, common)


for _row in DISTRIBUTIONS:
    _from_attributes(_row)
    _like_an_array(_row)
    _from_arrays(_row)


@operator("_random_randint", "random_randint")
def random_randint(
    *,
    low: int,
    high: int,
    shape: Shape = (1,),
    ctx: str = "",
    dtype: DType | None = None,
    run: Run,
) -> Array:
    """Integers from `low` (included) to `high` (excluded); int32 unless `dtype` says int64."""
    return run.own_random().integers(low, high, shape, dtype or np.int32)


@random_randint.infer_shape
def _(n: Any) -> None:
    if n.low >= n.high:
        raise AttributeValueError(f"{n._title}: low={n.low} must be less than high={n.high}")
    n.output = n.shape


@random_randint.infer_dtype
def _(n: Any) -> None:
    n.output = n.dtype or np.dtype(np.int32)
    if n.output.kind != "i":
        raise AttributeValueError(f"{n._title}: dtype={n.dtype} must be int32 or int64")


random_randint.gradient()
