"""The context of a library's calls: its memory, and the functions that set it up for a batch size.

A context is one block: fields, the address table, the table of run-time numbers, and the sizes, offsets and
ends of buffers. Intermediate results are in an arena of their own, which grows with the batch size.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from gluonic.codegen.library.extents import ExtentsCode
from gluonic.codegen.library.variant import Variant
from gluonic.codegen.machine.assembler import LLVMFunction, LLVMModule
from gluonic.codegen.shapes.symbolic import written
from gluonic.codegen.shapes.valuation import are_open, distinct
from gluonic.support.record import record

WEIGHTS, ARENA, CAPACITY, BATCH, VARIANT, NEEDED, BAILED_OUT = range(0, 56, 8)
"""The offsets of the fields, in bytes: addresses and numbers of 64 bits."""
_FIELDS = 64


@record
class ContextLayout:
    """The layout of a context that serves some variants.

    Attributes
    ----------
    table, sizes, offsets, ends : the offsets in bytes of the tables after the address table
    size : the bytes of a context
    """

    table: int
    sizes: int
    offsets: int
    ends: int
    size: int
    slots: int = _FIELDS

    @classmethod
    def of(cls, variants: Sequence[Variant]) -> "ContextLayout":
        """The layout with room for each of the variants."""
        slots = max(variant.spec.call.slots for variant in variants)
        numbers = max(len(variant.table) for variant in variants)
        buffers = max(len(variant.sizes) for variant in variants)
        table = _FIELDS + 8 * slots
        sizes = table + 8 * numbers
        offsets = sizes + 8 * buffers
        ends = offsets + 8 * buffers
        return cls(table, sizes, offsets, ends, ends + 8 * buffers)


class ContextCode:
    """Writes the functions that set up a context for one variant.

    Parameters
    ----------
    module : the module
    layout : of contexts
    number, variant : the variant, and its index
    weights : for each slot whose contents are constant, their offset in bytes among the constants
    """

    def __init__(
        self,
        module: LLVMModule,
        layout: ContextLayout,
        number: int,
        variant: Variant,
        weights: Mapping[int, int],
    ) -> None:
        self.module, self.layout, self.variant, self.weights = module, layout, variant, weights
        self.number = number
        self._passing = len(variant.spec.call.persistent)

    def _constant(self, name: str, kind: str, numbers: Sequence[int]) -> str:
        listed = [f"{kind} {number}" for number in numbers]
        return self.module.constant(f"{name}.{self.number}", kind, listed)

    def write_holds(self) -> str:
        """Write ``i1 holds(i64 batch)``: whether the variant serves a batch size; return its name."""
        name = f"holds.{self.number}"
        f = LLVMFunction(self.module, name, ["i64 %batch"], internal=True, result="i1")
        if self.variant.only:
            f.finish(f.compare("eq", "%batch", self.variant.size))
        else:
            f.finish(ExtentsCode(f, self.variant.env, "%batch").holds())
        return name

    def write_bind(self) -> str:
        """Write ``void bind(ptr context, i64 batch)``: fill the tables for a batch size; return its name.

        The bytes that the arena needs are stored in the context.
        """
        name = f"bind.{self.number}"
        f = LLVMFunction(self.module, name, ["ptr %context", "i64 %batch"], internal=True)
        variant, layout = self.variant, self.layout
        env = ExtentsCode(f, variant.env, "%batch")
        numbers = [*variant.table, *variant.sizes]
        extents, which = distinct([numbers[i] for i in are_open(numbers)], written)
        values = f.slot(f"[{max(len(extents), 1)} x i64]")
        for number, extent in enumerate(extents):
            f.store("i64", env.value(extent), f.offset(values, number, "i64"))
        pairs = dict(zip(are_open(numbers), which, strict=True))
        count = len(variant.table)
        tables = (
            ("table", layout.table, range(count)),
            ("sizes", layout.sizes, range(count, len(numbers))),
        )
        for kind, place, indices in tables:
            fixed = [0 if i in pairs else int(numbers[i]) for i in indices]
            opened = [(i - indices.start, pairs[i]) for i in indices if i in pairs]
            self._fill(f, kind, f.offset("%context", place), fixed)
            self._fill_open(f, kind, f.offset("%context", place), opened, values)
        self._stack(f)
        self._place_weights(f)
        f.finish()
        return name

    def _fill(self, f: LLVMFunction, kind: str, goal: str, numbers: Sequence[int]) -> None:
        """Copy numbers to a table."""
        if numbers:
            source = self._constant(f"{kind}.fixed", "i64", numbers)
            f.copy(goal, source, str(8 * len(numbers)))

    def _fill_open(
        self,
        f: LLVMFunction,
        kind: str,
        goal: str,
        opened: Sequence[tuple[int, int]],
        values: str,
    ) -> None:
        """Write the numbers that depend on the size to a table."""
        if not opened:
            return
        goals = self._constant(f"{kind}.indices", "i64", [index for index, _ in opened])
        sources = self._constant(f"{kind}.values", "i64", [value for _, value in opened])
        with f.loop("0", str(len(opened))) as number:
            index = f.load("i64", f.offset(goals, number, "i64"))
            value = f.load("i64", f.offset(sources, number, "i64"))
            f.store(
                "i64", f.load("i64", f.offset(values, value, "i64")), f.offset(goal, index, "i64")
            )

    def _stack(self, f: LLVMFunction) -> None:
        """Compute the offsets of buffers in the arena: each lies on those below it."""
        order = self._order()
        needed = f.slot("i64", 8)
        f.store("i64", 0, needed)
        if order:
            buffers = self._constant("order", "i64", [buffer for buffer, _ in order])
            counts = self._constant("below.counts", "i64", [len(below) for _, below in order])
            listed = [x for _, below in order for x in below]
            lower = self._constant("below", "i64", listed or [0])
            self._stack_in_order(f, (buffers, counts, lower), len(order), needed)
        f.store("i64", f.load("i64", needed), f.offset("%context", NEEDED))

    def _stack_in_order(
        self, f: LLVMFunction, tables: tuple[str, str, str], count: int, needed: str
    ) -> None:
        buffers, counts, lower = tables
        sizes, offsets, ends = (
            f.offset("%context", place)
            for place in (self.layout.sizes, self.layout.offsets, self.layout.ends)
        )
        position, offset = f.slot("i64", 8), f.slot("i64", 8)
        f.store("i64", 0, position)
        with f.loop("0", str(count)) as number:
            buffer = f.load("i64", f.offset(buffers, number, "i64"))
            begin = f.load("i64", position)
            behind = f.add(begin, f.load("i64", f.offset(counts, number, "i64")))
            f.store("i64", 0, offset)
            with f.loop(begin, behind) as index:
                below = f.load("i64", f.offset(lower, index, "i64"))
                end = f.load("i64", f.offset(ends, below, "i64"))
                f.store("i64", f.most(f.load("i64", offset), end), offset)
            f.store("i64", behind, position)
            start = f.load("i64", offset)
            size = f.load("i64", f.offset(sizes, f.add(buffer, self._passing), "i64"))
            end = f.add(start, size)
            f.store("i64", start, f.offset(offsets, buffer, "i64"))
            f.store("i64", end, f.offset(ends, buffer, "i64"))
            f.store("i64", f.most(f.load("i64", needed), end), needed)

    def _order(self) -> list[tuple[int, list[int]]]:
        """The transient buffers from the bottom up, each with those below it."""
        evaluated = [self.variant.env.value(x) for x in self.variant.sizes[self._passing :]]
        if not evaluated:
            return []
        return self.variant.spec.buffers.stacking(np.array(evaluated, np.int64))

    def _place_weights(self, f: LLVMFunction) -> None:
        """Write the addresses of constants to the address table."""
        if not self.weights:
            return
        base = f.load("ptr", f.offset("%context", WEIGHTS))
        offsets = self._constant("weights", "i64", [*self.weights.values()])
        self._place(f, "weights.slots", [*self.weights], base, offsets)

    def _place(
        self, f: LLVMFunction, name: str, slots: Sequence[int], base: str, offsets: str
    ) -> None:
        """Write addresses, a base and offsets from it, to the address table."""
        numbers = self._constant(name, "i64", slots)
        goal = f.offset("%context", self.layout.slots)
        with f.loop("0", str(len(slots))) as number:
            slot = f.load("i64", f.offset(numbers, number, "i64"))
            offset = f.load("i64", f.offset(offsets, number, "i64"))
            f.store("ptr", f.offset(base, offset), f.offset(goal, slot, "ptr"))

    def write_place(self) -> str:
        """Write ``void place(ptr context)``: the addresses of results in the arena; return its name."""
        name = f"place.{self.number}"
        f = LLVMFunction(self.module, name, ["ptr %context"], internal=True)
        call = self.variant.spec.call
        if call.transient:
            base = f.load("ptr", f.offset("%context", ARENA))
            offsets = f.offset("%context", self.layout.offsets)
            self._place(f, "transient", call.transient, base, offsets)
        if call.bail_out is not None:
            slots = f.offset("%context", self.layout.slots)
            f.store("ptr", f.offset("%context", BAILED_OUT), f.offset(slots, call.bail_out, "ptr"))
        f.finish()
        return name
