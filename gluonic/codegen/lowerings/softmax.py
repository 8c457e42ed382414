"""Softmax."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "softmax",
    decompose="rewriting.decompose:softmax",
    eager=1,
    float16="upcast",
)
lower(
    "log_softmax",
    decompose="rewriting.decompose:log_softmax",
    eager=1,
    float16="upcast",
)
lower(
    "softmin",
    decompose="rewriting.decompose:softmin",
    eager=1,
    float16="upcast",
)
lower("SoftmaxActivation", decompose="rewriting.decompose:softmax_activation", float16="upcast")
