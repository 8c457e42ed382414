"""``hybrid_forward`` of MXNet 1.x as ``forward`` of 2.0: `F` is gone, parameters are attributes."""

from collections.abc import Iterator

import libcst as cst
from libcst import matchers as m

HYBRID_FORWARD = "hybrid_forward"
_GET = m.Call(
    func=m.Attribute(
        value=m.Attribute(value=m.Name("self"), attr=m.Name("params")),
        attr=m.Name("get") | m.Name("get_constant"),
    )
)


def parameters_of(body: cst.CSTNode) -> dict[str, bool]:
    """The attributes that a class's methods set to parameters, and whether one may be None instead."""
    held: dict[str, bool] = {}
    for assignment in m.findall(
        body, m.Assign(targets=[m.AssignTarget(m.Attribute(m.Name("self")))])
    ):
        assert isinstance(assignment, cst.Assign)
        target = assignment.targets[0].target
        assert isinstance(target, cst.Attribute)
        name, value = target.attr.value, assignment.value
        if m.findall(value, _GET):
            held[name] = held.get(name, False) or not m.matches(value, _GET)
        elif m.matches(value, m.Name("None")) and name in held:
            held[name] = True
    return held


def as_forward(function: cst.FunctionDef, held: dict[str, bool]) -> cst.FunctionDef:
    """A ``hybrid_forward``, whose body knows no `F` any more, as ``forward``.

    Parameters
    ----------
    held : the parameters of the class
    """
    names = function.params
    inputs = [p for p in names.params[2:] if p.name.value not in held]
    parameters = [
        p.name.value for p in (*names.params[2:], *names.kwonly_params) if p.name.value in held
    ]
    kept = [names.params[0], *inputs]
    kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    only = [p for p in names.kwonly_params if p.name.value not in held]
    changed = names.with_changes(params=kept, kwonly_params=only)
    if not only and isinstance(names.star_arg, cst.ParamStar):
        changed = changed.with_changes(star_arg=cst.MaybeSentinel.DEFAULT)
    first = inputs[0].name.value if inputs else None
    lines = [*_values(parameters, held, first)]
    return function.with_changes(
        name=cst.Name("forward"), params=changed, body=_with_lines(function.body, lines)
    )


def _values(parameters: list[str], held: dict[str, bool], first: str | None) -> Iterator[str]:
    device = "" if first is None else f"{first}.device"
    for name in parameters:
        value = f"self.{name}.data({device})"
        yield (
            f"{name} = None if self.{name} is None else {value}"
            if held[name]
            else f"{name} = {value}"
        )


def _with_lines(body: cst.BaseSuite, lines: list[str]) -> cst.BaseSuite:
    """A function's body with statements before it, behind its documentation."""
    if not lines:
        return body
    made = [cst.parse_statement(line) for line in lines]
    if not isinstance(body, cst.IndentedBlock):
        assert isinstance(body, cst.SimpleStatementSuite)
        return cst.IndentedBlock([*made, cst.SimpleStatementLine(body.body)])
    documentation = m.SimpleStatementLine([m.Expr(m.SimpleString() | m.ConcatenatedString())])
    at = 1 if m.matches(body.body[0], documentation) else 0
    return body.with_changes(body=[*body.body[:at], *made, *body.body[at:]])


def leaves_shapes_open(call: cst.Call) -> bool:
    """Whether a parameter's shape is to be found from the first batch."""
    for argument in call.args:
        if m.matches(argument, m.Arg(keyword=m.Name("shape"))):
            zeros = m.findall(argument.value, m.Integer("0") | m.Name("None"))
            return bool(zeros) and isinstance(argument.value, (cst.Tuple, cst.List))
    return True
