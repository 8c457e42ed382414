"""Arrays that operators create, such as zeros, take their open extents from the graph's inputs."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from gluonic.codegen.loops.inner_operators import filled
from gluonic.codegen.lowerings.entry import lowering_at
from gluonic.codegen.rewriting.passes import Pass, PassContext
from gluonic.graph import Entry, Graph, Node
from gluonic.graph.attributes import Shape
from gluonic.graph.open_shapes import has_open_shape, has_open_shapes, infer_open_shapes, with_shape

_Axis: TypeAlias = tuple[Entry, int]


class CloseShapes(Pass):
    """Arrays that operators create take open extents from the inputs that their readers combine them with.

    Examples
    --------
    >>> from gluonic.graph.builder import F
    >>> x = Node(None, "x").entry()
    >>> print(CloseShapes().shown(F.elemwise_add(F._ones(shape=(0, 3)), x), x=(2, 3)))
    ones = _ones(shape=(0, 3))
    elemwise_add = elemwise_add(ones, x)
    return elemwise_add
    --------------------
    ones = _filled(x, value=1.0, sources=(0, -1), axes=(0, 3), dtype=dtype('float32'), num_args=1)
    elemwise_add = elemwise_add(ones, x)
    return elemwise_add
    """

    name = "close shapes"
    contract = "all shapes follow from those of the inputs by forward inference"

    def apply(self, graph: Graph, context: PassContext) -> Graph:
        """State the sources of open extents."""
        if not has_open_shapes(graph):
            return graph
        named = _named_shapes(graph, context.unguarded(graph).shapes)
        shapes, dtypes = context.facts(graph).shapes, context.unguarded(graph).dtypes

        def replace(node: Node, inputs: Sequence[Entry]) -> Node | None:
            if not has_open_shape(node):
                return None
            entry, fills = node.entry(), lowering_at(node).fills
            if fills is None:
                return with_shape(node, tuple(shapes[entry]))
            found = [_source(shapes, entry, at, extent) for at, extent in enumerate(named[entry])]
            value = node.applied.settings[fills] if isinstance(fills, str) else fills
            return _filled(node, found, value, dtypes[entry])

        return graph.rewrite(replace)


class _NamedExtent(int):
    """An extent of an input: a number that knows its source."""

    axis: _Axis

    @classmethod
    def of(cls, number: int, axis: _Axis) -> "_NamedExtent":
        made = cls(number)
        made.axis = axis
        return made


def _named_shapes(graph: Graph, shapes: Mapping[Entry, Shape]) -> dict[Entry, Shape]:
    """The shapes of arrays that operators create; extents that inputs have know their source."""
    known = {
        node: tuple(
            _NamedExtent.of(extent, (node.entry(), axis))
            for axis, extent in enumerate(shapes[node.entry()])
        )
        for node in graph.variables
    }
    facts = infer_open_shapes(graph, known)
    return {node.entry(): facts[node][0] for node in graph.nodes if has_open_shape(node)}


def _source(shapes: Mapping[Entry, Any], entry: Entry, axis: int, extent: int) -> _Axis | int:
    """The input axis with the same extent as an entry's axis, or the extent; a guard records the equality."""
    if isinstance(extent, _NamedExtent):
        of, at = extent.axis
        if shapes[entry][axis : axis + 1] == shapes[of][at : at + 1]:
            return extent.axis
    number: int = shapes[entry][axis]
    return number


def _filled(node: Node, found: Sequence[_Axis | int], value: float, dtype: Any) -> Node:
    """The node that creates an array of one number, with the extents that were found."""
    inputs = list(dict.fromkeys(source[0] for source in found if isinstance(source, tuple)))
    pairs = [(-1, at) if isinstance(at, int) else (inputs.index(at[0]), at[1]) for at in found]
    sources, axes = zip(*pairs, strict=True) if pairs else ((), ())
    settings = {"value": value, "sources": sources, "axes": axes, "dtype": dtype}
    application = filled.apply({**settings, "num_args": len(inputs)})
    return node.with_application(application, inputs)
