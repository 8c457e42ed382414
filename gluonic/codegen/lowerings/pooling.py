"""Pooling."""

from gluonic.codegen.lowerings.entry import LayoutRules, lower

lower(
    "Pooling",
    step="pooling.steps:PoolingStep.of",
    layout=LayoutRules(
        "decides",
        plain="rewriting.layout.windows:pooling",
        blocked="rewriting.layout.pooling:pooling",
    ),
    eager=1,
    float16="upcast maxima",
)
