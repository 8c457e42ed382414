"""Native steps that pad arrays, and that compute the gradient of padding."""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from gluonic.codegen.loops.steps import Step
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.shapes.facts import Facts
from gluonic.codegen.writers.element_writer import ElementWriter
from gluonic.graph import Node
from gluonic.graph.attributes import Shape

_DTYPES = ("float32", "float64")


class PaddingStep(Step):
    """Padding of an array: the axes before the padded ones are merged into one, and so are those after.

    Attributes
    ----------
    axes : the first padded axis, and the one after the last
    widths : for each of them, the padding before and after
    is_innermost : whether no axis follows them
    """

    def __init__(self, node: Node, facts: Facts) -> None:
        settings: Any = node.applied.settings
        self.node, self.mode, self.value = node, settings["mode"], settings["constant_value"]
        self.dtype = facts.dtypes[node.entry()]
        pairs = list(zip(settings["pad_width"][::2], settings["pad_width"][1::2], strict=True))
        wide = [axis for axis, pair in enumerate(pairs) if any(pair)] or [len(pairs) - 1]
        self.axes = wide[0], wide[-1] + 1
        self.widths = pairs[slice(*self.axes)]
        self.is_innermost = self.axes[1] == len(pairs)
        self.array = node.inputs[-1]
        self.operands = (node.inputs[0], node.entry())

    @classmethod
    def of(cls, node: Node, facts: Facts) -> "PaddingStep | None":
        """The step of a node that pads an array, in a dtype that has machine code."""
        if facts.dtypes[node.entry()].name not in _DTYPES:
            return None
        if any(facts.dtypes[entry] != facts.dtypes[node.entry()] for entry in node.inputs):
            return None
        return None if 0 in facts.shapes[node.inputs[-1]] else cls(node, facts)

    def _shape(self, facts: Facts) -> Shape:
        return facts.shapes[self.array]

    def numbers(self, facts: Facts) -> Sequence[int]:
        """The extents of the padded axes, and the number of elements in the axes after them."""
        shape = self._shape(facts)
        return *shape[slice(*self.axes)], prod(shape[self.axes[1] :])

    def units(self, facts: Facts) -> int:
        """One unit per index of the axes before."""
        return prod(self._shape(facts)[: self.axes[0]])

    def emit(self, module: LLVMModule, name: str) -> None:
        """Write the copy."""
        _PaddingWriter(module, name, self).pad()


class PaddingGradientStep(PaddingStep):
    """The gradient of padding."""

    def emit(self, module: LLVMModule, name: str) -> None:
        """Write the sums."""
        _PaddingWriter(module, name, self).back()


class _PaddingWriter(ElementWriter):
    """Writes loops over the rows of the padded array, and the corresponding rows of the other."""

    def __init__(self, module: LLVMModule, name: str, step: PaddingStep) -> None:
        super().__init__(module, name, step.dtype)
        self.mode, self.widths, self.value = step.mode, step.widths, step.value
        rank = len(self.widths)
        self.extents = [self.number(i) for i in range(rank)]
        self.inner = "1" if step.is_innermost else self.number(rank)
        self.larger = [
            self.plus(extent, before + after)
            for extent, (before, after) in zip(self.extents, self.widths, strict=True)
        ]
        self.source, self.goal = self.operand(0), self.operand(1)

    def pad(self) -> None:
        """Copy the array and fill the padding."""
        value = self.number_of(self.value)

        def missing(there: str, count: str) -> None:
            self.fill(there, "0", count, value)

        def run(there: str, here: str | None, count: str) -> None:
            if count == "1":
                self.put_whole(value if here is None else self.whole(here), there)
            elif here is None:
                self.fill(there, "0", count, value)
            else:
                self.f.copy(there, here, self.times(count, self.size))

        with self.f.loop("%begin", "%end") as unit:
            here = self.at(self.source, self.times(unit, self._size(self.extents)))
            there = self.at(self.goal, self.times(unit, self._size(self.larger)))
            self._rows(0, there, here, missing, run)
        self.f.finish()

    def back(self) -> None:
        """Sum the gradients of all copies of an element."""

        def run(there: str, here: str | None, count: str) -> None:
            if here is None:
                return
            if count == "1":
                self.put_whole(self.whole(here) + self.whole(there), here)
                return

            def body(i: str, lanes: int) -> None:
                address = self.at(here, i)
                total = self.element(address, lanes) + self.element(self.at(there, i), lanes)
                self.put(total, address, lanes)

            self.spans("0", count, body)

        with self.f.loop("%begin", "%end") as unit:
            size = self._size(self.extents)
            here = self.at(self.goal, self.times(unit, size))
            self.clear(here, self.times(size, self.size))
            there = self.at(self.source, self.times(unit, self._size(self.larger)))
            self._rows(0, there, here, lambda there, count: None, run)
        self.f.finish()

    def _size(self, extents: Sequence[str]) -> str:
        total = self.inner
        for extent in extents:
            total = self.times(total, extent)
        return total

    def _rows(
        self,
        axis: int,
        there: str,
        here: str,
        missing: Callable[[str, str], None],
        run: Callable[[str, str | None, str], None],
    ) -> None:
        """Loop over an axis of the padded array and the axes after it; the last of them in runs."""
        if axis == len(self.widths) - 1:
            self._row(there, here, run)
            return
        behind = [self._size(extents[axis + 1 :]) for extents in (self.larger, self.extents)]
        with self.f.loop("0", self.larger[axis]) as index:
            goal = self.at(there, self.times(index, behind[0]))
            position = self._source_position(index, axis)
            source = self.at(here, self.times(position, behind[1]))

            def inside() -> None:
                self._rows(axis + 1, goal, source, missing, run)

            def outside() -> None:
                missing(goal, behind[0])

            if self.mode == "constant":
                self.either(self.inside(position, self.extents[axis]), inside, outside)
            else:
                inside()

    def _row(self, there: str, here: str, run: Callable[[str, str | None, str], None]) -> None:
        """A row of the padded array: the padding before, the inside, the padding after."""
        extent, (before, _) = self.extents[-1], self.widths[-1]
        after = self.plus(extent, before)
        whole = self.times(extent, self.inner)
        run(self.at(there, self.times(self.inner, before)), here, whole)
        for start, stop in (("0", str(before)), (after, self.larger[-1])):
            with self.f.loop(start, stop) as index:
                goal = self.at(there, self.times(index, self.inner))
                source: str | None = None
                if self.mode != "constant":
                    position = self._source_position(index, len(self.widths) - 1)
                    source = self.at(here, self.times(position, self.inner))
                run(goal, source, self.inner)

    def _source_position(self, index: str, axis: int) -> str:
        """The position in the source that is copied to a position of the padded array."""
        position = self.minus(index, self.widths[axis][0])
        last = self.minus(self.extents[axis], 1)
        if self.mode == "edge":
            return self.least(self.most(position, 0), last)
        if self.mode == "reflect":
            position = self.most(position, self.minus(0, position))
            return self.least(position, self.minus(self.times(last, 2), position))
        return position
