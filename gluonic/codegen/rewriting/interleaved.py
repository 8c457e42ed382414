"""Attention on interleaved projections, time first, as products of matrices by head."""

from collections.abc import Callable, Sequence
from typing import Any

from gluonic.codegen.loops.inner_operators import apply
from gluonic.codegen.loops.site import RewriteContext
from gluonic.codegen.maths.values import FLOAT32, FLOAT64
from gluonic.codegen.matmul.attention_heads import BY_HEAD, heads_dot
from gluonic.graph import Entry


def _scores(queries: str, keys: str, *, parts: int, key: int) -> Callable[..., Any]:
    """The rule for ``queries · keysᵀ / sqrt(size)``.

    Parameters
    ----------
    queries, keys : the names of the inputs with them; queries are the first part
    parts : the number of parts in the input with the keys
    key : the index of the keys among these
    """

    def rule(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
        if site.dtype not in (FLOAT32, FLOAT64):
            return None
        by_head = _by_head(F, site, keys)
        first = _by_head(F, site, queries) if queries != keys else _first(F, by_head, parts)
        scaled = F._contrib_div_sqrt_dim(first)
        left, right = BY_HEAD, (parts, key)
        return [apply(heads_dot, scaled, by_head, transpose_b=True, left=left, right=right)]

    return rule


def _weighted_values(values: str, *, parts: int) -> Callable[..., Any]:
    """The rule for ``attention · values``; values are the last part of their input."""

    def rule(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
        if site.dtype not in (FLOAT32, FLOAT64):
            return None
        by_head = _by_head(F, site, values)
        layout = (parts, parts - 1)
        found = apply(heads_dot, site.n.attention, by_head, right=layout, by_head=True)
        apart = F.Reshape(F.Reshape(found, shape=(-3, 0, 0)), shape=(0, -4, -1, site.n.heads, 0))
        return [F.Reshape(apart, shape=(0, 0, -3))]

    return rule


def _by_head(F: Any, site: RewriteContext, name: str) -> Entry:
    """A projection (length, batch, width) as (1, length, batch · heads, parts · size)."""
    apart = F.Reshape(getattr(site.n, name), shape=(0, 0, site.n.heads, -1))
    by_head: Entry = F.expand_dims(F.Reshape(apart, shape=(0, -3, 0)), axis=0)
    return by_head


def _first(F: Any, by_head: Entry, parts: int) -> Entry:
    """The first part of all heads."""
    apart = F.Reshape(by_head, shape=(0, 0, 0, parts, -1))
    first: Entry = F.Reshape(F.slice_axis(apart, axis=3, begin=0, end=1), shape=(0, 0, -3, 0))
    return first


_BOTH = "queries_keys_values"
selfatt_qk = _scores(_BOTH, _BOTH, parts=3, key=1)
selfatt_valatt = _weighted_values(_BOTH, parts=3)
encdec_qk = _scores("queries", "keys_values", parts=2, key=0)
encdec_valatt = _weighted_values("keys_values", parts=2)
