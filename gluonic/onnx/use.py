"""A node of gluonic as a rule that writes it sees it.

All attributes of a `Use` but `inputs` and `outputs` belong to the operator: inputs are ONNX values, the others
attributes. Functions return all else, as in `gluonic.graph.view`.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gluonic.graph import Application, Array, Entry, Node, Operator
from gluonic.onnx.errors import NotExportable
from gluonic.onnx.sizes import alike, is_open, reshape_codes
from gluonic.onnx.writer import OnnxValue, OnnxWriter

if TYPE_CHECKING:
    from gluonic.onnx.sizes import Sizes


class Use:
    """One use of an operator.

    Parameters
    ----------
    node : the node
    application : its operator with attributes; that of the base, for a derived operator
    inputs : the values of its inputs
    graph : what rules may ask about the whole graph
    """

    def __init__(
        self,
        node: Node,
        application: Application,
        inputs: Sequence[OnnxValue | None],
        graph: "Surroundings",
    ) -> None:
        self.inputs: list[Any] = list(inputs)
        self.outputs = [node.entry(i) for i in range(node.output_count)]
        self._node, self._application, self._graph = node, application, graph
        self._named = dict(zip(application.inputs, inputs, strict=True))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self._named:
            return self._named[name]
        settings = self._application.settings
        if name in settings:
            return settings[name]
        if name in self._application.op.inputs:
            return None
        raise AttributeError(f"{self._node.title} has no {name!r}", name=name, obj=self)


class Surroundings:
    """The graph around a node.

    Attributes
    ----------
    shapes, dtypes : of all entries; an extent may be symbolic
    sizes : writes symbolic extents
    constant : the elements of an entry, None if they are not constant
    reads : how often each entry is read
    """

    shapes: Mapping[Entry, Any]
    dtypes: Mapping[Entry, np.dtype[Any]]
    sizes: "Sizes"
    reads: Mapping[Entry, int]

    def constant(self, entry: Entry) -> Array | None:
        """The elements of an entry, None if they are not constant."""
        raise NotImplementedError

    def body(
        self, body: Any, inputs: Sequence[Entry], values: Sequence[OnnxValue]
    ) -> list[OnnxValue]:
        """Write the nodes of a loop's or a branch's graph; return its outputs."""
        raise NotImplementedError


def node_of(n: Use) -> Node:
    """The node itself."""
    return n._node


def with_first_input(n: Use, value: OnnxValue) -> Use:
    """The node with another first input."""
    return Use(n._node, n._application, [value, *n.inputs[1:]], n._graph)


def operator_of(n: Use) -> Operator:
    """The operator, or the one that it is derived from."""
    return n._application.op


def settings_of(n: Use) -> Mapping[str, Any]:
    """All attributes."""
    return n._application.settings


def _entry(n: Use, name: str | int) -> Entry:
    position = n._application.inputs.index(name) if isinstance(name, str) else name
    return n._node.inputs[position]


def shape_of(n: Use, name: str | int = 0) -> tuple[Any, ...]:
    """The shape of an input, given by name or position."""
    shape: tuple[Any, ...] = n._graph.shapes[_entry(n, name)]
    return shape


def dtype_of(n: Use, name: str | int = 0) -> np.dtype[Any]:
    """The dtype of an input."""
    return n._graph.dtypes[_entry(n, name)]


def output_shape(n: Use, index: int = 0) -> tuple[Any, ...]:
    """The shape of an output."""
    shape: tuple[Any, ...] | None = n._graph.shapes[n.outputs[index]]
    if shape is None or None in shape:
        raise NotExportable("the shape of its output depends on the data")
    return shape


def output_dtype(n: Use, index: int = 0) -> np.dtype[Any]:
    """The dtype of an output."""
    return n._graph.dtypes[n.outputs[index]]


def is_read(n: Use, index: int) -> bool:
    """Whether anything reads an output."""
    return n._graph.reads.get(n.outputs[index], 0) > 0


def known(n: Use, name: str) -> Array:
    """The elements of an input that must be constant."""
    array = n._graph.constant(_entry(n, name))
    if array is None:
        raise NotExportable(f"{name} must be constant")
    return array


def known_or_none(n: Use, name: str) -> Array | None:
    """The elements of an input, None if they are not constant."""
    return n._graph.constant(_entry(n, name))


def fixed(extent: Any, what: str) -> int:
    """An extent that must not depend on the inputs' sizes."""
    if is_open(extent):
        raise NotExportable(f"{what} must not depend on the sizes of the inputs")
    return int(extent)


def reshaped(
    o: OnnxWriter, n: Use, value: OnnxValue, source: Sequence[Any], target: Sequence[Any]
) -> OnnxValue:
    """A value in another shape."""
    if len(source) == len(target) and all(map(alike, source, target)):
        return value
    if 0 in [extent for extent in target if not is_open(extent)]:
        if o.opset < 14:
            raise NotExportable("an axis without elements needs opset 14")
        empty: OnnxValue = o.Reshape(value, n._graph.sizes.vector(target), allowzero=1)
        return empty
    codes = reshape_codes(source, target)
    made: OnnxValue = o.Reshape(value, n._graph.sizes.vector(target) if codes is None else codes)
    return made


def size_vector(n: Use, shape: Sequence[Any]) -> OnnxValue:
    """A shape as a vector."""
    return n._graph.sizes.vector(shape)


def one_element(o: OnnxWriter, n: Use, value: OnnxValue, index: int = 0) -> OnnxValue:
    """A scalar in the shape of the output: MXNet's has one axis, NumPy's none."""
    made: OnnxValue = o.Reshape(value, [1]) if output_shape(n, index) == (1,) else value
    return made


def broadcast_to(o: OnnxWriter, n: Use, value: OnnxValue, shape: Sequence[Any]) -> OnnxValue:
    """A value repeated along axes of length one."""
    made: OnnxValue = o.Expand(value, size_vector(n, shape))
    return made


def use_inside(n: Use, node: Node, *inputs: OnnxValue) -> Use:
    """A node of a graph inside the node, which must not ask for shapes."""
    return Use(node, node.applied, inputs, n._graph)


def write_body(n: Use, body: Any, values: Sequence[OnnxValue]) -> list[OnnxValue]:
    """Write the nodes of a graph inside the node, for given values of its variables; return its outputs."""
    return n._graph.body(body, n._node.inputs, values)
