"""Layers of MXNet 2.0: those of 1.x, with the layers that were in `gluon.contrib`."""

from typing import TYPE_CHECKING, Any

from gluonic.gluon import nn
from gluonic.gluon.contrib import cnn
from gluonic.gluon.contrib import nn as contributed
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


_layers = {**members_of_two(nn, __name__), **classes_of_two(_MOVED.items(), __name__)}
globals().update(_layers)
__all__ = ["SiLU", *_layers]

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
