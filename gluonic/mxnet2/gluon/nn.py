"""Layers of MXNet 2.0: those of 1.x, with the layers that were in `gluon.contrib`."""

from typing import Any

from gluonic.gluon import nn
from gluonic.gluon.contrib import cnn
from gluonic.gluon.contrib import nn as contributed
from gluonic.mxnet2.gluon.block import Block, HybridBlock, SymbolBlock, of_two

_RENAMED = {"Concatenate": contributed.Concurrent, "HybridConcatenate": contributed.HybridConcurrent}
_MOVED = (
    contributed.Identity, contributed.SyncBatchNorm, contributed.PixelShuffle1D, contributed.PixelShuffle2D,
    contributed.PixelShuffle3D, cnn.DeformableConvolution, cnn.ModulatedDeformableConvolution,
)  # fmt: skip


def _layers() -> dict[str, Any]:
    """The classes of layers by name."""
    found: dict[str, Any] = {name: getattr(nn, name) for name in nn.__all__}
    found.update({kind.__name__: kind for kind in _MOVED})
    found.update(_RENAMED)
    layers = {name: of_two(kind) for name, kind in found.items()}
    for name, kind in layers.items():
        kind.__name__ = kind.__qualname__ = name
        kind.__module__ = __name__
    return layers


class SiLU(HybridBlock):
    """The sigmoid linear unit: ``x * sigmoid(beta * x)`` with ``beta = 1``."""

    def forward(self, x: Any) -> Any:
        """Compute it for each element."""
        from gluonic.mxnet2 import numpy_extension as npx

        return x * npx.sigmoid(x)


globals().update(_layers())
__all__ = ["Block", "HybridBlock", "SiLU", "SymbolBlock", *_layers()]
