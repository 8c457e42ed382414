"""Comparisons, bitwise and logical operators, and selection: by value, or with a branch for rare cases."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gluonic.codegen.maths.bounds import never_holds
from gluonic.codegen.maths.registers import Registers
from gluonic.codegen.maths.values import BOOL, Dtype, Operand, Value, literal, vector_type

_NEVER = literal(False, BOOL)
_FLOAT_CONDITIONS = {"<": "olt", "<=": "ole", ">": "ogt", ">=": "oge", "==": "oeq", "!=": "une"}
_SIGNED = {"<": "slt", "<=": "sle", ">": "sgt", ">=": "sge", "==": "eq", "!=": "ne"}
_UNSIGNED = {"<": "ult", "<=": "ule", ">": "ugt", ">=": "uge", "==": "eq", "!=": "ne"}


class Logic(Registers):
    """Writes instructions that compare and select values."""

    def _compare(self, relation: str, a: Operand, b: Operand) -> Value:
        values = self.common(a, b)
        kind = values[0].dtype.kind
        if kind == "f":
            if never_holds(relation, values[0].bounds, values[1].bounds):
                return self.constant(False, BOOL)
            return self.instruction(f"fcmp {_FLOAT_CONDITIONS[relation]}", values, BOOL)
        table = _SIGNED if kind == "i" else _UNSIGNED
        return self.instruction(f"icmp {table[relation]}", values, BOOL)

    def less(self, a: Operand, b: Operand) -> Value:
        """Return ``a < b``."""
        return self._compare("<", a, b)

    def less_equal(self, a: Operand, b: Operand) -> Value:
        """Return ``a <= b``."""
        return self._compare("<=", a, b)

    def greater(self, a: Operand, b: Operand) -> Value:
        """Return ``a > b``."""
        return self._compare(">", a, b)

    def greater_equal(self, a: Operand, b: Operand) -> Value:
        """Return ``a >= b``."""
        return self._compare(">=", a, b)

    def equal(self, a: Operand, b: Operand) -> Value:
        """Return ``a == b``."""
        return self._compare("==", a, b)

    def not_equal(self, a: Operand, b: Operand) -> Value:
        """Return ``a != b``."""
        return self._compare("!=", a, b)

    def _bits(self, name: str, a: Operand, b: Operand) -> Value:
        values = self.common(a, b)
        if values[0].dtype.kind == "f":
            raise TypeError(f"{name} needs booleans or integers, not {values[0].dtype}")
        return self.instruction(name, values)

    def bitwise_and(self, a: Operand, b: Operand) -> Value:
        """Return ``a & b``."""
        return self._bits("and", a, b)

    def bitwise_or(self, a: Operand, b: Operand) -> Value:
        """Return ``a | b``."""
        return self._bits("or", a, b)

    def bitwise_xor(self, a: Operand, b: Operand) -> Value:
        """Return ``a ^ b``."""
        return self._bits("xor", a, b)

    def invert(self, a: Operand) -> Value:
        """Return ``~a``."""
        value = self.asarray(a)
        return self._bits("xor", value, True if value.dtype == BOOL else _ones(value.dtype))

    def left_shift(self, a: Operand, b: Operand) -> Value:
        """Shift left by fewer bits than the width."""
        return self._bits("shl", a, b)

    def right_shift(self, a: Operand, b: Operand) -> Value:
        """Shift right by fewer bits than the width, keeping the sign of signed integers."""
        values = self.common(a, b)
        return self._bits("ashr" if values[0].dtype.kind == "i" else "lshr", *values)

    def where(self, condition: Operand, a: Operand, b: Operand) -> Value:
        """Return `a` where the condition holds, else `b`."""
        chosen = self.truth(condition)
        values = self.common(a, b)
        lanes = max(chosen.lanes, values[0].lanes, values[1].lanes)
        kind = vector_type(values[0].dtype, lanes)
        first, second = (self.widened(v, lanes) for v in values)
        # A scalar condition selects a whole vector.
        mask = vector_type(BOOL, chosen.lanes)
        ref = self.function.op(f"select {mask} {chosen.ref}, {kind} {first}, {kind} {second}")
        return self.value(ref, values[0].dtype, lanes)

    def in_any_lane(self, condition: Value) -> Value:
        """Return, as one scalar condition, whether a condition holds in any lane."""
        if condition.lanes == 1:
            return condition
        bits = f"i{condition.lanes}"
        ref = self.function.op(f"bitcast {condition.type} {condition.ref} to {bits}")
        return self.value(self.function.compare("ne", ref, 0, bits), BOOL, 1)

    def instead(self, condition: Value, usual: Value, rare: Callable[[], Value]) -> Value:
        """Return `usual`, or the value that `rare` computes if the condition holds in any lane.

        `rare` runs in a branch that is rarely taken, and must be correct in all lanes. If the condition is
        known per lane, lanes in which it does not hold keep the usual value.
        """
        if condition.ref == _NEVER:
            return usual
        function, some = self.function, self.in_any_lane(condition)
        before = function.block
        with function.when(some.ref, seldom=True):
            other = rare()
            if condition.lanes == usual.lanes:
                other = self.where(condition, other, usual)
            other = self.spread(other, usual.lanes)
            inside = function.block
        merged = function.op(
            f"phi {usual.type} [ {usual.ref}, %{before} ], [ {other.ref}, %{inside} ]"
        )
        return self.value(merged, usual.dtype, usual.lanes)


def _ones(dtype: Dtype) -> int:
    return -1 if dtype.kind == "i" else int(np.iinfo(dtype).max)
