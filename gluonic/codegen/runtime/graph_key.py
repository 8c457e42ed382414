"""The name of a compiled graph on disk: a digest of all that determines its machine code.

A graph has one if gluonic's own operators make it up, with attributes that can be written as text. Names, and
the lines of the user's program, are not part of it.
"""

import os
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

import gluonic
from gluonic.codegen.machine import cache as disk
from gluonic.codegen.machine.algorithms import may_use_winograd
from gluonic.codegen.machine.target import host
from gluonic.codegen.machine.workers import most_threads
from gluonic.graph import REGISTRY, Application, Graph, Node, Signatures
from gluonic.graph.shape_semantics import is_np_shape

_OPERATORS = "gluonic.graph.ops."
"""The modules whose operators do the same in every process that has the same sources."""
_SOURCES = "codegen", "graph", "support"


def graph_key(
    graph: Graph,
    inputs: Sequence[Node],
    parameters: Collection[Node],
    data: Collection[Node] | None,
    signature: Signatures,
    *,
    train: bool,
) -> str | None:
    """The name of a graph; None if it has none, or nothing is stored.

    Parameters
    ----------
    graph, inputs, parameters, data : see `CompiledGraph`
    signature : the shapes and dtypes of the arrays
    train : whether it runs in training mode
    """
    sources = sources_digest(os.path.dirname(gluonic.__file__)) if disk.keeps_graphs() else None
    if sources is None:
        return None
    try:
        applications, nodes = _listed(graph, inputs)
    except _NotDescribedError:
        return None
    outputs = [(nodes[entry.node][0], entry.index) for entry in graph.outputs]
    kinds = [[n in chosen for n in inputs] for chosen in (parameters, data) if chosen is not None]
    arrays = [(shape, dtype.str) for shape, dtype in signature]
    modes = train, is_np_shape(), most_threads(), may_use_winograd(), host().has_blas
    text = repr((applications, [*nodes.values()], outputs, kinds, arrays, modes))
    return disk.key("\0".join(["graph", sources, text]), host())


class _NotDescribedError(Exception):
    """A graph has something that text does not describe."""


def _listed(
    graph: Graph, inputs: Sequence[Node]
) -> tuple[list[tuple[str, Any]], dict[Node, tuple[int, Any]]]:
    """The distinct applications of operators, and for each node its number and what it is."""
    position = {node: number for number, node in enumerate(inputs)}
    known: dict[Application, int] = {}
    nodes: dict[Node, Any] = {}
    for number, node in enumerate(graph.nodes):
        if node.application is None:
            nodes[node] = number, position[node]
            continue
        which = known.setdefault(node.application, len(known))
        nodes[node] = number, which, [(nodes[e.node][0], e.index) for e in node.inputs]
    return [*map(_described, known)], nodes


def _described(application: Application) -> tuple[str, Any]:
    """The name of an operator, and its attributes."""
    op = application.op
    is_own = op.name in REGISTRY and REGISTRY[op.name] is op and op.native is None
    if not is_own or not op.kernel.__module__.startswith(_OPERATORS):
        raise _NotDescribedError
    return op.name, sorted((name, _plain(value)) for name, value in application.settings.items())


def _plain(value: Any) -> Any:
    """A value whose representation determines it."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if type(value) is tuple:
        return tuple(map(_plain, value))
    if isinstance(value, np.dtype):
        return "dtype", value.str
    raise _NotDescribedError


@cache
def sources_digest(package: str) -> str | None:
    """A digest of the names, sizes and times of the sources on which machine code depends.

    Parameters
    ----------
    package : the folder of gluonic; None is returned if its sources are not there, as in frozen programs
    """
    folders = [os.path.join(package, name) for name in _SOURCES]
    try:
        found = sorted(file for folder in folders for file in _files_below(folder))
    except OSError:
        return None
    return disk.digest(np.__version__, repr(found)) if found else None


def _files_below(folder: str) -> Iterator[tuple[str, str, int, int]]:
    """The folder's name, and name, size in bytes, and time of each source file.

    Times are in seconds: images of containers do not keep more.
    """
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _files_below(entry.path)
            elif entry.name.endswith(".py"):
                status = entry.stat()
                parent = os.path.basename(folder)
                yield parent, entry.name, status.st_size, int(status.st_mtime)
