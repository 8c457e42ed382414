"""The launches of convolutions without tiles, and a model of their time."""

from __future__ import annotations

from collections.abc import Sequence

from gluonic.codegen.cuda.convolutions.direct import (
    MOST_TAPS,
    DirectPlan,
    DirectProduct,
    direct_plan,
)
from gluonic.codegen.cuda.convolutions.direct_kernels import (
    THREADS,
    write_direct,
    write_direct_filters,
)
from gluonic.codegen.cuda.convolutions.geometry import Convolution
from gluonic.codegen.cuda.kernel_function import WARP
from gluonic.codegen.cuda.products.layout import Digit, FactorLayout, ProductLayout, ResultLayout
from gluonic.codegen.cuda.products.plan import added_up
from gluonic.codegen.cuda.steps import KernelLaunch
from gluonic.codegen.cuda.tails.form import Tail
from gluonic.codegen.maths.values import Dtype
from gluonic.device.processors import Processor
from gluonic.support.record import record

_ISSUED = 2.5
"""The instructions that a multiprocessor issues in a cycle."""
_RESIDENT = 32
"""The warps that it holds at once."""
_LATENCY = 800
"""The cycles from a load to its use."""
_OTHERS = 60
"""The instructions of a thread that do not depend on the number of channels."""
_THREADS_EACH = 1024
"""The threads for each multiprocessor from which on each has several results."""
_MOST_THREADS, _BLOCKS_EACH, _LEAST_TURNS, _MOST_PARTS = 256, 8, 4, 64
"""For gradients of filters: the threads of a block, the blocks for each multiprocessor, the fewest positions of
a thread if they are divided into parts, and the most parts."""


@record
class DirectResults:
    """The kernel of an output or of a gradient of data.

    Attributes
    ----------
    plan : the kernel
    multiprocessors : those of the processor
    """

    plan: DirectPlan
    multiprocessors: int
    workspace = 0

    @property
    def cycles(self) -> float:
        """An estimate of the time."""
        plan = self.plan
        each = -(-plan.threads // (WARP * self.multiprocessors))
        issued = each * (plan.inner * plan.form.instructions + _OTHERS) / _ISSUED
        return max(issued, -(-each // _RESIDENT) * plan.inner * _LATENCY)

    def launches(self, operands: Sequence[int]) -> list[KernelLaunch]:
        """The launch; operands are the filters, what is read, those of the tail, and another."""
        plan = self.plan
        grid, code = (-(-plan.threads // THREADS), 1, 1), (write_direct, plan.form)
        return [KernelLaunch(code, tuple(operands[:-1]), plan.numbers(), grid, (THREADS, 1, 1))]


@record
class FilterGradients:
    """How a gradient of filters is divided.

    Attributes
    ----------
    plan : the kernel
    multiprocessors : those of the processor
    """

    plan: DirectPlan
    multiprocessors: int

    @property
    def pairs(self) -> int:
        """The number of filters, times the channels of each."""
        return dict(self.plan.values)["channels.extent"] * self.plan.inner

    @property
    def threads(self) -> int:
        """The threads of a block."""
        return min(_MOST_THREADS, max(WARP, 1 << (self.plan.threads - 1).bit_length()))

    @property
    def parts(self) -> int:
        """The number of parts of the positions."""
        wanted = -(-_BLOCKS_EACH * self.multiprocessors // self.pairs)
        most = self.plan.threads // (self.threads * _LEAST_TURNS)
        return max(1, min(_MOST_PARTS, wanted, most))

    @property
    def cycles(self) -> float:
        """An estimate of the time."""
        form, blocks = self.plan.form, self.pairs * self.parts
        each = -(-blocks * self.threads // (WARP * self.multiprocessors))
        turns = -(-self.plan.threads // (self.threads * self.parts))
        issued = each * (turns * form.instructions + 11 * form.taps + _OTHERS) / _ISSUED
        return max(issued, -(-each // _RESIDENT) * turns * _LATENCY)

    @property
    def workspace(self) -> int:
        """The memory, in bytes, for sums of parts."""
        form, parts = self.plan.form, self.parts
        return parts * self.pairs * form.taps * form.sums.itemsize if parts > 1 else 0

    def launches(self, operands: Sequence[int]) -> list[KernelLaunch]:
        """The launches; operands are the gradient of the output, the data, those of the tail, the workspace."""
        plan, parts, threads = self.plan, self.parts, self.threads
        first, second, *others, workspace = operands
        form = plan.form if parts == 1 else plan.form.of_parts
        targets = others if parts == 1 else [workspace]
        launch = KernelLaunch(
            (write_direct_filters, form, threads),
            (first, second, *targets),
            plan.numbers(parts),
            (self.pairs * parts, 1, 1),
            (threads, 1, 1),
        )
        if parts == 1:
            return [launch]
        rows = self.pairs // plan.inner
        columns = plan.inner * form.taps
        matrix, result = FactorLayout((Digit(1, 0),), (Digit(1, 0),)), (Digit(columns, 1),)
        sums = ProductLayout(rows, columns, 1, matrix, matrix, ResultLayout(result, columns))
        tiled = sums.form(form.dtype, plan.form.tail)
        return [launch, added_up(sums, tiled, parts, (workspace, *others))]


def direct_way(
    convolution: Convolution,
    product: DirectProduct,
    dtype: Dtype,
    processor: Processor,
    tail: Tail,
) -> DirectResults | FilterGradients | None:
    """A way to compute one of a convolution's products without tiles; None if there are no kernels for it."""
    count = processor.multiprocessors
    if convolution.taps > MOST_TAPS or (product == "weight" and convolution.windows.channels_last):
        return None
    wanted = _MOST_THREADS * _LEAST_TURNS if product == "weight" else count * _THREADS_EACH
    plan = direct_plan(convolution, product, dtype, wanted, tail)
    if not plan.threads or not plan.inner:
        return None
    return FilterGradients(plan, count) if product == "weight" else DirectResults(plan, count)
