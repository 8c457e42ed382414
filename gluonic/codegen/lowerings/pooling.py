"""Pooling."""

from gluonic.codegen.lowerings.entry import lower

lower("Pooling", step="pooling.steps:PoolingStep.of", float16="upcast")
