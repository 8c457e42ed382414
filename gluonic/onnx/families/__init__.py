"""The table's rows, by subject."""

from gluonic.graph import REGISTRY, Operator
from gluonic.onnx.families import (
    boxes,
    control_flow,
    elementwise,
    factors,
    fused,
    images,
    indexing,
    joins,
    layers,
    norms,
    products,
    quantized,
    randoms,
    recurrent,
    reductions,
    resizing,
    shapes,
)
from gluonic.onnx.table import WRITES


def by_expression() -> list[str]:
    """Operators that are written by a row, by their expression, as views, as constants or by their base."""
    return [op.name for op in REGISTRY.operators() if _is_written(op)]


def _is_written(op: Operator) -> bool:
    own = op.name in WRITES or op.scalar is not None or op.is_view
    is_constant = not (op.inputs or op.variadic or op.run_name)
    return own or is_constant or (op.base is not None and _is_written(op.base))


__all__ = [
    "boxes",
    "by_expression",
    "control_flow",
    "elementwise",
    "factors",
    "fused",
    "images",
    "indexing",
    "joins",
    "layers",
    "norms",
    "products",
    "quantized",
    "randoms",
    "recurrent",
    "reductions",
    "resizing",
    "shapes",
]
