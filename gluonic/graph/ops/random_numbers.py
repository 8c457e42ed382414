"""Random numbers: one table of distributions, with three operators for each.

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
from gluonic.graph.open_shapes import stated_shape
from gluonic.graph.operator import Array, Operator, Run, operator
from gluonic.graph.ops import distributions
from gluonic.graph.rules import like
from gluonic.graph.view import NodeView, peek, put, settings_of, title_of, unify

Draw = Callable[..., Array]
"""Draws an array, from a source, a shape, a dtype and parameters; see `distributions`."""


class Distribution(NamedTuple):
    """A row of the table.

    Attributes
    ----------
    name : suffix of the operators' names
    aliases : further names of the operator that takes attributes
    documentation : a description of the numbers
    parameters : the parameters' names, types and defaults
    draw : draws an array
    valid : whether the parameters define a distribution
    requirement : `valid` in words
    """

    name: str
    aliases: tuple[str, ...]
    documentation: str
    parameters: tuple[tuple[str, type, float], ...]
    draw: Draw
    valid: Callable[..., bool]
    requirement: str


DISTRIBUTIONS = [
    Distribution(
        "uniform",
        ("random_uniform", "uniform"),
        "Numbers distributed uniformly between `low` and `high`, which is returned only by rounding",
        (("low", float, 0.0), ("high", float, 1.0)),
        distributions.uniform,
        lambda low, high: low <= high,
        "low <= high",
    ),
    Distribution(
        "normal",
        ("random_normal", "normal"),
        "Normally distributed numbers with mean `loc` and standard deviation `scale`",
        (("loc", float, 0.0), ("scale", float, 1.0)),
        distributions.normal,
        lambda loc, scale: scale >= 0,
        "scale >= 0",
    ),
    Distribution(
        "gamma",
        ("random_gamma",),
        "Gamma distributed numbers of shape `alpha` and scale `beta`",
        (("alpha", float, 1.0), ("beta", float, 1.0)),
        distributions.gamma,
        lambda alpha, beta: alpha > 0 and beta > 0,
        "alpha > 0 and beta > 0",
    ),
    Distribution(
        "exponential",
        ("random_exponential",),
        "Exponentially distributed numbers of rate `lam`, that is, mean ``1 / lam``",
        (("lam", float, 1.0),),
        distributions.exponential,
        lambda lam: lam > 0,
        "lam > 0",
    ),
    Distribution(
        "poisson",
        ("random_poisson",),
        "Poisson distributed numbers of mean `lam`",
        (("lam", float, 1.0),),
        distributions.poisson,
        lambda lam: lam >= 0,
        "lam >= 0",
    ),
    Distribution(
        "negative_binomial",
        ("random_negative_binomial",),
        "The number of successes, of probability ``1 - p``, before `k` failures",
        (("k", int, 1), ("p", float, 1.0)),
        distributions.negative_binomial,
        lambda k, p: k >= 0 and 0 < p <= 1,
        "k >= 0 and 0 < p <= 1",
    ),
    Distribution(
        "generalized_negative_binomial",
        ("random_generalized_negative_binomial",),
        "Negative binomial numbers of mean `mu` and variance ``mu + alpha * mu**2``",
        (("mu", float, 1.0), ("alpha", float, 1.0)),
        distributions.generalized_negative_binomial,
        lambda mu, alpha: mu >= 0 and alpha >= 0,
        "mu >= 0 and alpha >= 0",
    ),
]
# The names of the parameters as arrays.
ARRAY_NAMES = {"normal": ("mu", "sigma")}


def _check(n: Any, row: Distribution) -> None:
    """Refuse parameters that define no distribution."""
    values = {name: settings_of(n)[name] for name, _, _ in row.parameters}
    if not row.valid(**values):
        raise AttributeValueError(f"{title_of(n)}: {values} must satisfy {row.requirement}")


def _keyword(name: str, kind: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default)


def _input(name: str) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Array)


RUN = _keyword("run", Run)
SHAPE_AND_DTYPE = (_keyword("shape", Shape, ()), _keyword("dtype", DType | None, None))


def _drawn_dtype(n: NodeView) -> None:
    """The dtype rule of random numbers: as requested, float32 by default."""
    n.output = n.dtype or DEFAULT


Asked = Callable[[Sequence[Array], Mapping[str, Any]], tuple[Shape, Any, list[Array]]]
"""From an operator's arrays and attributes: the shape and dtype of the result, and the parameters."""


def _register_kernel(
    name: str,
    aliases: tuple[str, ...],
    row: Distribution,
    asked: Asked,
    parameters: list[inspect.Parameter],
    documentation: str,
    **rules: Any,
) -> Operator:
    def kernel(*arrays: Array, run: Run, **settings: Any) -> Any:
        shape, dtype, values = asked(arrays, settings)
        return row.draw(run.random, shape, dtype, *values)

    kernel.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    kernel.__doc__ = documentation
    op = operator(name, *aliases, **rules)(kernel)
    op.gradient()
    return op


def _asked_shape(shape: Shape | None) -> Shape:
    """The requested shape; by default (1,), or in a graph the shape that the readers infer."""
    return (1,) if shape is None else shape


def _from_attributes(row: Distribution) -> None:
    names = tuple(name for name, _, _ in row.parameters)

    def asked(arrays: Sequence[Array], settings: Mapping[str, Any]) -> Any:
        values = [np.array([settings[name]], np.float32) for name in names]
        return _asked_shape(settings["shape"]), settings["dtype"] or DEFAULT, values

    op = _register_kernel(
        f"_random_{row.name}",
        row.aliases,
        row,
        asked,
        [
            *(_keyword(*parameter) for parameter in row.parameters),
            _keyword("shape", Shape | None, None),
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
        stated_shape(n)


def _like_an_array(row: Distribution) -> None:
    names = tuple(name for name, _, _ in row.parameters)

    def asked(arrays: Sequence[Array], settings: Mapping[str, Any]) -> Any:
        (data,) = arrays
        values = [np.array([settings[name]], np.float32) for name in names]
        return data.shape, data.dtype, values

    op = _register_kernel(
        f"_random_{row.name}_like",
        (),
        row,
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
        shape = (*arrays[0].shape, *settings["shape"])
        return shape, settings["dtype"] or DEFAULT, [a.reshape(-1) for a in arrays]

    op = _register_kernel(
        f"_sample_{row.name}",
        (f"sample_{row.name}",),
        row,
        asked,
        [*map(_input, names), *SHAPE_AND_DTYPE, RUN],
        f"{row.documentation}; `shape` of them for each element of the parameters.",
    )

    @op.infer_shape
    def _(n: NodeView) -> None:
        common = None
        for name in names:
            common = unify(common, peek(n, name), f"{title_of(n)}: {name}")
        output = peek(n, "output")
        if common is None and output is not None:
            common = output[: len(output) - len(n.shape)]
        for name in names:
            put(n, name, common)
        n.output = (*getattr(n, names[0]), *n.shape)

    @op.infer_dtype
    def _(n: NodeView) -> None:
        n.output = n.dtype or DEFAULT
        common = None
        for name in names:
            common = unify(common, peek(n, name), f"{title_of(n)}: {name}")
        for name in names:
            put(n, name, common)


for _row in DISTRIBUTIONS:
    _from_attributes(_row)
    _like_an_array(_row)
    _from_arrays(_row)


@operator("_random_randint", "random_randint")
def random_randint(
    *,
    low: int,
    high: int,
    shape: Shape | None = None,
    ctx: str = "",
    dtype: DType | None = None,
    run: Run,
) -> Array:
    """Integers from `low` (included) to `high` (excluded); int32 unless `dtype` says int64."""
    drawn = run.random.draw("integers", _asked_shape(shape), np.int64)
    return low + np.fmod(drawn, np.int64(high - low))


@random_randint.infer_shape
def _(n: Any) -> None:
    if n.low >= n.high:
        raise AttributeValueError(f"{title_of(n)}: low={n.low} must be less than high={n.high}")
    stated_shape(n)


@random_randint.infer_dtype
def _(n: Any) -> None:
    n.output = n.dtype or np.dtype(np.int32)
    if n.output.kind != "i":
        raise AttributeValueError(f"{title_of(n)}: dtype={n.dtype} must be int32 or int64")


random_randint.gradient()
