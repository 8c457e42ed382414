"""Names of MXNet in a program: what they stand for, where they moved, imports."""

from typing import Any

import libcst as cst
from libcst import matchers as m
from libcst.metadata import QualifiedNameProvider, QualifiedNameSource

from gluonic.mxnet_names.correspondences import canonical, correspondence
from gluonic.tools.modernizing.marking import Marking

_PACKAGE = "mxnet"


class Naming(Marking):
    """Rewrites names that moved, and imports of them."""

    def __init__(self) -> None:
        super().__init__()
        self.alias: str | None = None
        self.needs_import = False
        self.functions: list[str | None] = []
        """What `F` is called in the functions around a node."""

    def visit_Module(self, node: cst.Module) -> None:
        """Find the name by which the program calls MXNet."""
        for found in m.findall(node, m.Import()):
            assert isinstance(found, cst.Import)
            for alias in found.names:
                if m.matches(alias.name, m.Name(_PACKAGE)):
                    self.alias = alias.evaluated_alias or _PACKAGE

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> cst.Module:
        """Import MXNet by a name, if the program does not yet."""
        if not self.needs_import:
            return updated_node
        is_import = m.SimpleStatementLine([m.ImportFrom() | m.Import()])
        for i, statement in enumerate(updated_node.body):
            if m.matches(statement, is_import) and _PACKAGE in updated_node.code_for_node(
                statement
            ):
                line = cst.parse_statement("import mxnet as mx")
                body = [*updated_node.body[:i], statement, line, *updated_node.body[i + 1 :]]
                return updated_node.with_changes(body=body)
        return updated_node

    def of_mxnet(self, name: str) -> cst.BaseExpression:
        """An expression for a name of MXNet."""
        self.needs_import |= self.alias is None
        return cst.parse_expression(f"{self.alias or 'mx'}.{name}")

    def is_functions(self, node: cst.CSTNode) -> bool:
        """Whether a node is the `F` of a ``hybrid_forward``."""
        return (
            bool(self.functions) and isinstance(node, cst.Name) and node.value == self.functions[-1]
        )

    def name_of(self, node: cst.CSTNode) -> str | None:
        """The name in MXNet that an expression is, without ``mx.``; None if it is another's or a value."""
        parts: list[str] = []
        root = node
        while isinstance(root, cst.Attribute):
            parts.append(root.attr.value)
            root = root.value
        if not isinstance(root, cst.Name):  # something of a value
            return None
        if self.is_functions(root):
            return ".".join(["nd", *reversed(parts)])
        names = self.get_metadata(QualifiedNameProvider, node, set())
        for name in names:
            if name.source is QualifiedNameSource.IMPORT and name.name.startswith(f"{_PACKAGE}."):
                return canonical(name.name)
        return None

    def is_imported(self, node: cst.CSTNode) -> bool:
        """Whether a name begins with something imported."""
        names = self.get_metadata(QualifiedNameProvider, node, set())
        return any(name.source is QualifiedNameSource.IMPORT for name in names)

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        """Rename what moved; `F` becomes mx.nd where nothing replaces its function."""
        name = self.name_of(original_node)
        if name is None:
            return updated_node
        found = correspondence(name)
        if found is not None and not found[1]:
            row = found[0]
            if row.is_safe and row.parameters is None:
                self.note(original_node, f"mx.{row.before}", f"mx.{row.after}")
                return self.of_mxnet(row.after)
            if not row.is_safe:
                self.mark(original_node, f"mx.{name}: {row.advice}")
        if self.is_functions(original_node.value):
            return updated_node.with_changes(value=self.of_mxnet("nd"))
        return updated_node

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        """`F` that is handed on is mx.nd."""
        if not self.is_functions(original_node.value):
            return updated_node
        self.mark(original_node, "F is mx.nd here; what it is given to may want mx.np and mx.npx")
        return updated_node.with_changes(value=self.of_mxnet("nd"))

    # ------------------------------------------------------------------------ imports

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> Any:
        """Import what moved from where it is."""
        statement = updated_node.body[0]
        if len(updated_node.body) > 1 or not isinstance(statement, cst.ImportFrom):
            return updated_node
        module = _dotted(statement.module)
        if module.partition(".")[0] != _PACKAGE or isinstance(statement.names, cst.ImportStar):
            return updated_node
        kept, moved = [], []
        for alias in statement.names:
            name = _dotted(alias.name)
            target = self._moved(original_node, f"{module}.{name}")
            if target is None:
                kept.append(alias)
                continue
            place, _, last = f"{_PACKAGE}.{target}".rpartition(".")
            bound = alias.evaluated_alias or name
            moved.append(f"from {place} import {last}" + (f" as {bound}" if bound != last else ""))
        if not moved:
            return updated_node
        lines: list[Any] = [cst.parse_statement(line) for line in moved]
        if kept:
            names = [*kept[:-1], kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)]
            lines.insert(0, updated_node.with_changes(body=[statement.with_changes(names=names)]))
        else:
            lines[0] = lines[0].with_changes(
                leading_lines=updated_node.leading_lines,
                trailing_whitespace=updated_node.trailing_whitespace,
            )
        return cst.FlattenSentinel(lines)

    def _moved(self, node: cst.CSTNode, name: str) -> str | None:
        """Where a name that is imported is in 2.0; None if it stays."""
        found = correspondence(name)
        if found is None:
            return None
        row, rest = found
        if row.parameters is not None or (rest and row.before.startswith("nd.")):
            return None
        if not row.is_safe:
            self.mark(node, f"mx.{canonical(name)}: {row.advice}")
            return None
        self.note(node, f"mx.{canonical(name)}", f"mx.{row.after}{rest}")
        return f"{row.after}{rest}"


def _dotted(node: cst.CSTNode | None) -> str:
    """The text of a name with dots."""
    if isinstance(node, cst.Attribute):
        return f"{_dotted(node.value)}.{node.attr.value}"
    return node.value if isinstance(node, cst.Name) else ""
