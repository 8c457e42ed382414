"""Batch normalization."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "BatchNorm",
    "BatchNorm_v1",
    "_contrib_SyncBatchNorm",
    decompose="rewriting.decompose:batch_norm",
    eager=True,
    float16="upcast",
)
