"""One layer of a recurrent network in one direction, over all steps: shared code of both passes.

The projections of all inputs are one product. Each step is then a product with the previous state and one loop
over the state's elements. An inner function computes a direction; it is written once for each kind of cell and
size of state, and called for each layer and direction.

Steps are numbered in the order of execution. Inputs, outputs and values computed for all steps at once are in
the order of the sequence, gates and memory in that of the steps. If sequences have lengths, a second direction
begins at the end of each, so the rows of one step have different positions.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from gluonic.codegen.machine.assembler import LLVMFunction, LLVMModule
from gluonic.codegen.maths.values import Dtype, Value
from gluonic.codegen.matmul.gemm_call import call_gemm
from gluonic.codegen.writers.element_writer import ElementWriter
from gluonic.support.record import record

Rows: TypeAlias = Mapping[str, tuple[str, str | int]]
"""Arrays by name, with the stride of their rows."""
_NUMBERS = ("width", "steps", "batch", "backwards")


@record
class CellSpec:
    """The properties that the code depends on.

    Attributes
    ----------
    mode : ``lstm``, ``gru``, ``rnn_tanh`` or ``rnn_relu``
    gates : number of gates
    size : the size of the state, before any projection
    directions : number of directions that share an output
    dtype : the dtype of all arrays
    projection : the size of the projected state, 0 without
    has_lengths : whether each sequence has its own number of steps
    """

    mode: str
    gates: int
    size: int
    directions: int
    dtype: Dtype
    projection: int = 0
    has_lengths: bool = False

    @property
    def width(self) -> int:
        """The number of elements of all gates."""
        return self.gates * self.size

    @property
    def part(self) -> int:
        """The number of elements that one direction outputs."""
        return self.projection or self.size

    @property
    def shown(self) -> int:
        """The number of elements of an output."""
        return self.directions * self.part

    def symbol(self, way: str) -> str:
        """The name of the function of a pass."""
        size = f"{self.size}_{self.projection}_{self.directions}"
        return f"rnn_{self.mode}_{size}_{self.has_lengths:d}_{self.dtype.name}_{way}"


class RecurrentWriter(ElementWriter):
    """A writer of a direction's function."""

    def __init__(self, module: LLVMModule, name: str, names: Sequence[str], cell: CellSpec) -> None:
        super().__init__(module, name, cell.dtype)
        listed = [f"{'i64' if n in _NUMBERS else 'ptr'} %{n}" for n in names]
        self.f = LLVMFunction(module, name, listed, internal=True)
        self.m = type(self.m)(self.f)
        self.cell = cell
        self.rows = self.times("%steps", "%batch")

    def parts(self, base: str, *sizes: str | int) -> list[str]:
        """The addresses of consecutive arrays of such sizes."""
        found = []
        for size in sizes:
            found.append(base)
            base = self.at(base, size)
        return found

    def product(
        self,
        a: tuple[str, str | int, bool],
        b: tuple[str, str | int, bool],
        c: tuple[str, str | int],
        extents: tuple[str | int, str | int, str | int],
        *,
        adds: bool,
    ) -> None:
        """Write ``c = a · b`` or ``c += a · b``; factors are (address, leading dimension, transposed)."""
        rows, columns, inner = (str(n) for n in extents)
        left, right = ((where, str(lead), turned) for where, lead, turned in (a, b))
        goal = c[0], str(c[1])
        call_gemm(self.f, self.dtype, left, right, goal, (rows, columns, inner), adds=adds)

    def step_at(self, number: str) -> str:
        """The position of a step in a sequence without length: second directions begin at the end."""
        return self._mirrored(number, "%steps", self.f.compare("eq", "%backwards", 0))

    def _mirrored(self, number: str, count: str, stays: str) -> str:
        mirrored = self.minus(self.minus(count, 1), number)
        return self.chosen(stays, "i64", number, mirrored)

    def length(self, n: str) -> str:
        """The number of steps of a sequence."""
        return self.f.load("i64", self.moved("%lengths", n, 8), 8)

    def position(self, number: str, length: str) -> tuple[str, str]:
        """The position of a step in a sequence of a given length, and whether it exists."""
        exists = self.f.compare("slt", number, length)
        is_first = self.f.compare("eq", "%backwards", 0)
        stays = self.f.select(exists, is_first, "true", "i1")
        return self._mirrored(number, length, stays), exists

    def chosen(self, condition: str, kind: str, yes: str | int, no: str | int) -> str:
        """One of two values."""
        return self.f.select(condition, yes, no, kind)

    def before(self, number: str) -> tuple[str, str]:
        """The state before a step of sequences without lengths, with the stride of its rows."""
        cell, is_first = self.cell, self.f.compare("eq", number, 0)
        last = self.most(self.minus(number, 1), 0)
        shown = self.times(self.step_at(last), self.times("%batch", cell.shown))
        return (
            self.chosen(is_first, "ptr", "%state", self.at("%output", shown)),
            self.chosen(is_first, "i64", cell.part, cell.shown),
        )

    def memory_before(self, number: str) -> str:
        """The memory before a step."""
        is_first = self.f.compare("eq", number, 0)
        last = self.most(self.minus(number, 1), 0)
        return self.chosen(is_first, "ptr", "%cell", self.memory(last))

    def memory(self, number: str) -> str:
        """The values that a step saves besides the gates."""
        return self.at("%memory", self.times(number, self.times("%batch", self.cell.size)))

    def gate(self, row: str, gate: int, index: str, lanes: int) -> Value:
        """Elements of a gate of a row."""
        return self.element(self.at(row, self.plus(index, gate * self.cell.size)), lanes)

    def put_gate(self, value: Value, row: str, gate: int, index: str, lanes: int) -> None:
        """Write elements of a gate of a row."""
        self.put(value, self.at(row, self.plus(index, gate * self.cell.size)), lanes)

    def over_elements(
        self,
        number: str,
        size: int,
        rows: Rows,
        in_sequence: Rows,
        body: Callable[[Mapping[str, str], str, int], None],
        missing: Callable[[Mapping[str, str]], None] = lambda _: None,
        others: Callable[[str, str], Mapping[str, str]] = lambda *_: {},
    ) -> None:
        """Loop over the batch and the elements of rows.

        Parameters
        ----------
        number : the index of the step
        size : the size of a row
        rows : arrays of this step
        in_sequence : arrays of all steps, in the order of the sequence
        body : the body, with the addresses of rows, an index and a number of lanes
        missing : the body for the rows of a sequence that has no such step
        others : if there are lengths, further rows, by the index of the sequence and the position of the step
        """
        if not self.cell.has_lengths:
            at = self.times(self.step_at(number), "%batch")
            moved = {
                name: (self.at(address, self.times(at, stride)), stride)
                for name, (address, stride) in in_sequence.items()
            }
            rows, in_sequence = {**rows, **moved}, {}
        with self.f.loop("0", "%batch") as n:
            here = self.at_row(n, rows)

            def whole() -> None:
                self.spans("0", str(size), lambda i, lanes: body(here, i, lanes))

            if self.cell.has_lengths:
                at, exists = self.position(number, self.length(n))
                here.update(self.at_row(self.plus(self.times(at, "%batch"), n), in_sequence))
                here.update(others(n, at))
                self.either(exists, whole, lambda: missing(here))
            else:
                whole()

    def at_row(self, row: str, rows: Rows) -> dict[str, str]:
        """The addresses of a row of each array."""
        return {
            name: self.at(address, self.times(row, stride))
            for name, (address, stride) in rows.items()
        }

    def fill_row(self, row: str, size: int) -> None:
        """Write zeros to a row."""
        self.clear(row, str(size * self.size))


def call(f: LLVMFunction, name: str, names: Sequence[str], values: Mapping[str, str]) -> None:
    """Write the call of a direction's function."""
    f.run(f"@{name}", *[("i64" if n in _NUMBERS else "ptr", values[n]) for n in names])
