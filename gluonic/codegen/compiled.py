"""A compiled graph: machine code for what can be, Python calls between for what cannot.

Compiling happens at three speeds. A *specialization* (machine code) serves all shapes of one pattern. A
*binding* serves one set of shapes, a *frame* one call at a time; see :mod:`gluonic.codegen.binding` and
:mod:`gluonic.codegen.frame`.
"""

import threading
from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gluonic.codegen.binding import Binding
from gluonic.codegen.cache_info import CacheInfo
from gluonic.codegen.dump import dump_if_asked
from gluonic.codegen.figures import figures_of
from gluonic.codegen.foreign import ForeignStep
from gluonic.codegen.frame import Frame
from gluonic.codegen.images.convolution_products import ConvolutionProductStep
from gluonic.codegen.images.convolution_steps import BlockStep
from gluonic.codegen.images.pooling_steps import PoolingStep
from gluonic.codegen.loops.facts import DynamicShapeError, Facts
from gluonic.codegen.loops.fusion import Group, fuse
from gluonic.codegen.loops.inner_operators import overwrite
from gluonic.codegen.loops.long_rows import LongRowStep, is_long_row
from gluonic.codegen.loops.lowering import GroupLowering
from gluonic.codegen.loops.serving import LoopNest, larger_batches
from gluonic.codegen.loops.steps import LoopStep, Step
from gluonic.codegen.moves.copies import CopyStep, JoinStep
from gluonic.codegen.moves.padding_steps import PaddingStep
from gluonic.codegen.moves.row_steps import LookupStep
from gluonic.codegen.native import NativeCode, compile_steps, why_not
from gluonic.codegen.products.matmul import ProductStep
from gluonic.codegen.products.packing import PackStep
from gluonic.codegen.products.recurrent_steps import RecurrentStep
from gluonic.codegen.residence import Residence
from gluonic.codegen.rewriting.aliases import find_aliases
from gluonic.codegen.rewriting.passes import Preparation, Prepared
from gluonic.codegen.settled import settled_groups
from gluonic.graph.errors import MXNetError
from gluonic.graph.events import EVENTS
from gluonic.graph.node import Entry, Graph, Node
from gluonic.graph.operator import Array, Run

_MOST_BINDINGS, _MOST_SPECIALIZATIONS = 64, 8


@dataclass
class Segment:
    """Consecutive groups that run as one native call, or one operator that Python runs.

    Attributes
    ----------
    groups : what runs, in order
    native : whether machine code runs it
    number : of the native function
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
    parameters : the variables that seldom change

    Attributes
    ----------
    root : for a relabelled result the one whose memory it shares
    host : for a result the output of the graph in whose memory it lives
    target : for the new value of a state the variable in whose memory it lives
    settled : the groups that run only when a parameter may have changed
    runs : the groups of each native function, those that are settled first
    computed : the outputs that are computed, each once
    positions : where these stand among all outputs
    settling : the positions of the inputs that settled groups read
    residence : which results live in the memory of frames
    is_plain : whether a call is one native call whose results are the outputs, each once
    can_repeat : whether `Frame.repeat` can make it
    frames, idle : all that serve calls, and those that serve none now
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
        self.target = _targets(graph)
        aliases = find_aliases(graph, facts)
        self.root, self.host = aliases.root, aliases.host
        self.fusion = fuse(graph, facts.shapes, lambda node: why_not(node, facts), self.root)
        for group in self.fusion.groups:
            group.step = self._step(group, facts)
        self.settled = self._settled(parameters)
        others = [group for group in self.fusion.groups if group not in self.settled]
        self.groups = [*self.settled, *others]
        self.segments = _segments(others, first=int(bool(self.settled)))
        self._number_slots()
        self.runs = [self.settled] if self.settled else []
        self.runs += [segment.groups for segment in self.segments if segment.native]
        self._facts, self._variant = facts, self._variant_for(facts)
        self._describe_ends(facts)
        self.residence = self._residence(facts)
        self.frames: list[Frame] = []
        self.idle: list[Frame] = []

    @cached_property
    def code(self) -> NativeCode:
        """The machine code."""
        return compile_steps(self.runs, self._facts, self.slot)

    def _step(self, group: Group, facts: Facts) -> Step | None:
        """What machine code does for a group; None if Python runs it."""
        if group.space is None:
            return native_step(group.nodes[0], facts)
        loops = self.fusion.loops
        lowered = GroupLowering(group, loops, facts.shapes, facts.dtypes, self.root).lower()
        nest = LoopNest(group, loops, lowered, self.root)
        if is_long_row(lowered.kernel):
            return LongRowStep(nest, facts)
        fresh = [e for e in self.outputs if e not in self.target and not e.node.is_variable]
        return LoopStep(nest, facts, {self.root.get(e, e) for e in fresh})

    def _settled(self, parameters: Collection[Node]) -> list[Group]:
        """The groups that follow from parameters alone."""
        constant = [node for node in parameters if node.entry() not in self.target.values()]
        pinned = {*self.graph.outputs, *self.host, *self.target}
        return settled_groups(self.fusion.groups, constant, pinned, self.root)

    def _describe_ends(self, facts: Facts) -> None:
        """What calls need to know of inputs and outputs."""
        self.input_entries = [node.entry() for node in self.inputs]
        self.input_dtypes = [facts.dtypes.get(entry) for entry in self.input_entries]
        given = {*self.input_entries, *self.target}
        self.computed = [e for e in dict.fromkeys(self.outputs) if e not in given]
        self.positions = [self.outputs.index(e) for e in self.computed]
        self.result_slots = [(self.slot(e), facts.dtypes[e]) for e in self.computed]
        reads = {self.root.get(entry, entry) for group in self.settled for entry in group.inputs}
        self.settling = frozenset(i for i, e in enumerate(self.input_entries) if e in reads)
        steps = [group.step for run in self.runs for group in run]
        self.has_foreign_steps = any(step.is_foreign for step in steps)
        self.writes_inputs = bool(self.target) or self.has_foreign_steps
        is_native = len(self.segments) == 1 and self.segments[0].native
        self.is_plain = is_native and list(self.outputs) == self.computed
        self.can_repeat = self.is_plain and len(self.computed) == 1 and not self.writes_inputs

    def _residence(self, facts: Facts) -> Residence:
        objects = {entry for entry, dtype in facts.dtypes.items() if dtype.hasobject}
        elsewhere = {*self.input_entries, *self.graph.outputs, *self.host, *self.target, *objects}
        groups = [(group, self.written_by(group)) for group in self.groups]
        return Residence(groups, self.settled, elsewhere, self.root, self.slots)

    def written_by(self, group: Group) -> list[Entry]:
        """The results of a group that lie in memory."""
        return group.outputs if group.space is not None else _all_outputs(group)

    def _number_slots(self) -> None:
        """A slot of the address table for each input, result and workspace."""
        entries: dict[Any, None] = dict.fromkeys(node.entry() for node in self.inputs)
        for group in self.groups:
            written = [e for e in self.written_by(group) if e not in self.target]
            entries.update(dict.fromkeys(written))
            if group.step is not None and group.step.uses_workspace:
                entries[group.step] = None
        shared = {*self.root, *self.target}
        entries.update((e, None) for e in self.outputs if e not in shared)
        self.slots = {entry: number for number, entry in enumerate(entries)}

    def slot(self, entry: Any) -> int:
        """Where the address of a result or a workspace stands."""
        entry = self.root.get(entry, entry)
        return self.slots[self.target.get(entry, entry)]

    def _variant_for(self, facts: Facts) -> Any:
        """What of the facts the machine code depends on, beside what its steps say in `serves`."""
        steps = (g.step for g in self.groups if g.step is not None)
        return tuple(facts.dtypes.values()), tuple(step.variant(facts) for step in steps)

    def serves(self, facts: Facts) -> bool:
        """Whether the machine code is right for these shapes too."""
        if self._variant_for(facts) != self._variant:
            return False
        return all(g.step.serves(facts) for g in self.groups if g.step is not None)

    def bind(self, facts: Facts) -> Binding:
        """Make what goes with one set of shapes."""
        inputs = [facts.shapes.get(entry) for entry in self.input_entries]
        return Binding(self, figures_of(self, facts), inputs, lambda: facts)

    def frame(self, binding: Binding) -> Frame:
        """A frame nobody uses now, or a new one, that serves a binding."""
        try:
            frame = self.idle.pop()
        except IndexError:
            frame = Frame(binding)
            self.frames.append(frame)
        else:
            frame.serve(binding)
        return frame


def _targets(graph: Graph) -> dict[Entry, Entry]:
    """For each new value of a state the variable that it overwrites."""
    found: dict[Entry, Entry] = {}
    for node in graph.nodes:
        if node.application is not None and node.application.op is overwrite:
            state = node.inputs[0]
            found[node.entry()] = found.get(state, state)
    return found


def native_step(node: Node, facts: Facts) -> Step | None:
    """What machine code does for an operator that runs as a whole; None if Python runs it."""
    for kind in _STEPS:
        step: Step | None = kind.of(node, facts)
        if step is not None:
            return step
    return None


_STEPS: tuple[Any, ...] = (
    ProductStep,
    PackStep,
    CopyStep,
    JoinStep,
    BlockStep,
    ConvolutionProductStep,
    PoolingStep,
    RecurrentStep,
    LookupStep,
    PaddingStep,
    ForeignStep,
)


def _all_outputs(group: Group) -> list[Entry]:
    return [node.entry(i) for node in group.nodes for i in range(node.output_count)]


def _segments(groups: Sequence[Group], first: int) -> list[Segment]:
    """The groups divided into native calls, numbered from `first`, and calls of Python."""
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


class CompiledGraph:
    """A graph that compiles itself for the shapes it is called with.

    Parameters
    ----------
    graph : the graph
    inputs : its variables, in the order in which arrays will be given
    parameters : those of them that seldom change, and into which nobody writes without a note
    """

    def __init__(
        self, graph: Graph, inputs: Sequence[Node], parameters: Collection[Node] = ()
    ) -> None:
        self.graph, self.inputs, self.parameters = graph, tuple(inputs), frozenset(parameters)
        self.specializations: list[Specialization] = []
        self.bindings: OrderedDict[Any, Binding] = OrderedDict()
        self._latest: dict[bool, list[Frame]] = {False: [], True: []}
        self._modal = any(
            node.application is not None and node.application.op.run_name for node in graph.nodes
        )
        self._prepared = Preparation(graph, inputs, self.parameters)
        self._lock = threading.RLock()
        self._misses = self._forgotten_hits = 0

    def cache_info(self) -> CacheInfo:
        """How much has been compiled, and how often it was used."""
        with self._lock:
            libraries = [s.code.library for s in self.specializations if s.code.library is not None]
            return CacheInfo(
                len(self.specializations),
                len(self.bindings),
                self._forgotten_hits + sum(f.hits for s in self._held() for f in s.frames),
                self._misses,
                sum(library.size for library in libraries),
                sum(library.from_disk for library in libraries),
            )

    def __call__(
        self, arrays: Sequence[Array], run: Run, into: Sequence[Array | None] | None = None
    ) -> list[Array]:
        """Run the graph; compiles it, if need be. `into` is explained at `Frame.run`."""
        train = self._modal and run.train
        latest = self._latest[train]
        try:
            frame = latest.pop()
        except IndexError:
            frame = self._frame(arrays, train)
        else:
            if not frame.take(arrays):
                frame.specialization.idle.append(frame)
                frame = self._frame(arrays, train)
        call = frame.run_timed if EVENTS.symbolic else frame.run
        results = call(arrays, run, into)
        latest.append(frame)
        return results

    def verified(self, arrays: Sequence[Array], at: int, *, train: bool) -> list[Frame] | None:
        """Note in a frame that it has these arrays, looked up when the latest write was number `at`.

        Returns
        -------
        list or None
            the frames that serve such calls, to take one from and put back; None if they cannot repeat them
        """
        latest = self._latest[self._modal and train]
        try:
            frame = latest.pop()
        except IndexError:
            return None
        if frame.specialization.can_repeat and frame.take(arrays) and frame.is_settled(at):
            frame.verified_at = at
        latest.append(frame)
        return latest if frame.verified_at == at else None

    def _frame(self, arrays: Sequence[Array], train: bool) -> Frame:
        """A frame that has taken the arrays."""
        made = self._misses
        binding = self.binding(arrays, train)
        frame = binding.specialization.frame(binding)
        if self._misses != made:
            frame.hits -= 1  # this call made what it found
        if not frame.take(arrays):
            raise AssertionError("a binding of these very shapes does not take the arrays")
        return frame

    def binding(self, arrays: Sequence[Array], train: bool = False) -> Binding:
        """What serves arrays of such shapes and dtypes."""
        key = (train, *[(a.shape, a.dtype) for a in arrays])
        with self._lock:
            binding = self.bindings.get(key)
            if binding is None:
                binding = self.bindings[key] = self._bind_noted(arrays, train)
                self._misses += 1
                self._forget()
            self.bindings.move_to_end(key)
            return binding

    def _held(self) -> set[Specialization]:
        """All machine code that is kept, or used by a binding that is."""
        return {*self.specializations, *(b.specialization for b in self.bindings.values())}

    def _forget(self) -> None:
        """Keep no more than so many bindings and specializations, those used last."""
        before = self._held()
        while len(self.bindings) > _MOST_BINDINGS:
            self.bindings.popitem(last=False)
        del self.specializations[:-_MOST_SPECIALIZATIONS]
        self._forgotten_hits += sum(f.hits for s in before - self._held() for f in s.frames)

    def _bind_noted(self, arrays: Sequence[Array], train: bool) -> Binding:
        """Do what `_bind` does, and tell the profiler, if it runs."""
        if not EVENTS.symbolic:
            return self._bind(arrays, train)
        with EVENTS.span("compile", "compile", shapes=[list(a.shape) for a in arrays]):
            return self._bind(arrays, train)

    def _bind(self, arrays: Sequence[Array], train: bool) -> Binding:
        """Bind machine code that serves such arrays; what has been used last is looked at first."""
        for prepared, facts in self._prepared.fitting(arrays, train):
            for known in reversed(self.specializations):
                if known.prepared is prepared and known.serves(facts):
                    self.specializations.remove(known)
                    self.specializations.append(known)
                    return known.bind(facts)
        made, facts = self._specialized(arrays, train)
        self.specializations.append(made)
        binding = made.bind(facts)
        dump_if_asked(binding)
        return binding

    def _specialized(self, arrays: Sequence[Array], train: bool) -> tuple[Specialization, Facts]:
        """Machine code for such arrays, if possible for batches of any size; and the facts about them."""
        data = [i for i, node in enumerate(self.inputs) if node not in self.parameters]
        for batch in larger_batches(arrays, data):
            try:
                prepared, facts = self._prepared.of(batch, train)
            except MXNetError:
                continue  # something else than a batch was made larger; the arrays are tried last
            made = Specialization(prepared, self.inputs, facts, self.parameters)
            own = self._prepared.facts_of(prepared, arrays, train)
            if own is not None and made.serves(own):
                return made, own
        prepared, facts = self._prepared.of(arrays, train)
        return Specialization(prepared, self.inputs, facts, self.parameters), facts


__all__ = ["CompiledGraph", "DynamicShapeError", "Specialization"]
