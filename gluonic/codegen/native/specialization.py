"""Machine code for a graph and one pattern of shapes: its steps, their operands, the data for calls."""

from collections.abc import Collection, Sequence
from typing import Any

from gluonic.codegen.launch.argument_table import ArgumentTable
from gluonic.codegen.launch.arguments import LaunchSpec
from gluonic.codegen.launch.buffer_assignment import BufferAssignment
from gluonic.codegen.loops.fusion import Group, fuse
from gluonic.codegen.loops.long_rows import LongRowStep, is_long_row
from gluonic.codegen.loops.lowering import GroupLowering
from gluonic.codegen.loops.nest import LoopNest
from gluonic.codegen.loops.runnable import why_not
from gluonic.codegen.loops.steps import LoopStep, Step, loop_for
from gluonic.codegen.machine.bail_out import BAIL_OUT
from gluonic.codegen.machine.target import host
from gluonic.codegen.maths.values import Dtype
from gluonic.codegen.native.executable import CallSpec, Executable
from gluonic.codegen.native.module import NativeCode, compile_steps
from gluonic.codegen.native.prepacking import prepacked_groups
from gluonic.codegen.native.steps import native_step, standalone_step
from gluonic.codegen.rewriting.aliases import find_aliases, find_targets
from gluonic.codegen.rewriting.preparation import Prepared
from gluonic.codegen.shapes.facts import Facts
from gluonic.codegen.shapes.guards import ShapeGuards
from gluonic.graph import Entry, Node
from gluonic.support.cached_property import cached_property
from gluonic.support.pieces import Pieces, finish
from gluonic.support.record import record


@record
class Segment:
    """Consecutive groups that run as one native call, or one operator that Python runs.

    Attributes
    ----------
    groups : the groups, in execution order
    native : whether it is machine code
    number : the index of the native function
    """

    groups: list[Group]
    native: bool
    number: int = -1


class Specialization:
    """Machine code for a graph and one pattern of shapes.

    Parameters
    ----------
    prepared : the graph
    inputs : its variables, in the order of the arrays
    facts : shapes and dtypes to compile for
    parameters : the variables that rarely change

    Attributes
    ----------
    facts : the shapes and dtypes that it was compiled for; size hints replace a batch of one
    root : for a reshaped result, the result whose memory it shares
    host : for a result, the output of the graph whose memory it uses
    target : for the new value of a state, the variable whose memory it uses
    prepacked : the groups that run only when a parameter may have changed
    runs : the groups of each native function, prepacked ones first
    steps : the native steps of these groups
    guards : the shapes for which it is valid
    computed : the distinct outputs that are computed
    from_python : those whose memory Python allocates
    buffers : the assignment of results to the memory of frames
    launch : the parts of it that have launch arguments
    call : how calls use the machine code
    """

    def __init__(
        self,
        prepared: Prepared,
        inputs: Sequence[Node],
        facts: Facts,
        parameters: Collection[Node] = (),
    ) -> None:
        self.prepared, self.graph, self.inputs = prepared, prepared.graph, tuple(inputs)
        graph = self.graph
        self.outputs = graph.outputs[: prepared.output_count]
        self.target = find_targets(graph)
        aliases = find_aliases(graph, facts)
        self.root, self.host = aliases.root, aliases.host
        self.guards = ShapeGuards(facts)

        def in_memory(entry: Entry) -> bool:
            maker = self.root.get(entry, entry).node
            return maker.application is None or loop_for(maker, facts) is None

        self.fusion = fuse(
            graph,
            facts.shapes,
            lambda node: why_not(node, facts),
            self.root,
            lambda node, loop: standalone_step(node, loop, facts, in_memory),
            lambda node: loop_for(node, facts),
        )
        for group in self.fusion.groups:
            group.step = group.step or self._step(group, facts)
        self.prepacked = self._prepacked(parameters)
        others = [group for group in self.fusion.groups if group not in self.prepacked]
        self.groups = [*self.prepacked, *others]
        self.segments = _segments(others, first=int(bool(self.prepacked)))
        self._number_slots()
        self.runs = [self.prepacked] if self.prepacked else []
        self.runs += [segment.groups for segment in self.segments if segment.native]
        self.steps: list[Step] = [group.step for run in self.runs for group in run]
        self.facts = facts
        self.guards.decide(_all_dtypes)
        self.guards.release()
        self._describe_ends(facts)
        self.buffers = self._buffers(facts)
        self.call = self._call()
        self.launch = LaunchSpec(self.steps, self.buffers.all, self.computed)

    @cached_property
    def table(self) -> ArgumentTable:
        """The layout of the table of run-time numbers."""
        counts = [len(step.numbers(self.facts)) // step.phases for step in self.steps]
        return ArgumentTable(self.steps, counts)

    @cached_property
    def code(self) -> NativeCode:
        """The machine code."""
        return finish(self._code())

    def compile(self) -> Pieces[None]:
        """Make the machine code."""
        self.code = yield from self._code()

    def _code(self) -> Pieces[NativeCode]:
        return compile_steps(self.runs, self.table, self.facts, self.slot)

    @cached_property
    def executable(self) -> Executable:
        """The machine code, as calls use it."""
        return Executable(self.call, self.code.functions, self.code.library, self.buffers.room)

    def adopt(self, executable: Executable) -> None:
        """Use equal machine code that is loaded already."""
        self.executable = executable
        self.buffers.room = executable.room

    def _step(self, group: Group, facts: Facts) -> Step | None:
        """The native step of a group; None if Python runs it."""
        if group.space is None:
            return native_step(group.nodes[0], self.guards.observed)
        loops = self.fusion.loops
        lowered = GroupLowering(group, loops, facts.shapes, facts.dtypes, self.root, host()).lower()
        nest = LoopNest(group, loops, lowered, self.root)
        if is_long_row(lowered.kernel):
            return LongRowStep(nest, self.guards.observed)
        return LoopStep(nest, self.guards.observed, self._lasting)

    @cached_property
    def _lasting(self) -> set[Entry]:
        """The results in persistent memory."""
        fresh = (e for e in self.outputs if e not in self.target and not e.node.is_variable)
        return {self.root.get(e, e) for e in fresh}

    def _prepacked(self, parameters: Collection[Node]) -> list[Group]:
        """The groups that depend on parameters alone."""
        constant = [node for node in parameters if node.entry() not in self.target.values()]
        pinned = {*self.graph.outputs, *self.host, *self.target}
        return prepacked_groups(self.fusion.groups, constant, pinned, self.root)

    def _describe_ends(self, facts: Facts) -> None:
        """Set the attributes on inputs and outputs."""
        self.input_entries = [node.entry() for node in self.inputs]
        self.input_dtypes = [facts.dtypes.get(entry) for entry in self.input_entries]
        given = {*self.input_entries, *self.target}
        self.computed = [e for e in dict.fromkeys(self.outputs) if e not in given]
        self.from_python = self._computed_in_python()

    def _call(self) -> CallSpec:
        """How calls use the machine code."""
        first = {e: i for i, e in reversed([*enumerate(self.outputs)])}
        read = {self.root.get(entry, entry) for group in self.prepacked for entry in group.inputs}
        written = set(self.target.values())
        numbered = [*enumerate(self.input_entries)]
        return CallSpec(
            slots=len(self.slots),
            inputs=[self.slots[entry] for entry in self.input_entries],
            unread_inputs=[i for i, entry in numbered if entry not in self.facts.shapes],
            prepacked_inputs=[i for i, entry in numbered if entry in read],
            written=[i for i, entry in numbered if entry in written],
            results=[
                (None if e in self.from_python else self.slot(e), self.facts.dtypes[e])
                for e in self.computed
            ],
            positions=[first[e] for e in self.computed],
            returned=self._returned(),
            calls=[segment.number if segment.native else None for segment in self.segments],
            persistent=[self.slots[buffer] for buffer in self.buffers.persistent],
            transient=[self.slots[buffer] for buffer in self.buffers.transient],
            bail_out=self.slots.get(BAIL_OUT),
            has_foreign_steps=any(step.is_foreign for step in self.steps),
        )

    def _computed_in_python(self) -> set[Entry]:
        """The outputs that Python computes and no machine code reads."""
        made, seen = set(), {*self.host.values()}
        for group in self.groups:
            if group.is_native:
                seen.update(self.root.get(e, e) for e in group.inputs)
            else:
                made.update(self.written_by(group))
        return made.intersection(self.computed) - seen

    def _returned(self) -> list[tuple[int, bool]]:
        """For each output, its index among the inputs and computed outputs, and whether it is copied."""
        indices = {e: i for i, e in enumerate([*self.input_entries, *self.computed])}
        found, given = [], set()
        for entry in self.outputs:
            index = indices[self.target.get(entry, entry)]
            found.append((index, index < len(self.inputs) or entry in given))
            given.add(entry)
        return found

    def _buffers(self, facts: Facts) -> BufferAssignment:
        objects = {entry for entry, dtype in facts.dtypes.items() if dtype.hasobject}
        elsewhere = {*self.input_entries, *self.graph.outputs, *self.host, *self.target, *objects}
        groups = [(group, self.written_by(group)) for group in self.groups]
        return BufferAssignment(groups, self.prepacked, elsewhere, self.root)

    def written_by(self, group: Group) -> list[Entry]:
        """The results of a group that are written to memory."""
        return group.outputs if group.space is not None else _all_outputs(group)

    def _number_slots(self) -> None:
        """Assign a slot of the address table to each input, result and workspace."""
        entries: dict[Any, None] = dict.fromkeys(node.entry() for node in self.inputs)
        for group in self.groups:
            written = [e for e in self.written_by(group) if e not in self.target]
            entries.update(dict.fromkeys(written))
            if group.step is not None and group.step.uses_workspace:
                entries[group.step] = None
        if any(group.step is not None and group.step.may_bail_out for group in self.groups):
            entries[BAIL_OUT] = None
        shared = {*self.root, *self.target}
        entries.update((e, None) for e in self.outputs if e not in shared)
        self.slots = {entry: number for number, entry in enumerate(entries)}

    def slot(self, entry: Any) -> int:
        """The index in the address table of a result or a workspace."""
        entry = self.root.get(entry, entry)
        return self.slots[self.target.get(entry, entry)]


def _all_dtypes(facts: Facts) -> tuple[Dtype, ...]:
    return tuple(facts.dtypes.values())


def _all_outputs(group: Group) -> list[Entry]:
    return [node.entry(i) for node in group.nodes for i in range(node.output_count)]


def _segments(groups: Sequence[Group], first: int) -> list[Segment]:
    """The groups divided into native calls, numbered from `first`, and operators that Python runs."""
    segments: list[Segment] = []
    native = first
    for group in groups:
        if not group.is_native:
            segments.append(Segment([group], native=False))
        elif segments and segments[-1].native:
            segments[-1].groups.append(group)
        else:
            segments.append(Segment([group], native=True, number=native))
            native += 1
    return segments
