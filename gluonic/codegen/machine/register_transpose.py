"""Transposition of square tiles in registers."""

from collections.abc import Sequence

from gluonic.codegen.machine.assembler import LLVMFunction


def transposed(
    f: LLVMFunction, kind: str, rows: Sequence[str], lanes: int, size: int, together: int
) -> list[str]:
    """Write the transposition of square tiles that lie side by side in registers: rows become columns.

    Parameters
    ----------
    kind, lanes : of the registers
    rows : the rows of the tiles, as many as a tile is wide
    together : number of elements in 16 bytes, within which processors interleave registers
    """
    columns, half = list(rows), size // 2
    while half >= together:
        low = [lane if not lane & half else lanes + lane - half for lane in range(lanes)]
        high = [lane + half if not lane & half else lanes + lane for lane in range(lanes)]
        for i in (i for i in range(size) if not i & half):
            a, b = columns[i], columns[i + half]
            columns[i] = f.shuffle(kind, a, b, low)
            columns[i + half] = f.shuffle(kind, a, b, high)
        half //= 2
    return [
        column
        for first in range(0, size, together)
        for column in _interleaved(f, kind, columns[first : first + together], lanes)
    ]


def _interleaved(f: LLVMFunction, kind: str, rows: Sequence[str], lanes: int) -> list[str]:
    """The same if 16 bytes hold as many elements as there are rows."""
    columns, size = list(rows), len(rows)
    half = size // 2
    halves = [
        [
            start + lane // 2 + lanes * (lane % 2)
            for start in range(first, lanes, size)
            for lane in range(size)
        ]
        for first in (0, half)
    ]
    for _ in range(size.bit_length() - 1):
        pairs = zip(columns[:half], columns[half:], strict=True)
        columns = [f.shuffle(kind, a, b, part) for a, b in pairs for part in halves]
    return columns
