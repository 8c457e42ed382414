"""The kernels of phases that reduce long rows, or columns, with several blocks for each."""

from __future__ import annotations

from gluonic.codegen.cuda.column_kernels import ColumnSpread
from gluonic.codegen.cuda.kernel_function import KernelFunction
from gluonic.codegen.cuda.row_kernels import RowSpread
from gluonic.codegen.cuda.split_columns import SharedColumnWriter
from gluonic.codegen.cuda.split_rows import Cells, SharedRowWriter
from gluonic.codegen.cuda.thread_memory import strided_axes
from gluonic.codegen.loops.kernel import Kernel
from gluonic.codegen.machine.assembler import LLVMModule


def emit_shares(
    module: LLVMModule, name: str, kernel: Kernel, spread: RowSpread | ColumnSpread, number: int
) -> None:
    """Write the kernel of a sweep, the stage with a number: each block reduces a share."""
    function, writer = _begin(module, name, kernel, spread, is_total=False)
    writer.read_left(Cells.of(kernel).before[number])
    writer.sweep(kernel.stages[number])
    function.finish()


def emit_totals(
    module: LLVMModule, name: str, kernel: Kernel, spread: RowSpread | ColumnSpread, number: int
) -> None:
    """Write the kernel after a sweep: it adds the shares, and runs the point stages."""
    function, writer = _begin(module, name, kernel, spread, is_total=True)
    before = Cells.of(kernel).before[number]
    writer.read_left(before)
    writer.total(kernel.stages[number])
    for stage in kernel.stages[number + 1 :]:
        if not stage.point:
            break
        writer.point(stage)
    writer.write_left(before)
    function.finish()


def _begin(
    module: LLVMModule,
    name: str,
    kernel: Kernel,
    spread: RowSpread | ColumnSpread,
    *,
    is_total: bool,
) -> tuple[KernelFunction, SharedRowWriter | SharedColumnWriter]:
    count = 5 + kernel.rank + len(strided_axes(kernel))
    function = KernelFunction(module, name, len(kernel.operands) + 1, count, spread.threads)
    workspace = function.operands.pop()
    shares, share, *function.numbers = function.numbers
    places = workspace, shares, share
    if isinstance(spread, RowSpread):
        return function, SharedRowWriter(kernel, spread, function, *places, is_total=is_total)
    return function, SharedColumnWriter(kernel, spread, function, *places, is_total=is_total)
