"""How threads share the steps of a compiled graph, and what that should gain."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gluonic.codegen.launch.argument_table import CHUNK, THREADS, UNITS
from gluonic.codegen.machine.scaling import shared_time, waves
from gluonic.support.record import record

if TYPE_CHECKING:
    from gluonic.codegen.runtime.binding import Binding


@record
class Sharing:
    """How threads share a step.

    Attributes
    ----------
    nanoseconds : the estimated time on one thread
    units : the units of work of each phase
    chunks : the parts of each phase that a thread claims at a time
    threads : the most threads that take part in each phase
    """

    nanoseconds: float
    units: tuple[int, ...]
    chunks: tuple[int, ...]
    threads: tuple[int, ...]

    @property
    def is_shared(self) -> bool:
        """Whether several threads take part in some phase."""
        return max(self.threads, default=1) > 1

    @property
    def waves(self) -> int:
        """The most chunks of a phase that a thread does one after the other."""
        pairs = zip(self.chunks, self.threads, strict=True)
        return max((waves(*pair) for pair in pairs), default=0)

    @property
    def speed_up(self) -> float:
        """How many times faster the step should be than on one thread."""
        whole = max(sum(self.units), 1)
        parts = zip(self.units, self.chunks, self.threads, strict=True)
        total = sum(
            shared_time(self.nanoseconds * units / whole, chunks, threads)
            for units, chunks, threads in parts
        )
        return self.nanoseconds / total if total else 1.0

    def __str__(self) -> str:
        if not self.is_shared:
            return "one thread"
        units, most = " + ".join(map(str, self.units)), max(self.threads)
        many = f"{self.waves} wave{'s' * (self.waves > 1)}"
        return f"{units} units in {many} on {most} threads: {self.speed_up:.1f} times as fast"


def sharings_of(binding: "Binding") -> Sequence[Sharing]:
    """For each native step, in the order of the steps' numbers in the table, how threads share it."""
    spec, table = binding.specialization, binding.launch.table
    layout, found = spec.table, []
    for number, step in enumerate(spec.code.steps):
        first = int(layout.first_phases[number])
        phases = layout.phases[first : first + step.phases]
        units, sizes = table[phases + UNITS].tolist(), table[phases + CHUNK].tolist()
        chunks = tuple(-(-count // max(size, 1)) for count, size in zip(units, sizes, strict=True))
        threads = tuple(table[phases + THREADS].tolist())
        found.append(Sharing(step.nanoseconds(binding.facts), tuple(units), chunks, threads))
    return found
