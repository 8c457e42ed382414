"""The kernels of pooling and of its gradients."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gluonic.codegen.cuda.block_code import GLOBAL, Int
from gluonic.codegen.cuda.kernel_function import WARP
from gluonic.codegen.cuda.pooling.windows import THREADS, PoolForm, WindowCode
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.maths.emitter import Emitter
from gluonic.codegen.maths.values import Value, literal, scalar_type

_NOWHERE, _UNKNOWN = -1, -2
"""The place of a window's maximum that is in the padding; one that is not found yet."""


class _PoolCode(WindowCode):
    """A kernel over elements in the dtype of sums."""

    def __init__(self, module: LLVMModule, name: str, form: PoolForm, operands: int) -> None:
        super().__init__(module, name, operands, form.numbers(), THREADS)
        self.kind, self.suffix = scalar_type(form.sums), f"f{form.sums.itemsize * 8}"
        self.find_element(form)

    def value(self, operand: int, index: Int) -> str:
        """An element of an operand, in the dtype of sums."""
        value = self.read(GLOBAL, f"%p{operand}", index, self.form.stored)
        return value if self._is_same else self.cast("fpext", value, self.form.stored, self.kind)

    def value_or(self, condition: str, operand: int, index: Int, otherwise: str) -> str:
        """An element where a condition holds."""
        return self.value_if(condition, self.kind, lambda: self.value(operand, index), otherwise)

    def put_own(self, operand: int, value: str) -> None:
        """Write the thread's element of an operand."""
        self.put_at(operand, self.index, value)

    def put_at(self, operand: int, index: Int, value: str) -> None:
        """Write an element of an operand."""
        if not self._is_same:
            value = self.cast("fptrunc", value, self.kind, self.form.stored)
        self.write(GLOBAL, f"%p{operand}", index, self.form.stored, value)

    @property
    def neutral(self) -> str:
        """What is computed of no elements."""
        lowest = literal(np.finfo(self.form.dtype).min, self.form.sums)
        return lowest if self.form.kind == "max" else "0.0"

    def taken_in(self, value: str, element: str) -> str:
        """What is computed of some elements and another."""
        if self.form.kind == "norm":
            element = self.binary("fmul", element, element, self.kind)
        return self.joined(value, element)

    def joined(self, a: str, b: str) -> str:
        """What is computed of two parts of the elements."""
        if self.form.kind == "max":
            return self.intrinsic("maxnum", a, b)
        return self.binary("fadd", a, b, self.kind)

    @property
    def _is_same(self) -> bool:
        return self.kind == self.form.stored

    def intrinsic(self, name: str, *values: str) -> str:
        """An intrinsic of numbers in the dtype of sums."""
        pairs = [(self.kind, value) for value in values]
        return self.call(f"llvm.{name}.{self.suffix}", self.kind, pairs)

    def equal(self, a: str, b: str) -> str:
        """Whether two numbers in the dtype of sums are equal."""
        m = Emitter(self)
        left, right = (Value(m, ref, self.form.sums, 1) for ref in (a, b))
        return (left == right).ref

    def mean(self, total: str, places: Sequence[Int]) -> str:
        """A sum divided by the number of elements that a window at these places counts."""
        count = self.cast("sitofp", str(self.divisor(places)), "i32", self.kind)
        return self.binary("fdiv", total, count, self.kind)


def write_pooling(module: LLVMModule, name: str, form: PoolForm) -> None:
    """Write pooling; the operands are data and result, a thread has a window."""
    code = _PoolCode(module, name, form, 2)
    with code.when(code.exists):
        base = code.base("data")

        def tap(places: Sequence[Int], inside: str, values: Sequence[str]) -> list[str]:
            index = code.add32(base, code.distance("data", places))
            return [code.taken_in(values[0], code.value_or(inside, 0, index, code.neutral))]

        (total,) = code.over_taps([(code.kind, code.neutral)], tap)
        if form.kind == "avg":
            total = code.mean(total, code.places)
        if form.kind == "norm":
            total = code.intrinsic("sqrt", total)
        code.put_own(1, total)
    code.finish()


def write_row_pooling(module: LLVMModule, name: str, form: PoolForm) -> None:
    """Write pooling of whole channels, which lie together; a warp has one, the operands are data and result."""
    code = _PoolCode(module, name, form, 2)
    length = code.number("data.lead")
    row, lane = code.div32(code.index, WARP), code.rem32(code.index, WARP)
    with code.when(code.less(row, code.number("total"))):
        base = code.mul32(row, length)
        loop = code.begin_loop([("i32", lane), (code.kind, code.neutral)])
        place, value = loop.values
        inside = code.less(place, length)
        element = code.value_or(inside, 0, code.add32(base, place), code.neutral)
        value, following = code.taken_in(value, element), code.add32(place, WARP)
        code.end_loop(loop, [following, value], code.less(following, length))
        for distance in (16, 8, 4, 2, 1):
            value = code.joined(value, code.exchanged(code.kind, value, distance))
        if form.kind == "avg":
            value = code.binary(
                "fdiv", value, code.cast("sitofp", length, "i32", code.kind), code.kind
            )
        if form.kind == "norm":
            value = code.intrinsic("sqrt", value)
        with code.when(code.same(lane, 0)):
            code.put_at(1, row, value)
    code.finish()


def write_spread(module: LLVMModule, name: str, form: PoolForm) -> None:
    """Write the gradient of sums and means; the operands are the gradient and the result."""
    code = _PoolCode(module, name, form, 2)
    with code.when(code.exists):
        base = code.base("pooled")

        def window(places: Sequence[Int], reads: str, values: Sequence[str]) -> list[str]:
            index = code.add32(base, code.distance("pooled", places))
            share = code.value_or(reads, 0, index, "0.0")
            if form.kind == "avg":
                share = code.mean(share, places)
            return [code.binary("fadd", values[0], share, code.kind)]

        (total,) = code.over_windows([(code.kind, "0.0")], window)
        code.put_own(1, total)
    code.finish()


def _first_maximum(code: _PoolCode, data: int, pooled: int) -> str:
    """The offset, in its channel, of the first element of the thread's window that is its maximum.

    If none is, since all are NaN or minus infinity, it is the first element; `_NOWHERE` in the padding.
    """
    base, largest = code.base("data"), code.value(pooled, code.index)

    def tap(places: Sequence[Int], inside: str, values: Sequence[str]) -> list[Int]:
        found, first, is_new = values
        offset = code.distance("data", places)
        element = code.value_or(inside, data, code.add32(base, offset), "0x7FF8000000000000")
        is_maximum = code.equal(element, largest)
        here = code.select(inside, offset, _NOWHERE, "i32")
        is_first = code.both(code.negated(is_new), is_maximum)
        return [
            code.select(is_first, offset, found, "i32"),
            code.select(code.same(first, _UNKNOWN), here, first, "i32"),
            code.binary("or", is_new, is_maximum, "i1"),
        ]

    found, first, any_found = code.over_taps(
        [("i32", _UNKNOWN), ("i32", _UNKNOWN), ("i1", "false")], tap
    )
    return code.select(any_found, found, first, "i32")


def write_places(module: LLVMModule, name: str, form: PoolForm) -> None:
    """Write the places of maxima; the operands are data, maxima, result (32-bit integers)."""
    code = _PoolCode(module, name, form, 3)
    with code.when(code.exists):
        code.write(GLOBAL, "%p2", code.index, "i32", _first_maximum(code, 0, 1))
    code.finish()


def write_scatter(module: LLVMModule, name: str, form: PoolForm) -> None:
    """Write the gradient of maxima; the operands are the gradient, the places of maxima, the result."""
    code = _PoolCode(module, name, form, 3)
    with code.when(code.exists):
        base, own = code.base("pooled"), code.distance("data", code.places)

        def window(places: Sequence[Int], reads: str, values: Sequence[str]) -> list[str]:
            index = code.add32(base, code.distance("pooled", places))
            place = code.value_if(
                reads, "i32", lambda: code.read(GLOBAL, "%p1", index, "i32"), str(_NOWHERE)
            )
            share = code.value_or(code.same(place, own), 0, index, "0.0")
            return [code.binary("fadd", values[0], share, code.kind)]

        (total,) = code.over_windows([(code.kind, "0.0")], window)
        code.put_own(2, total)
    code.finish()


def write_taken(module: LLVMModule, name: str, form: PoolForm) -> None:
    """Write the values at maxima; the operands are values, data, maxima, result."""
    code = _PoolCode(module, name, form, 4)
    with code.when(code.exists):
        place = _first_maximum(code, 1, 2)
        inside = code.compare("sge", place, 0, "i32")
        code.put_own(3, code.value_or(inside, 0, code.add32(code.base("data"), place), "0.0"))
    code.finish()
