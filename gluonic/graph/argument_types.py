"""The arguments of operators, in the wording of MXNet's ``get_operator_arguments``."""

import types
from collections.abc import Iterable
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from gluonic.graph.attributes import REQUIRED, Attribute, DType
from gluonic.graph.dtypes import CODE_OF
from gluonic.graph.operator import REGISTRY

_ARRAY = "NDArray-or-Symbol"
_SIMPLE = {int: "int", float: "float", bool: "boolean", str: "string"}


class OperatorArguments(NamedTuple):
    """The number of an operator's arguments, their names and types."""

    narg: int
    names: list[str]
    types: list[str]


def get_operator_arguments(op_name: str) -> OperatorArguments:
    """Return the arguments of an operator: its inputs, then its attributes.

    Raises
    ------
    MXNetError
        if there is no operator of that name

    Examples
    --------
    >>> get_operator_arguments("Activation").names
    ['data', 'act_type']
    """
    op = REGISTRY[op_name]
    arguments = dict.fromkeys(op.inputs, _ARRAY)
    if op.variadic:
        arguments[op.variadic] = f"{_ARRAY}[]"
    for name, attribute in op.attributes.items():
        arguments[name] = f"{_kind(attribute.kind)}, {_default(attribute)}"
    return OperatorArguments(len(arguments), list(arguments), list(arguments.values()))


def _kind(kind: Any) -> str:
    """The name of an attribute's type."""
    origin, parameters = get_origin(kind), get_args(kind)
    if kind is DType:
        return _choices(dtype.name for dtype in CODE_OF)
    if origin is Literal:
        return _choices(map(str, parameters))
    if origin is Annotated:
        return _kind(parameters[0])
    if origin is tuple:
        return "Shape(tuple)"
    if origin in (Union, types.UnionType):
        kinds = [_kind(part) for part in parameters if part is not type(None)]
        return " or ".join([*kinds, "None"] if len(kinds) < len(parameters) else kinds)
    return _SIMPLE.get(kind, "string")


def _choices(names: Iterable[str]) -> str:
    return "{" + ", ".join(repr(name) for name in sorted(names)) + "}"


def _default(attribute: Attribute) -> str:
    default = attribute.default
    if default is REQUIRED:
        return "required"
    if isinstance(default, bool):
        default = int(default)
    return f"optional, default={list(default) if isinstance(default, tuple) else default}"
