"""Kernels that compute each element from those at its place, traced for arrays of any shape.

Numbers that are known while a graph is rewritten, such as ranges found by calibration, are computed then.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from gluonic.codegen.loops.site import RewriteContext
from gluonic.codegen.tracing import functions, indexing
from gluonic.codegen.tracing.arrays import TracedArray, as_traced
from gluonic.codegen.tracing.elements import NotTraced, constant
from gluonic.graph import Entry
from gluonic.graph.attributes import Shape
from gluonic.graph.builder import F

__all__ = ["along_channels", "elementwise", "functions", "indexing", "operand", "result"]


def elementwise(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """The results of an operator on arrays of one shape, and numbers; or of one that joins arrays."""
    return _results(site, [(1,) * _rank(site, k) for k in range(len(site.inputs))])


def along_channels(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """The same for an operator that has further inputs with a number for each channel."""
    axis = site.n.axis % site.rank
    channels = site.facts.shapes[site.node.inputs[0]][axis]
    images = tuple(channels if k == axis else 1 for k in range(site.rank))
    is_range = [name.startswith(("min_", "max_")) for name in site.node.applied.inputs]
    return _results(site, [images, *((1,) if each else (channels,) for each in is_range[1:])])


def _rank(site: RewriteContext, position: int) -> int:
    return len(site.facts.shapes[site.node.inputs[position]])


def _results(site: RewriteContext, shapes: Sequence[Shape]) -> Sequence[Entry] | None:
    """What the kernel returns for arrays of these shapes, of which all axes of other extents may be longer."""
    if site.is_empty:
        return None
    operands = [
        operand(site, position, [*site.inputs][position], shape)
        for position, shape in enumerate(shapes)
    ]
    run: Any = SimpleNamespace(train=site.train)
    outputs = [site.node.entry(k) for k in range(site.node.output_count)]
    try:
        found = site.node.applied.execute(operands, run)
        return [
            result(site, each, site.facts.dtypes[entry])
            for each, entry in zip(found, outputs, strict=True)
        ]
    except NotTraced:
        return None


def operand(site: RewriteContext, position: int, entry: Entry, shape: Shape) -> Any:
    """An input as a kernel reads it: an array of NumPy if it is known."""
    dtype = site.facts.dtypes[site.node.inputs[position]]
    entry = site.current.get(entry.node, entry)
    known = entry.node.application
    if known is not None and known.op is constant and len(known.settings["values"]) == 1:
        return np.full(shape, known.settings["values"][0], dtype)
    return TracedArray(entry, shape, dtype, is_input=True)


def result(site: RewriteContext, value: Any, dtype: np.dtype[Any]) -> Entry:
    """What a kernel has returned, as a result of a graph."""
    entry = as_traced(value).astype(dtype).entry
    return F.identity(entry) if entry in {*site.inputs} else entry
