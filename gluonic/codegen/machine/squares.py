"""Squares of elements in registers: rows become columns."""

from collections.abc import Sequence

from gluonic.codegen.machine.assembler import Function


def transposed(f: Function, kind: str, rows: Sequence[str], lanes: int, size: int) -> list[str]:
    """Write what makes columns of the rows of squares of a size that lie side by side in registers.

    Parameters
    ----------
    kind, lanes : of the registers
    rows : as many as the size
    """
    columns, half = list(rows), size // 2
    while half:
        low = [lane if not lane & half else lanes + lane - half for lane in range(lanes)]
        high = [lane + half if not lane & half else lanes + lane for lane in range(lanes)]
        for i in (i for i in range(size) if not i & half):
            a, b = columns[i], columns[i + half]
            columns[i] = f.shuffle(kind, a, b, low)
            columns[i + half] = f.shuffle(kind, a, b, high)
        half //= 2
    return columns
