"""``mx.amp``: automatic mixed precision, which is `mx.contrib.amp` in MXNet 1.x."""

from typing import Any

from gluonic.contrib import amp as of_one
from gluonic.contrib.amp import lists
from gluonic.contrib.amp.loss_scaler import LossScaler
from gluonic.mxnet2.gluon.block import adopt

_kept = {name: getattr(of_one, name) for name in of_one.__all__ if name != "convert_hybrid_block"}
globals().update(_kept)
__all__ = [*_kept, "LossScaler", "convert_hybrid_block", "lists"]


def convert_hybrid_block(
    block: Any,
    data_example: Any = None,
    target_dtype: str = "float16",
    target_dtype_ops: Any = None,
    fp32_ops: Any = None,
    conditional_fp32_ops: Any = None,
    excluded_sym_names: Any = None,
    device: Any = None,
    cast_params_offline: bool = False,
    **of_mxnet1: Any,
) -> Any:
    """Return a net that computes in low precision where that is safe.

    Parameters
    ----------
    block : a hybrid block; it is hybridized, and called with the example
    data_example : inputs of the net, one or several; None if it has been called
    target_dtype : the low precision, ``"float16"`` or ``"bfloat16"``
    target_dtype_ops, fp32_ops, conditional_fp32_ops, excluded_sym_names : as in MXNet 1.x
    device : where the net's parameters are, by default where they were
    cast_params_offline : whether parameters are stored in low precision
    **of_mxnet1 : further arguments of MXNet 1.x's function
    """
    if data_example is not None:
        given = data_example if isinstance(data_example, (list, tuple)) else [data_example]
        block.hybridize()
        block(*given)
    net = of_one.convert_hybrid_block(
        block,
        target_dtype=target_dtype,
        target_dtype_ops=target_dtype_ops,
        fp32_ops=fp32_ops,
        conditional_fp32_ops=conditional_fp32_ops,
        excluded_sym_names=excluded_sym_names,
        cast_optional_params=cast_params_offline,
        **({} if device is None else {"ctx": device}),
        **of_mxnet1,
    )
    adopt(net)
    return net
