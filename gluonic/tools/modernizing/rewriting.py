"""The rewriting itself: one walk over a program's syntax tree."""

import difflib
from collections.abc import Sequence
from typing import Any

import libcst as cst
from libcst import matchers as m
from libcst.metadata import (
    MetadataWrapper,
    PositionProvider,
    QualifiedNameProvider,
    QualifiedNameSource,
)

from gluonic.mxnet_names.correspondences import (
    DEVICE_TAKERS,
    Correspondence,
    canonical,
    correspondence,
    correspondences,
)
from gluonic.support.record import record
from gluonic.tools.modernizing.blocks import (
    HYBRID_FORWARD,
    as_forward,
    leaves_shapes_open,
    parameters_of,
)
from gluonic.tools.modernizing.calls import (
    UndecidedError,
    has_codes,
    new_arguments,
    with_new_codes,
)

MARK = "# MXNet 2.0: "
_PACKAGE = "mxnet"
_SCOPE = m.With(
    items=[m.WithItem(m.Call(func=m.Attribute(attr=m.Name("name_scope"))), asname=None)]
)
_OF_ALL_PARAMETERS = m.Call(
    func=m.Attribute(value=m.Call(func=m.Attribute(attr=m.Name("collect_params")), args=[]))
)
_OF_BLOCKS = {
    "initialize": "initialize",
    "zero_grad": "zero_grad",
    "setattr": "setattr",
    "reset_ctx": "reset_device",
}
_SUPER_INIT = m.Call(func=m.Attribute(value=m.Call(func=m.Name("super")), attr=m.Name("__init__")))

_SQUEEZED = m.Arg(keyword=m.Name("squeeze_axis"), value=m.Name("True") | m.Integer("1"))


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


class _Rewriter(cst.CSTTransformer):
    """Rewrites names, calls, blocks and imports, and marks statements."""

    METADATA_DEPENDENCIES = (PositionProvider, QualifiedNameProvider)

    def __init__(self) -> None:
        super().__init__()
        self.changes: list[tuple[int, str]] = []
        self.marks: list[tuple[int, str]] = []
        self._alias: str | None = None
        self._needs_import = False
        self._waiting: list[list[str]] = []
        self._functions: list[str | None] = []
        self._classes: list[dict[str, bool]] = []

    # ------------------------------------------------------------------------ what was done

    def _line(self, node: cst.CSTNode) -> int:
        return int(self.get_metadata(PositionProvider, node).start.line)

    def _note(self, node: cst.CSTNode, before: str, after: str) -> None:
        self.changes.append((self._line(node), f"{before} → {after}"))

    def _mark(self, node: cst.CSTNode, text: str) -> None:
        """Leave something to decide: a comment above the statement."""
        self.marks.append((self._line(node), text))
        if text not in self._waiting[-1]:
            self._waiting[-1].append(text)

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Begin a statement."""
        if isinstance(node, (cst.BaseCompoundStatement, cst.SimpleStatementLine)):
            self._waiting.append([])
        return super().on_visit(node)

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        """End a statement: put its marks above it."""
        left = super().on_leave(original_node, updated_node)
        if not isinstance(original_node, (cst.BaseCompoundStatement, cst.SimpleStatementLine)):
            return left
        texts = self._waiting.pop()
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

    # ------------------------------------------------------------------------ names

    def visit_Module(self, node: cst.Module) -> None:
        """Find the name by which the program calls MXNet."""
        for found in m.findall(node, m.Import()):
            assert isinstance(found, cst.Import)
            for alias in found.names:
                if m.matches(alias.name, m.Name(_PACKAGE)):
                    self._alias = alias.evaluated_alias or _PACKAGE

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> cst.Module:
        """Import MXNet by a name, if the program does not yet."""
        if not self._needs_import:
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

    def _of_mxnet(self, name: str) -> cst.BaseExpression:
        """An expression for a name of MXNet."""
        self._needs_import |= self._alias is None
        return cst.parse_expression(f"{self._alias or 'mx'}.{name}")

    def _is_functions(self, node: cst.CSTNode) -> bool:
        """Whether a node is the `F` of a ``hybrid_forward``."""
        return (
            bool(self._functions)
            and isinstance(node, cst.Name)
            and node.value == self._functions[-1]
        )

    def _named(self, node: cst.CSTNode) -> str | None:
        """The name in MXNet that an expression is, without ``mx.``; None if it is another's or a value."""
        parts: list[str] = []
        root = node
        while isinstance(root, cst.Attribute):
            parts.append(root.attr.value)
            root = root.value
        if not isinstance(root, cst.Name):  # something of a value
            return None
        if self._is_functions(root):
            return ".".join(["nd", *reversed(parts)])
        names = self.get_metadata(QualifiedNameProvider, node, set())
        for name in names:
            if name.source is QualifiedNameSource.IMPORT and name.name.startswith(f"{_PACKAGE}."):
                return canonical(name.name)
        return None

    def _is_imported(self, node: cst.CSTNode) -> bool:
        names = self.get_metadata(QualifiedNameProvider, node, set())
        return any(name.source is QualifiedNameSource.IMPORT for name in names)

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        """Rename what moved; `F` becomes mx.nd where nothing replaces its function."""
        name = self._named(original_node)
        if name is None:
            return updated_node
        found = correspondence(name)
        if found is not None and not found[1]:
            row = found[0]
            if row.is_safe and row.parameters is None:
                self._note(original_node, f"mx.{row.before}", f"mx.{row.after}")
                return self._of_mxnet(row.after)
            if not row.is_safe:
                self._mark(original_node, f"mx.{name}: {row.advice}")
        if self._is_functions(original_node.value):
            return updated_node.with_changes(value=self._of_mxnet("nd"))
        return updated_node

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        """`F` that is handed on is mx.nd."""
        if not self._is_functions(original_node.value):
            return updated_node
        self._mark(original_node, "F is mx.nd here; what it is given to may want mx.np and mx.npx")
        return updated_node.with_changes(value=self._of_mxnet("nd"))

    # ------------------------------------------------------------------------ calls

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        """Rewrite calls of functions and methods."""
        name = self._named(original_node.func)
        if name is not None:
            return self._of_function(name, original_node, updated_node)
        if isinstance(original_node.func, cst.Attribute):
            return self._of_method(original_node, updated_node)
        return updated_node

    def _of_function(self, name: str, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        found = correspondence(name)
        row = None if found is None or found[1] else found[0]
        if row is not None and row.is_safe and row.parameters is not None:
            return self._by_row(row, f"mx.{name}", original, updated, updated.args)
        if row is not None and name.startswith("nd.random.") and not self._functions:
            return _followed(updated, ".as_np_ndarray()")  # the same numbers
        if row is None and name.startswith("nd.") and self._functions:
            self._mark(
                original, f"mx.{name} takes arrays of mx.np; mx.np and mx.npx may have it, too"
            )
        return self._of_layer(original, updated, name)

    def _by_row(
        self,
        row: Correspondence,
        name: str,
        original: cst.Call,
        updated: cst.Call,
        given: Sequence[cst.Arg],
    ) -> cst.BaseExpression:
        """A call of a function of arrays, or the same call with a mark."""
        squeezed = row.after == "np.split" and any(m.matches(a, _SQUEEZED) for a in given)
        if squeezed:
            given = [a for a in given if not m.matches(a, _SQUEEZED)]
        try:
            arguments = new_arguments(row, given)
        except UndecidedError as error:
            self._mark(original, f"mx.{row.after} does not take {name}'s arguments: {error}")
            return updated
        self._note(original, name, f"mx.{row.after}")
        call: cst.BaseExpression = updated.with_changes(
            func=self._of_mxnet(row.after), args=arguments
        )
        if squeezed:
            axis = next(
                (
                    cst.Module([]).code_for_node(a.value)
                    for a in arguments
                    if m.matches(a, m.Arg(keyword=m.Name("axis")))
                ),
                "1",
            )
            return _squeezed(call, self._of_mxnet("np.squeeze"), axis)
        if row.result:
            call = _followed(call, row.result)
        return call

    def _of_layer(self, original: cst.Call, updated: cst.Call, name: str) -> cst.Call:
        """A call of a class of layers: names of parameters are their places in 2.0."""
        kept = []
        for argument in updated.args:
            keyword = argument.keyword.value if argument.keyword else ""
            if keyword == "prefix" and name.startswith("gluon."):
                self._note(original, "prefix=", "")
                continue
            if keyword == "params" and name.startswith("gluon.") and "Trainer" not in name:
                self._mark(original, "params=: use share_parameters(other.collect_params())")
            kept.append(argument)
        return self._with_device(
            original, updated.with_changes(args=_last_without_comma(kept)), name
        )

    def _with_device(self, original: cst.Call, updated: cst.Call, name: str) -> cst.Call:
        if name.rpartition(".")[2] not in DEVICE_TAKERS:
            return updated
        arguments = [
            a.with_changes(keyword=cst.Name("device"))
            if m.matches(a, m.Arg(keyword=m.Name("ctx")))
            else a
            for a in updated.args
        ]
        if any(a is not b for a, b in zip(arguments, updated.args, strict=True)):
            self._note(original, "ctx=", "device=")
        return updated.with_changes(args=arguments)

    def _of_method(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        assert isinstance(original.func, cst.Attribute)
        assert isinstance(updated.func, cst.Attribute)
        if self._is_imported(original.func):
            return updated
        method = original.func.attr.value
        if m.matches(original, _OF_ALL_PARAMETERS):
            updated = self._of_all_parameters(original, updated, method)
        if m.matches(updated, _SUPER_INIT):
            return self._of_super(original, updated)
        if method == "reshape":
            return self._of_reshape(original, updated)
        row = correspondences().get(f".{method}")
        if row is None or m.matches(original.func.value, m.Name("self")):
            return self._with_device(original, updated, method)
        if not row.after.startswith("."):
            return self._of_fluent(correspondences()[f"nd.{method}"], original, updated)
        if row.why:
            if not m.findall(original.func.value, m.Name("asnumpy")):
                self._mark(original, f"{row.before}(): {row.why}")
            return updated
        self._note(original, row.before, row.after)
        renamed = updated.func.with_changes(attr=cst.Name(row.after[1:]))
        return self._with_device(original, updated.with_changes(func=renamed), method)

    def _of_all_parameters(self, original: cst.Call, updated: cst.Call, method: str) -> cst.Call:
        """``net.collect_params().initialize()``: the dictionary is a plain one in 2.0."""
        assert isinstance(updated.func, cst.Attribute)
        if method in _OF_BLOCKS:
            collected = updated.func.value
            assert isinstance(collected, cst.Call)
            assert isinstance(collected.func, cst.Attribute)
            self._note(original, f"collect_params().{method}", _OF_BLOCKS[method])
            func = updated.func.with_changes(
                value=collected.func.value, attr=cst.Name(_OF_BLOCKS[method])
            )
            return updated.with_changes(func=func)
        if method in ("save", "load"):
            self._mark(original, f"collect_params().{method}: use {method}_parameters of the block")
        return updated

    def _of_super(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        """``super().__init__(prefix=prefix, params=params)``: blocks of 2.0 take neither."""
        kept = [
            a
            for a in updated.args
            if a.keyword is None or a.keyword.value not in ("prefix", "params")
        ]
        if len(kept) < len(updated.args):
            self._note(original, "prefix=, params=", "")
        return updated.with_changes(args=_last_without_comma(kept))

    def _of_reshape(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        """``x.reshape((0, -1))``: codes that only 1.x's arrays know."""
        assert isinstance(updated.func, cst.Attribute)
        arguments = updated.args
        by_keyword = len(arguments) == 1 and m.matches(arguments[0], m.Arg(keyword=m.Name("shape")))
        if not by_keyword and any(a.keyword or a.star for a in arguments):
            return updated
        only = arguments[0].value if len(arguments) == 1 else None
        if isinstance(only, (cst.Tuple, cst.List)):
            items = [element.value for element in only.elements]
        else:
            items = [argument.value for argument in arguments]
        if not has_codes(items):
            if by_keyword:
                self._note(original, ".reshape(shape=…)", ".reshape(…)")
                return updated.with_changes(args=[cst.Arg(arguments[0].value)])
            return updated
        try:
            shape = with_new_codes(items)
        except UndecidedError as error:
            self._mark(original, f"mx.npx.reshape does not take reshape's arguments: {error}")
            return updated
        self._note(original, ".reshape", "mx.npx.reshape")
        args = [cst.Arg(updated.func.value), cst.Arg(shape)]
        return cst.Call(self._of_mxnet("npx.reshape"), args)

    def _of_fluent(
        self, row: Correspondence, original: cst.Call, updated: cst.Call
    ) -> cst.BaseExpression:
        """A method of arrays that is a function in 2.0; layers may be called by the same names."""
        assert isinstance(updated.func, cst.Attribute)
        is_layer = row.parameters in ("data=x", "data=a") or "**" in (row.parameters or "").split()
        if is_layer and row.before[3:] not in (
            "one_hot",
            "pick",
            "topk",
            "reshape_like",
            "broadcast_like",
            "slice_like",
        ):
            for argument in updated.args:
                if argument.keyword is None and not isinstance(
                    argument.value, (cst.Integer, cst.UnaryOperation)
                ):
                    return updated
        given = [cst.Arg(updated.func.value), *updated.args]
        if row.before == "nd.softmax":  # whose second argument is a length
            given = [given[0], *(_with_axis(a) for a in given[1:])]
        return self._by_row(row, f".{row.before[3:]}", original, updated, given)

    # ------------------------------------------------------------------------ blocks

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
        outer = self._functions[-1] if self._functions else None
        self._functions.append(node.params.params[1].name.value if is_hybrid else outer)

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        """``hybrid_forward`` becomes ``forward``."""
        functions = self._functions.pop()
        is_hybrid = original_node.name.value == HYBRID_FORWARD and functions is not None
        if not is_hybrid or not self._classes:
            return updated_node
        if original_node.params.star_kwarg is not None:
            self._mark(
                original_node,
                "hybrid_forward: name the parameters, which are attributes of the block",
            )
        self._note(original_node, HYBRID_FORWARD, "forward")
        made = as_forward(updated_node, self._classes[-1])
        if m.findall(made.body, m.Name(functions)):
            self._mark(
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
                self._note(original_node, "params.get_constant", "mx.gluon.Constant")
                return call.with_changes(
                    func=self._of_mxnet("gluon.Constant"), args=_last_without_comma(call.args[1:])
                )
            if leaves_shapes_open(call):
                self._mark(
                    original_node,
                    "a shape that is open needs infer_shape(self, x) in MXNet, not here",
                )
            self._note(original_node, "params.get", "mx.gluon.Parameter")
            return call.with_changes(func=self._of_mxnet("gluon.Parameter"))

        replaced = m.replace(updated_node, get, made)
        assert isinstance(replaced, cst.Assign)
        return replaced

    def leave_With(self, original_node: cst.With, updated_node: cst.With) -> Any:
        """``with self.name_scope():`` is gone; its statements stay."""
        body = updated_node.body
        if not m.matches(updated_node, _SCOPE) or not isinstance(body, cst.IndentedBlock):
            return updated_node
        self._note(original_node, "name_scope", "")
        statements: list[Any] = [*body.body]
        first, *others = statements
        lines = [*updated_node.leading_lines, *first.leading_lines]
        return cst.FlattenSentinel([first.with_changes(leading_lines=lines), *others])

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
            self._mark(node, f"mx.{canonical(name)}: {row.advice}")
            return None
        self._note(node, f"mx.{canonical(name)}", f"mx.{row.after}{rest}")
        return f"{row.after}{rest}"


def _dotted(node: cst.CSTNode | None) -> str:
    """The text of a name with dots."""
    if isinstance(node, cst.Attribute):
        return f"{_dotted(node.value)}.{node.attr.value}"
    return node.value if isinstance(node, cst.Name) else ""


def _last_without_comma(arguments: Sequence[cst.Arg]) -> list[cst.Arg]:
    return [
        *arguments[:-1],
        *(a.with_changes(comma=cst.MaybeSentinel.DEFAULT) for a in arguments[-1:]),
    ]


def _with_axis(argument: cst.Arg) -> cst.Arg:
    if argument.keyword is not None:
        return argument
    equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    return argument.with_changes(keyword=cst.Name("axis"), equal=equal)


def _followed(call: cst.BaseExpression, result: str) -> cst.BaseExpression:
    """A call, and then a call of a method of its result."""
    after = cst.parse_expression(f"x{result}")
    assert isinstance(after, cst.Call)
    assert isinstance(after.func, cst.Attribute)
    return after.with_changes(func=after.func.with_changes(value=call))


def _squeezed(
    call: cst.BaseExpression, squeeze: cst.BaseExpression, axis: str
) -> cst.BaseExpression:
    """The parts of an array, each without the axis along which it was split."""
    made = cst.parse_expression(f"[x(part, axis={axis}) for part in y]")
    assert isinstance(made, cst.ListComp)
    assert isinstance(made.elt, cst.Call)
    return made.with_changes(
        elt=made.elt.with_changes(func=squeeze), for_in=made.for_in.with_changes(iter=call)
    )
