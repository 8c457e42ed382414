"""The data that libraries receive about a graph besides its JSON: shapes, dtypes and parameter values."""

import ctypes
import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gluonic.extension.binary import Argument, strings
from gluonic.extension.catalogue import CPU
from gluonic.extension.inference import PASSABLE
from gluonic.graph import Array, Entry, Graph, Node
from gluonic.graph.backends import PartitionRequest
from gluonic.graph.dtypes import CODE_OF
from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.infer import infer
from gluonic.graph.json.writer import write_json
from gluonic.graph.view import PartialShape

SHAPE, DTYPE = "__ext_shape__", "__ext_dtype__"
INFERRED = (SHAPE, DTYPE)
_NO_DTYPE = -1


class Annotations:
    """The shapes and dtypes of all results in a graph, as far as they are known.

    Parameters
    ----------
    graph : the graph
    shapes, dtypes : those of variables, by name
    """

    def __init__(
        self,
        graph: Graph,
        shapes: Mapping[str, PartialShape],
        dtypes: Mapping[str, np.dtype[Any]],
    ) -> None:
        self._facts = {}
        for name, kind, given in ((SHAPE, "shape", shapes), (DTYPE, "dtype", dtypes)):
            known = {n: given[n.name] for n in graph.variables if n.name in given}
            self._facts[name] = infer(graph, kind, known) if known else {}

    def of_entries(self, entries: list[Entry]) -> dict[str, str]:
        """Return the attributes with the shapes and dtypes of results, in the libraries' notation."""
        written: dict[str, Callable[[Any], str]] = {SHAPE: _shape, DTYPE: _dtype}
        made = {}
        for name, facts in self._facts.items():
            if facts and all(entry.node in facts for entry in entries):
                known = [facts[entry.node][entry.index] for entry in entries]
                made[name] = f"[{','.join(map(written[name], known))}]"
        return made

    def of_node(self, node: Node) -> dict[str, str]:
        """Return these attributes for the visible outputs of a node."""
        return self.of_entries([node.entry(i) for i in range(node.visible_count)])


def annotations_for(graph: Graph, task: PartitionRequest) -> Annotations:
    """Infer what is known about the graph."""
    arrays = {**task.args, **task.aux}
    if not arrays or task.skip_inference:
        return Annotations(graph, {}, {})
    shapes = {**task.shapes, **{name: a.shape for name, a in arrays.items()}}
    dtypes = {**task.dtypes, **{name: a.dtype for name, a in arrays.items()}}
    return Annotations(graph, shapes, dtypes)


def _shape(shape: PartialShape | None) -> str:
    """Write a shape in the libraries' notation.

    >>> _shape((2, None)), _shape(None)
    ('[2,-1]', '[None]')
    """
    if shape is None:
        return "[None]"
    return f"[{','.join('-1' if axis is None else str(axis) for axis in shape)}]"


def _dtype(dtype: np.dtype[Any] | None) -> str:
    return str(CODE_OF.get(dtype, _NO_DTYPE)) if dtype is not None else str(_NO_DTYPE)


def annotated_json(graph: Graph, annotations: Annotations) -> str:
    """Write a graph as JSON with its shapes and dtypes in the nodes' attributes."""
    document = json.loads(write_json(graph, remove_amp_cast=False))
    for node, record in zip(graph.nodes, document["nodes"], strict=True):
        extra = annotations.of_node(node)
        if extra:
            record["attrs"] = {**record.get("attrs", {}), **extra}
    return json.dumps(document, ensure_ascii=False)


class NamedArrays:
    """Parameters as libraries receive them; libraries may read and change the arrays themselves.

    Attributes
    ----------
    arguments : names, count, then data, shapes, ranks, dtypes, versions, devices and device numbers
    """

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        for name, array in arrays.items():
            if array.dtype not in PASSABLE or not array.flags.c_contiguous:
                raise MXNetError(
                    describe(f"{name}: an array of {array.dtype} cannot be given to a library")
                )
        count, values = len(arrays), list(arrays.values())
        self._each = [(ctypes.c_int64 * a.ndim)(*a.shape) for a in values]
        self._kept = values
        self.arguments: tuple[Argument, ...] = (
            strings(arrays),
            count,
            (ctypes.c_void_p * count)(*[a.ctypes.data for a in values]),
            (ctypes.c_void_p * count)(*map(ctypes.addressof, self._each)),
            (ctypes.c_int * count)(*[a.ndim for a in values]),
            (ctypes.c_int * count)(*[PASSABLE[a.dtype] for a in values]),
            (ctypes.c_size_t * count)(),
            strings([CPU] * count),
            (ctypes.c_int * count)(),
        )
