"""The loop over units of work: with an index for each axis that units are numbered along."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from gluonic.codegen.machine.assembler import LLVMFunction


class Units:
    """Units of work, numbered along axes as an odometer counts.

    Parameters
    ----------
    function : the function in which loops are written
    wheels : the axes, the outermost first, and their extents
    """

    def __init__(self, function: LLVMFunction, wheels: Sequence[tuple[int, str]]) -> None:
        self.function, self.wheels = function, [*reversed(wheels)]

    @contextmanager
    def loop(self, begin: str, end: str) -> Iterator[tuple[str, dict[int, str]]]:
        """Loop over units; yield each, and its index along each axis.

        The indices are computed by division once and then incremented.
        """
        function = self.function
        slots = {axis: function.slot("i64", 8) for axis, _ in self.wheels}
        with function.when(function.compare("slt", begin, end)):
            rest = begin
            for axis, extent in self.wheels:
                last = axis == self.wheels[-1][0]
                index = rest if last else function.urem(rest, extent)
                rest = rest if last else function.udiv(rest, extent)
                function.store("i64", index, slots[axis])
            with function.loop(begin, end) as unit:
                yield unit, {axis: function.load("i64", slots[axis]) for axis in slots}
                self._count_on(slots)

    def _count_on(self, slots: dict[int, str]) -> None:
        """Increment the indices: a wheel at its end returns to 0 and advances the next."""
        function, carry = self.function, "1"
        for axis, extent in self.wheels:
            index = function.load("i64", slots[axis])
            moved = function.add(index, carry)
            if axis == self.wheels[-1][0]:
                function.store("i64", moved, slots[axis])
                return
            full = function.compare("eq", moved, extent)
            index = function.select(full, 0, moved)
            function.store("i64", index, slots[axis])
            carry = function.counted(full)
