"""Memory for the reduced values of rows, until the next sweep reads them."""

from collections.abc import Sequence

from gluonic.codegen.maths.emitter import Emitter
from gluonic.codegen.maths.values import Value


class RowValues:
    """The reduced values that sweeps leave for later ones: one of each kind for each of some rows.

    Parameters
    ----------
    m : what writes the instructions
    rows : how many rows there are at most
    """

    def __init__(self, m: Emitter, rows: int) -> None:
        self.m, self.rows = m, rows
        self._arrays: list[tuple[str, Value]] = []

    def of(self, row: str) -> list[Value]:
        """Read what there is of a row."""
        found = []
        for array, like in self._arrays:
            ref = self.m.function.load(like.type, self._place(array, like, row))
            found.append(self.m.value(ref, like.dtype, 1).within(like.bounds))
        return found

    def keep(self, row: str, values: Sequence[Value]) -> None:
        """Keep more of a row."""
        for value in values:
            array = self.m.function.slot(f"[{self.rows} x {value.type}]")
            self._arrays.append((array, value))
            place = self._place(array, value, row)
            self.m.function.store(value.type, value.ref, place)

    def _place(self, array: str, like: Value, row: str) -> str:
        return self.m.function.offset(array, row, like.type)
