"""ONNX's file format: the model of a graph, and its file."""

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from gluonic._version import __version__
from gluonic.codegen import SymbolicDim
from gluonic.graph.files import write_atomically
from gluonic.onnx.library import onnx_library, tensor_type
from gluonic.onnx.table import DOMAIN
from gluonic.onnx.writer import OnnxBody, OnnxNode, OnnxValue, needed
from gluonic.onnx.writing import Written

_FIRST_WITH_FUNCTIONS = 8
"""The version of the file format since which a model may define operators."""
_LARGEST_FILE = 2**31 - 2**20
"""Bytes of constants beyond which they go to a file of their own; protobuf ends at 2 GiB."""


def assemble(written: Written, names: Sequence[str]) -> Any:
    """The model of a graph.

    Parameters
    ----------
    written : the graph
    names : the names of the outputs
    """
    onnx = onnx_library()
    o = written.writer
    o.scope = "outputs"
    outputs: list[OnnxValue] = []
    taken = set(written.inputs)
    for value in written.outputs:
        if value in taken or value.array is not None:
            shape, value = value.shape, o.Identity(value)
            value.shape = shape
        taken.add(value)
        outputs.append(value)
    nodes = needed(o.nodes, outputs)
    names_taken = {value.name for value in written.inputs}
    for value, name in zip(outputs, names, strict=True):
        value.name = _unique_name(name, names_taken)
    _name_values(nodes, [*written.inputs, *outputs])
    describe = _Description(written.size_names)
    graph = onnx.helper.make_graph(
        [_node(node) for node in nodes],
        "gluonic",
        [describe.value(value) for value in written.inputs],
        [describe.value(value) for value in outputs],
        [onnx.numpy_helper.from_array(c.array, c.name) for c in _constants(nodes)],
    )
    opsets = [onnx.helper.make_operatorsetid("", o.opset)]
    version = onnx.helper.find_min_ir_version_for(opsets)
    defined = [node for node in nodes if node.definition is not None]
    if defined:
        version = max(version, _FIRST_WITH_FUNCTIONS)
    return onnx.helper.make_model(
        graph,
        functions=[_function(node, opsets) for node in defined],
        opset_imports=[*opsets, *([onnx.helper.make_operatorsetid(DOMAIN, 1)] if defined else [])],
        ir_version=version,
        producer_name="gluonic",
        producer_version=__version__,
    )


class _Description:
    """Descriptions of values, with the names of unknown sizes."""

    def __init__(self, size_names: Sequence[str]) -> None:
        self._sizes = size_names

    def value(self, value: OnnxValue) -> Any:
        """The name, the dtype and the shape of a value."""
        onnx = onnx_library()
        extents = None if value.shape is None else [*map(self._extent, value.shape)]
        return onnx.helper.make_tensor_value_info(value.name, tensor_type(value.dtype), extents)

    def _extent(self, extent: Any) -> Any:
        if not isinstance(extent, SymbolicDim):
            return extent
        if extent.constant or len(extent.terms) != 1:
            return None
        ((atom, factor),) = extent.terms
        return self._sizes[atom] if atom < len(self._sizes) and factor == 1 else None


def _all_nodes(nodes: Iterable[OnnxNode]) -> Iterator[OnnxNode]:
    for node in nodes:
        yield node
        for body in _bodies(node):
            yield from _all_nodes(body.nodes)


def _bodies(node: OnnxNode) -> list[OnnxBody]:
    """The graphs inside a node."""
    return [value for value in node.attributes.values() if isinstance(value, OnnxBody)]


def _constants(nodes: Iterable[OnnxNode]) -> list[OnnxValue]:
    """The constants that nodes read, each once."""
    read = [value for node in _all_nodes(nodes) for value in node.inputs if value is not None]
    read.extend(
        value for node in _all_nodes(nodes) for body in _bodies(node) for value in body.outputs
    )
    return [value for value in dict.fromkeys(read) if value.array is not None]


def _unique_name(proposed: str, taken: set[str]) -> str:
    """A name like the proposed one, and none of those taken, to which it is added."""
    unique, number = proposed, 1
    while unique in taken:
        unique, number = f"{proposed}_{number}", number + 1
    taken.add(unique)
    return unique


def _name_values(nodes: Sequence[OnnxNode], ends: Sequence[OnnxValue]) -> None:
    """Give all values names that differ."""
    names = {value.name for value in ends}
    named = set(ends)

    def name(value: OnnxValue, proposed: str) -> None:
        if value in named:
            return
        named.add(value)
        value.name = _unique_name(value.name or proposed, names)

    constants = sorted(_constants(nodes), key=lambda constant: not constant.name)
    for constant in constants:
        name(constant, "constant")
    for node in _all_nodes(nodes):
        for value in (value for body in _bodies(node) for value in body.inputs):
            name(value, f"{node.scope}_input")
        for value in node.outputs:
            name(value, f"{node.scope}_{node.op_type.lower()}")
    for body in [node.definition for node in nodes if node.definition is not None]:
        _name_values(body.nodes, [])
        for number, value in enumerate(body.inputs):
            value.name = f"input{number}"


def _node(node: OnnxNode) -> Any:
    onnx = onnx_library()
    attributes = {
        name: _graph(value) if isinstance(value, OnnxBody) else value
        for name, value in node.attributes.items()
    }
    return onnx.helper.make_node(
        _op_type(node),
        ["" if value is None else value.name for value in node.inputs],
        [value.name for value in node.outputs],
        name=node.outputs[0].name,
        domain=None if node.definition is None else DOMAIN,
        **attributes,
    )


def _function(node: OnnxNode, opsets: Sequence[Any]) -> Any:
    """The definition of an operator of gluonic's."""
    onnx, body = onnx_library(), node.definition
    assert body is not None
    constants = [
        onnx.helper.make_node(
            "Constant", [], [value.name], value=onnx.numpy_helper.from_array(value.array)
        )
        for value in _constants(body.nodes)
    ]
    return onnx.helper.make_function(
        DOMAIN,
        _op_type(node),
        [value.name for value in body.inputs],
        [value.name for value in body.outputs],
        [*constants, *map(_node, body.nodes)],
        opsets,
        attributes=list(node.attributes),
    )


def _op_type(node: OnnxNode) -> str:
    """The operator's name; each node of gluonic's operators has a definition of its own."""
    return node.op_type if node.definition is None else f"{node.op_type}-{node.outputs[0].name}"


def _graph(body: OnnxBody) -> Any:
    onnx = onnx_library()

    def described(value: OnnxValue) -> Any:
        shape: list[int] | None = [] if value.is_scalar else None
        return onnx.helper.make_tensor_value_info(value.name, tensor_type(value.dtype), shape)

    return onnx.helper.make_graph(
        [_node(node) for node in body.nodes],
        "body",
        [described(value) for value in body.inputs],
        [described(value) for value in body.outputs],
    )


def save(model: Any, path: str, large: bool) -> None:
    """Write a model; constants go to ``path.data`` if they are too large for one file, or on request."""
    size = sum(len(tensor.raw_data) for tensor in model.graph.initializer)
    if not large and size < _LARGEST_FILE:
        write_atomically(path, model.SerializeToString())
        return
    onnx = onnx_library()
    target = Path(os.path.realpath(path))
    data = target.name + ".data"
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        onnx.save_model(
            model,
            os.path.join(folder, target.name),
            save_as_external_data=True,
            all_tensors_to_one_file=True,
            location=data,
            size_threshold=1024,
        )
        if os.path.exists(os.path.join(folder, data)):
            shutil.move(os.path.join(folder, data), target.parent / data)
        os.replace(os.path.join(folder, target.name), target)
