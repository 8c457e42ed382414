"""Casts that automatic mixed precision inserts into a graph."""

from typing import Any

import numpy as np

from gluonic.graph.attributes import DType
from gluonic.graph.dtypes import is_floating
from gluonic.graph.families import elementwise
from gluonic.graph.operator import Array, operator
from gluonic.graph.view import NodeView, peek, put


def _amp_dtype(n: Any) -> None:
    n.output = n.dtype if is_floating(n.data) else n.data


@elementwise("amp_cast", dtype=_amp_dtype)
def amp_cast(m: Any, data: Any, *, dtype: DType) -> Any:
    """Cast floating numbers to `dtype`; leave other dtypes unchanged."""
    return data


amp_cast.gradient(data=lambda F, n, g: F._cast_like(g, n.data))


@operator(
    "amp_multicast",
    count="num_outputs",
    outputs=lambda n: [f"output{i}" for i in range(n.num_outputs)],
)
def amp_multicast(*data: Array, num_outputs: int, cast_narrow: bool = False) -> tuple[Array, ...]:
    """Cast all floating inputs to the widest floating dtype among them, or to the narrowest."""
    return data


@amp_multicast.infer_shape
def _(n: NodeView) -> None:
    _one_by_one(n)


def _one_by_one(n: NodeView) -> None:
    """Unify each output with the input of the same index."""
    for i in range(n.num_outputs):
        for source, target in ((f"data{i}", f"output{i}"), (f"output{i}", f"data{i}")):
            if peek(n, source) is not None:
                put(n, target, peek(n, source))


@amp_multicast.infer_dtype
def _(n: Any) -> None:
    if any(dtype is None for dtype in n.data):
        return
    widths = sorted({d for d in n.data if is_floating(d)}, key=lambda d: np.dtype(d).itemsize)
    for i, dtype in enumerate(n.data):
        chosen = widths[0 if n.cast_narrow else -1] if is_floating(dtype) else dtype
        put(n, f"output{i}", chosen)


@amp_multicast.all_gradients
def _(F: Any, n: Any, heads: Any) -> dict[str, Any]:
    return {
        f"data{i}": F._cast_like(head, value)
        for i, (head, value) in enumerate(zip(heads, n.data, strict=True))
        if head is not None
    }
