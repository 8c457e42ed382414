"""Graphs on a device: hybridized blocks, and symbols bound to arrays there."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from gluonic.codegen import (
    CacheInfo,
    DeviceDifferentiableGraph,
    DeviceExplanation,
    DeviceGraph,
)
from gluonic.device import Device, DeviceArray
from gluonic.graph import Node
from gluonic.graph.attributes import Shape
from gluonic.graph.errors import MXNetError
from gluonic.graph.kernel_runs import name_line
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.device.arrays import DeviceNDArray, made
from gluonic.ndarray.device.calls import check_contexts, has_its_own_way, invoke_on
from gluonic.ndarray.device.tape import filled, filled_like, zeros_on
from gluonic.ndarray.graph_record import GraphRecord
from gluonic.ndarray.recording import put
from gluonic.ndarray.state import STATE, current_run
from gluonic.ndarray.tape import TapeEntry, entry_of

if TYPE_CHECKING:
    from gluonic.ndarray.cached_op import CachedGraph, RecordableProgram

_MOST_ONES = 1 << 14
_Program: TypeAlias = "tuple[RecordableProgram, DeviceDifferentiableGraph]"
"""A graph with gradients, and what runs it on a device."""


class GraphOnDevice:
    """A graph that is called with arrays on a device, whose gradients are computed there.

    Parameters
    ----------
    called : the graph, as it is called on the host

    Attributes
    ----------
    calls_back : whether operators call the user's code
    """

    def __init__(self, called: "CachedGraph") -> None:
        self._called = called
        nodes = [node for node in called.graph.nodes if not node.is_variable]
        self.calls_back = any(has_its_own_way(node.operator_name) for node in nodes)
        self._inference = DeviceGraph(called.graph, called.inputs)
        self._programs: dict[Any, DeviceDifferentiableGraph] = {}

    def __call__(self, inputs: Sequence[NDArray]) -> list[NDArray]:
        """Compute the outputs; recorded as one computation, unless operators call the user's code."""
        called, device = self._called, check_contexts("a hybridized block", inputs)
        if self.calls_back or called.observer is not None:
            outputs = self._one_by_one(device, inputs)
            return [x.as_np_ndarray() for x in outputs] if called.kind.of_numpy else outputs
        arrays = _device_arrays(inputs)
        if STATE.recording:
            entries = [None if x.tape_entry is None else entry_of(x) for x in inputs]
            wanted = tuple([entry is not None for entry in entries])
            if True in wanted:
                program = self.differentiable(wanted, STATE.training)
                return self.recorded(program, inputs, arrays, entries)
        return self.computed(inputs, arrays)

    def computed(self, inputs: Sequence[NDArray], arrays: list[DeviceArray]) -> list[NDArray]:
        """Compute the outputs, unrecorded; `arrays` are those of the inputs."""
        device = arrays[0].device if arrays else check_contexts("a hybridized block", inputs)
        results = self._inference(arrays, current_run(), device)
        return [made(array, self._called.kind) for array in results]

    def recorded(
        self,
        program: _Program,
        inputs: Sequence[NDArray],
        arrays: list[DeviceArray],
        entries: list[TapeEntry | None],
    ) -> list[NDArray]:
        """Compute the outputs with what `differentiable` returned; recorded.

        Parameters
        ----------
        arrays, entries : of the inputs
        """
        on_host, there = program
        results, saved = there.forward(arrays, current_run())
        outputs: list[NDArray] = [made(array, self._called.kind) for array in results]
        forms = [(x.device, x.shape, x.dtype) for x in results]
        call = DeviceGraphRecord(on_host, entries, arrays, forms, saved, STATE.training)
        call.there = there
        put(call, inputs, outputs)
        return outputs

    def differentiable(self, wanted: tuple[bool, ...], train: bool) -> _Program:
        """The graph with the gradients of some inputs."""
        program = self._called.differentiable(wanted, train)
        there = self._programs.get(program)
        if there is None:
            there = self._programs[program] = DeviceDifferentiableGraph(program)
        return program, there

    def cache_info(self) -> CacheInfo:
        """Counts of what was made for devices, the gradients included."""
        programs = [program.cache_info() for program in self._programs.values()]
        return CacheInfo.total([self._inference.cache_info(), *programs])

    def explain(self, inputs: Sequence[NDArray], wanted: tuple[bool, ...]) -> DeviceExplanation:
        """Explain how the graph runs for such inputs, in the current modes."""
        device = check_contexts("a hybridized block", inputs)
        graph = self._inference
        if any(wanted):
            graph = self.differentiable(wanted, STATE.training)[1].forward_graph
        return graph.explain(_device_arrays(inputs), train=STATE.training, device=device)

    def _one_by_one(self, device: Device, inputs: Sequence[NDArray]) -> list[NDArray]:
        """Run the operators one after the other, each recorded on the tape."""
        called = self._called
        values = {node.entry(): x for node, x in zip(called.inputs, inputs, strict=True)}
        for node in called.graph.nodes:
            if not node.is_variable:
                given = [values[entry] for entry in node.inputs]
                found = _run_node(device, node, given)
                if called.observer is not None:
                    called.observer(node, *(_device_arrays(each) for each in (given, found)))
                values.update((node.entry(i), x) for i, x in enumerate(found))
        return [values[entry] for entry in called.graph.outputs]


def _device_arrays(arrays: Sequence[NDArray]) -> list[Any]:
    return [x.device_array for x in arrays if isinstance(x, DeviceNDArray)]


def _run_node(device: Device, node: Node, inputs: Sequence[NDArray]) -> list[NDArray]:
    try:
        return invoke_on(device, node.applied, inputs, NDArray)
    except MXNetError as error:
        name_line(node, error)
        raise


def head_of_ones(head: DeviceNDArray) -> DeviceNDArray:
    """The gradient of a head of which the user gives none."""
    entry, array = head.tape_entry, head.device_array
    if entry is None or not isinstance(entry[0], DeviceGraphRecord) or array.size > _MOST_ONES:
        return filled_like(head, 1)
    return made(_ones(array.device, array.shape, array.dtype))


@lru_cache(maxsize=64)
def _ones(device: Device, shape: Shape, dtype: Any) -> DeviceArray:
    """Ones for the gradients of graphs, which only read them; the same in each step."""
    return filled(device, shape, dtype, 1).device_array


class DeviceGraphRecord(GraphRecord[DeviceArray]):
    """A recorded call of a graph on a device, whose gradients run `there`."""

    __slots__ = ("there",)
    there: DeviceDifferentiableGraph

    def gradients_into(
        self,
        heads: list[NDArray | None],
        into: Sequence[Any] | None,
        *,
        train: bool,
        finished: Callable[[int], None] | None = None,
    ) -> Sequence[NDArray | None]:
        """Like `gradients`, written to the memory given for some of the inputs."""
        assert self.saved is not None
        given: list[Any] = [
            zeros_on(*form) if head is None else head
            for head, form in zip(heads, self.forms, strict=True)
        ]
        if STATE.recording:
            return self.recorded(given)
        arrays = [head.device_array for head in given]
        device = self.forms[0][0]
        found = self.there.backward(self.saved, arrays, current_run(), device, into)
        return [None if array is None else made(array) for array in found]

    def wrapped(self, array: DeviceArray, entry: TapeEntry | None) -> NDArray:
        """An input as it was recorded."""
        return made(array, entry=entry)
