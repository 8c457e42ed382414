"""Pooling."""

from gluonic.codegen.lowerings.entry import lower

lower("Pooling", step="pooling.steps:PoolingStep.of", eager=True, float16="upcast")
