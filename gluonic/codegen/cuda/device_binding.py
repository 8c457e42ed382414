"""A graph made ready for a device and one set of shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from gluonic.codegen.cuda.device_runs import (
    CopyRun,
    DrawRun,
    HostRun,
    Launch,
    LaunchRun,
    Owners,
    SlotPlace,
)
from gluonic.codegen.cuda.lacking import why_not_there
from gluonic.codegen.cuda.loop_steps import DeviceLoopStep
from gluonic.codegen.cuda.operator_steps import STEPS
from gluonic.codegen.cuda.ptx import NoDeviceCodeError, loaded, target_of
from gluonic.codegen.cuda.recorded_runs import joined
from gluonic.codegen.cuda.steps import DeviceStep, KernelLaunch
from gluonic.codegen.cuda.unit_steps import UnitStep
from gluonic.codegen.loops.fusion import Fusion, Group, fuse
from gluonic.codegen.loops.lowering import GroupLowering
from gluonic.codegen.loops.nest import LoopNest
from gluonic.codegen.loops.semantics import is_view
from gluonic.codegen.loops.steps import loop_for
from gluonic.codegen.rewriting.aliases import find_aliases, find_targets
from gluonic.codegen.rewriting.preparation import Prepared
from gluonic.codegen.shapes.facts import Facts
from gluonic.device.array import DeviceArray
from gluonic.device.device import Device
from gluonic.graph import Entry, Node, Run

DeviceRun: TypeAlias = LaunchRun | CopyRun | HostRun
_ALIGNMENT = 16
"""The alignment, in bytes, that steps expect of whole operands."""


class DeviceBinding:
    """The steps of a graph on a device, for one set of shapes.

    Parameters
    ----------
    prepared : the graph
    inputs : its variables, in the order of the arrays
    facts : the shapes and dtypes
    device : the device

    Attributes
    ----------
    runs : the steps, in order
    steps : those of them that are launches, each with the operators
    fallbacks : the operators that the host computes, each with the reason
    """

    def __init__(
        self, prepared: Prepared, inputs: Sequence[Node], facts: Facts, device: Device
    ) -> None:
        self.prepared, self.inputs, self.facts, self.device = prepared, inputs, facts, device
        graph = prepared.graph
        self.root = find_aliases(graph, facts).root
        self.target = find_targets(graph)
        self.steps: list[tuple[DeviceStep, list[Node]]] = []
        self.fallbacks: list[tuple[str, str]] = []
        self._slots: dict[Any, int] = {}
        for node in inputs:
            self.slot(node.entry())
        self._given = len(self._slots)
        self.fusion = fuse(
            graph,
            facts.shapes,
            lambda node: why_not_there(node, facts),
            self.root,
            as_loop=lambda node: loop_for(node, facts),
        )
        outputs = graph.outputs[: prepared.output_count]
        written = {self._slots[entry] for entry in map(self._home, self.target)}
        self._written = [slot for slot in written if slot < self._given]
        runs = [run for group in self.fusion.groups for run in self._runs(group)]
        self._outputs = [self._place(entry) for entry in outputs]
        self.runs = [*joined(self._with_ends(runs), device)]
        self._blank = [None] * (len(self._slots) - self._given)
        self._zeros = [0] * len(self._blank)
        self._copied = self._outputs_to_copy()

    # -- where results are --------------------------------------------------------------------

    def _home(self, entry: Entry) -> Entry:
        """The result, or variable, that has the memory of a result."""
        entry = self.root.get(entry, entry)
        return self.target.get(entry, entry)

    def slot(self, entry: Entry) -> int:
        """The index of the memory of a result."""
        return self._slots.setdefault(self._home(entry), len(self._slots))

    def _place(self, entry: Entry) -> SlotPlace:
        return SlotPlace(self.slot(entry), self.facts.shapes[entry], self.facts.dtypes[entry])

    def _is_new(self, entry: Entry) -> bool:
        """Whether a result gets memory: others share that of another or of a variable."""
        return self.slot(entry) >= self._given and self._home(entry) == entry

    def _outputs_to_copy(self) -> list[int]:
        """The outputs, by index, in memory that the caller or an earlier output has: they are copied."""
        seen, found = set[int](), []
        for i, place in enumerate(self._outputs):
            if place.slot < self._given or place.slot in seen:
                found.append(i)
            seen.add(place.slot)
        return found

    # -- steps --------------------------------------------------------------------------------

    def _runs(self, group: Group) -> list[DeviceRun]:
        """What computes a group: launches; or the host, one operator after the other."""
        (first, *_) = group.nodes
        if group.space is None and self._is_copy(first):
            source, target = self.slot(first.inputs[0]), self.slot(first.entry())
            size = self.facts.bytes_of(first.entry())
            return [CopyRun(self.device, first, source, target, size)]
        try:
            step = self._step(group)
            if step is not None:
                launches = self._launches(step, group)
                self.steps.append((step, group.nodes))
                return [launches]
            reason = group.reason or "it has no kernel for a GPU yet"
        except NoDeviceCodeError as error:
            reason = str(error)
        self.fallbacks += [(node.operator_name, reason) for node in group.nodes]
        return [self._on_host(node, reason) for node in group.nodes]

    def _is_copy(self, node: Node) -> bool:
        """Whether a result is its first input under another shape, in memory of its own."""
        dtypes = self.facts.dtypes
        is_same = dtypes[node.entry()] == dtypes[node.inputs[0]] if node.inputs else False
        return is_same and is_view(node.applied) and self._is_new(node.entry())

    def _step(self, group: Group) -> DeviceStep | None:
        """The step of a group; None if there is none."""
        facts, processor = self.facts, self.device.processor
        if group.space is None:
            (node,) = group.nodes
            rule = STEPS.get(node.operator_name)
            step = None if rule is None else rule(node, facts, processor)
            return step or UnitStep.of(node, facts, processor)
        return DeviceLoopStep(self._nest(group, self.fusion), facts)

    def _nest(self, group: Group, fusion: Fusion) -> LoopNest:
        facts, target = self.facts, target_of(self.device.processor)
        lowered = GroupLowering(
            group, fusion.loops, facts.shapes, facts.dtypes, self.root, target
        ).lower()
        return LoopNest(group, fusion.loops, lowered, self.root)

    def _launches(self, step: DeviceStep, group: Group) -> LaunchRun:
        """The launches of a step, with their kernels loaded."""
        facts, processor = self.facts, self.device.processor
        room = step.workspace(facts, processor)
        slots = [self.slot(entry) for entry in step.operands]
        new = [entry for entry in step.outputs if self._is_new(entry)]
        allocated = [(self.slot(entry), facts.bytes_of(entry)) for entry in new]
        freed = []
        if room:
            workspace = self._slots.setdefault(step, len(self._slots))
            slots.append(workspace)
            allocated.append((workspace, room))
            freed.append(workspace)
        offsets = dict(zip(step.displaced, step.displacements(facts), strict=True))
        launches = [
            self._launch(launch, slots, offsets)
            for launch in step.launches(facts, processor)
            if 0 not in launch.grid
        ]
        kind = DrawRun if step.draws else LaunchRun
        return kind(self.device, allocated, launches, freed, group.nodes)

    def _launch(
        self, launch: KernelLaunch, slots: Sequence[int], offsets: dict[int, int]
    ) -> Launch:
        own = tuple(slots[min(number, len(slots) - 1)] for number in launch.operands)
        moved = tuple(offsets.get(number, 0) for number in launch.operands)
        function = loaded(launch.code, self.device)
        return (
            function, launch.grid, launch.block, own, moved if any(moved) else (), launch.numbers,
            launch.shared_bytes,
        )  # fmt: skip

    def _on_host(self, node: Node, reason: str) -> HostRun:
        """An operator that the host computes."""
        results = [node.entry(i) for i in range(node.output_count)]
        has_memory = [not self._is_new(entry) for entry in results]
        reads = [self._place(entry) for entry in node.inputs]
        return HostRun(self.device, node, reason, reads, [*map(self._place, results)], has_memory)

    def _with_ends(self, runs: list[DeviceRun]) -> list[DeviceRun]:
        """The steps, each with the slots that nothing reads after it."""
        kept = {place.slot for place in self._outputs}
        seen = {*range(self._given), *kept}
        for run in reversed(runs):
            used = dict.fromkeys(run.slots())
            run.freed = (*run.freed, *(slot for slot in used if slot not in seen))
            seen.update(used)
        return runs

    # -- calls --------------------------------------------------------------------------------

    def __call__(self, arrays: Sequence[DeviceArray], run: Run) -> list[DeviceArray]:
        """Queue the steps; return the outputs."""
        owners: Owners = [array.buffer for array in arrays]
        addresses = [array.buffer.address + array.offset for array in arrays]
        for address in addresses:
            if address % _ALIGNMENT:
                return self._with_aligned(arrays, run)
        owners += self._blank
        addresses += self._zeros
        for each in self.runs:
            each(owners, addresses, run)
        results = [place.array(owners, addresses) for place in self._outputs]
        for i in self._copied:
            results[i] = results[i].copy()
        return results

    def _with_aligned(self, arrays: Sequence[DeviceArray], run: Run) -> list[DeviceArray]:
        """The same with copies of arrays whose addresses the steps do not take."""
        copies = [array.copy() if array.address % _ALIGNMENT else array for array in arrays]
        results = self(copies, run)
        for i in self._written:
            if copies[i] is not arrays[i]:
                arrays[i].copy_from(copies[i])
        return results
