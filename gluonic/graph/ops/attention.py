"""Products of attention on interleaved projections, time first: (length, batch, heads · parts · size).

The last axis holds the parts of each head one after the other: query, key and value, or key and value.
Scores are matrices (batch · heads, queries, keys).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.graph.axes import divided, require_rank, scaled
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, operator
from gluonic.graph.ops.layer_rules import floating, wide
from gluonic.graph.rules import same
from gluonic.graph.view import NodeView, PartialShape, put, title_of


@operator("_contrib_div_sqrt_dim")
def div_sqrt_dim(data: Array) -> Any:
    """Divide by the square root of the length of the last axis."""
    return data / data.dtype.type(np.sqrt(data.shape[-1]))


@div_sqrt_dim.infer_shape
def _(n: NodeView) -> None:
    same(n)
    if not n.data:
        raise InferenceError(f"{title_of(n)}: data has no axis whose length could be taken")


div_sqrt_dim.gradient(data=lambda F, n, g: F._contrib_div_sqrt_dim(g))


def _part(projection: Array, heads: int, parts: int, which: int) -> Array:
    """Take one part of all heads as matrices, (batch · heads, length, size)."""
    length, batch, width = projection.shape
    size = width // (heads * parts)
    by_head = wide(projection).reshape(length, batch * heads, parts, size)
    return by_head[:, :, which].transpose(1, 0, 2)


def _scores(queries: Array, keys: Array) -> Any:
    return np.matmul(div_sqrt_dim.kernel(queries), keys.transpose(0, 2, 1))


def _joined(values: Array, batch: int) -> Array:
    """Put the heads side by side: (length, batch, heads · size)."""
    count, length, size = values.shape
    heads = count // max(batch, 1)
    return values.transpose(1, 0, 2).reshape(length, batch, heads * size)


@operator("_contrib_interleaved_matmul_selfatt_qk", dtype=floating())
def selfatt_qk(queries_keys_values: Array, *, heads: int) -> Any:
    """Multiply queries and keys: ``queries · keysᵀ / sqrt(size)``, for each head.

    Parameters
    ----------
    queries_keys_values : (length, batch, heads · 3 · size)
    heads : number of heads

    Returns
    -------
    array
        scores, (batch · heads, length, length)
    """
    queries, keys = (_part(queries_keys_values, heads, 3, i) for i in (0, 1))
    return _scores(queries, keys)


@operator("_contrib_interleaved_matmul_selfatt_valatt", dtype=floating())
def selfatt_valatt(queries_keys_values: Array, attention: Array, *, heads: int) -> Any:
    """Multiply attention and values, for each head.

    Parameters
    ----------
    queries_keys_values : (length, batch, heads · 3 · size)
    attention : (batch · heads, length, length)
    heads : number of heads

    Returns
    -------
    array
        (length, batch, heads · size)
    """
    values = _part(queries_keys_values, heads, 3, 2)
    return _joined(np.matmul(wide(attention), values), queries_keys_values.shape[1])


@operator("_contrib_interleaved_matmul_encdec_qk", dtype=floating())
def encdec_qk(queries: Array, keys_values: Array, *, heads: int) -> Any:
    """Multiply queries and keys of another sequence: ``queries · keysᵀ / sqrt(size)``, for each head.

    Parameters
    ----------
    queries : (queries, batch, heads · size)
    keys_values : (keys, batch, heads · 2 · size)
    heads : number of heads

    Returns
    -------
    array
        scores, (batch · heads, queries, keys)
    """
    return _scores(_part(queries, heads, 1, 0), _part(keys_values, heads, 2, 0))


@operator("_contrib_interleaved_matmul_encdec_valatt", dtype=floating())
def encdec_valatt(keys_values: Array, attention: Array, *, heads: int) -> Any:
    """Multiply attention and values of another sequence, for each head.

    Parameters
    ----------
    keys_values : (keys, batch, heads · 2 · size)
    attention : (batch · heads, queries, keys)
    heads : number of heads

    Returns
    -------
    array
        (queries, batch, heads · size)
    """
    values = _part(keys_values, heads, 2, 1)
    return _joined(np.matmul(wide(attention), values), keys_values.shape[1])


def _projection(n: NodeView, name: str, parts: int) -> PartialShape:
    """Check a projection: three axes, the last one a multiple of heads and parts."""
    shape: PartialShape = getattr(n, name)
    require_rank(shape, (3,), f"{title_of(n)}: {name}")
    divided(shape[2], parts * n.heads, f"{title_of(n)}: axis 2 of {name}")
    return shape


@selfatt_qk.infer_shape
def _(n: NodeView) -> None:
    length, batch, _ = _projection(n, "queries_keys_values", 3)
    n.output = (scaled(batch, n.heads), length, length)


@encdec_qk.infer_shape
def _(n: NodeView) -> None:
    keys, batch, width = _projection(n, "keys_values", 2)
    n.queries = (None, batch, divided(width, 2, f"{title_of(n)}: axis 2 of keys_values"))
    queries, batch, width = _projection(n, "queries", 1)
    n.keys_values = (None, batch, scaled(width, 2))
    n.output = (scaled(batch, n.heads), queries, keys)


def _values_rule(name: str, parts: int) -> Any:
    def rule(n: NodeView) -> None:
        keys, batch, width = _projection(n, name, parts)
        n.attention = (scaled(batch, n.heads), keys if parts == 3 else None, keys)
        _, queries, keys = n.attention
        put(n, name, (keys, None, None))
        n.output = (queries, batch, divided(width, parts, f"{title_of(n)}: axis 2 of {name}"))

    return rule


selfatt_valatt.infer_shape(_values_rule("queries_keys_values", 3))
encdec_valatt.infer_shape(_values_rule("keys_values", 2))


def _matrices(F: Any, n: NodeView, projection: Any, parts: int, which: int) -> Any:
    """Take one part of all heads as matrices, in operators."""
    by_head = F.Reshape(projection, shape=(0, 0, n.heads, parts, -1))
    part = F.slice_axis(by_head, axis=3, begin=which, end=which + 1)
    return F.transpose(F.Reshape(part, shape=(0, -3, -3)), axes=(1, 0, 2))


def _interleaved(F: Any, parts: Sequence[Any], like: Any) -> Any:
    """Interleave the gradients of the parts as in the projection; None is zero."""
    present = next(part for part in parts if part is not None)
    filled = [F.zeros_like(present) if part is None else part for part in parts]
    return F.reshape_like(F.transpose(F.stack(*filled, axis=2), axes=(1, 0, 2, 3)), like)


def _query_key_gradients(F: Any, g: Any, queries: Any, keys: Any) -> tuple[Any, Any]:
    scale = F._contrib_div_sqrt_dim
    return scale(F.batch_dot(g, keys)), scale(F.batch_dot(g, queries, transpose_a=True))


def _attention_value_gradients(F: Any, n: NodeView, g: Any, values: Any) -> tuple[Any, Any]:
    by_head = _matrices(F, n, g, 1, 0)
    return (
        F.batch_dot(by_head, values, transpose_b=True),
        F.batch_dot(n.attention, by_head, transpose_a=True),
    )


@selfatt_qk.all_gradients
def _(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
    both = n.queries_keys_values
    queries, keys = (_matrices(F, n, both, 3, i) for i in (0, 1))
    found = _query_key_gradients(F, heads[0], queries, keys)
    return {"queries_keys_values": _interleaved(F, [*found, None], both)}


@encdec_qk.all_gradients
def _(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
    queries = _matrices(F, n, n.queries, 1, 0)
    keys = _matrices(F, n, n.keys_values, 2, 0)
    g_queries, g_keys = _query_key_gradients(F, heads[0], queries, keys)
    return {
        "queries": _interleaved(F, [g_queries], n.queries),
        "keys_values": _interleaved(F, [g_keys, None], n.keys_values),
    }


@selfatt_valatt.all_gradients
def _(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
    both = n.queries_keys_values
    values = _matrices(F, n, both, 3, 2)
    g_attention, g_values = _attention_value_gradients(F, n, heads[0], values)
    return {
        "queries_keys_values": _interleaved(F, [None, None, g_values], both),
        "attention": g_attention,
    }


@encdec_valatt.all_gradients
def _(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
    values = _matrices(F, n, n.keys_values, 2, 1)
    g_attention, g_values = _attention_value_gradients(F, n, heads[0], values)
    return {
        "keys_values": _interleaved(F, [None, g_values], n.keys_values),
        "attention": g_attention,
    }
