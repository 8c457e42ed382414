"""One table: how ONNX's operators that gluonic writes, and those of `layers`, become Python for PyTorch.

The files of `operators/` fill it. A rule is ``(n) -> code``, where `n` is a node of ONNX's form of the graph
(`gluonic.pytorch.use`).
"""

from collections.abc import Callable
from typing import Any, TypeAlias

EmitRule: TypeAlias = Callable[[Any], str]


def emits(*op_types: str) -> Callable[[EmitRule], EmitRule]:
    """Declare how operators are written (a decorator)."""

    def declare(rule: EmitRule) -> EmitRule:
        for op_type in op_types:
            if op_type in EMITS:
                raise TypeError(f"the table has {op_type!r} already")
            EMITS[op_type] = rule
        return rule

    return declare


EMITS: dict[str, EmitRule] = {}
