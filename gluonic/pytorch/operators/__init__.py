"""The rules, in a file for each subject."""

from gluonic.pytorch.operators import (
    control_flow,
    elementwise,
    indexing,
    layers,
    reductions,
    shapes,
)

__all__ = ["control_flow", "elementwise", "indexing", "layers", "reductions", "shapes"]
