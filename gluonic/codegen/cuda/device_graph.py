"""Graphs that run on a device, and operators that are called there one by one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from gluonic.codegen.cuda.device_binding import DeviceBinding
from gluonic.codegen.cuda.device_code import has_code
from gluonic.codegen.cuda.device_report import DeviceExplanation
from gluonic.codegen.cuda.fallbacks import note_fallback
from gluonic.codegen.cuda.operator_steps import rounds_once
from gluonic.codegen.cuda.quick_calls import QuickCall, quick_call
from gluonic.codegen.inspection.cache_info import CacheInfo
from gluonic.codegen.rewriting.decompose import Decompose
from gluonic.codegen.rewriting.passes import Pass
from gluonic.codegen.rewriting.pipeline import FOR_PROCESSORS, PIPELINE
from gluonic.codegen.rewriting.preparation import Preparation
from gluonic.codegen.rewriting.replacing import DecomposeForDevices
from gluonic.codegen.rewriting.tracing_pass import TraceKernels
from gluonic.codegen.rewriting.upcast import UpcastHalves
from gluonic.codegen.shapes.abstract_arrays import AbstractArray
from gluonic.codegen.shapes.facts import NotCompiledError
from gluonic.device.array import DeviceArray
from gluonic.device.device import Device
from gluonic.graph import Application, Entry, Graph, Node, Run
from gluonic.graph.errors import CallError, describe
from gluonic.graph.events import EVENTS
from gluonic.graph.kernel_runs import run_in_graph
from gluonic.graph.update_operators import UPDATES
from gluonic.support.caches import Cache
from gluonic.support.gc_pause import paused
from gluonic.support.locks import lock
from gluonic.support.pieces import finish

_MOST_BINDINGS = 64
_FOR_DEVICES: dict[type[Pass], list[Pass]] = {
    UpcastHalves: [UpcastHalves(rounds_once), DecomposeForDevices()],
    Decompose: [Decompose(leaves=UPDATES), TraceKernels(has_code, may_draw=True)],
}
"""What stands for a pass."""
_PIPELINE = [
    each
    for one in PIPELINE
    if not isinstance(one, FOR_PROCESSORS)
    for each in _FOR_DEVICES.get(type(one), [one])
]
"""The passes for a GPU."""


class DeviceGraph:
    """A graph that runs on the device of the arrays that it is called with.

    Parameters
    ----------
    graph : the graph
    inputs : its variables, in the order of the arrays
    parameters : those that rarely change
    visible : the number of outputs that get memory of their own; the others share some, which is freed when
        none of them is needed any more. By default all

    Attributes
    ----------
    bindings : the steps for each set of shapes
    ready : all that a call with arrays of some forms needs (if operators depend on it, with the mode before
        them); None where that is no `QuickCall`
    """

    def __init__(
        self,
        graph: Graph,
        inputs: Sequence[Node],
        parameters: Collection[Node] = (),
        visible: int | None = None,
    ) -> None:
        self.graph, self.inputs, self._visible = graph, tuple(inputs), visible
        self._preparation = Preparation(
            graph, self.inputs, parameters, _PIPELINE, with_bfloat16=True
        )
        self._modal = any(
            node.application is not None and node.application.op.run_name for node in graph.nodes
        )
        self.bindings: dict[object, DeviceBinding | None] = {}
        self.ready: dict[tuple[object, ...], QuickCall | None] = {}
        self._lock = lock()

    def __call__(
        self,
        arrays: Sequence[DeviceArray],
        run: Run,
        device: Device | None = None,
        into: Sequence[DeviceArray | None] | None = None,
    ) -> list[DeviceArray]:
        """Run the graph; return its outputs, in new memory. States are updated in place.

        Parameters
        ----------
        arrays : one for each variable, all on one device
        run : the mode, and the source of random numbers
        device : the device; it must be given where there are no arrays
        into : for each output an array that may be overwritten and returned as that output, or None; its
            memory is that of no input
        """
        forms = tuple([array.form for array in arrays])
        key = (run.train, *forms) if self._modal else forms
        quick = self.ready.get(key)
        if quick is not None and not EVENTS.active:
            return quick(arrays, into)
        if device is None:
            device = forms[0].device
        shapes = device, self._modal and run.train, tuple([(x.shape, x.dtype) for x in forms])
        try:
            binding = self.bindings[shapes]
        except KeyError:
            binding = self._bound(shapes, device, arrays, train=shapes[1])
        if binding is None:
            return self._one_by_one(arrays, run, device)
        if forms and key not in self.ready:
            _limit(self.ready)
            is_aligned = all(form.is_aligned for form in forms)
            self.ready[key] = quick_call(binding) if is_aligned else None
        return binding(arrays, run, into)

    def _bound(
        self, key: object, device: Device, arrays: Sequence[DeviceArray], *, train: bool
    ) -> DeviceBinding | None:
        """The steps for such arrays, made now; None if shapes depend on the data."""
        with self._lock, paused():
            _limit(self.bindings)
            self.bindings[key] = found = self.binding(device, arrays, train=train)
        return found

    def binding(
        self, device: Device, arrays: Sequence[DeviceArray], *, train: bool
    ) -> DeviceBinding | None:
        """The steps for such arrays; None if shapes depend on the data, or a dtype has no machine code."""
        abstract = [AbstractArray(array.shape, array.dtype) for array in arrays]
        try:
            prepared, facts = finish(self._preparation.of(abstract, train))
        except NotCompiledError:
            return None
        return DeviceBinding(prepared, self.inputs, facts, device, self._visible)

    def cache_info(self) -> CacheInfo:
        """Counts of what was made for devices."""
        bindings = [each for each in self.bindings.values() if each is not None]
        through_host = sum(len(each.fallbacks) for each in bindings)
        return CacheInfo(bindings=len(bindings), through_host=through_host)

    def explain(
        self, arrays: Sequence[DeviceArray], *, train: bool, device: Device | None = None
    ) -> DeviceExplanation:
        """How the graph runs for such arrays.

        Raises
        ------
        CallError
            if shapes depend on the data: then the operators run one by one
        """
        device = device or arrays[0].device
        binding = self.binding(device, arrays, train=self._modal and train)
        if binding is None:
            raise CallError(
                describe("shapes depend on the data, so operators run one by one", where="explain")
            )
        return DeviceExplanation.of(binding)

    def _one_by_one(
        self, arrays: Sequence[DeviceArray], run: Run, device: Device
    ) -> list[DeviceArray]:
        """Run the operators one after the other; only so are the shapes of all results known."""
        values: dict[Entry, DeviceArray] = {
            node.entry(): array for node, array in zip(self.inputs, arrays, strict=True)
        }
        alone = sum(node.application is not None for node in self.graph.nodes) == 1
        for node in self.graph.run_order:
            if node.application is None:
                continue
            read = [values[entry] for entry in node.inputs]
            compute = _on_host if alone else _by_itself
            made = compute(node, read, run, device)
            values.update((node.entry(i), array) for i, array in enumerate(made))
        given = set(self.inputs)
        return [
            values[entry].copy() if entry.node in given else values[entry]
            for entry in self.graph.outputs
        ]


def _on_host(
    node: Node, arrays: Sequence[DeviceArray], run: Run, device: Device
) -> list[DeviceArray]:
    """The outputs of an operator whose shapes only a run determines."""
    note_fallback(node, "the shape of its output depends on the data")
    made = run_in_graph(node, [array.to_host() for array in arrays], run)
    return [DeviceArray.of_host(device, array) for array in made]


def _by_itself(
    node: Node, arrays: Sequence[DeviceArray], run: Run, device: Device
) -> list[DeviceArray]:
    """The outputs of an operator of a graph, computed like an eager call."""
    return operator_on_device(node.applied)(arrays, run, device)


def _limit(entries: dict[Any, Any]) -> None:
    """Make room for an entry: the oldest goes if there are too many."""
    if len(entries) >= _MOST_BINDINGS:
        del entries[next(iter(entries))]


class OperatorOnDevice(DeviceGraph):
    """A graph of one operator.

    Parameters
    ----------
    application : the operator with its attributes
    """

    def __init__(self, application: Application) -> None:
        inputs = [Node(None, name) for name in application.inputs]
        node = Node(application, application.op.name, [each.entry() for each in inputs])
        super().__init__(Graph([node.entry(i) for i in range(node.output_count)]), inputs)
        self._node = node

    def __call__(
        self,
        arrays: Sequence[DeviceArray],
        run: Run,
        device: Device | None = None,
        into: Sequence[DeviceArray | None] | None = None,
    ) -> list[DeviceArray]:
        """Run the operator; see `DeviceGraph.__call__`."""
        if not self.graph.outputs:
            return _changed_on_host(self._node, arrays, run)
        return super().__call__(arrays, run, device, into)


_operators: Cache[Application, OperatorOnDevice] = Cache()


def operator_on_device(application: Application) -> OperatorOnDevice:
    """An operator that is called on devices, made once."""
    there = _operators.get(application)
    return there or _operators.remember(application, OperatorOnDevice(application))


def _changed_on_host(node: Node, arrays: Sequence[DeviceArray], run: Run) -> list[DeviceArray]:
    """Run an operator that has no outputs, but changes its inputs; a graph of it would compute nothing."""
    note_fallback(node, "it has no outputs")
    read = [array.to_host() for array in arrays]
    run_in_graph(node, read, run)
    for array, changed in zip(arrays, read, strict=True):
        array.copy_from_host(changed)
    return []
