"""Decompositions of quantized layers into layers of the usual kind, and their roundings."""

from collections.abc import Callable, Sequence
from typing import Any

from gluonic.codegen.rewriting.site import RewriteContext
from gluonic.codegen.tracing.arrays import TracedArray
from gluonic.graph import Entry
from gluonic.graph.quantized_numbers import FLOAT32, rounded
from gluonic.graph.view import settings_of


def pooling(F: Any, site: RewriteContext) -> Sequence[Entry]:
    """Pooling of the integers as floating-point numbers, rounded again."""
    data, *ends = site.inputs
    pooled = F.Pooling(F.cast(data, dtype="float32"), **settings_of(site.n))
    numbers = TracedArray(pooled, (1,) * site.rank, FLOAT32)
    return [rounded(numbers, site.dtype).entry, *map(F.identity, ends)]  # type: ignore[attr-defined]


def _with_ranges(layer: Callable[..., Entry]) -> Callable[..., Sequence[Entry]]:
    """The rule of a layer that only moves integers, whose range does not change."""

    def rule(F: Any, site: RewriteContext) -> Sequence[Entry]:
        *inputs, low, high = site.inputs
        moved = layer(F, *inputs, **settings_of(site.n))
        return [moved, F.identity(low), F.identity(high)]

    return rule


flatten = _with_ranges(lambda F, data, **settings: F.Flatten(data))
embedding = _with_ranges(
    lambda F, *inputs, **settings: F.Embedding(*inputs, **{**settings, "dtype": "int8"})
)
