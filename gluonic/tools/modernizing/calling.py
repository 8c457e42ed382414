"""Calls of functions and methods of MXNet 1.x as those of 2.0."""

from collections.abc import Sequence

import libcst as cst
from libcst import matchers as m

from gluonic.mxnet_names.correspondences import (
    DEVICE_TAKERS,
    Correspondence,
    correspondence,
    correspondences,
)
from gluonic.tools.modernizing.arguments import (
    UndecidedError,
    has_codes,
    new_arguments,
    with_new_codes,
)
from gluonic.tools.modernizing.naming import Naming

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


class Calling(Naming):
    """Rewrites calls."""

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        """Rewrite calls of functions and methods."""
        name = self.name_of(original_node.func)
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
        if row is not None and name.startswith("nd.random.") and not self.functions:
            return _followed(updated, ".as_np_ndarray()")  # the same numbers
        if row is None and name.startswith("nd.") and self.functions:
            self.mark(
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
            self.mark(original, f"mx.{row.after} does not take {name}'s arguments: {error}")
            return updated
        self.note(original, name, f"mx.{row.after}")
        call: cst.BaseExpression = updated.with_changes(
            func=self.of_mxnet(row.after), args=arguments
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
            return _squeezed(call, self.of_mxnet("np.squeeze"), axis)
        if row.result:
            call = _followed(call, row.result)
        return call

    def _of_layer(self, original: cst.Call, updated: cst.Call, name: str) -> cst.Call:
        """A call of a class of layers: names of parameters are their places in 2.0."""
        kept = []
        for argument in updated.args:
            keyword = argument.keyword.value if argument.keyword else ""
            if keyword == "prefix" and name.startswith("gluon."):
                self.note(original, "prefix=", "")
                continue
            if keyword == "params" and name.startswith("gluon.") and "Trainer" not in name:
                self.mark(original, "params=: use share_parameters(other.collect_params())")
            kept.append(argument)
        return self._with_device(
            original, updated.with_changes(args=last_without_comma(kept)), name
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
            self.note(original, "ctx=", "device=")
        return updated.with_changes(args=arguments)

    def _of_method(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        assert isinstance(original.func, cst.Attribute)
        assert isinstance(updated.func, cst.Attribute)
        if self.is_imported(original.func):
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
                self.mark(original, f"{row.before}(): {row.why}")
            return updated
        self.note(original, row.before, row.after)
        renamed = updated.func.with_changes(attr=cst.Name(row.after[1:]))
        return self._with_device(original, updated.with_changes(func=renamed), method)

    def _of_all_parameters(self, original: cst.Call, updated: cst.Call, method: str) -> cst.Call:
        """``net.collect_params().initialize()``: the dictionary is a plain one in 2.0."""
        assert isinstance(updated.func, cst.Attribute)
        if method in _OF_BLOCKS:
            collected = updated.func.value
            assert isinstance(collected, cst.Call)
            assert isinstance(collected.func, cst.Attribute)
            self.note(original, f"collect_params().{method}", _OF_BLOCKS[method])
            func = updated.func.with_changes(
                value=collected.func.value, attr=cst.Name(_OF_BLOCKS[method])
            )
            return updated.with_changes(func=func)
        if method in ("save", "load"):
            self.mark(original, f"collect_params().{method}: use {method}_parameters of the block")
        return updated

    def _of_super(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        """``super().__init__(prefix=prefix, params=params)``: blocks of 2.0 take neither."""
        kept = [
            a
            for a in updated.args
            if a.keyword is None or a.keyword.value not in ("prefix", "params")
        ]
        if len(kept) < len(updated.args):
            self.note(original, "prefix=, params=", "")
        return updated.with_changes(args=last_without_comma(kept))

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
                self.note(original, ".reshape(shape=…)", ".reshape(…)")
                return updated.with_changes(args=[cst.Arg(arguments[0].value)])
            return updated
        try:
            shape = with_new_codes(items)
        except UndecidedError as error:
            self.mark(original, f"mx.npx.reshape does not take reshape's arguments: {error}")
            return updated
        self.note(original, ".reshape", "mx.npx.reshape")
        args = [cst.Arg(updated.func.value), cst.Arg(shape)]
        return cst.Call(self.of_mxnet("npx.reshape"), args)

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


def last_without_comma(arguments: Sequence[cst.Arg]) -> list[cst.Arg]:
    """Arguments of which none follows the last."""
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
