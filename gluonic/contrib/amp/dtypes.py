"""The dtypes of low precision, and the lists for each."""

from typing import Any, NamedTuple

import numpy as np

from gluonic.contrib.amp.lists import symbol_bf16, symbol_fp16
from gluonic.contrib.amp.lists.registered import LOSSES
from gluonic.graph.dtypes import BFLOAT16_STRUCTURE, as_dtype
from gluonic.graph.errors import AttributeValueError

Condition = tuple[str, str, list[str]]


class Lists(NamedTuple):
    """The names of operators, by the precision of their computation.

    Attributes
    ----------
    low, full, either, widest : in low precision, in float32, in the inputs' dtypes, in the widest of these
    conditional : in float32 for some values of an attribute
    losses : operators whose gradients are scaled
    kept : the inputs that remain float32, by operator
    """

    low: list[str]
    full: list[str]
    either: list[str]
    widest: list[str]
    conditional: list[Condition]
    losses: list[str]
    kept: dict[str, list[str]] | None


class UnsupportedDtypeError(AttributeValueError, AssertionError):
    """A dtype is neither float16 nor bfloat16."""


def name_of(target_dtype: Any) -> str:
    """Return ``"float16"`` or ``"bfloat16"``.

    Raises
    ------
    AssertionError
        for any other dtype
    """
    if isinstance(target_dtype, str) and target_dtype == "bfloat16":
        return "bfloat16"
    if isinstance(target_dtype, np.dtype) and target_dtype == BFLOAT16_STRUCTURE:
        return "bfloat16"
    name = as_dtype(target_dtype).name
    if name not in ("float16", "bfloat16"):
        raise UnsupportedDtypeError(f"amp: target_dtype must be float16 or bfloat16, not {name}")
    return name


def low_dtype(target_dtype: Any) -> np.dtype[Any]:
    """Return the target dtype of the casts.

    Raises
    ------
    NotThereError
        for bfloat16, if `ml_dtypes` is not installed
    """
    return as_dtype(name_of(target_dtype))


def lists_for(target_dtype: Any) -> Lists:
    """Return the lists for a dtype."""
    if name_of(target_dtype) == "float16":
        h = symbol_fp16
        low, either, kept = h.FP16_FUNCS, h.FP16_FP32_FUNCS, None
        rest = (h.FP32_FUNCS, h.WIDEST_TYPE_CASTS, h.CONDITIONAL_FP32_FUNCS)
    else:
        b = symbol_bf16
        low, either, kept = b.BF16_FUNCS, b.BF16_FP32_FUNCS, b.BF16_USE_FP32_PARAMS
        rest = (b.FP32_FUNCS, b.WIDEST_TYPE_CASTS, b.CONDITIONAL_FP32_FUNCS)
    full, widest, conditional = rest
    return Lists(low, full, either, widest, conditional, LOSSES, kept)
