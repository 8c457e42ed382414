"""A graph with its gradient on a device: two graphs there, made by the rules that the host's follow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gluonic.codegen.cuda.device_graph import DeviceGraph
from gluonic.codegen.differentiable import DifferentiableProgram, Saved
from gluonic.codegen.inspection.cache_info import CacheInfo
from gluonic.device.array import DeviceArray
from gluonic.device.device import Device
from gluonic.graph import Run


class DeviceDifferentiableGraph:
    """A graph that runs forward and backward on a device.

    Parameters
    ----------
    program : the graph with its gradient; nothing of it is compiled for the host

    Attributes
    ----------
    program : the same
    forward_graph, backward_graph : the graphs; `program` says what they return
    """

    def __init__(self, program: DifferentiableProgram) -> None:
        self.program = program
        forward, backward = program.forward_program, program.backward_program
        visible = len(program.graph.outputs)
        self.forward_graph = DeviceGraph(forward.graph, forward.inputs, visible=visible)
        self.backward_graph = DeviceGraph(backward.graph, backward.inputs)

    def forward(
        self, arrays: Sequence[DeviceArray], run: Run, device: Device | None = None
    ) -> tuple[list[DeviceArray], Saved]:
        """Compute the outputs, and the values that `backward` needs; they are arrays of the device, too."""
        results = self.forward_graph(arrays, run, device)
        saved = self.program.saved_of(arrays, results)
        return results[: len(self.program.graph.outputs)], saved

    def cache_info(self) -> CacheInfo:
        """Counts of what was made for devices."""
        return CacheInfo.total([self.forward_graph.cache_info(), self.backward_graph.cache_info()])

    def backward(
        self,
        saved: Saved,
        heads: Sequence[DeviceArray],
        run: Run,
        device: Device | None = None,
        into: Sequence[DeviceArray | None] | None = None,
    ) -> list[DeviceArray | None]:
        """Compute the gradients of the inputs from those of the outputs; None for inputs without one.

        Parameters
        ----------
        into : for each input an array that its gradient may be written to, or None; nothing else refers to its
            memory
        """
        given: list[Any] = [*saved.arrays, *heads]
        program = self.program
        targets = None if into is None else program.computed_of(into)
        return program.by_input(self.backward_graph(given, run, device, targets))
