"""Descriptions of matrices that a GPU's copy engine brings to shared memory in boxes, by itself."""

from typing import Literal, TypeAlias

from gluonic.support.record import record

WORDS = 16
"""The numbers of 64 bits that a kernel's parameter has for a description."""
Element: TypeAlias = Literal["float16", "tf32"]
"""What the elements are in shared memory; as ``tf32``, those of float32 are rounded on their way."""


@record
class TensorMap:
    """A matrix in global memory, and the boxes that are copied of it; beyond the matrix, they have zeros.

    In shared memory a row of a box has 128 bytes, with the number of each 16 exclusive-ored by the lowest three
    bits of the row's number.

    Attributes
    ----------
    element : see `Element`
    columns, rows : the extents; elements of neighbouring columns are contiguous
    pitch : the distance between rows in bytes, a multiple of 16
    box_rows : the rows of a box
    """

    element: Element
    columns: int
    rows: int
    pitch: int
    box_rows: int

    @property
    def size(self) -> int:
        """The bytes of an element."""
        return 2 if self.element == "float16" else 4

    @property
    def box_columns(self) -> int:
        """The columns of a box: 128 bytes."""
        return 128 // self.size
