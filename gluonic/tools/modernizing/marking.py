"""What all rewriters share: notes of what changes, and marks above statements."""

from typing import Any

import libcst as cst
from libcst.metadata import PositionProvider, QualifiedNameProvider

MARK = "# MXNet 2.0: "


class Marking(cst.CSTTransformer):
    """Notes what is rewritten, and puts comments above statements where something is left to decide."""

    METADATA_DEPENDENCIES = (PositionProvider, QualifiedNameProvider)

    def __init__(self) -> None:
        super().__init__()
        self.changes: list[tuple[int, str]] = []
        self.marks: list[tuple[int, str]] = []
        self.waiting: list[list[str]] = []

    def line_of(self, node: cst.CSTNode) -> int:
        """The line of a node in the program."""
        return int(self.get_metadata(PositionProvider, node).start.line)

    def note(self, node: cst.CSTNode, before: str, after: str) -> None:
        """Note that something was rewritten."""
        self.changes.append((self.line_of(node), f"{before} → {after}"))

    def mark(self, node: cst.CSTNode, text: str) -> None:
        """Leave something to decide: a comment above the statement."""
        self.marks.append((self.line_of(node), text))
        if text not in self.waiting[-1]:
            self.waiting[-1].append(text)

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Begin a statement."""
        if isinstance(node, (cst.BaseCompoundStatement, cst.SimpleStatementLine)):
            self.waiting.append([])
        return super().on_visit(node)

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        """End a statement: put its marks above it."""
        left = super().on_leave(original_node, updated_node)
        if not isinstance(original_node, (cst.BaseCompoundStatement, cst.SimpleStatementLine)):
            return left
        texts = self.waiting.pop()
        first: Any = next(iter(left), None) if isinstance(left, cst.FlattenSentinel) else left
        if not texts or not hasattr(first, "leading_lines"):
            return left
        there = [line.comment.value for line in first.leading_lines if line.comment]
        lines = [
            cst.EmptyLine(comment=cst.Comment(MARK + text))
            for text in texts
            if MARK + text not in there
        ]
        marked = first.with_changes(leading_lines=[*first.leading_lines, *lines])
        return (
            cst.FlattenSentinel([marked, *list(left)[1:]])
            if isinstance(left, cst.FlattenSentinel)
            else marked
        )
