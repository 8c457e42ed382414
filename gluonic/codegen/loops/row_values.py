"""Memory that stores the reduced values of rows until the next sweep reads them."""

from collections.abc import Sequence

from gluonic.codegen.maths.emitter import Emitter
from gluonic.codegen.maths.values import Value


class RowValues:
    """The reduced values that sweeps store for later sweeps: one of each kind per row.

    Parameters
    ----------
    m : the emitter of the instructions
    rows : the largest number of rows
    """

    def __init__(self, m: Emitter, rows: int) -> None:
        self.m, self.rows = m, rows
        self._arrays: list[tuple[str, Value]] = []

    def of(self, row: str) -> list[Value]:
        """Load the stored values of a row."""
        found = []
        for array, like in self._arrays:
            ref = self.m.function.load(like.type, self._address(array, like, row))
            found.append(self.m.value(ref, like.dtype, 1).within(like.bounds))
        return found

    def keep(self, row: str, values: Sequence[Value]) -> None:
        """Store more values of a row."""
        for value in values:
            array = self.m.function.slot(f"[{self.rows} x {value.type}]")
            self._arrays.append((array, value))
            address = self._address(array, value, row)
            self.m.function.store(value.type, value.ref, address)

    def _address(self, array: str, like: Value, row: str) -> str:
        return self.m.function.offset(array, row, like.type)
