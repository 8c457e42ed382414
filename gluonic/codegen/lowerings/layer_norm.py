"""Layer, instance and group normalization."""

from gluonic.codegen.lowerings.entry import lower

lower("LayerNorm", decompose="rewriting.decompose:layer_norm", eager=4, float16="upcast")
lower(
    "InstanceNorm",
    "GroupNorm",
    decompose="rewriting.decompose:grouped_norm",
    eager=4,
    float16="upcast",
)
