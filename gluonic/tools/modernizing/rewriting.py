"""The rewriting itself: one walk over a program's syntax tree."""

import difflib
from typing import Any

import libcst as cst
from libcst import matchers as m
from libcst.metadata import MetadataWrapper

from gluonic.support.record import record
from gluonic.tools.modernizing.blocks import (
    HYBRID_FORWARD,
    as_forward,
    leaves_shapes_open,
    parameters_of,
)
from gluonic.tools.modernizing.calling import Calling, last_without_comma

_SCOPE = m.With(
    items=[m.WithItem(m.Call(func=m.Attribute(attr=m.Name("name_scope"))), asname=None)]
)


@record
class Modernized:
    """A program with the names of MXNet 2.0.

    Attributes
    ----------
    before, after : its text
    changes : the lines of `before` with what was rewritten there
    marks : the lines of `before` with what is left to decide, which are comments in `after`
    """

    before: str
    after: str
    changes: list[tuple[int, str]]
    marks: list[tuple[int, str]]

    def difference(self, name: str) -> str:
        """What changed, as ``diff -u`` shows it."""
        before, after = (text.splitlines(keepends=True) for text in (self.before, self.after))
        return "".join(difflib.unified_diff(before, after, f"{name} (1.x)", f"{name} (2.0)"))


def modernized(text: str) -> Modernized:
    """Rewrite a program for MXNet 1.x with the names of 2.0, where that changes no result.

    Parameters
    ----------
    text : the program

    Raises
    ------
    libcst.ParserSyntaxError
        if it is no program for Python 3
    """
    wrapper = MetadataWrapper(cst.parse_module(text))
    rewriter = _Rewriter()
    after = wrapper.visit(rewriter).code
    return Modernized(text, after, sorted(set(rewriter.changes)), sorted(set(rewriter.marks)))


class _Rewriter(Calling):
    """Rewrites blocks, and all that the classes above it do."""

    def __init__(self) -> None:
        super().__init__()
        self._classes: list[dict[str, bool]] = []

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        """Find the parameters that the class holds, its bases in the program included."""
        self._classes.append(parameters_of(node.body))

    def leave_ClassDef(
        self, original_node: cst.ClassDef, updated_node: cst.ClassDef
    ) -> cst.ClassDef:
        """Leave the class."""
        self._classes.pop()
        return updated_node

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        """Note what `F` is."""
        is_hybrid = (
            node.name.value == HYBRID_FORWARD
            and len(node.params.params) > 1
            and bool(self._classes)
        )
        outer = self.functions[-1] if self.functions else None
        self.functions.append(node.params.params[1].name.value if is_hybrid else outer)

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        """``hybrid_forward`` becomes ``forward``."""
        functions = self.functions.pop()
        is_hybrid = original_node.name.value == HYBRID_FORWARD
        if functions is None or not is_hybrid or not self._classes:
            return updated_node
        if original_node.params.star_kwarg is not None:
            self.mark(
                original_node,
                "hybrid_forward: name the parameters, which are attributes of the block",
            )
        self.note(original_node, HYBRID_FORWARD, "forward")
        made = as_forward(updated_node, self._classes[-1])
        if m.findall(made.body, m.Name(functions)):
            self.mark(
                original_node, f"{functions} is not there; its functions are in mx.np and mx.npx"
            )
        return made

    def leave_Assign(self, original_node: cst.Assign, updated_node: cst.Assign) -> cst.Assign:
        """``self.weight = self.params.get("weight", …)`` makes a parameter."""
        get = m.Call(
            func=m.Attribute(
                value=m.Attribute(value=m.Name("self"), attr=m.Name("params")),
                attr=m.SaveMatchedNode(m.Name("get") | m.Name("get_constant"), "method"),
            )
        )
        if not self._classes:
            return updated_node

        def made(call: cst.CSTNode, saved: dict[str, Any]) -> cst.CSTNode:
            assert isinstance(call, cst.Call)
            method = saved["method"].value
            if method == "get_constant":
                self.note(original_node, "params.get_constant", "mx.gluon.Constant")
                return call.with_changes(
                    func=self.of_mxnet("gluon.Constant"), args=last_without_comma(call.args[1:])
                )
            if leaves_shapes_open(call):
                self.mark(
                    original_node,
                    "a shape that is open needs infer_shape(self, x) in MXNet, not here",
                )
            self.note(original_node, "params.get", "mx.gluon.Parameter")
            return call.with_changes(func=self.of_mxnet("gluon.Parameter"))

        replaced = m.replace(updated_node, get, made)
        assert isinstance(replaced, cst.Assign)
        return replaced

    def leave_With(self, original_node: cst.With, updated_node: cst.With) -> Any:
        """``with self.name_scope():`` is gone; its statements stay."""
        body = updated_node.body
        if not m.matches(updated_node, _SCOPE) or not isinstance(body, cst.IndentedBlock):
            return updated_node
        self.note(original_node, "name_scope", "")
        statements: list[Any] = [*body.body]
        first, *others = statements
        lines = [*updated_node.leading_lines, *first.leading_lines]
        return cst.FlattenSentinel([first.with_changes(leading_lines=lines), *others])
