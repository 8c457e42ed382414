"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.gluon.contrib.nn import *
from gluonic.gluon.contrib.nn import (
    Concurrent as Concurrent,
    HybridConcurrent as HybridConcurrent,
    Identity as Identity,
    PixelShuffle1D as PixelShuffle1D,
    PixelShuffle2D as PixelShuffle2D,
    PixelShuffle3D as PixelShuffle3D,
    SparseEmbedding as SparseEmbedding,
    SyncBatchNorm as SyncBatchNorm,
)
