"""Probability densities of the distributions that random numbers are drawn from."""

import inspect
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gluonic.graph.adjoint import adjoint
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, GradientRule, operator
from gluonic.graph.ops.layer_rules import floating, wide
from gluonic.graph.rules import like
from gluonic.graph.scalar_math import M
from gluonic.graph.view import NodeView, PartialShape, peek, put, title_of, unify, written

Log = Callable[..., Any]


class Density(NamedTuple):
    """A row of the table.

    Attributes
    ----------
    name : suffix of the operator's name
    documentation : the distribution
    parameters : the names of the inputs after `sample`
    log : the logarithm of the density, as a function of a sample and its parameters
    sample : its derivative with respect to the sample, over F; None for distributions of integers
    derivatives : its derivatives with respect to the parameters
    """

    name: str
    documentation: str
    parameters: tuple[str, ...]
    log: Log
    sample: Log | None
    derivatives: tuple[Log, ...]


def _negative_binomial(x: Any, k: Any, p: Any) -> Any:
    ways = M.gammaln(x + k) - M.gammaln(x + 1) - M.gammaln(k)
    return ways + k * np.log(p) + x * np.log1p(-p)


def _by_failures(F: Any, x: Any, k: Any, p: Any) -> Any:
    return F.digamma(x + k) - F.digamma(k) + F.log(p)


def _by_probability(F: Any, x: Any, k: Any, p: Any) -> Any:
    return k / p - x / (1.0 - p)


def _by_mean(F: Any, x: Any, mu: Any, alpha: Any) -> Any:
    p = 1.0 / (1.0 + mu * alpha)
    return -(_by_probability(F, x, 1.0 / alpha, p) * alpha * p * p)


def _by_dispersion(F: Any, x: Any, mu: Any, alpha: Any) -> Any:
    k, p = 1.0 / alpha, 1.0 / (1.0 + mu * alpha)
    return -(_by_failures(F, x, k, p) * k * k + _by_probability(F, x, k, p) * mu * p * p)


DENSITIES = [
    Density(
        "uniform",
        "uniform between `low` and `high`; the density is the same outside",
        ("low", "high"),
        lambda x, low, high: -np.log(high - low) + 0 * x,
        lambda F, x, low, high: F.zeros_like(x),
        (
            lambda F, x, low, high: 1.0 / (high - low),
            lambda F, x, low, high: -1.0 / (high - low),
        ),
    ),
    Density(
        "normal",
        "normal with mean `mu` and standard deviation `sigma`",
        ("mu", "sigma"),
        lambda x, mu, sigma: (
            -(((x - mu) / sigma) ** 2) / 2 - np.log(sigma * math.sqrt(2 * math.pi))
        ),
        lambda F, x, mu, sigma: (mu - x) / (sigma * sigma),
        (
            lambda F, x, mu, sigma: (x - mu) / (sigma * sigma),
            lambda F, x, mu, sigma: (F.square((x - mu) / sigma) - 1.0) / sigma,
        ),
    ),
    Density(
        "gamma",
        "gamma of shape `alpha` and rate `beta`",
        ("alpha", "beta"),
        lambda x, alpha, beta: (
            alpha * np.log(beta) + (alpha - 1) * np.log(x) - beta * x - M.gammaln(alpha)
        ),
        lambda F, x, alpha, beta: (alpha - 1.0) / x - beta,
        (
            lambda F, x, alpha, beta: F.log(beta) + F.log(x) - F.digamma(alpha),
            lambda F, x, alpha, beta: alpha / beta - x,
        ),
    ),
    Density(
        "exponential",
        "exponential of rate `lam`",
        ("lam",),
        lambda x, lam: np.log(lam) - lam * x,
        lambda F, x, lam: -lam,
        (lambda F, x, lam: 1.0 / lam - x,),
    ),
    Density(
        "poisson",
        "Poisson of mean `lam`",
        ("lam",),
        lambda x, lam: x * np.log(lam) - M.gammaln(x + 1) - lam,
        None,
        (lambda F, x, lam: x / lam - 1.0,),
    ),
    Density(
        "negative_binomial",
        "the number of successes, of probability ``1 - p``, before `k` failures",
        ("k", "p"),
        _negative_binomial,
        None,
        (_by_failures, _by_probability),
    ),
    Density(
        "generalized_negative_binomial",
        "negative binomial of mean `mu` and variance ``mu + alpha * mu**2``",
        ("mu", "alpha"),
        lambda x, mu, alpha: _negative_binomial(x, 1 / alpha, 1 / (1 + mu * alpha)),
        None,
        (_by_mean, _by_dispersion),
    ),
]


def _expanded(parameter: Array, rank: int) -> Array:
    return wide(parameter.reshape(parameter.shape + (1,) * (rank - parameter.ndim)))


@operator("_along_sample", shape=like("sample"), dtype=like("parameter"))
def along_sample(parameter: Array, sample: Array) -> Array:
    """Repeat each parameter for its samples, along the last axes of `sample`."""
    return np.broadcast_to(_expanded(parameter, sample.ndim), sample.shape)


@adjoint(along_sample, source="parameter")
def _sum_over_samples(grad: Array, parameter: Array, sample: Array) -> Any:
    rank = parameter.ndim
    return wide(grad).reshape(*parameter.shape, -1).sum(axis=rank) if grad.ndim > rank else grad


def _parameters_first(n: NodeView, names: tuple[str, ...], sample: PartialShape) -> None:
    """Unify the shapes of the parameters, and with them the first axes of `sample`."""
    common = None
    for name in names:
        common = unify(common, peek(n, name), f"{title_of(n)}: {name}")
    if common is None:
        return
    common = unify(common, sample[: len(common)], f"{title_of(n)}: {names[0]}")
    for name in names:
        put(n, name, common)
    n.sample = (*common, *sample[len(common) :])


def _output_gradient(n: NodeView, g: Any) -> Any:
    return g if n.is_log else g * n.output


def _by_sample(row: Density, derivative: Log) -> GradientRule:
    def rule(F: Any, n: NodeView, g: Any) -> Any:
        values = [F._along_sample(getattr(n, p), n.sample) for p in row.parameters]
        return _output_gradient(n, g) * derivative(F, n.sample, *values)

    return rule


def _by_parameter(row: Density, parameter: str, derivative: Log) -> GradientRule:
    by_sample = _by_sample(row, derivative)

    def rule(F: Any, n: NodeView, g: Any) -> Any:
        return F._backward_along_sample(by_sample(F, n, g), getattr(n, parameter), n.sample)

    return rule


_DOCUMENTATION = """The density of samples from a distribution: {what}.

Parameters
----------
sample : shape (…, *m)
{parameters} : the parameters of the distributions, shape (…)
is_log : whether to return the logarithm of the density

Returns
-------
output : of the shape of `sample`
"""


def _register(row: Density) -> None:
    def kernel(sample: Array, *parameters: Array, is_log: bool) -> Any:
        log = row.log(wide(sample), *(_expanded(p, sample.ndim) for p in parameters))
        return log if is_log else np.exp(log)

    position = inspect.Parameter.POSITIONAL_OR_KEYWORD
    kernel.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            *(
                inspect.Parameter(name, position, annotation=Array)
                for name in ("sample", *row.parameters)
            ),
            inspect.Parameter(
                "is_log", inspect.Parameter.KEYWORD_ONLY, annotation=bool, default=False
            ),
        ]
    )
    kernel.__doc__ = _DOCUMENTATION.format(
        what=row.documentation, parameters=", ".join(row.parameters)
    )
    name = f"random_pdf_{row.name}"
    op = operator(f"_{name}", name, dtype=floating())(kernel)

    @op.infer_shape
    def _(n: NodeView) -> None:
        like("sample")(n)
        _parameters_first(n, row.parameters, n.sample)
        n.output = n.sample

    if row.sample is not None:
        op.gradient(sample=_by_sample(row, row.sample))
    for parameter, derivative in zip(row.parameters, row.derivatives, strict=True):
        op.gradient(**{parameter: _by_parameter(row, parameter, derivative)})


for _row in DENSITIES:
    _register(_row)


@operator("_random_pdf_dirichlet", "random_pdf_dirichlet", dtype=floating())
def random_pdf_dirichlet(sample: Array, alpha: Array, *, is_log: bool = False) -> Any:
    """The density of samples from Dirichlet distributions.

    Parameters
    ----------
    sample : points whose coordinates sum to 1, shape (…, *m, k)
    alpha : the concentrations, shape (…, k)
    is_log : whether to return the logarithm of the density

    Returns
    -------
    output : of shape (…, *m)
    """
    middle = (1,) * (sample.ndim - alpha.ndim)
    a = wide(alpha).reshape(*alpha.shape[:-1], *middle, alpha.shape[-1])
    log = ((a - 1) * np.log(wide(sample))).sum(-1) + M.gammaln(a.sum(-1)) - M.gammaln(a).sum(-1)
    return log if is_log else np.exp(log)


@random_pdf_dirichlet.infer_shape
def _(n: Any) -> None:
    if not n.alpha or len(n.alpha) > len(n.sample):
        raise InferenceError(
            f"{title_of(n)}: sample is {written(n.sample)}, alpha {written(n.alpha)};"
            " they must be (…, *m, k) and (…, k)"
        )
    rest = len(n.alpha) - 1
    n.alpha = (*n.sample[:rest], n.sample[-1])
    n.sample = (*n.alpha[:-1], *n.sample[rest:-1], n.alpha[-1])
    n.output = n.sample[:-1] or (1,)


@random_pdf_dirichlet.all_gradients
def _(F: Any, n: Any, heads: Any) -> dict[str, Any]:
    head = heads[0] if n.is_log else heads[0] * n.output
    sample, alpha = F._backward_random_pdf_dirichlet(head, n.sample, n.alpha)
    return {"sample": sample, "alpha": alpha}


@operator("_backward_random_pdf_dirichlet", outputs=("by_sample", "by_alpha"))
def _dirichlet_gradient(grad: Array, sample: Array, alpha: Array) -> tuple[Any, Any]:
    """The gradient of the logarithm of `_random_pdf_dirichlet`."""
    rest = alpha.ndim - 1
    a = alpha.reshape(*alpha.shape[:-1], *(1,) * (sample.ndim - alpha.ndim), alpha.shape[-1])
    g = grad.reshape(*sample.shape[:-1], 1)
    by_alpha = g * (np.log(sample) + M.digamma(a.sum(-1, keepdims=True)) - M.digamma(a))
    return g * (a - 1) / sample, by_alpha.sum(axis=tuple(range(rest, sample.ndim - 1)))


@_dirichlet_gradient.infer_shape
def _(n: Any) -> None:
    n.by_sample, n.by_alpha = n.sample, n.alpha
