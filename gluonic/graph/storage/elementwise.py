"""Elementwise functions that are zero at zero: they are applied to the stored elements."""

import numpy as np

from gluonic.graph.application import Application
from gluonic.graph.storage.forms import Kinds, same_kind, setting, stored
from gluonic.graph.storage.values import CSR, Csr, RowSparse, Value, stored_zeros
from gluonic.support.suppress_fp_warnings import quietly

Sparse = Csr | RowSparse

_ZERO_AT_ZERO = """
abs sign round rint ceil floor trunc fix square sqrt cbrt log1p expm1 sin tan arcsin arctan degrees radians
sinh tanh arcsinh arctanh relu negative _copy BlockGrad make_loss _mul_scalar _div_scalar
_contrib_round_ste _contrib_sign_ste _scatter_plus_scalar _scatter_minus_scalar
"""
_DEPENDING_ON_THE_NUMBER = """
_plus_scalar _minus_scalar _equal_scalar _not_equal_scalar _greater_scalar _greater_equal_scalar _lesser_scalar
_lesser_equal_scalar
"""


def _elements(application: Application, value: Sparse) -> Sparse:
    """Apply the operator to the stored elements."""
    return value.mapped(lambda data: np.array(quietly(application.execute, [data], None)[0]))


stored(*_ZERO_AT_ZERO.split(), gives=same_kind)(_elements)


def _if_zero_stays(application: Application, kinds: Kinds) -> str | None:
    zero = quietly(application.execute, [np.zeros(1, np.float32)], None)[0]
    return kinds[0] if zero[0] == 0 else None


stored(*_DEPENDING_ON_THE_NUMBER.split(), gives=_if_zero_stays)(_elements)


def _if_zero_is_within(application: Application, kinds: Kinds) -> str | None:
    return kinds[0] if setting(application, "a_min") <= 0 <= setting(application, "a_max") else None


stored("clip", gives=_if_zero_is_within)(_elements)


def _without_constant(application: Application, kinds: Kinds) -> str | None:
    return CSR if kinds[0] == CSR and setting(application, "c") == 0 else None


stored("_contrib_quadratic", gives=_without_constant)(_elements)


@stored("zeros_like", gives=same_kind)
def _zeros_like(application: Application, value: Sparse) -> Value:
    return stored_zeros(value.kind, value.shape, value.dtype)
