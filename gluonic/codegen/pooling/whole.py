"""Pooling of whole images in planes, and its gradients: a plane is treated as one line.

A unit of work is a plane.
"""

from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.maths.values import FLOAT64, INT64, Dtype, Value
from gluonic.codegen.pooling.lines import Forward, Planes, Pooling, Scatter, Spread

_CHAINS = 4
"""The number of independent accumulators: additions need not wait for each other."""


class _WholeForward(Forward):
    """Writes pooling of whole images."""

    def write(self) -> None:
        """Write the loop over planes; operands are data and output."""
        data, output, f = self.operand(0), self.operand(1), self.f
        sums = [f.slot(self.vector) for _ in range(_CHAINS)]
        with f.loop("%begin", "%end") as unit:
            plane = self.at(data, self.times(unit, self.plane_size))
            for slot in sums:
                self.put_whole(self.neutral, slot, self.lanes)
            block = _CHAINS * self.lanes
            middle = f.bits(self.plane_size, -block)
            with f.loop("0", middle, block) as index:
                here = self.at(plane, index)
                for number, slot in enumerate(sums):
                    self._take(self.whole(self.moved(here, number, self.step), self.lanes), slot)

            def last(index: str, lanes: int) -> None:
                self._take(self.element(self.at(plane, index), lanes, self.neutral), sums[0])

            self.spans(middle, self.plane_size, last)
            total = self.whole(sums[0], self.lanes)
            for slot in sums[1:]:
                total = self.joined(total, self.whole(slot, self.lanes))
            result = self._across(total)
            if self.pooling.kind == "avg":
                count = self.m.value(self.plane_size, INT64, 1).astype(FLOAT64)
                result = result / count.astype(self.dtype)
            self.put(self.rooted(result), self.at(output, unit))
        f.finish()

    def _take(self, value: Value, slot: str) -> None:
        total = self.joined(self.whole(slot, self.lanes), self.powered(value))
        self.put_whole(total, slot, self.lanes)

    def _across(self, total: Value) -> Value:
        """All lanes combined."""
        while total.lanes > 1:
            half = total.lanes // 2
            low, high = (self.m.lanes_of(total, start, half) for start in (0, half))
            total = self.joined(low, high)
        return total


class _WholeSpread(Planes):
    """Writes the gradient of sums and means of whole images."""

    def write(self) -> None:
        """Write the loop over planes; operands are the output's gradient and the result."""
        gradients, result = self.operand(0), self.operand(1)
        count = self.m.value(self.plane_size, INT64, 1).astype(FLOAT64).astype(self.dtype)
        with self.f.loop("%begin", "%end") as unit:
            value = self.element(self.at(gradients, unit))
            if self.pooling.kind == "avg":
                value = value / count
            plane = self.at(result, self.times(unit, self.plane_size))
            self.fill(plane, "0", self.plane_size, value)
        self.f.finish()


class _WholeScatter(Planes):
    """Writes the gradient of maxima of whole images: it is added to the first position with the maximum."""

    def write(self) -> None:
        """Write the loop over planes; operands are the output's gradient, data, output and the result."""
        gradients, data, maxima, result = (self.operand(i) for i in range(4))
        found = self.f.slot("i64", 8)
        with self.f.loop("%begin", "%end") as unit:
            offset = self.times(unit, self.plane_size)
            goal, source = self.at(result, offset), self.at(data, offset)
            self.clear(goal, self.times(self.plane_size, self.size))
            largest = self.element(self.at(maxima, unit))
            self.f.store("i64", -1, found)
            self._find(source, largest, found)
            position = self.most(self.f.load("i64", found), 0)
            self.put(self.element(self.at(gradients, unit)), self.at(goal, position))
        self.f.finish()

    def _find(self, source: str, largest: Value, found: str) -> None:
        """Store the index of the first element that is the largest."""
        nowhere = self.number_of(float("nan"))
        bits = f"i{self.lanes}"

        def body(index: str, lanes: int) -> None:
            is_here = self.element(self.at(source, index), lanes, nowhere) == largest
            which = self.f.op(f"bitcast <{lanes} x i1> {is_here.ref} to {bits}")
            is_new = self.f.compare("slt", self.f.load("i64", found), 0)
            some = self.f.compare("ne", which, 0, bits)
            with self.f.when(self.f.both(some, is_new)):
                wide = self.f.op(f"zext {bits} {which} to i64")
                lane = self.f.call("llvm.cttz.i64", "i64", [("i64", wide), ("i1", "true")])
                self.f.store("i64", self.plus(index, lane), found)

        self.spans("0", self.plane_size, body)


def emit_pooling(module: LLVMModule, name: str, dtype: Dtype, pooling: Pooling) -> None:
    """Write pooling; operands are data, output and workspace."""
    make = _WholeForward if pooling.whole else Forward
    make(module, name, dtype, pooling).write()


def emit_spread(module: LLVMModule, name: str, dtype: Dtype, pooling: Pooling) -> None:
    """Write the gradient of sums and means; operands are the output's gradient, the result and workspace."""
    make = _WholeSpread if pooling.whole else Spread
    make(module, name, dtype, pooling).write()


def emit_scatter(module: LLVMModule, name: str, dtype: Dtype, pooling: Pooling) -> None:
    """Write the gradient of maxima; operands are its gradient, data, output, the result and workspace."""
    make = _WholeScatter if pooling.whole else Scatter
    make(module, name, dtype, pooling).write()
