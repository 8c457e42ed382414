"""Layers of MXNet 2.0: those of 1.x, with the layers that were in `gluon.contrib`."""

import math
from typing import TYPE_CHECKING, Any

from gluonic.gluon import nn
from gluonic.gluon.contrib import cnn
from gluonic.gluon.contrib import nn as contributed
from gluonic.graph.errors import AttributeValueError
from gluonic.mxnet2 import numpy as np
from gluonic.mxnet2 import numpy_extension as npx
from gluonic.mxnet2.gluon.hybrid import HybridBlockOfTwo as HybridBlock
from gluonic.mxnet2.gluon.layers import classes_of_two, members_of_two

_MOVED: dict[str, Any] = {
    "Concatenate": contributed.Concurrent,
    "HybridConcatenate": contributed.HybridConcurrent,
    "Identity": contributed.Identity,
    "SyncBatchNorm": contributed.SyncBatchNorm,
    "PixelShuffle1D": contributed.PixelShuffle1D,
    "PixelShuffle2D": contributed.PixelShuffle2D,
    "PixelShuffle3D": contributed.PixelShuffle3D,
    "DeformableConvolution": cnn.DeformableConvolution,
    "ModulatedDeformableConvolution": cnn.ModulatedDeformableConvolution,
}


class SiLU(HybridBlock):
    """The sigmoid linear unit: each element times its sigmoid."""

    def forward(self, x: Any) -> Any:
        """Compute it."""
        return npx.silu(x)


class GaussianLinear(HybridBlock):
    """Each element times the normal distribution function of it (Hendrycks and Gimpel, 2016).

    Parameters
    ----------
    approximation : ``"erf"`` for the function itself, ``"tanh"`` for an approximation by a hyperbolic tangent
    """

    def __init__(self, approximation: str = "erf") -> None:
        super().__init__()
        if approximation not in ("erf", "tanh"):
            raise AttributeValueError(
                f"GELU: approximation must be 'erf' or 'tanh', not {approximation!r}"
            )
        self._approximation = approximation

    def forward(self, x: Any) -> Any:
        """Compute it."""
        if self._approximation == "erf":
            return npx.leaky_relu(x, act_type="gelu")
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


_layers = {**members_of_two(nn, __name__), **classes_of_two(_MOVED.items(), __name__)}
GELU = _layers["GELU"] = GaussianLinear
GaussianLinear.__name__ = GaussianLinear.__qualname__ = "GELU"
globals().update(_layers)
__all__ = ["SiLU", *_layers]

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
