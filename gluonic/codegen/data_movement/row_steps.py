"""Native steps that look rows up in a table, and that scatter-add the gradients of those rows."""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from gluonic.codegen.loops.costs import NANOSECONDS_A_BYTE
from gluonic.codegen.loops.steps import Step
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.maths.values import INT64, Dtype
from gluonic.codegen.shapes.facts import Facts
from gluonic.codegen.writers.element_writer import INDICES, ElementWriter
from gluonic.graph import Entry, Node

_COMPUTED = ("float32", "float64")
_COPIED = (*_COMPUTED, "float16", "int8", "uint8", "int32", "int64")
_LINE = 64
"""The bytes of a cache line."""


def _table_and_indices(node: Node) -> tuple[Entry, Entry]:
    """The table and the indices; for layers, the data are the indices."""
    given = dict(zip(node.applied.inputs, node.inputs, strict=True))
    return (given["a"], given["indices"]) if "a" in given else (given["weight"], given["data"])


class LookupStep(Step):
    """Copies of a table's rows, one for each index.

    Attributes
    ----------
    dtypes : the dtypes of tables that have machine code
    table, indices : entries
    rows : the entry with a row for each index
    """

    dtypes: tuple[str, ...] = _COPIED

    def __init__(self, node: Node, facts: Facts) -> None:
        self.node = node
        self.table, self.indices, self.rows = self._entries()
        self.axis, self.mode = self._settings(facts)
        self.may_bail_out = self.mode == "raise"
        self.dtype = facts.dtypes[self.rows]
        self.kind: Dtype = facts.dtypes[self.indices]
        self.operands: tuple[Entry, ...] = (self.table, self.indices, self.rows)

    def _entries(self) -> tuple[Entry, Entry, Entry]:
        return *_table_and_indices(self.node), self.node.entry()

    def _settings(self, facts: Facts) -> tuple[int, str]:
        settings: Any = self.node.applied.settings
        axis = settings.get("axis", 0) % len(facts.shapes[self.table])
        return axis, settings.get("mode", "clip")

    @classmethod
    def of(cls, node: Node, facts: Facts) -> "LookupStep | None":
        """The step of an operator that looks up rows."""
        step = cls(node, facts)
        dtypes = {facts.dtypes[entry] for entry in (step.table, step.rows, node.entry())}
        if len(dtypes) > 1 or step.dtype.name not in cls.dtypes or step.kind.name not in INDICES:
            return None
        return None if step.is_empty(facts) else step

    def is_empty(self, facts: Facts) -> bool:
        """Whether no row is moved, or the table is empty."""
        return 0 in facts.shapes[self.table]

    def numbers(self, facts: Facts) -> Sequence[int]:
        """The number of the table's rows, their length in elements, and the number of indices."""
        shape = facts.shapes[self.table]
        return shape[self.axis], prod(shape[self.axis + 1 :]), prod(facts.shapes[self.indices])

    def units(self, facts: Facts) -> int:
        """One unit per table; there are several if axes precede that of the rows."""
        return prod(facts.shapes[self.table][: self.axis])

    def emit(self, module: LLVMModule, name: str) -> None:
        """Write the look-up."""
        _RowWriter(module, name, self).look_up()


class AddRowsStep(LookupStep):
    """The gradient of a table."""

    dtypes = _COMPUTED

    def _entries(self) -> tuple[Entry, Entry, Entry]:
        _, indices = _table_and_indices(self.node)
        return self.node.entry(), indices, self.node.inputs[0]

    def emit(self, module: LLVMModule, name: str) -> None:
        """Write the sums."""
        _RowWriter(module, name, self).add_up()


class PickStep(LookupStep):
    """One element of each row, selected by an index; rows may be along any axis."""

    dtypes = _COMPUTED

    def _entries(self) -> tuple[Entry, Entry, Entry]:
        return self.node.inputs[0], self.node.inputs[1], self.node.entry()

    def nanoseconds(self, facts: Facts) -> float:
        """The time to read one cache line per element."""
        lines = prod(facts.shapes[self.rows]) * _LINE
        return (facts.bytes_of(self.indices) + lines) * NANOSECONDS_A_BYTE

    def emit(self, module: LLVMModule, name: str) -> None:
        """Write the look-up."""
        _RowWriter(module, name, self).pick()


class _RowWriter(ElementWriter):
    """Writes the loops over tables and indices."""

    def __init__(self, module: LLVMModule, name: str, step: LookupStep) -> None:
        super().__init__(module, name, step.dtype)
        self.step_of = step
        self.count, self.length, self.indices = (self.number(i) for i in range(3))
        self.table, self.index, self.rows = (self.operand(i) for i in range(3))

    def look_up(self) -> None:
        """Copy rows."""
        self._over_rows(lambda there, here: self.f.copy(here, there, self._bytes()))

    def _bytes(self) -> str:
        return self.times(self.length, self.size)

    def add_up(self) -> None:
        """Add rows to the rows of the table's gradient."""

        def add(there: str, here: str) -> None:
            def body(i: str, lanes: int) -> None:
                address = self.at(there, i)
                total = self.element(address, lanes) + self.element(self.at(here, i), lanes)
                self.put(total, address, lanes)

            self.spans("0", self.length, body)

        self._over_rows(add, clears=True)

    def pick(self) -> None:
        """Copy elements."""
        with self.f.loop("%begin", "%end") as unit:
            table = self.at(self.table, self.times(unit, self.times(self.count, self.length)))
            first = self.times(unit, self.length)
            with self.f.loop("0", self.length) as number:
                position = self.plus(first, number)
                row = self.times(self._position(position), self.length)
                element = self.element(self.at(table, self.plus(row, number)))
                self.put(element, self.at(self.rows, position))
        self.f.finish()

    def _over_rows(self, body: Callable[[str, str], None], *, clears: bool = False) -> None:
        with self.f.loop("%begin", "%end") as unit:
            size = self.times(self.count, self.length)
            table = self.at(self.table, self.times(unit, size))
            rows = self.at(self.rows, self.times(unit, self.times(self.indices, self.length)))
            if clears:
                self.clear(table, self.times(size, self.size))
            with self.f.loop("0", self.indices) as number:
                there = self.at(table, self.times(self._position(number), self.length))
                body(there, self.at(rows, self.times(number, self.length)))
        self.f.finish()

    def _position(self, number: str) -> str:
        """The row that an index refers to."""
        whole = self.element_of(self.index, number, self.step_of.kind).astype(INT64).ref
        if self.step_of.may_bail_out:
            beyond = self.f.compare("uge", whole, self.count)
            with self.f.when(beyond, seldom=True):
                self.f.store("i64", 1, self.operand(3), 8)
        if self.step_of.mode in ("clip", "raise"):
            return self.least(self.most(whole, 0), self.minus(self.count, 1))
        rest = self.f.srem(whole, self.count)
        is_negative = self.f.compare("slt", rest, 0)
        return self.f.select(is_negative, self.plus(rest, self.count), rest)
