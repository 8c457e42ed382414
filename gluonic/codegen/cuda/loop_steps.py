"""Fused loops on a GPU: the choice of a kernel for given shapes."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from gluonic.codegen.cuda.element_kernels import ThreadSpread, element_numbers, emit_elements
from gluonic.codegen.cuda.ptx import NoDeviceCodeError
from gluonic.codegen.cuda.steps import DeviceStep, KernelLaunch
from gluonic.codegen.loops.nest import LoopNest
from gluonic.codegen.loops.steps import LoopStep
from gluonic.codegen.shapes.facts import Facts
from gluonic.device.processors import Processor

_THREADS = 256
_ACCESS = 16
"""The most bytes of one access."""
_MOST_INSTRUCTIONS = 1024
"""About the most instructions of a thread, so that its values fit the registers."""
_NARROW = 1 << 31


class DeviceLoopStep(DeviceStep):
    """A fused group: one kernel.

    Parameters
    ----------
    nest : the operators and their kernel
    facts : shapes and dtypes
    """

    def __init__(self, nest: LoopNest, facts: Facts) -> None:
        self.host = LoopStep(nest, facts)
        self.kernel = nest.lowered.kernel
        self.operands = self.host.operands
        self.outputs = tuple(nest.lowered.writes)
        self.displaced = self.host.displaced
        if self.kernel.reduced:
            raise NoDeviceCodeError("reductions have no kernel for a GPU yet")

    def displacements(self, facts: Facts) -> Sequence[int]:
        """The offset in bytes of each of the displaced operands."""
        return self.host.displacements(facts)

    def launches(self, facts: Facts, processor: Processor) -> Sequence[KernelLaunch]:
        """One kernel."""
        extents, strides = self.host.sizes(facts)
        spread = self._spread(facts, extents, strides, processor)
        numbers = element_numbers(self.kernel, extents, strides, spread)
        blocks = -(-numbers[0] // (spread.threads * spread.chunks))
        code = emit_elements, self.kernel, spread
        operands = tuple(range(len(self.operands)))
        return [
            KernelLaunch(code, operands, tuple(numbers), (blocks, 1, 1), (spread.threads, 1, 1))
        ]

    def _spread(
        self,
        facts: Facts,
        extents: Sequence[int],
        strides: Sequence[Sequence[int]],
        processor: Processor,
    ) -> ThreadSpread:
        length = max(sum(stage.program.length for stage in self.kernel.stages), 1)
        width = self._width(facts, extents, strides)
        count, enough = prod(extents), processor.multiprocessors * _THREADS
        while width > 1 and (count // width < enough or length * width > _MOST_INSTRUCTIONS):
            width //= 2
        chunks = 1
        if count // width >= 16 * enough and length * width * 2 <= _MOST_INSTRUCTIONS:
            chunks = 2
        return ThreadSpread(width, chunks, _THREADS, narrow=self._is_narrow(extents, strides))

    def _width(self, facts: Facts, extents: Sequence[int], strides: Sequence[Sequence[int]]) -> int:
        """The elements along the last axis that one access may read or write in every operand."""
        width, offsets = _ACCESS, dict(zip(self.displaced, self.displacements(facts), strict=True))
        is_any = False
        for number, operand in enumerate(self.kernel.operands):
            if operand.patterns[-1] != "unit":
                continue
            is_any = True
            size = operand.dtype.itemsize
            outer = [
                stride
                for stride, pattern in zip(strides[number], operand.patterns, strict=True)
                if pattern == "stride"
            ]
            width = min(width, _ACCESS // size)
            for step in (*outer, offsets.get(number, 0)):
                while step % (width * size):
                    width //= 2
        while extents[-1] % width:
            width //= 2
        return width if is_any else 1

    def _is_narrow(self, extents: Sequence[int], strides: Sequence[Sequence[int]]) -> bool:
        """Whether indices and strides fit 32 bits; the threads of the last block have the largest numbers."""
        return 2 * prod(extents) < _NARROW and all(
            abs(stride) < _NARROW for steps in strides for stride in steps
        )
