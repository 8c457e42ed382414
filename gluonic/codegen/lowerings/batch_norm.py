"""Batch normalization."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "BatchNorm",
    "BatchNorm_v1",
    decompose="rewriting.decompose:batch_norm",
    eager=True,
    float16="upcast",
)
lower(
    "_contrib_SyncBatchNorm",
    decompose="rewriting.decompose:sync_batch_norm",
    eager=True,
    float16="upcast",
    python="under `mpirun` it takes the statistics of all ranks",
)
