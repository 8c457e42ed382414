"""The indices of extremes: first the extreme of each row, then the first index where it occurs."""

from collections.abc import Callable, Sequence
from typing import Any

from gluonic.codegen.loops.inner_operators import apply, index_of
from gluonic.codegen.loops.site import RewriteContext
from gluonic.graph import Entry
from gluonic.graph.dtypes import is_floating

_Rule = Callable[[Any, RewriteContext], Sequence[Entry] | None]


def _position(extreme: str, axis_of: Callable[[Any], int | None]) -> _Rule:
    def rule(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
        n, shapes = site.n, site.facts.shapes
        shape, output = shapes[site.node.inputs[0]], site.node.entry()
        if (site.dtype.kind not in "iu" and not is_floating(site.dtype)) or 0 in shape or not shape:
            return None
        axis, data = axis_of(n), n.data
        if axis is None:
            data, axis = F._np_reshape(data, newshape=(-1,)), 0
        axis %= len(shape)
        most = getattr(F, extreme)(data, axis=axis, keepdims=True)
        found = F.Cast(apply(index_of, data, most, axis=axis), dtype=site.facts.dtypes[output].name)
        if axis_of(n) is None:
            return [F._np_reshape(found, newshape=(1,) * len(shapes[output]))]
        keeps = len(shapes[output]) == len(shape)
        return [found if keeps else F._np_squeeze(found, axis=axis)]

    return rule


largest = _position("max", lambda n: n.axis)
smallest = _position("min", lambda n: n.axis)
largest_channel = _position("max", lambda n: 1)
