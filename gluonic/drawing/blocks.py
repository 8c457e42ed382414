"""The blocks that nodes belong to."""

from collections.abc import Sequence

from gluonic.drawing.families import family_of
from gluonic.graph import Node


def block_paths(nodes: Sequence[Node]) -> list[tuple[str, ...]]:
    """Find, for each node, the path of its block.

    Traced nodes know their blocks. In a graph from a file they are inferred from names: Gluon's prefixes end in
    ``_``. A variable belongs to the block that reads it.
    """
    if any(node.block for node in nodes):
        paths = {n: tuple(n.block.split("/")) if n.block else () for n in nodes}
    else:
        paths = _paths_from_names(nodes)
    readers: dict[Node, list[Node]] = {}
    for node in nodes:
        for entry in node.inputs:
            readers.setdefault(entry.node, []).append(node)
    for node in nodes:
        if node.is_variable:
            found = {paths[reader] for reader in readers.get(node, [])}
            paths[node] = found.pop() if len(found) == 1 and family_of(node) == "parameter" else ()
    return [paths[node] for node in nodes]


def _paths_from_names(nodes: Sequence[Node]) -> dict[Node, tuple[str, ...]]:
    counts: dict[tuple[str, ...], int] = {}
    names = {node: tuple(node.name.split("_")[:-1])[:12] for node in nodes if not node.is_variable}
    for words in names.values():
        for length in range(1, len(words) + 1):
            prefix = words[:length]
            counts[prefix] = counts.get(prefix, 0) + 1
    paths: dict[Node, tuple[str, ...]] = dict.fromkeys(nodes, ())
    for node, words in names.items():
        prefixes = [words[:length] for length in range(1, len(words) + 1)]
        path, outer = [], len(names)
        for prefix in prefixes:
            if 1 < counts[prefix] < outer and prefix[-1][-1:].isdigit():
                path.append("_".join(prefix))
                outer = counts[prefix]
        paths[node] = tuple(path)
    _adopt(nodes, paths)
    return paths


def _adopt(nodes: Sequence[Node], paths: dict[Node, tuple[str, ...]]) -> None:
    """Put a node with an automatic name (``_plus0``) into the block that it reads from and that reads it."""
    readers: dict[Node, set[tuple[str, ...]]] = {}
    for node in reversed(nodes):
        if not node.is_variable and not paths[node]:
            around = readers.get(node, set())
            inputs = {paths[entry.node] for entry in node.inputs if entry.node in paths}
            if len(around) == 1 and around <= inputs:
                paths[node] = around.pop()
        for entry in node.inputs:
            readers.setdefault(entry.node, set()).add(paths[node])
