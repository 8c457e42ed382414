"""Batch normalization."""

from gluonic.codegen.lowerings.entry import LayoutRules, lower

lower(
    "BatchNorm",
    decompose="rewriting.decompose:batch_norm",
    layout=LayoutRules(
        "reads",
        plain="rewriting.layout.plain_layout:PlainRewriting.normalization",
        blocked="rewriting.layout.following:normalization",
        in_training=False,  # in training it computes statistics, in planes
    ),
    follows_input=True,
    eager=4,
    float16="upcast",
)
lower(
    "BatchNorm_v1",
    decompose="rewriting.decompose:batch_norm_v1",
    eager=4,
    float16="upcast",
)
lower(
    "_contrib_SyncBatchNorm",
    decompose="rewriting.decompose:sync_batch_norm",
    eager=4,
    float16="upcast",
    python="under `mpirun` its statistics are averaged over all ranks",
)
