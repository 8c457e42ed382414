"""Small vectors of integers, computed by Python rather than by tensors: shapes, and what follows from them."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from gluonic.onnx.writer import OnnxNode, OnnxValue

Elements: TypeAlias = "list[str] | None"
_MOST = 64
"""The most elements of such a vector."""
_INFIX = {"Add": "+", "Sub": "-", "Mul": "*", "Div": "//"}
_CALLS = {"Max": "max", "Min": "min"}
_PASSED_ON = frozenset({"Squeeze", "Unsqueeze", "Cast", "Identity"})


def elements(value: OnnxValue, shape: Callable[[OnnxValue], Elements]) -> Elements:
    """The elements of a vector, each as an expression; None if they come from data.

    Parameters
    ----------
    shape : the extents of a tensor, each as an expression
    """
    array = value.array
    if array is not None:
        is_small = array.size <= _MOST and array.dtype.kind in "iu"
        return [str(int(one)) for one in array.reshape(-1)] if is_small else None
    node = value.maker
    if node is None or value.dtype.kind not in "iu":
        return None
    if node.op_type == "Shape":
        return _extents(node, shape)
    parts = [elements(each, shape) for each in node.inputs if each is not None]
    if not parts or any(part is None for part in parts):
        return None
    return _combined(node, [part for part in parts if part is not None])


def _extents(node: OnnxNode, shape: Callable[[OnnxValue], Elements]) -> Elements:
    (source,) = node.inputs
    assert source is not None
    extents = shape(source)
    if extents is None:
        return None
    return extents[node.attributes.get("start", 0) : node.attributes.get("end")]


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
    text = f"{one} {operator} {other}"
    if one.lstrip("-").isdigit() and other.lstrip("-").isdigit():
        a, b = int(one), int(other)
        results = {"+": a + b, "-": a - b, "*": a * b}
        return str(results[operator] if operator in results else int(np.floor_divide(a, b)))
    return f"({text})"
