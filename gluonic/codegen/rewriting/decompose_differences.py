"""Differences of adjacent elements as subtractions of slices."""

from collections.abc import Sequence
from math import prod
from typing import Any

from gluonic.codegen.loops.site import RewriteContext
from gluonic.graph import Entry
from gluonic.graph.ops.numpy.differences import parts_of_ediff1d


def _less_those_before(F: Any, x: Entry, axis: int) -> Entry:
    later = F.slice_axis(x, axis=axis, begin=1, end=None)
    found: Entry = F.broadcast_sub(later, F.slice_axis(x, axis=axis, begin=0, end=-1))
    return found


def _is_short(site: RewriteContext, index: int, axis: int) -> bool:
    """Whether no differences are left along an axis of an input."""
    entry, times = site.node.inputs[index], site.n.n
    return site.facts.decide(lambda facts: bool(facts.shapes[entry][axis] <= times))


def differences(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """Elements minus those before them, `n` times."""
    n, found = site.n, site.n.a
    axis = n.axis % site.rank
    if _is_short(site, 0, axis) or site.dtype.kind == "b":
        return None
    for _ in range(n.n):
        found = _less_those_before(F, found, axis)
    return [found]


def back(F: Any, site: RewriteContext) -> Sequence[Entry]:
    """The gradient minus that of the next element, with zeros beyond both ends, `n` times."""
    n, found = site.n, site.n.grad
    axis = n.axis % site.rank
    if _is_short(site, 1, axis):
        return [F.zeros_like(n.a)]
    nothing = F.zeros_like(F.slice_axis(found, axis=axis, begin=0, end=1))
    for _ in range(n.n):
        behind = F.Concat(found, nothing, dim=axis)
        found = F.broadcast_sub(F.Concat(nothing, found, dim=axis), behind)
    return [found]


def flat_differences(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """Differences of adjacent elements, concatenated with arrays before and after them."""
    data = site.node.inputs[0]
    if site.dtype.kind == "b" or site.facts.decide(lambda facts: prod(facts.shapes[data]) < 2):
        return None
    flat = F._np_reshape(site.n.input1, newshape=(-1,))
    names, parts = parts_of_ediff1d(F, site.n)
    parts[names.index("input1")] = _less_those_before(F, flat, 0)
    return [F.Concat(*parts, dim=0) if len(parts) > 1 else parts[0]]
