"""``mx.amp``: automatic mixed precision, which is `mx.contrib.amp` in MXNet 1.x."""

from typing import Any

from gluonic.contrib import amp as of_one
from gluonic.contrib.amp import *
from gluonic.contrib.amp.loss_scaler import LossScaler
from gluonic.mxnet2.gluon.block import adopt

__all__ = [*of_one.__all__, "LossScaler"]


def convert_hybrid_block(block: Any, data_example: Any = None, *args: Any, **kwargs: Any) -> Any:
    """Return a net that computes in low precision where that is safe.

    Parameters
    ----------
    block : a hybridized net; it is called with the example if it has not been called
    data_example : inputs of the net, one or several
    *args, **kwargs : as for `mx.contrib.amp.convert_hybrid_block` of MXNet 1.x: the dtype, and operators
    """
    if data_example is not None:
        given = data_example if isinstance(data_example, (list, tuple)) else [data_example]
        block.hybridize()
        block(*given)
    net = of_one.convert_hybrid_block(block, *args, **kwargs)
    adopt(net)
    return net
