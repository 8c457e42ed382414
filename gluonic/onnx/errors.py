"""What cannot be written as ONNX, or read from it."""

from collections.abc import Mapping, Sequence

from gluonic.graph import Node
from gluonic.graph.errors import NotThereError, describe, present


class NotExportable(Exception):
    """A rule's answer for a node that it cannot write; the text says why."""


class NotImportable(Exception):
    """A rule's answer for a node of ONNX that it cannot read; the text says why."""


class OnnxExportError(NotThereError):
    """Some nodes of a graph have no counterpart in ONNX."""


_MOST_LINES = 3


def cannot_be_written(reasons: Mapping[Node, str]) -> OnnxExportError:
    """The error that lists all nodes that cannot be written, with counts and the user's lines."""
    groups: dict[tuple[str, str], list[Node]] = {}
    for node, reason in reasons.items():
        groups.setdefault((node.operator_name, reason), []).append(node)
    facts: list[str] = []
    for (operator, reason), nodes in sorted(groups.items(), key=lambda item: -len(item[1])):
        facts.append(f"{operator} ×{len(nodes)}: {reason}; for example {nodes[0].name!r}")
        facts.extend(f"  {line}" for line in _lines(nodes))
    count = len(reasons)
    return OnnxExportError(
        describe(
            f"{count} {'node' if count == 1 else 'nodes'} cannot be written as ONNX",
            where="export_model",
            facts=facts,
            hint="replace these operators, or cut the graph before them (docs/surgery.md)",
        )
    )


def _lines(nodes: Sequence[Node]) -> list[str]:
    """The user's lines that made nodes, each once."""
    lines = dict.fromkeys(str(present(node.location)) for node in nodes if node.location)
    return list(lines)[:_MOST_LINES]
