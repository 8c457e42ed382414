"""A compiled graph: machine code for its loops, Python calls between them for what is not a loop.

Compiling happens at three speeds. A *specialization* (machine code) serves all shapes of one pattern. A
*binding* (extents, strides, offsets) serves one set of shapes; a new batch size needs only that. A *frame*
(arena and address table) serves one call at a time; concurrent calls have frames of their own.
"""

import ctypes
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gluonic.codegen.facts import DynamicShapeError, Facts, find_facts
from gluonic.codegen.fusion import Fusion, Group, fuse
from gluonic.codegen.lowering import LoweredGroup
from gluonic.codegen.memory import ALIGNMENT, MemoryPlan, plan_memory
from gluonic.codegen.native import NativeCode, compile_groups, why_not
from gluonic.codegen.semantics import loop_of, relabels
from gluonic.graph.interpret import run_node
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
    graph : the graph
    inputs : its variables, in the order of the arrays
    facts : shapes and dtypes to compile for
    """

    def __init__(self, graph: Graph, inputs: Sequence[Node], facts: Facts) -> None:
        self.graph, self.inputs = graph, tuple(inputs)
        self.root = _roots(graph)
        self.fusion = fuse(graph, facts.shapes, lambda node: why_not(node, facts))
        self.groups = [g for g in self.fusion.groups if not _is_alias(g, self.root)]
        self.segments = _segments(self.groups)
        self._number_slots(facts)
        self.code = self._compile(facts)
        self.pattern = self._pattern(facts)

    def _number_slots(self, facts: Facts) -> None:
        """A slot of the address table for each result and input."""
        entries = dict.fromkeys(node.entry() for node in self.inputs)
        for group in self.groups:
            outputs = group.outputs if group.space is not None else _all_outputs(group)
            entries.update(dict.fromkeys(outputs))
        entries.update((e, None) for e in self.graph.outputs if e not in self.root)
        self.slots = {entry: number for number, entry in enumerate(entries)}

    def slot(self, entry: Entry) -> int:
        """Where the address of a result stands."""
        return self.slots[self.root.get(entry, entry)]

    def _compile(self, facts: Facts) -> NativeCode:
        native = [s.groups for s in self.segments if s.native]
        return compile_groups(native, self.fusion, facts, self.slot)

    def _pattern(self, facts: Facts) -> Any:
        """What of the facts the machine code depends on."""
        return (
            tuple(facts.dtypes.values()),
            tuple(tuple(extent == 1 for extent in shape) for shape in facts.shapes.values()),
            self._loops(facts),
        )

    def _loops(self, facts: Facts) -> Any:
        found = []
        for group in self.groups:
            if group.space is None:
                continue
            for node in group.nodes:
                assert node.application is not None
                loop = loop_of(
                    node.application,
                    [facts.shapes[e] for e in node.inputs],
                    [facts.shapes[node.entry()]],
                )
                assert loop is not None
                same_space = loop.space == self._space(group, facts)
                found.append((loop.reads, loop.written, loop.reduction, loop.axes, same_space))
        return tuple(found)

    def _space(self, group: Group, facts: Facts) -> tuple[int, ...]:
        node = group.nodes[0]
        assert node.application is not None
        loop = loop_of(
            node.application, [facts.shapes[e] for e in node.inputs], [facts.shapes[node.entry()]]
        )
        assert loop is not None
        return loop.space

    def fits(self, facts: Facts) -> bool:
        """Whether the machine code serves these shapes too."""
        return bool(self._pattern(facts) == self.pattern)

    def bind(self, facts: Facts) -> "Binding":
        """Make what goes with one set of shapes."""
        return Binding(self, facts)


def _all_outputs(group: Group) -> list[Entry]:
    return [node.entry(i) for node in group.nodes for i in range(node.output_count)]


def _roots(graph: Graph) -> dict[Entry, Entry]:
    """For each relabelled result, the one whose memory it shares; outputs have memory of their own."""
    outputs, root = set(graph.outputs), dict[Entry, Entry]()
    for node in graph.nodes:
        if node.application is not None and relabels(node.application):
            entry = node.entry()
            if entry not in outputs:
                root[entry] = root.get(node.inputs[0], node.inputs[0])
    return root


def _is_alias(group: Group, root: dict[Entry, Entry]) -> bool:
    return group.space is None and group.nodes[0].entry() in root


def _segments(groups: Sequence[Group]) -> list[Segment]:
    segments: list[Segment] = []
    native = 0
    for group in groups:
        if group.space is None:
            segments.append(Segment([group], native=False))
        elif segments and segments[-1].native:
            segments[-1].groups.append(group)
        else:
            segments.append(Segment([group], native=True, number=native))
            native += 1
    return segments


@dataclass
class Frame:
    """What one call at a time works with.

    Attributes
    ----------
    slots : the address table
    arena : the memory of intermediate results
    views : these results as NumPy arrays
    """

    slots: Any
    arena: Array
    views: dict[Entry, Array] = field(default_factory=dict)


class Binding:
    """A specialization for one set of shapes.

    Parameters
    ----------
    specialization : the machine code
    facts : the shapes and dtypes
    """

    def __init__(self, specialization: Specialization, facts: Facts) -> None:
        self.specialization, self.facts = specialization, facts
        self.table = specialization.code.table(facts)
        self.table_address = self.table.ctypes.data
        self.memory = self._plan_memory()
        graph = specialization.graph
        self.outputs = list(dict.fromkeys(graph.outputs))
        self.positions = [self.outputs.index(entry) for entry in graph.outputs]
        self.frames: list[Frame] = []
        self.steps = [self._step(segment) for segment in specialization.segments]
        self._written = {e for g in specialization.groups for e in g.outputs}

    def _plan_memory(self) -> MemoryPlan:
        spec = self.specialization
        kept = {node.entry() for node in spec.inputs} | set(spec.graph.outputs)
        steps, sizes = [], {}
        for group in spec.groups:
            writes = group.outputs if group.space is not None else _all_outputs(group)
            steps.append((group.inputs, writes))
            for entry in writes:
                if entry not in kept and self.facts.dtypes[entry] != object:
                    sizes[entry] = self.facts.bytes_of(entry)
        return plan_memory(steps, sizes, spec.root)

    def _frame(self) -> Frame:
        """A frame nobody uses now, or a new one."""
        try:
            return self.frames.pop()
        except IndexError:
            pass
        size = self.memory.size + ALIGNMENT
        raw = np.empty(size, np.uint8)
        start = -raw.ctypes.data % ALIGNMENT
        arena = raw[start : start + self.memory.size]
        slots = (ctypes.c_size_t * max(len(self.specialization.slots), 1))()
        frame = Frame(slots, arena)
        for entry, place in self.memory.places.items():
            view = arena[place.offset : place.offset + self.facts.bytes_of(entry)]
            frame.views[entry] = view.view(self.facts.dtypes[entry]).reshape(
                self.facts.shapes[entry]
            )
            slots[self.specialization.slots[entry]] = arena.ctypes.data + place.offset
        return frame

    def _step(self, segment: Segment) -> Callable[["Call"], None]:
        if segment.native:
            function = self.specialization.code.functions[segment.number]
            table = self.table_address

            def run_native(call: "Call") -> None:
                function(call.slots_address, table)

            return run_native
        node = segment.groups[0].nodes[0]
        return lambda call: call.run_in_python(node)

    def __call__(self, arrays: Sequence[Array], run: Run) -> list[Array]:
        """Run the graph."""
        frame = self._frame()
        call = Call(self, frame, arrays, run)
        for step in self.steps:
            step(call)
        results = [call.values[entry] for entry in self.outputs]
        self.frames.append(frame)
        if len(results) == len(self.positions):
            return results
        return [results[i].copy() for i in self.positions]


class Call:
    """One run of a binding.

    Attributes
    ----------
    values : inputs, outputs and intermediate results by entry
    """

    def __init__(self, binding: Binding, frame: Frame, arrays: Sequence[Array], run: Run) -> None:
        self.binding, self.run = binding, run
        spec, facts = binding.specialization, binding.facts
        self.values: dict[Entry, Array] = dict(frame.views)
        slots = frame.slots
        for node, array in zip(spec.inputs, arrays, strict=True):
            entry = node.entry()
            if not array.flags.c_contiguous:
                array = np.ascontiguousarray(array)
            self.values[entry] = array
            if array.dtype != object:
                slots[spec.slots[entry]] = array.ctypes.data
        for entry in binding.outputs:
            if entry.node.is_variable:
                self.values[entry] = self.values[entry].copy()
            elif facts.dtypes[entry] != object:
                output = np.empty(facts.shapes[entry], facts.dtypes[entry])
                self.values[entry] = output
                slots[spec.slots[entry]] = output.ctypes.data
        self.slots_address = ctypes.addressof(slots)

    def array(self, entry: Entry) -> Array:
        """A result as a NumPy array."""
        found = self.values.get(entry)
        if found is None:
            root = self.values[self.binding.specialization.root[entry]]
            found = root.reshape(self.binding.facts.shapes[entry])
        return found

    def run_in_python(self, node: Node) -> None:
        """Run an operator's NumPy kernel and put its results in their places."""
        assert node.application is not None
        results = run_node(node.application, [self.array(e) for e in node.inputs], self.run)
        for index, result in enumerate(results):
            entry = node.entry(index)
            place = self.values.get(entry)
            if place is None or place.dtype == object:
                self.values[entry] = result
            else:
                np.copyto(place, result)


class CompiledGraph:
    """A graph that compiles itself for the shapes it is called with.

    Parameters
    ----------
    graph : the graph
    inputs : its variables, in the order in which arrays will be given
    """

    def __init__(self, graph: Graph, inputs: Sequence[Node]) -> None:
        self.graph, self.inputs = graph, tuple(inputs)
        self.specializations: list[Specialization] = []
        self.bindings: OrderedDict[Any, Binding] = OrderedDict()
        self._lock = threading.RLock()

    def __call__(self, arrays: Sequence[Array], run: Run) -> list[Array]:
        """Run the graph; compiles it, if need be."""
        return self.binding(arrays)(arrays, run)

    def binding(self, arrays: Sequence[Array]) -> Binding:
        """What serves arrays of such shapes and dtypes."""
        key = tuple([(a.shape, a.dtype) for a in arrays])
        binding = self.bindings.get(key)
        return self._bind(key, arrays) if binding is None else binding

    def _bind(self, key: Any, arrays: Sequence[Array]) -> Binding:
        facts = find_facts(self.graph, self.inputs, arrays)
        with self._lock:
            if key in self.bindings:
                return self.bindings[key]
            fitting = next((s for s in self.specializations if s.fits(facts)), None)
            if fitting is None:
                fitting = Specialization(self.graph, self.inputs, facts)
                self.specializations.append(fitting)
                del self.specializations[:-_MOST_SPECIALIZATIONS]
            binding = self.bindings[key] = fitting.bind(facts)
            while len(self.bindings) > _MOST_BINDINGS:
                self.bindings.popitem(last=False)
            return binding


__all__ = ["CompiledGraph", "DynamicShapeError", "Fusion", "LoweredGroup"]
