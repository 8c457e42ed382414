"""Small vectors of integers, computed by Python rather than by tensors: shapes, and what follows from them."""

from typing import Protocol, TypeAlias

import numpy as np

from gluonic.onnx.writer import OnnxNode, OnnxValue

Elements: TypeAlias = "list[str] | None"
_MOST = 64
"""The most elements of such a vector."""
_INFIX = {"Add": "+", "Sub": "-", "Mul": "*", "Div": "//"}
_CALLS = {"Max": "max", "Min": "min"}
_PASSED_ON = frozenset({"Squeeze", "Unsqueeze", "Cast", "Identity"})


class Shapes(Protocol):
    """What is known of the shapes of tensors."""

    def extents(self, value: OnnxValue) -> Elements:
        """The shape of a tensor, each extent as an expression; None if its rank is not known."""
        raise NotImplementedError

    def variable(self, value: OnnxValue) -> str:
        """The name of a tensor."""
        raise NotImplementedError


def elements(value: OnnxValue, shapes: Shapes) -> Elements:
    """The elements of a vector, each as an expression; None if they come from data."""
    array = value.array
    if array is not None:
        is_small = array.size <= _MOST and array.dtype.kind in "iu"
        return [str(int(one)) for one in array.reshape(-1)] if is_small else None
    node = value.maker
    if node is None or value.dtype.kind not in "iu":
        return None
    if node.op_type == "Shape":
        return _extents(node, shapes)
    parts = [elements(each, shapes) for each in node.inputs if each is not None]
    if node.op_type == "Slice":
        return _slice(node, parts, shapes)
    if not parts or any(part is None for part in parts):
        return None
    return _combined(node, [part for part in parts if part is not None])


def _extents(node: OnnxNode, shapes: Shapes) -> Elements:
    (source,) = node.inputs
    assert source is not None
    extents = shapes.extents(source)
    if extents is None:
        return None
    return extents[node.attributes.get("start", 0) : node.attributes.get("end")]


def _slice(node: OnnxNode, parts: list[Elements], shapes: Shapes) -> Elements:
    """A part of a vector; of a shape, also if it is not known how long that is."""
    limits = [part[0] for part in parts[1:3] if part]
    if len(limits) < 2 or not all(limit.isdigit() for limit in limits) or len(parts) > 4:
        return None
    begin, end = map(int, limits)
    source = node.inputs[0]
    assert source is not None
    if parts[0] is not None:
        return parts[0][begin:end]
    maker = source.maker
    if maker is None or maker.op_type != "Shape" or maker.attributes or maker.inputs[0] is None:
        return None
    return [f"{shapes.variable(maker.inputs[0])}.shape[{axis}]" for axis in range(begin, end)]


def _combined(node: OnnxNode, parts: list[list[str]]) -> Elements:
    """What an operator makes of vectors."""
    kind = node.op_type
    if kind in _PASSED_ON:
        return parts[0]
    if kind == "Concat":
        return [one for part in parts for one in part]
    if kind == "Gather" and all(one.lstrip("-").isdigit() for one in parts[1]):
        return [parts[0][int(one)] for one in parts[1]]
    if kind not in _INFIX and kind not in _CALLS:
        return None
    count = max(map(len, parts))
    if {len(part) for part in parts} - {1, count}:
        return None
    rows = zip(*[part * (count // len(part)) for part in parts], strict=True)
    if kind in _CALLS:
        return [f"{_CALLS[kind]}({', '.join(row)})" for row in rows]
    return [_computed(_INFIX[kind], *row) for row in rows]


def _computed(operator: str, one: str, other: str) -> str:
    """An arithmetic expression, computed if it can be."""
    if one.lstrip("-").isdigit() and other.lstrip("-").isdigit():
        a, b = int(one), int(other)
        results = {"+": a + b, "-": a - b, "*": a * b}
        return str(results[operator] if operator in results else int(np.floor_divide(a, b)))
    return f"({one} {operator} {other})"
