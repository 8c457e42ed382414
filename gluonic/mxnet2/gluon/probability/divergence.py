"""Kullback-Leibler divergences between distributions."""

import math
from collections.abc import Callable
from typing import Any

from gluonic.graph.errors import NotThereError, describe
from gluonic.mxnet2 import numpy as np
from gluonic.mxnet2.gluon.probability.classes import Categorical, OneHotCategorical
from gluonic.mxnet2.gluon.probability.continuous import (
    Cauchy,
    Exponential,
    Gumbel,
    Laplace,
    Normal,
    Uniform,
)
from gluonic.mxnet2.gluon.probability.discrete import Bernoulli, Binomial, Geometric, Poisson
from gluonic.mxnet2.gluon.probability.gammas import Beta, Gamma
from gluonic.mxnet2.gluon.probability.special import log_gamma, psi, where
from gluonic.mxnet2.gluon.probability.transformed import HalfNormal, Pareto
from gluonic.mxnet2.gluon.probability.vectors import Dirichlet, MultivariateNormal, quadratic_form

__all__ = ["empirical_kl", "kl_divergence", "register_kl"]

_EULER = 0.5772156649015329
_Rule = Callable[[Any, Any], Any]
_RULES: dict[tuple[type, type], _Rule] = {}


def register_kl(typeP: type, typeQ: type) -> Callable[[_Rule], _Rule]:
    """Enter the divergence of two kinds of distributions (a decorator of a function of both)."""

    def enter(rule: _Rule) -> _Rule:
        if rule.__code__.co_argcount != 2:
            raise TypeError(f"register_kl: {rule.__name__} must take two distributions")
        _RULES[typeP, typeQ] = rule
        return rule

    return enter


def kl_divergence(p: Any, q: Any) -> Any:
    """Return the divergence of one distribution from another, in nats.

    Parameters
    ----------
    p : the distribution whose samples are described
    q : the distribution that describes them

    Raises
    ------
    NotImplementedError
        if there is no formula for the two kinds
    """
    for first in type(p).__mro__:
        for second in type(q).__mro__:
            if (first, second) in _RULES:
                return _RULES[first, second](p, q)
    raise NotThereError(
        describe(
            f"no formula for {type(p).__name__} and {type(q).__name__} is known",
            where="kl_divergence",
            hint="empirical_kl(p, q, n_samples), or register_kl",
        )
    )


def empirical_kl(p: Any, q: Any, n_samples: int = 1) -> Any:
    """Return an estimate of the divergence from samples of the first distribution.

    Parameters
    ----------
    p, q : as for `kl_divergence`
    n_samples : how many samples
    """
    samples = p.sample_n(n_samples)
    return np.mean(p.log_prob(samples) - q.log_prob(samples), axis=0)


@register_kl(Normal, Normal)
@register_kl(HalfNormal, HalfNormal)
def _normal(p: Any, q: Any) -> Any:
    ratio = (p.scale / q.scale) ** 2
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale) ** 2 - 1 - np.log(ratio))


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p: Any, q: Any) -> Any:
    ones = p.prob * (np.log(p.prob) - np.log(q.prob))
    return ones + (1 - p.prob) * (np.log1p(-p.prob) - np.log1p(-q.prob))


@register_kl(Binomial, Binomial)
def _binomial(p: Any, q: Any) -> Any:
    found = p.n * _bernoulli(p, q)
    return where(p.n <= q.n, found, math.inf)


@register_kl(Categorical, Categorical)
@register_kl(OneHotCategorical, OneHotCategorical)
def _classes(p: Any, q: Any) -> Any:
    return np.sum(p.prob * (np.log(p.prob) - np.log(q.prob)), axis=-1)


@register_kl(Uniform, Uniform)
def _uniform(p: Any, q: Any) -> Any:
    found = np.log((q.high - q.low) / (p.high - p.low))
    is_inside = (q.low <= p.low) & (q.high >= p.high)
    return where(is_inside, found, math.inf)


@register_kl(Cauchy, Cauchy)
def _cauchy(p: Any, q: Any) -> Any:
    joint = np.log((p.scale + q.scale) ** 2 + (p.loc - q.loc) ** 2)
    return joint - np.log(4 * p.scale * q.scale)


@register_kl(Laplace, Laplace)
def _laplace(p: Any, q: Any) -> Any:
    ratio, apart = p.scale / q.scale, np.abs(p.loc - q.loc)
    return -np.log(ratio) + apart / q.scale + ratio * np.exp(-apart / p.scale) - 1


@register_kl(Poisson, Poisson)
def _poisson(p: Any, q: Any) -> Any:
    return p.rate * (np.log(p.rate) - np.log(q.rate)) - (p.rate - q.rate)


@register_kl(Geometric, Geometric)
def _geometric(p: Any, q: Any) -> Any:
    return _bernoulli(p, q) / p.prob


@register_kl(Exponential, Exponential)
def _exponential(p: Any, q: Any) -> Any:
    ratio = p.scale / q.scale
    return ratio - 1 - np.log(ratio)


@register_kl(Pareto, Pareto)
def _pareto(p: Any, q: Any) -> Any:
    ratio = q.alpha / p.alpha
    found = q.alpha * np.log(p.scale / q.scale) - np.log(ratio) + ratio - 1
    return where(p.scale >= q.scale, found, math.nan)


@register_kl(Gumbel, Gumbel)
def _gumbel(p: Any, q: Any) -> Any:
    ratio, apart = p.scale / q.scale, (p.loc - q.loc) / q.scale
    tail = np.exp(log_gamma(1 + ratio) - apart)
    return -np.log(ratio) + apart + ratio * _EULER + tail - (1 + _EULER)


@register_kl(Gamma, Gamma)
def _gamma(p: Any, q: Any) -> Any:
    shapes = log_gamma(q.shape) - log_gamma(p.shape) + (p.shape - q.shape) * psi(p.shape)
    return shapes + q.shape * np.log(q.scale / p.scale) + p.shape * (p.scale / q.scale - 1)


@register_kl(Beta, Beta)
def _beta(p: Any, q: Any) -> Any:
    first, second = p.alpha + p.beta, q.alpha + q.beta
    factors = log_gamma(q.alpha) + log_gamma(q.beta) + log_gamma(first)
    factors = factors - log_gamma(p.alpha) - log_gamma(p.beta) - log_gamma(second)
    slopes = (p.alpha - q.alpha) * psi(p.alpha) + (p.beta - q.beta) * psi(p.beta)
    return factors + slopes + (second - first) * psi(first)


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p: Any, q: Any) -> Any:
    first, second = np.sum(p.alpha, axis=-1), np.sum(q.alpha, axis=-1)
    factors = log_gamma(first) - log_gamma(second)
    factors = factors + np.sum(log_gamma(q.alpha) - log_gamma(p.alpha), axis=-1)
    slopes = psi(p.alpha) - np.expand_dims(psi(first), -1)
    return factors + np.sum((p.alpha - q.alpha) * slopes, axis=-1)


@register_kl(MultivariateNormal, MultivariateNormal)
def _vectors(p: Any, q: Any) -> Any:
    sizes = q.half_log_determinant() - p.half_log_determinant()
    overlap = np.trace(np.matmul(q.precision, p.cov), axis1=-2, axis2=-1)
    return sizes + 0.5 * (overlap + quadratic_form(q.precision, q.loc - p.loc) - p.loc.shape[-1])


@register_kl(Uniform, Normal)
def _uniform_normal(p: Any, q: Any) -> Any:
    width, apart = p.high - p.low, (p.high + p.low) / 2 - q.loc
    level = np.log(math.sqrt(2 * math.pi) * q.scale / width)
    return level + 0.5 * (width**2 / 12 + apart**2) / q.scale**2


@register_kl(Uniform, Gumbel)
def _uniform_gumbel(p: Any, q: Any) -> Any:
    width = q.scale / (p.high - p.low)
    high, low = (p.high - q.loc) / q.scale, (p.low - q.loc) / q.scale
    return np.log(width) + 0.5 * (high + low) - width * (np.exp(-high) - np.exp(-low))


@register_kl(Exponential, Normal)
def _exponential_normal(p: Any, q: Any) -> Any:
    second = (p.scale - q.loc) ** 2 + p.scale**2
    level = np.log(q.scale / p.scale) + 0.5 * math.log(2 * math.pi)
    return level - 1 + 0.5 * second / q.scale**2


@register_kl(Exponential, Gumbel)
def _exponential_gumbel(p: Any, q: Any) -> Any:
    ratio, place = q.scale / p.scale, q.loc / q.scale
    return np.log(ratio) - 1 - place + np.exp(place) * ratio / (ratio + 1) + 1 / ratio


@register_kl(Exponential, Gamma)
def _exponential_gamma(p: Any, q: Any) -> Any:
    ratio = q.scale / p.scale
    return q.shape * np.log(ratio) + 1 / ratio + log_gamma(q.shape) + (q.shape - 1) * _EULER - 1
