"""Distributions of vectors: of which the last axis of samples is one."""

import math
from typing import Any, ClassVar

import numpy

from gluonic.graph.errors import CallError, describe
from gluonic.mxnet2 import numpy as np
from gluonic.mxnet2.gluon.probability.constraint import (
    Constraint,
    LowerCholesky,
    Positive,
    PositiveDefinite,
    Real,
    Simplex,
)
from gluonic.mxnet2.gluon.probability.distribution import Distribution, ExponentialFamily
from gluonic.mxnet2.gluon.probability.special import SMALLEST, cached_property, log_gamma, psi

__all__ = ["Dirichlet", "MultivariateNormal"]

Constraints = dict[str, Constraint]


class Dirichlet(ExponentialFamily):
    """The Dirichlet distribution: vectors of positive numbers that sum to 1.

    Parameters
    ----------
    alpha : the exponents of the density, plus 1, along the last axis
    validate_args : whether parameters and values are checked
    """

    support = Simplex()
    arg_constraints: ClassVar[Constraints] = {"alpha": Positive()}

    def __init__(self, alpha: Any, validate_args: bool | None = None) -> None:
        self.alpha = alpha
        super().__init__(1, validate_args)

    def _draw(self, shape: tuple[int, ...]) -> Any:
        parts = np.random.gamma(self.alpha, 1.0, (*shape, self.alpha.shape[-1]))
        return np.maximum(parts / np.sum(parts, axis=-1, keepdims=True), SMALLEST)

    def log_prob(self, value: Any) -> Any:
        """Return the logarithm of the density."""
        powers = np.sum(np.log(self._checked(value)) * (self.alpha - 1.0), axis=-1)
        return powers - self._log_normal()

    def _log_normal(self) -> Any:
        total = log_gamma(np.sum(self.alpha, axis=-1))
        return np.sum(log_gamma(self.alpha), axis=-1) - total

    @property
    def mean(self) -> Any:
        """The mean."""
        return self.alpha / np.sum(self.alpha, axis=-1, keepdims=True)

    @property
    def variance(self) -> Any:
        """The variances of the elements."""
        total = np.sum(self.alpha, axis=-1, keepdims=True)
        return self.alpha * (total - self.alpha) / ((total + 1) * total**2)

    def entropy(self) -> Any:
        """Return the entropy in nats."""
        total = np.sum(self.alpha, axis=-1)
        rest = np.sum((self.alpha - 1) * psi(self.alpha), axis=-1)
        return self._log_normal() + (total - self.alpha.shape[-1]) * psi(total) - rest


class MultivariateNormal(Distribution):
    """The normal distribution of vectors.

    Parameters
    ----------
    loc : the mean
    cov, precision, scale_tril : one of these: the covariances, their inverse, or the lower triangular
    factor L of
        the covariances ``L Lᵀ``
    validate_args : whether parameters and values are checked
    """

    has_grad = True
    support = Real()
    arg_constraints: ClassVar[Constraints] = {
        "loc": Real(),
        "cov": PositiveDefinite(),
        "precision": PositiveDefinite(),
        "scale_tril": LowerCholesky(),
    }

    def __init__(
        self,
        loc: Any,
        cov: Any = None,
        precision: Any = None,
        scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        given = {"cov": cov, "precision": precision, "scale_tril": scale_tril}
        matrices = {name: value for name, value in given.items() if value is not None}
        if len(matrices) != 1:
            raise CallError(
                describe(
                    f"give exactly one of cov, precision and scale_tril, not {len(matrices)}",
                    where="MultivariateNormal",
                )
            )
        (self._matrix,) = matrices
        self.loc = loc
        self.__dict__.update(matrices)
        super().__init__(1, validate_args)

    def _given(self) -> list[str]:
        return ["loc", self._matrix]

    @cached_property
    def scale_tril(self) -> Any:
        """The lower triangular factor of the covariances."""
        return np.linalg.cholesky(self.cov)

    @cached_property
    def cov(self) -> Any:
        """The covariances."""
        if self._matrix == "scale_tril":
            return np.matmul(self.scale_tril, np.swapaxes(self.scale_tril, -1, -2))
        return np.linalg.inv(self.precision)

    @cached_property
    def precision(self) -> Any:
        """The inverse of the covariances."""
        return np.linalg.inv(self.cov)

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """The shape of the parameters, without the axes of vectors and matrices."""
        matrices = getattr(self, self._matrix).shape[:-2]
        return numpy.broadcast_shapes(self.loc.shape[:-1], matrices)

    def _event_of(self, value: Any) -> tuple[int, ...]:
        shape: tuple[int, ...] = value.shape
        return shape[-1:] if value is self.loc else shape[-2:]

    def _draw(self, shape: tuple[int, ...]) -> Any:
        factor = self._factor(shape)
        noise = np.random.normal(0.0, 1.0, (*shape, self.loc.shape[-1], 1)).astype(factor.dtype)
        return self.loc + np.squeeze(np.matmul(factor, noise), -1)

    def _factor(self, shape: tuple[int, ...]) -> Any:
        size = self.loc.shape[-1]
        return np.broadcast_to(self.scale_tril, (*shape, size, size))

    def log_prob(self, value: Any) -> Any:
        """Return the logarithm of the density."""
        apart = self._checked(value) - self.loc
        return -0.5 * quadratic_form(self.precision, apart) - self._log_normal()

    def _log_normal(self) -> Any:
        return self.half_log_determinant() + 0.5 * self.loc.shape[-1] * math.log(2 * math.pi)

    def half_log_determinant(self) -> Any:
        """Half of the logarithm of the determinant of the covariances."""
        return np.sum(np.log(np.diagonal(self.scale_tril, axis1=-2, axis2=-1)), axis=-1)

    @property
    def mean(self) -> Any:
        """The mean."""
        return self.loc

    @property
    def variance(self) -> Any:
        """The variances of the elements."""
        return np.sum(self.scale_tril**2, axis=-1)

    def entropy(self) -> Any:
        """Return the entropy in nats."""
        return self._log_normal() + 0.5 * self.loc.shape[-1]


def quadratic_form(matrix: Any, vector: Any) -> Any:
    """``xᵀ A x`` for matrices and vectors of the last axes, broadcast together."""
    products = np.sum(matrix * np.expand_dims(vector, -2), axis=-1)
    return np.sum(products * vector, axis=-1)
