"""What a graph became on a device: its kernels, with grids and PTX, and what the host computes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gluonic.codegen.cuda.ptx import kernel_ptx
from gluonic.codegen.cuda.steps import KernelLaunch
from gluonic.device.device import Dimensions
from gluonic.device.processors import Processor
from gluonic.support.record import record

if TYPE_CHECKING:
    from gluonic.codegen.cuda.device_binding import DeviceBinding


@record
class LaunchedKernel:
    """A launch of a kernel.

    Attributes
    ----------
    operators : what it computes, perhaps together with the kernels after it
    name : that of the function that writes it, and the choices that it was written for
    grid, block : the number of blocks, and of threads in a block
    shared_bytes : shared memory of a block besides what the kernel declares
    processor : the GPU
    launch : all of it
    """

    operators: tuple[str, ...]
    name: str
    grid: Dimensions
    block: Dimensions
    processor: Processor
    launch: KernelLaunch

    def ptx(self) -> str:
        """Its code."""
        return kernel_ptx(self.launch.code, self.processor)

    def __str__(self) -> str:
        blocks, threads = ("×".join(map(str, shortened(d))) for d in (self.grid, self.block))
        return f"{'.'.join(self.operators):48} {self.name:20} {blocks:>12} blocks of {threads}"


def shortened(dimensions: Dimensions) -> Sequence[int]:
    """Dimensions without the last ones that are 1.

    >>> shortened((3, 2, 1)), shortened((1, 1, 1))
    ((3, 2), (1,))
    """
    x, y, z = dimensions
    return dimensions if z != 1 else (x, y) if y != 1 else (x,)


@record
class DeviceExplanation:
    """How a graph runs on a device; printing it shows the table.

    Attributes
    ----------
    kernels : the launches, in order
    fallbacks : the operators that the host computes, each with the reason
    """

    kernels: tuple[LaunchedKernel, ...]
    fallbacks: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, binding: DeviceBinding) -> DeviceExplanation:
        """Explain what was made for some shapes."""
        processor, facts = binding.device.processor, binding.facts
        kernels = [
            LaunchedKernel(
                tuple(node.operator_name.strip("_") for node in nodes),
                launch.code[0].__name__.removeprefix("emit_"),
                launch.grid,
                launch.block,
                processor,
                launch,
            )
            for step, nodes in binding.steps
            for launch in step.launches(facts, processor)
        ]
        return cls(tuple(kernels), tuple(binding.fallbacks))

    def ptx(self) -> str:
        """The code of all kernels, each once."""
        return "\n".join(dict.fromkeys(kernel.ptx() for kernel in self.kernels))

    def __str__(self) -> str:
        lines = [f"{len(self.kernels)} kernels", *map(str, self.kernels)]
        if self.fallbacks:
            lines += [f"the host computes {len(self.fallbacks)} operators"]
            lines += [f"{operator:48} {reason}" for operator, reason in self.fallbacks]
        return "\n".join(lines)
