"""A graph made ready for a device and one set of shapes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from typing import Any, NamedTuple, TypeAlias

from gluonic.codegen.cuda.device_runs import CallMemory, CopyRun, HostRun, LaunchRun, ResultPlace
from gluonic.codegen.cuda.lacking import why_not_there
from gluonic.codegen.cuda.loop_steps import DeviceLoopStep
from gluonic.codegen.cuda.memory_layout import BlockPlace, MemoryLayout
from gluonic.codegen.cuda.operator_steps import STEPS
from gluonic.codegen.cuda.ptx import NoDeviceCodeError, begin_to_load, loaded, target_of
from gluonic.codegen.cuda.steps import DeviceStep, KernelLaunch
from gluonic.codegen.cuda.tails.joining import TailJoining
from gluonic.codegen.cuda.timed_runs import run_timed
from gluonic.codegen.cuda.unit_steps import UnitStep
from gluonic.codegen.loops.fusion import Group, fuse
from gluonic.codegen.loops.lowering import GroupLowering
from gluonic.codegen.loops.nest import LoopNest
from gluonic.codegen.loops.semantics import is_view
from gluonic.codegen.loops.steps import loop_for
from gluonic.codegen.rewriting.aliases import find_aliases, find_targets
from gluonic.codegen.rewriting.preparation import Prepared
from gluonic.codegen.shapes.facts import Facts
from gluonic.device.array import ALIGNMENT, DeviceArray
from gluonic.device.device import Device, PreparedLaunch
from gluonic.graph import Entry, Node, Run
from gluonic.graph.events import EVENTS

DeviceRun: TypeAlias = LaunchRun | CopyRun | HostRun


class _Kernel(NamedTuple):
    """A launch; its arguments are the addresses of slots plus offsets in bytes, numbers, and perhaps a seed."""

    nodes: Sequence[Node]
    launch: KernelLaunch
    slots: Sequence[int]
    offsets: Sequence[int]
    draws: bool


class _Copy(NamedTuple):
    """A copy of an array under another shape: the slots, the size in bytes."""

    target: int
    source: int
    size: int


class _OnHost(NamedTuple):
    """An operator that the host computes, and why."""

    node: Node
    reason: str


_Work: TypeAlias = _Kernel | _Copy | _OnHost


class DeviceBinding:
    """The steps of a graph on a device, for one set of shapes.

    Parameters
    ----------
    prepared : the graph
    inputs : its variables, in the order of the arrays
    facts : the shapes and dtypes
    device : the device
    visible : the number of outputs that get memory of their own; the others share some, which is freed when
        none of them is needed any more. By default all

    Attributes
    ----------
    steps : the steps that are launches, each with the operators
    fallbacks : the operators that the host computes, each with the reason
    runs : what a call does, in order
    layout : the memory that a call allocates
    outputs : where they are
    copied : those of them, by index, in memory that the caller or an earlier output has: copies are returned
    alone : those of them that have a block of their own but for copied ones, by the number of the block
    """

    def __init__(
        self,
        prepared: Prepared,
        inputs: Sequence[Node],
        facts: Facts,
        device: Device,
        visible: int | None = None,
    ) -> None:
        self.prepared, self.inputs, self.facts, self.device = prepared, inputs, facts, device
        graph = prepared.graph
        self.root = find_aliases(graph, facts).root
        self.target = find_targets(graph)
        self.steps: list[tuple[DeviceStep, list[Node]]] = []
        self.fallbacks: list[tuple[str, str]] = []
        self._slots: dict[Any, int] = {node.entry(): i for i, node in enumerate(inputs)}
        self._sizes: dict[int, int] = {}
        self._given = len(inputs)
        self.fusion = fuse(
            graph,
            facts.shapes,
            lambda node: why_not_there(node, facts),
            self.root,
            as_loop=lambda node: loop_for(node, facts),
        )
        changed = [*self.target, *(entry for node in graph.nodes for entry in _states(node))]
        written = {self._slots[entry] for entry in map(self._home, changed) if entry in self._slots}
        self._written = [slot for slot in written if slot < self._given]
        work = [one for group in self._joined() for one in self._work(group)]
        outputs = graph.outputs[: prepared.output_count]
        self.copied = self._outputs_to_copy(outputs)
        self.layout = self._laid_out(work, outputs, visible)
        self.outputs = [self._place(entry) for entry in outputs]
        given = self._given + len(self.layout.blocks)
        self._blank = [0 for one in work if isinstance(one, _Kernel) and one.draws]
        self._count = given + len(self._blank)
        self._seeds = range(given, self._count)
        self.runs = [*self._runs(work)]
        self.alone = self._outputs_alone()

    # -- where results are --------------------------------------------------------------------

    def _home(self, entry: Entry) -> Entry:
        """The result, or variable, that has the memory of a result."""
        entry = self.root.get(entry, entry)
        return self.target.get(entry, entry)

    def slot(self, entry: Entry) -> int:
        """The number of the memory of a result."""
        home = self._home(entry)
        known = self._slots.get(home)
        if known is None:
            known = self._slots[home] = len(self._slots)
            if not self.facts.dtypes[home].hasobject:
                self._sizes[known] = self.facts.bytes_of(home)
        return known

    def _is_new(self, entry: Entry) -> bool:
        """Whether a result gets memory: others share that of another or of a variable."""
        return self._home(entry) == entry and self.slot(entry) >= self._given

    def _place(self, entry: Entry) -> ResultPlace:
        slot = self.slot(entry)
        place = self.layout.places.get(slot) or BlockPlace(-1 - slot)
        return ResultPlace(place, self.facts.shapes[entry], self.facts.dtypes[entry])

    def _outputs_to_copy(self, outputs: Sequence[Entry]) -> list[int]:
        """The outputs, by index, in memory that the caller or an earlier output has: they are copied."""
        seen, copied = set[int](), []
        for i, slot in enumerate(map(self.slot, outputs)):
            if slot < self._given or slot in seen:
                copied.append(i)
            seen.add(slot)
        return copied

    def _laid_out(
        self, work: Sequence[_Work], outputs: Sequence[Entry], visible: int | None
    ) -> MemoryLayout:
        """Give memory to all results; outputs beyond the visible ones are in one block."""
        slots = [slot for slot in map(self.slot, outputs) if slot in self._sizes]
        count = sum(slot in self._sizes for slot in map(self.slot, outputs[:visible]))
        own = list(dict.fromkeys(slots[:count]))
        together = [slot for slot in dict.fromkeys(slots[count:]) if slot not in own]
        return MemoryLayout(
            self._given,
            [self._used(one) for one in work],
            self._sizes,
            [[slot] for slot in own] + ([together] if together else []),
            apart=self.device.keeps_apart,
        )

    def _outputs_alone(self) -> dict[int, int]:
        blocks = dict[int, list[int]]()
        for i, output in enumerate(self.outputs):
            if i not in self.copied and output.place.number >= self._given:
                blocks.setdefault(output.place.number - self._given, []).append(i)
        return {number: own[0] for number, own in blocks.items() if len(own) == 1}

    def _used(self, one: _Work) -> Sequence[int]:
        """The slots that a step reads and writes."""
        if isinstance(one, _Kernel):
            return one.slots
        if isinstance(one, _Copy):
            return one.source, one.target
        node = one.node
        return [*map(self.slot, (*node.inputs, *_entries(node)))]

    # -- steps --------------------------------------------------------------------------------

    def _work(self, group: Group) -> list[_Work]:
        """What computes a group: launches; or the host, one operator after the other."""
        (first, *_) = group.nodes
        if group.space is None and self._is_copy(first):
            source, target = self.slot(first.inputs[0]), self.slot(first.entry())
            size = self.facts.bytes_of(first.entry())
            return [_Copy(target, source, size)] if size else []
        try:
            step = self._step(group)
            if step is not None:
                launches = self._launches(step, group.nodes)
                self.steps.append((step, group.nodes))
                return launches
            reason = group.reason or "it has no kernel for a GPU yet"
        except NoDeviceCodeError as error:
            reason = str(error)
        self.fallbacks += [(node.operator_name, reason) for node in group.nodes]
        return [_OnHost(node, reason) for node in group.nodes]

    def _is_copy(self, node: Node) -> bool:
        """Whether a result is its first input under another shape, in memory of its own."""
        dtypes = self.facts.dtypes
        is_same = dtypes[node.entry()] == dtypes[node.inputs[0]] if node.inputs else False
        return is_same and is_view(node.applied) and self._is_new(node.entry())

    def _joined(self) -> list[Group]:
        """The groups; element-wise ones are joined to the products that they read."""
        return TailJoining(
            self.fusion.groups,
            self.prepared.graph.outputs,
            self.root,
            self.target,
            self._own_step,
            self._loop,
            self.facts,
        ).groups()

    def _step(self, group: Group) -> DeviceStep | None:
        """The step of a group; None if there is none."""
        if group.step is not None:
            step: DeviceStep = group.step
            return step
        if group.space is not None:
            return self._loop(group)
        (node,) = group.nodes
        return self._own_step(group) or UnitStep.of(node, self.facts, self.device.processor)

    def _own_step(self, group: Group) -> DeviceStep | None:
        """The step of an operator with a kernel of its own."""
        (node,) = group.nodes
        rule = STEPS.get(node.operator_name)
        return None if rule is None else rule(node, self.facts, self.device.processor)

    def _loop(self, group: Group) -> DeviceLoopStep:
        """The step of a fused loop."""
        facts, target, loops = self.facts, target_of(self.device.processor), self.fusion.loops
        lowering = GroupLowering(group, loops, facts.shapes, facts.dtypes, self.root, target)
        return DeviceLoopStep(LoopNest(group, loops, lowering.lower(), self.root), facts)

    def _launches(self, step: DeviceStep, nodes: Sequence[Node]) -> list[_Work]:
        """The launches of a step; their kernels are loaded meanwhile."""
        facts, processor = self.facts, self.device.processor
        launches = [one for one in step.launches(facts, processor) if 0 not in one.grid]
        for one in launches:
            begin_to_load(one.code, self.device)
        slots = [self.slot(entry) for entry in step.operands]
        for entry in step.outputs:  # an output that no launch writes has memory, too
            self.slot(entry)
        room = step.workspace(facts, processor)
        if room:
            workspace = self._slots.setdefault(step, len(self._slots))
            self._sizes[workspace] = room
            slots.append(workspace)
        offsets = dict(zip(step.displaced, step.displacements(facts), strict=True))
        return [
            _Kernel(
                nodes,
                launch,
                [slots[min(number, len(slots) - 1)] for number in launch.operands],
                [offsets.get(number, 0) for number in launch.operands],
                step.draws,
            )
            for launch in launches
        ]

    def _runs(self, work: Sequence[_Work]) -> Iterator[DeviceRun]:
        """The steps of a call; launches that follow each other are queued together."""
        seeds = iter(self._seeds)
        for _, group in groupby(work, lambda one: isinstance(one, _Kernel)):
            together = [*group]
            kernels = [one for one in together if isinstance(one, _Kernel)]
            own = [[next(seeds)] if kernel.draws else [] for kernel in kernels]
            if kernels:
                launches = [*map(self._prepared, kernels, own)]
                nodes = [kernel.nodes for kernel in kernels]
                yield LaunchRun(self.device, launches, nodes, self._count, [*chain(*own)])
            for one in together:
                if isinstance(one, _Copy):
                    yield self._copy(one)
                elif isinstance(one, _OnHost):
                    yield self._on_host(one)

    def _prepared(self, kernel: _Kernel, seed: Sequence[int]) -> PreparedLaunch:
        launch, places = kernel.launch, [self.layout.places[slot] for slot in kernel.slots]
        addresses = [
            (place.number, place.offset + o)
            for place, o in zip(places, kernel.offsets, strict=True)
        ]
        arguments = (
            *addresses,
            *((None, number) for number in launch.numbers),
            *((number, 0) for number in seed),
            *launch.descriptions(addresses, self.device),
        )
        function = loaded(launch.code, self.device)
        return PreparedLaunch(function, launch.grid, launch.block, arguments, launch.shared_bytes)

    def _copy(self, one: _Copy) -> CopyRun:
        target, source = (self.layout.places[slot] for slot in (one.target, one.source))
        return CopyRun(self.device, target, source, one.size)

    def _on_host(self, one: _OnHost) -> HostRun:
        """An operator that the host computes."""
        reads = [self._place(entry) for entry in one.node.inputs]
        return HostRun(one.node, one.reason, reads, [*map(self._place, _entries(one.node))])

    # -- calls --------------------------------------------------------------------------------

    def __call__(
        self,
        arrays: Sequence[DeviceArray],
        run: Run,
        into: Sequence[DeviceArray | None] | None = None,
    ) -> list[DeviceArray]:
        """Queue the steps; return the outputs.

        Parameters
        ----------
        into : for each output an array that may be overwritten and returned as that output, or None; its
            memory is that of no input
        """
        values = [array.address for array in arrays]
        for address in values:
            if address % ALIGNMENT:
                return self._with_aligned(arrays, run, into)
        targets = {} if into is None else self._targets(into)
        allocate, blocks = self.device.allocate, []
        for number, size in enumerate(self.layout.blocks):
            target = targets.get(number)
            block = allocate(size) if target is None else target.buffer
            blocks.append(block)
            values.append(block.address if target is None else target.address)
        values += self._blank
        memory = CallMemory(arrays, blocks, values, {})
        if EVENTS.imperative or EVENTS.symbolic:
            run_timed(self.device, self.runs, memory, run)
        else:
            for each in self.runs:
                each(memory, run)
        results = [place.array(memory) for place in self.outputs]
        for i in self.copied:
            results[i] = results[i].copy()
        for number, target in targets.items():
            results[self.alone[number]] = target
        return results

    def _targets(self, into: Sequence[DeviceArray | None]) -> dict[int, DeviceArray]:
        """The arrays that outputs are written to, by the number of the block that they stand for."""
        found = dict[int, DeviceArray]()
        for number, i in self.alone.items():
            target, output = into[i], self.outputs[i]
            if (
                target is not None
                and target.shape == output.shape
                and target.dtype == output.dtype
                and not target.address % ALIGNMENT
            ):
                found[number] = target
        return found

    def _with_aligned(
        self,
        arrays: Sequence[DeviceArray],
        run: Run,
        into: Sequence[DeviceArray | None] | None,
    ) -> list[DeviceArray]:
        """The same with copies of arrays whose addresses the steps do not take."""
        copies = [array.copy() if array.address % ALIGNMENT else array for array in arrays]
        results = self(copies, run, into)
        for i in self._written:
            if copies[i] is not arrays[i]:
                arrays[i].copy_from(copies[i])
        return results


def _states(node: Node) -> list[Entry]:
    """The inputs of a node that it changes."""
    if node.application is None or not node.application.states:
        return []
    named = zip(node.application.inputs, node.inputs, strict=True)
    return [entry for name, entry in named if name in node.application.states]


def _entries(node: Node) -> list[Entry]:
    """The outputs of a node."""
    return [node.entry(i) for i in range(node.output_count)]
