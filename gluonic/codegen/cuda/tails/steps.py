"""Steps whose kernels can do element-wise work before they store their results."""

from __future__ import annotations

from collections.abc import Sequence

from gluonic.codegen.cuda.steps import DeviceStep
from gluonic.codegen.cuda.tails.form import Tail
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph import Entry
from gluonic.support.record import record


@record
class ResultPlaces:
    """Where the rows and columns of a result are in its array.

    Attributes
    ----------
    rows, row_step : the number of rows, over all of the array, and the distance in elements between neighbours;
        zeros if an operand cannot be read by rows
    columns : the number of columns, which are neighbours in memory; 0 if an operand cannot be read by columns
    """

    rows: int
    row_step: int
    columns: int


class TailedStep(DeviceStep):
    """A step with one result, of which more may be computed at once.

    Attributes
    ----------
    tail : what is computed
    inputs : the operands of the kernel's own
    """

    tail: Tail
    inputs: tuple[Entry, ...]

    def places(self, facts: Facts) -> ResultPlaces:
        """Where rows and columns are."""
        raise NotImplementedError

    def extend(
        self, tail: Tail, reads: Sequence[Entry], writes: Sequence[Entry], *, is_kept: bool
    ) -> None:
        """Compute more of each element.

        Parameters
        ----------
        tail : what is computed of the result so far
        reads, writes : its operands
        is_kept : whether the result so far is written, too
        """
        read = self.operands[: len(self.inputs) + len(self.tail.reads)]
        self.outputs = (*writes, *(self.outputs if is_kept else ()))
        self.tail = self.tail.then(tail, is_kept=is_kept)
        self.operands = (*read, *reads, *self.outputs)
