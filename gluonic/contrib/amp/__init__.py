"""``mx.contrib.amp``: automatic mixed precision."""

from importlib.util import find_spec
from typing import Any

from gluonic.contrib.amp import lists, loss_scaler
from gluonic.contrib.amp.bucketing import convert_bucketing_module
from gluonic.contrib.amp.conversion import convert_hybrid_block, convert_model, convert_symbol
from gluonic.contrib.amp.dtypes import lists_for
from gluonic.contrib.amp.scaling import scale_loss, unscale
from gluonic.contrib.amp.switching import init, init_trainer, is_initialized
from gluonic.graph import dtypes as _dtypes

__all__ = [
    "bfloat16",
    "convert_bucketing_module",
    "convert_hybrid_block",
    "convert_model",
    "convert_symbol",
    "init",
    "init_trainer",
    "list_conditional_fp32_ops",
    "list_fp32_ops",
    "list_loss_output_functions",
    "list_lp16_fp32_ops",
    "list_lp16_ops",
    "list_lp16_use_fp32_params",
    "list_widest_type_cast",
    "lists",
    "loss_scaler",
    "scale_loss",
    "unscale",
]


def list_lp16_ops(target_dtype: Any) -> list[str]:
    """Return the operators that are computed in low precision.

    Parameters
    ----------
    target_dtype : ``"float16"`` or ``"bfloat16"``
    """
    return lists_for(target_dtype).low


def list_fp32_ops(target_dtype: Any) -> list[str]:
    """Return the operators that are computed in float32.

    Parameters
    ----------
    target_dtype : ``"float16"`` or ``"bfloat16"``
    """
    return lists_for(target_dtype).full


def list_lp16_fp32_ops(target_dtype: Any) -> list[str]:
    """Return the operators that are computed in the dtypes of their inputs.

    Parameters
    ----------
    target_dtype : ``"float16"`` or ``"bfloat16"``
    """
    return lists_for(target_dtype).either


def list_widest_type_cast(target_dtype: Any) -> list[str]:
    """Return the operators that are computed in the widest dtype of their inputs.

    Parameters
    ----------
    target_dtype : ``"float16"`` or ``"bfloat16"``
    """
    return lists_for(target_dtype).widest


def list_conditional_fp32_ops(target_dtype: Any) -> list[tuple[str, str, list[str]]]:
    """Return the operators that are computed in float32 for some values of an attribute.

    Parameters
    ----------
    target_dtype : ``"float16"`` or ``"bfloat16"``
    """
    return lists_for(target_dtype).conditional


def list_loss_output_functions(target_dtype: Any) -> list[str]:
    """Return the operators whose gradients are multiplied by the scale of the loss.

    Parameters
    ----------
    target_dtype : ``"float16"`` or ``"bfloat16"``
    """
    return lists_for(target_dtype).losses


def list_lp16_use_fp32_params(target_dtype: Any) -> dict[str, list[str]] | None:
    """Return the inputs that remain float32, by operator; None for float16.

    Parameters
    ----------
    target_dtype : ``"float16"`` or ``"bfloat16"``
    """
    return lists_for(target_dtype).kept


def __getattr__(name: str) -> Any:
    if name == "bfloat16":  # what MXNet says for it, where `ml_dtypes` is not installed
        return _dtypes.bfloat16() if find_spec("ml_dtypes") else _dtypes.BFLOAT16_STRUCTURE
    if name == "_amp_initialized":  # what libraries ask
        return is_initialized()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
