"""The table's rows, by subject."""

from gluonic.graph import REGISTRY
from gluonic.onnx.families import (
    boxes,
    control_flow,
    elementwise,
    images,
    indexing,
    layers,
    norms,
    quantized,
    randoms,
    recurrent,
    reductions,
    shapes,
)
from gluonic.onnx.table import WRITES


def by_expression() -> list[str]:
    """Operators without a row that are written by their scalar expression, as a view or by their base."""

    def is_written(name: str) -> bool:
        op = REGISTRY[name]
        while op is not None:
            if op.name in WRITES or op.scalar is not None or op.is_view:
                return True
            op = op.base  # type: ignore[assignment]
        return False

    return [op.name for op in REGISTRY.operators() if is_written(op.name)]


__all__ = [
    "boxes", "by_expression", "elementwise", "images", "indexing", "layers", "norms", "randoms", "recurrent",
    "reductions", "shapes",
]  # fmt: skip
