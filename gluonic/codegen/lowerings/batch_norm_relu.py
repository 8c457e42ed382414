"""Batch normalization with a rectifier."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_contrib_BatchNormWithReLU",
    decompose="rewriting.decompose:batch_norm_with_relu",
    float16="upcast",
)
