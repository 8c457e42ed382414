"""What cannot be written as ONNX, or read from it."""

from collections.abc import Mapping, Sequence
from typing import Any

from gluonic.graph import Node
from gluonic.graph.errors import NotThereError, describe, present
from gluonic.support.record import record


class NotExportable(Exception):
    """A rule's answer for a node that it cannot write; the text says why."""


class NotImportable(Exception):
    """A rule's answer for a node of ONNX that it cannot read; the text says why."""


class ExportError(NotThereError):
    """Some nodes of a graph have no counterpart where they are to go."""


class OnnxExportError(ExportError):
    """Some nodes of a graph have no counterpart in ONNX."""


@record
class Goal:
    """Where graphs go.

    Attributes
    ----------
    name : its name
    function : the user's function that goes there
    error : the class of errors about nodes without a counterpart
    """

    name: str
    function: str
    error: type[ExportError]

    def refusal(self, gist: str, **parts: Any) -> ExportError:
        """An error that refuses a graph; `parts` are those of `describe`."""
        return self.error(describe(gist, where=self.function, **parts))


ONNX = Goal("ONNX", "export_model", OnnxExportError)


_MOST_LINES = 3


def cannot_be_written(reasons: Mapping[Node, str], goal: Goal) -> ExportError:
    """The error that lists all nodes that cannot be written, with counts and the user's lines."""
    groups: dict[tuple[str, str], list[Node]] = {}
    for node, reason in reasons.items():
        groups.setdefault((node.operator_name, reason), []).append(node)
    facts: list[str] = []
    for (operator, reason), nodes in sorted(groups.items(), key=lambda item: -len(item[1])):
        facts.append(f"{operator} ×{len(nodes)}: {reason}; for example {nodes[0].name!r}")
        facts.extend(f"  {line}" for line in _lines(nodes))
    count = len(reasons)
    return goal.refusal(
        f"{count} {'node' if count == 1 else 'nodes'} cannot be written as {goal.name}",
        facts=facts,
        hint="replace these operators, or cut the graph before them (docs/surgery.md)",
    )


def _lines(nodes: Sequence[Node]) -> list[str]:
    """The user's lines that made nodes, each once."""
    lines = dict.fromkeys(str(present(node.location)) for node in nodes if node.location)
    return list(lines)[:_MOST_LINES]
