"""Libraries' graph passes: JSON in, JSON out, and new parameters."""

import ctypes
import json
import math
from typing import Any

import numpy as np

from gluonic.extension.annotate import INFERRED, NamedArrays, annotated_json, annotations_for
from gluonic.extension.binary import Attributes, ExtensionBinary
from gluonic.extension.catalogue import GraphPass
from gluonic.graph import REGISTRY, Array, Graph
from gluonic.graph.backends import PartitionRequest
from gluonic.graph.dtypes import CODES
from gluonic.graph.errors import FileFormatError, MXNetError, describe
from gluonic.graph.json.reader import read_json
from gluonic.graph.json.writer import VERSION
from gluonic.support.c_functions import c_library

_MALLOC = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int64), ctypes.c_int, ctypes.c_char_p, ctypes.c_int,
    ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.POINTER(ctypes.c_void_p),
)  # fmt: skip
_WIDEST = 8  # bytes of an element, for an array whose dtype is unknown


class _Parameters:
    """The parameters that a pass creates; the library calls this while the pass runs."""

    def __init__(self, task: PartitionRequest) -> None:
        self._task = task
        self._kept: list[Array] = []
        self.error: Exception | None = None
        self.callback = _MALLOC(self._allocate)

    def _allocate(
        self, _: Any, axes: Any, rank: int, device: bytes, number: int, code: int, name: bytes,
        is_arg: int, data: Any,
    ) -> None:  # fmt: skip
        """Create an array. An exception cannot pass through C++, so it is stored and raised later."""
        try:
            shape = tuple(axes[i] for i in range(rank))
            array = self._array(shape, code, name.decode())
            (self._task.new_args if is_arg else self._task.new_aux)[name.decode()] = array
        except Exception as error:
            self.error = self.error or error
            array = np.zeros(_WIDEST * max(1, math.prod(axes[i] for i in range(rank))), np.uint8)
            self._kept.append(array)
        data[0] = array.ctypes.data

    def _array(self, shape: tuple[int, ...], code: int, name: str) -> Array:
        if code not in CODES or any(axis < 0 for axis in shape):
            raise MXNetError(
                describe(f"the pass makes a parameter {name!r} of shape {shape} and dtype {code}")
            )
        return np.zeros(shape, CODES[code])


def apply_pass(
    binary: ExtensionBinary, graph_pass: GraphPass, graph: Graph, task: PartitionRequest
) -> Graph:
    """Run a graph pass; the parameters that it makes are put into the task."""
    options = Attributes(task.options)
    args, aux, made = NamedArrays(task.args), NamedArrays(task.aux), _Parameters(task)
    text = ctypes.create_string_buffer(annotated_json(graph, annotations_for(graph, task)).encode())
    result = ctypes.c_void_p()
    binary.check(
        "_passCallGraphPass",
        f"Error calling graph pass for '{graph_pass.name}'",
        graph_pass.handle,
        text,
        result,
        *options.arguments,
        ctypes.create_string_buffer(graph_pass.name.encode()),
        *args.arguments,
        *aux.arguments,
        ctypes.cast(made.callback, ctypes.c_void_p).value,
        None,
    )
    if made.error is not None:
        raise made.error
    return _restored(graph, _read(binary, result, graph_pass.name))


def _read(binary: ExtensionBinary, pointer: ctypes.c_void_p, name: str) -> dict[str, Any]:
    """Read the JSON that a pass returned, and free it."""
    if not pointer.value:
        raise binary.failure(f"graph pass '{name}' returned no graph")
    text = _text(binary, pointer.value)
    binary.free(pointer.value)
    try:
        document, _ = json.JSONDecoder().raw_decode(text.decode(errors="replace").lstrip())
    except ValueError as error:
        raise FileFormatError(
            describe(f"graph pass '{name}' returned what is no JSON: {error}")
        ) from None
    if not (isinstance(document, dict) and document.get("nodes") and document.get("heads")):
        raise FileFormatError(describe(f"graph pass '{name}' returned JSON that is no graph"))
    return document


def _text(binary: ExtensionBinary, address: int) -> bytes:
    """The text at an address; libraries for MXNet 1.7 put no zero at its end."""
    usable = getattr(c_library(), "malloc_usable_size", None) if binary.version < 8 else None
    if usable is None:
        return ctypes.string_at(address)
    usable.argtypes, usable.restype = [ctypes.c_void_p], ctypes.c_size_t
    return ctypes.string_at(address, usable(address))


def _restored(old: Graph, document: dict[str, Any]) -> Graph:
    """Read a graph that a pass returned; nodes that are still there keep the user's line."""
    try:
        ordered = _in_order(document)
    except (IndexError, KeyError, TypeError) as error:
        raise FileFormatError(
            describe(f"a graph pass returned a graph with an edge from nowhere: {error!r}")
        ) from None
    made = read_json(json.dumps(ordered), source="the pass's graph")
    origins = {(node.operator_name, node.name): node for node in old.nodes}
    for node in made.nodes:
        origin = origins.get((node.operator_name, node.name))
        if origin is not None:
            node.location, node.block, node.call = origin.location, origin.block, origin.call
    return made


def _is_library_operator(record: dict[str, Any]) -> bool:
    name = str(record.get("op"))
    return name in REGISTRY and bool(REGISTRY[name].extra_attributes)


def _in_order(document: dict[str, Any]) -> dict[str, Any]:
    """Put the nodes that the heads depend on in an order in which inputs come first.

    Libraries return them in any order, with wrong `arg_nodes` and `node_row_ptr`, which are left out.
    """
    import networkx

    nodes = document["nodes"]
    ends = [(-1, head[0]) for head in document["heads"]]
    reads = [(i, entry[0]) for i, node in enumerate(nodes) for entry in node.get("inputs", [])]
    found = networkx.dfs_postorder_nodes(networkx.DiGraph(ends + reads), -1)
    order = {number: position for position, number in enumerate(found) if number >= 0}
    records = []
    for number in order:
        record = {"inputs": [], **nodes[number]}
        record["inputs"] = [[order[e[0]], *e[1:]] for e in record["inputs"]]
        if "subgraphs" in record:
            record["subgraphs"] = [_in_order(subgraph) for subgraph in record["subgraphs"]]
        if "attrs" in record and not _is_library_operator(record):
            record["attrs"] = {k: v for k, v in record["attrs"].items() if k not in INFERRED}
        records.append(record)
    heads = [[order[head[0]], *head[1:]] for head in document["heads"]]
    attributes = {"mxnet_version": ["int", VERSION], **document.get("attrs", {})}
    return {"nodes": records, "heads": heads, "attrs": attributes}
