"""Random numbers: ``np.random`` and ``npx.random``."""

from typing import Any

import numpy as np

from gluonic.graph.arithmetic import is_number
from gluonic.numpy_functions.creation import dtype_or_default, placed
from gluonic.numpy_functions.table import Operators, add, function


def extents(size: Any) -> Any:
    """A shape, None if none is given."""
    if size is None or isinstance(size, (tuple, list)):
        return None if size is None else tuple(size)
    return (size,)


def _parameters(F: Operators, values: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Arrays in order, and numbers by name, of the parameters of a distribution."""
    arrays: list[Any] = []
    numbers: dict[str, Any] = {}
    for name, value in values.items():
        if is_number(value):
            numbers[name] = float(value)
        else:
            arrays.append(
                F.array_of(value, "float32") if isinstance(value, (list, tuple)) else value
            )
            numbers[name] = None
    return arrays, numbers


def _draw(
    F: Operators, name: str, values: dict[str, Any], size: Any, ctx: Any = None, **made: Any
) -> Any:
    """Draw from a distribution, whose parameters have these names and values."""
    arrays, numbers = _parameters(F, values)
    operator = getattr(F, f"_npi_{name}")
    return operator(
        *arrays, **numbers, size=extents(size), **made, **placed(F.context if ctx is None else ctx)
    )


@function("np.random")
def uniform(
    F: Operators,
    low: Any = 0.0,
    high: Any = 1.0,
    size: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    out: Any = None,
) -> Any:
    """Return samples of the uniform distribution between `low` and `high`.

    Parameters
    ----------
    low, high : numbers, or arrays of them
    size : the shape of what is drawn, default that of the parameters broadcast together
    dtype : default float32
    ctx : where it is made
    out : the array that receives the result
    """
    values = {"low": low, "high": high}
    return _draw(F, "uniform", values, size, ctx, dtype=dtype_or_default(dtype), out=out)


@function("np.random")
def normal(
    F: Operators,
    loc: Any = 0.0,
    scale: Any = 1.0,
    size: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    out: Any = None,
) -> Any:
    """Return normally distributed numbers with mean `loc` and standard deviation `scale`; see `uniform`."""
    values = {"loc": loc, "scale": scale}
    return _draw(F, "normal", values, size, ctx, dtype=dtype_or_default(dtype), out=out)


def _of_location_and_scale(name: str, what: str) -> None:
    def draw(
        F: Operators,
        loc: Any = 0.0,
        scale: Any = 1.0,
        size: Any = None,
        ctx: Any = None,
        out: Any = None,
    ) -> Any:
        return _draw(F, name, {"loc": loc, "scale": scale}, size, ctx, out=out)

    draw.__doc__ = f"Return {what} at `loc`, stretched by `scale`; see `uniform`."
    add(name, draw, "np.random")


def _of_scale(name: str, what: str) -> None:
    def draw(
        F: Operators, scale: Any = 1.0, size: Any = None, ctx: Any = None, out: Any = None
    ) -> Any:
        return _draw(F, name, {"scale": scale}, size, ctx, out=out)

    draw.__doc__ = f"Return {what} of scale `scale`; see `uniform`."
    add(name, draw, "np.random")


def _of_form(name: str, what: str) -> None:
    def draw(F: Operators, a: Any, size: Any = None, ctx: Any = None, out: Any = None) -> Any:
        return _draw(F, name, {"a": a}, size, ctx, out=out)

    draw.__doc__ = f"Return {what} of shape `a`; see `uniform`."
    add(name, draw, "np.random")


_of_location_and_scale("gumbel", "Gumbel distributed numbers")
_of_location_and_scale("logistic", "numbers of the logistic distribution")
_of_scale("exponential", "exponentially distributed numbers")
_of_scale("rayleigh", "Rayleigh distributed numbers")
_of_form("weibull", "Weibull distributed numbers")
_of_form("pareto", "numbers of Pareto's distribution, from 0 on,")


@function("np.random")
def power(F: Operators, a: Any, size: Any = None) -> Any:
    """Return numbers of [0, 1] whose `a`-th powers are evenly distributed; see `uniform`."""
    return _draw(F, "powerd", {"a": a}, size)


@function("np.random")
def gamma(
    F: Operators,
    shape: Any,
    scale: Any = 1.0,
    size: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    out: Any = None,
) -> Any:
    """Return gamma distributed numbers of `shape` and `scale`; see `uniform`."""
    values = {"shape": shape, "scale": scale}
    return _draw(F, "gamma", values, size, ctx, dtype=dtype_or_default(dtype), out=out)


@function("np.random")
def beta(F: Operators, a: Any, b: Any, size: Any = None, dtype: Any = None, ctx: Any = None) -> Any:
    """Return numbers of [0, 1] of the beta distribution; see `uniform`."""
    first = gamma(F, a, 1.0, size, "float64", ctx)
    second = gamma(F, b, 1.0, size, "float64", ctx)
    return F._npi_cast(
        F._npi_true_divide(first, F._npi_add(first, second)), dtype=dtype_or_default(dtype)
    )


@function("np.random")
def chisquare(F: Operators, df: Any, size: Any = None, dtype: Any = None, ctx: Any = None) -> Any:
    """Return sums of squares of `df` normally distributed numbers; see `uniform`."""
    half = df / 2 if is_number(df) or F.is_array(df) else [one / 2 for one in df]
    return gamma(F, half, 2.0, size, dtype, ctx)


@function("np.random")
def lognormal(
    F: Operators,
    mean: Any = 0.0,
    sigma: Any = 1.0,
    size: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    out: Any = None,
) -> Any:
    """Return exponentials of normally distributed numbers; see `normal`."""
    return F._npi_exp(normal(F, mean, sigma, size, dtype, ctx), out=out)


@function("np.random")
def rand(F: Operators, *size: int, **kwargs: Any) -> Any:
    """Return an array of the given extents with samples of the uniform distribution on [0, 1)."""
    return uniform(F, size=tuple(size), **kwargs)


@function("np.random")
def randn(F: Operators, *size: int, **kwargs: Any) -> Any:
    """Return an array of the given extents with samples of the standard normal distribution."""
    return normal(F, size=tuple(size), **kwargs)


@function("np.random")
def randint(
    F: Operators,
    low: int,
    high: int | None = None,
    size: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    out: Any = None,
) -> Any:
    """Return random integers from `low` to below `high`; with one limit, from 0 to below it.

    Parameters
    ----------
    low, high : the limits
    size : the shape of what is drawn, default one number
    dtype : default int64
    ctx : where it is made
    out : the array that receives the result
    """
    low, high = (0, low) if high is None else (low, high)
    shape = (1,) if size is None or size == () else extents(size)
    dtype = "int64" if dtype is None or dtype is int or dtype == "int" else dtype
    target = None if size is None or size == () else out
    found = F._npi_random_randint(
        low=low, high=high, shape=shape, dtype=dtype, out=target, **placed(ctx)
    )
    return F._np_reshape(found, newshape=(), out=out) if size is None or size == () else found


@function("np.random")
def choice(
    F: Operators,
    a: Any,
    size: Any = None,
    replace: bool = True,
    p: Any = None,
    ctx: Any = None,
    out: Any = None,
) -> Any:
    """Return elements drawn from an array, or numbers below one.

    Parameters
    ----------
    a : an array of one axis, or a number
    size : the shape of what is drawn, default one
    replace : whether an element may be drawn several times
    p : the probabilities, default all the same
    ctx : where it is made
    out : the array that receives the result
    """
    weights = [] if p is None else [F.array_of(p, "float32") if isinstance(p, (list, tuple)) else p]
    made = {"size": extents(size), "replace": replace, "weighted": p is not None, **placed(ctx)}
    if isinstance(a, (int, np.integer)):
        return F._npi_choice(*weights, a=int(a), out=out, **made)
    indices = F._npi_choice(a, *weights, a=None, **made)
    return F._npi_take(a, indices, axis=0, mode="clip", out=out)


@function("np.random")
def multinomial(F: Operators, n: int, pvals: Any, size: Any = None) -> Any:
    """Return the counts of categories in `n` trials; `size` such vectors."""
    if F.is_array(pvals):
        return F._npi_multinomial(pvals, n=n, pvals=None, size=extents(size))
    if isinstance(pvals, np.ndarray):
        raise ValueError("numpy ndarray is not supported!")
    return F._npi_multinomial(n=n, pvals=tuple(pvals), size=extents(size))


@function("np.random")
def multivariate_normal(
    F: Operators, mean: Any, cov: Any, size: Any = None, check_valid: Any = None, tol: Any = None
) -> Any:
    """Return normally distributed vectors.

    Parameters
    ----------
    mean : their mean, or several, shape (…, n)
    cov : their covariances, shape (…, n, n)
    size : number of vectors per mean
    check_valid, tol : None
    """
    if check_valid is not None or tol is not None:
        raise NotImplementedError(
            "np.random.multivariate_normal: check_valid= and tol= are not there"
        )
    factor = F._cast_like(F._npi_cholesky(F._npi_cast(cov, dtype="float64")), cov)
    noise = F._cast_like(_noise_beside(F, mean, cov, extents(size) or ()), cov)
    noise = F._npi_expand_dims(noise, axis=-1)
    drawn = F._np_squeeze(F._npi_matmul(factor, noise), axis=-1)
    return F._npi_add(drawn, mean)


def _noise_beside(F: Operators, mean: Any, cov: Any, repeats: tuple[int, ...]) -> Any:
    """Normally distributed numbers for the vectors of all means and covariances, `repeats` of each."""
    if not F.is_symbolic:
        batch = np.broadcast_shapes(mean.shape[:-1], cov.shape[:-2])
        return normal(F, 0.0, 1.0, (*repeats, *batch, mean.shape[-1]))
    column = F._np_squeeze(F.slice_axis(cov, axis=-1, begin=0, end=1), axis=-1)
    like = F._npi_add(mean, F.zeros_like(column))
    for _ in repeats:
        like = F._npi_expand_dims(like, axis=0)
    axes = tuple(range(len(repeats)))
    like = F.broadcast_axis(like, axis=axes, size=repeats) if repeats else like
    return F._random_normal_like(like, loc=0.0, scale=1.0)


@function("np.random")
def shuffle(F: Operators, x: Any) -> None:
    """Put the rows of an array in random order, in place."""
    F._npi_shuffle(x, out=x)


@function("np.random")
def permutation(F: Operators, x: Any) -> Any:
    """Return the rows of an array, or the numbers below one, in random order."""
    if isinstance(x, (int, np.integer)):
        x = F._npi_arange(start=int(x), dtype="int64")
    return F._npi_shuffle(x)


@function("npx.random")
def bernoulli(
    F: Operators,
    prob: Any = None,
    logit: Any = None,
    size: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    out: Any = None,
) -> Any:
    """Return samples of the Bernoulli distribution.

    Parameters
    ----------
    prob, logit : the probability, or its logarithmic odds: a number, or an array; just one of them
    size : the shape of what is drawn, default that of the parameter
    dtype : default float32
    ctx : where it is made
    out : the array that receives the result
    """
    if (prob is None) == (logit is None):
        raise ValueError(
            "npx.random.bernoulli: either prob or logit must be specified, but not both"
        )
    name, value = ("logit", logit) if prob is None else ("prob", prob)
    made = {"dtype": dtype_or_default(dtype), "is_logit": prob is None, "out": out}
    return _draw(F, "bernoulli", {name: value}, size, ctx, **made)


@function("npx.random")
def uniform_n(
    F: Operators,
    low: Any = 0.0,
    high: Any = 1.0,
    batch_shape: Any = None,
    dtype: Any = None,
    ctx: Any = None,
) -> Any:
    """Return samples of uniform distributions, `batch_shape` of them for each pair of limits."""
    values = {"low": low, "high": high}
    return _draw(F, "uniform_n", values, batch_shape, ctx, dtype=dtype_or_default(dtype))


@function("npx.random")
def normal_n(
    F: Operators,
    loc: Any = 0.0,
    scale: Any = 1.0,
    batch_shape: Any = None,
    dtype: Any = None,
    ctx: Any = None,
) -> Any:
    """Return normally distributed numbers, `batch_shape` of them for each mean and deviation."""
    values = {"loc": loc, "scale": scale}
    return _draw(F, "normal_n", values, batch_shape, ctx, dtype=dtype_or_default(dtype))
