"""The programs of a fused group's stages: those of its operators, one after the other."""

from collections.abc import Mapping, Sequence

from gluonic.codegen.loops.contraction import products_in_sums, sum_of_product
from gluonic.codegen.loops.costs import is_costly
from gluonic.codegen.loops.fusion import Group
from gluonic.codegen.loops.kernel import Carry, Reduce, Result, Stage, Store
from gluonic.codegen.loops.loop import AxisMap, Loop, element
from gluonic.codegen.loops.parts import parts_of
from gluonic.codegen.loops.semantics import is_selection
from gluonic.codegen.machine.target import Target
from gluonic.codegen.maths.values import INT64, Dtype, Operand, Value, arithmetic
from gluonic.codegen.scalar.program import ScalarProgram, cut_in_halves, part_between
from gluonic.codegen.scalar.recorder import Recorder
from gluonic.graph import Entry, Node

_ENOUGH_REGISTERS = 32
_STORED_AS_COMPUTED = ("float16", "bfloat16", "float32", "float64")


class StagePrograms:
    """The stages of a kernel for a group.

    A sweep that needs a value of an earlier sweep recomputes it, which costs less than storing it. Expensive
    values (an exponential) are stored meanwhile, in the memory of a later result.

    Parameters
    ----------
    group : the operators
    loops : their loops
    dtypes : of all entries
    roots : for a reshaped result, the result whose memory it shares
    merged : for each axis of the kernel, the axes of the group's space merged into it
    reads : for each input of an operator read from memory, the index of its operand
    first_output : the index of the first output's operand
    target : the processor
    """

    def __init__(
        self,
        group: Group,
        loops: Mapping[Node, Loop],
        dtypes: Mapping[Entry, Dtype],
        roots: Mapping[Entry, Entry],
        merged: Sequence[Sequence[int]],
        reads: Mapping[tuple[Node, int], int],
        first_output: int,
        target: Target,
    ) -> None:
        assert group.stages is not None
        self.group, self.loops, self.dtypes, self.roots = group, loops, dtypes, roots
        self.target = target
        self.merged, self.reads = merged, reads
        self.domains, self.sweeps = group.stages.domains, group.stages.sweeps
        self.outputs = {e.node: first_output + i for i, e in enumerate(group.outputs)}
        self.products = products_in_sums(group.nodes, self.outputs, self.source, dtypes)
        self.kept: dict[Node, int] = {}
        self.carried: dict[Node, int] = {}
        self.scratch: dict[Node, int] = {}
        self.scratch_dtypes: list[Dtype] = []
        self.left: list[Dtype] = []
        self.operand_count = first_output + len(self.outputs)

    def stages(self) -> tuple[Stage, ...]:
        """All stages, in order."""
        if self._runs_by_blocks():
            parts = self._parts()
            if len(parts) > 1 or any(map(self._can_be_cut, parts)):
                return tuple(stage for k in range(len(parts)) for stage in self._part(k, parts))
        self._keep_costly()
        found: list[Stage] = []
        for number in range(self.sweeps):
            sweep, reduced = self._sweep(number)
            point = self._point(number, reduced)
            found += [sweep] if point is None else [sweep, point]
        return tuple(found)

    def _runs_by_blocks(self) -> bool:
        """Whether the parts of the group run one after the other over blocks of elements.

        An expensive operator computes many elements at once, so where registers are few they hold only its own
        values; and a processor's out-of-order window is limited.
        """
        plain = all(domain.kind == "element" for domain in self.domains.values())
        return self.sweeps == 1 and plain and self.target.vector_registers < _ENOUGH_REGISTERS

    def _parts(self) -> list[list[Node]]:
        """The operators whose elements are read, cut before each further expensive one."""
        read, sources = set(self.outputs), {}
        for node in reversed(self.group.nodes):
            if node in read:
                sources[node] = self._sources(node)
                read.update(sources[node])
        return parts_of(
            [node for node in self.group.nodes if node in read],
            sources,
            self._is_costly,
            lambda node: arithmetic(self.dtypes[node.entry()]).itemsize,
        )

    def source(self, entry: Entry) -> Node:
        """The operator that computes an entry."""
        return self.roots.get(entry, entry).node

    def _sources(self, node: Node) -> list[Node]:
        """The operators of the group whose elements, not only shapes, the given one reads."""
        found = dict.fromkeys(map(self.source, self._entries_read(node)))
        return [source for source in found if source in self.domains]

    def _can_be_cut(self, part: Sequence[Node]) -> bool:
        """Whether one of a part's operators can be cut in halves."""
        programs = [self.loops[node].program(self._dtypes_read(node)) for node in part]
        return any(cut_in_halves(program, self.target)[1] for program in programs)

    def _is_costly(self, node: Node) -> bool:
        return is_costly(self.loops[node], self._dtypes_read(node))

    def _dtypes_read(self, node: Node) -> list[Dtype]:
        return [self.dtypes[entry] for entry in self._entries_read(node)]

    def _entries_read(self, node: Node) -> list[Entry]:
        """An operator's inputs whose elements, not only shapes, are read."""
        reads = zip(node.inputs, self.loops[node].reads, strict=True)
        return [entry for entry, read in reads if read is not None]

    def _scratch(self, dtype: Dtype) -> int:
        """Add a scratch array and return its operand index."""
        self.scratch_dtypes.append(arithmetic(dtype))
        return self.operand_count + len(self.scratch_dtypes) - 1

    def _part(self, number: int, parts: Sequence[Sequence[Node]]) -> list[Stage]:
        """The stages of one part, one more than its cuts; what later parts read goes to scratch."""
        own = parts[number]
        later = {
            source
            for part in parts[number + 1 :]
            for node in part
            for source in self._sources(node)
        }
        stored = [node for node in own if node in self.outputs]
        left = [node for node in own if node in later]
        values = _StageRecorder(self, 0, kept=dict(self.scratch))
        program, crossing = cut_in_halves(values.program([*stored, *left]), self.target)
        goals = [self._scratch(dtype) for dtype, _ in crossing]
        self.scratch.update({node: self._scratch(self.dtypes[node.entry()]) for node in left})
        operands = [
            *(self.outputs[node] for node in stored),
            *(self.scratch[node] for node in left),
        ]
        stages = [
            Stage(part_between(program, crossing[:done], goals, [end]), (Store(goal),))
            for done, (end, goal) in enumerate(zip(crossing, goals, strict=True))
        ]
        whole = part_between(program, crossing, goals, program.results)
        return [*stages, Stage(whole, tuple(map(Store, operands)))]

    def written_once(self) -> list[int]:
        """The operands that are written once and never read; known after `stages`."""
        elements = [node for node in self.outputs if self.domains[node].kind == "element"]
        kept = set(self.kept.values())
        return [self.outputs[node] for node in elements if self.outputs[node] not in kept]

    def _at(self, kind: str, stage: int) -> list[Node]:
        return [
            node
            for node in self.group.nodes
            if self.domains[node].kind == kind and self.domains[node].stage == stage
        ]

    def _keep_costly(self) -> None:
        """Find memory for expensive values that a later sweep needs again."""
        lenders = [n for n in self.outputs if self.domains[n].kind == "element"]
        for node, last in self._needed_later():
            if node in self.outputs:
                self.kept[node] = self.outputs[node]
                continue
            lender = next((n for n in lenders if self._can_lend(n, node, last)), None)
            if lender is not None:
                lenders.remove(lender)
                self.kept[node] = self.outputs[lender]

    def _can_lend(self, lender: Node, node: Node, last: int) -> bool:
        fits = self.domains[node].stage < self.domains[lender].stage >= last
        return fits and self.dtypes[lender.entry()] == self.dtypes[node.entry()]

    def _needed_later(self) -> list[tuple[Node, int]]:
        """Operators whose expensive elements a later sweep reads, each with the last sweep that reads them.

        A sweep also reads the inputs of elements of earlier sweeps that it recomputes.
        """
        last: dict[Node, int] = {}
        for node in reversed(self.group.nodes):
            stage = max(self.domains[node].stage, last.get(node, 0))
            for entry in node.inputs:
                source = self.source(entry)
                if source in self.domains and self.domains[source].kind == "element":
                    last[source] = max(last.get(source, 0), stage)
        return [
            (node, stage)
            for node, stage in last.items()
            if stage > self.domains[node].stage
            and self.dtypes[node.entry()].name in _STORED_AS_COMPUTED
            and self._is_costly(node)
        ]

    def _sweep(self, number: int) -> tuple[Stage, list[Node]]:
        """A pass over the reduced axes, and the operators that it reduces."""
        reduces = self._at("reduce", number)
        elements = self._at("element", number)
        stored = [
            (node, operand)
            for node in elements
            for operand in dict.fromkeys(
                o for o in (self.outputs.get(node), self.kept.get(node)) if o is not None
            )
        ]
        results: list[Result] = [Store(operand) for _, operand in stored]
        results += [Reduce(self.loops[node].reduction) for node in reduces]  # type: ignore[arg-type]
        wanted = [*(node for node, _ in stored), *reduces]
        program = _StageRecorder(self, number, self.carried).program(wanted)
        self.left += program.dtypes[len(stored) :]
        return Stage(program, tuple(results)), reduces

    def _point(self, number: int, reduces: Sequence[Node]) -> Stage | None:
        """The stage that computes from reduced values; it finishes them and passes them on."""
        points = self._at("point", number)
        nodes = [*reduces, *points]
        if not nodes:
            return None
        first = len(self.left)
        raw = {node: first - len(reduces) + i for i, node in enumerate(reduces)}
        before = dict(self.carried)
        stored = [node for node in nodes if node in self.outputs]
        later = [node for node in nodes if self._is_read_after(node, number)]
        self.carried.update({node: first + i for i, node in enumerate(later)})
        results: list[Result] = [Store(self.outputs[node]) for node in stored]
        results += [Carry() for _ in later]
        if not results:
            return None
        program = _StageRecorder(self, number, before, raw).program([*stored, *later])
        self.left += program.dtypes[len(stored) :]
        return Stage(program, tuple(results), point=True)

    def _is_read_after(self, node: Node, number: int) -> bool:
        return any(
            self.source(entry) is node
            and (self.domains[reader].kind != "point" or self.domains[reader].stage > number)
            for reader in self.group.nodes
            for entry in reader.inputs
        )


class _StageRecorder:
    """The values at one position of one stage, each recorded on first use.

    Parameters
    ----------
    stage : the number of its sweep
    carried, raw : the operators whose results, or reduced elements, earlier stages left: the values' numbers
    kept : the operators whose results are in scratch: the operands' numbers
    """

    def __init__(
        self,
        bodies: StagePrograms,
        stage: int,
        carried: Mapping[Node, int] | None = None,
        raw: Mapping[Node, int] | None = None,
        kept: Mapping[Node, int] | None = None,
    ) -> None:
        self.bodies, self.m, self.stage = bodies, Recorder(), stage
        self.carried, self.raw, self.kept = carried or {}, raw or {}, kept or {}
        self.values: dict[Node, Value] = {}
        self.elements: dict[int, Value] = {}

    def program(self, nodes: Sequence[Node]) -> ScalarProgram:
        """What computes some operators' results; in a sweep, of a reduction the element to be reduced."""
        return self.m.program([self._of(node) for node in nodes])

    def _of(self, node: Node) -> Value:
        if node not in self.values:
            self.values[node] = self._computed(node)
        return self.values[node]

    def _computed(self, node: Node) -> Value:
        bodies = self.bodies
        if node in self.carried:
            return self._left(self.carried[node])
        if node in self.kept:
            return self._read(self.kept[node], bodies.dtypes[node.entry()])
        if node in self.raw:
            return self._finished(node, self._left(self.raw[node]))
        if bodies.domains[node].stage < self.stage and node in bodies.kept:
            return self._read(bodies.kept[node], bodies.dtypes[node.entry()])
        value = self._sum_of_product(node)
        if value is None:
            elements = self._elements(node)
            value = self._included(node, bodies.loops[node].program(_dtypes(elements)), elements)
        return value if bodies.loops[node].reduction is not None else self._stored(node, value)

    def _finished(self, node: Node, value: Value) -> Value:
        program = self.bodies.loops[node].finishing(value.dtype)
        return self._stored(node, self._included(node, program, [value]) if program else value)

    def _included(self, node: Node, program: ScalarProgram, elements: Sequence[Value]) -> Value:
        bodies = self.bodies
        place = _OwnAxes(self.m, bodies.domains[node].axes, bodies.merged)
        return self.m.include(program, elements, place)

    def _left(self, number: int) -> Value:
        return self.m.left(number, self.bodies.left[number])

    def _stored(self, node: Node, value: Value) -> Value:
        """A result as its readers see it: rounded to its dtype, as if it had been in memory."""
        dtypes, loop = self.bodies.dtypes, self.bodies.loops[node]
        dtype = dtypes[node.entry()]
        moves = loop.reduction is None and loop.expression is element
        if (moves or is_selection(node.applied)) and all(dtypes[e] == dtype for e in node.inputs):
            return self.m.astype(value, dtype)
        return self.m.as_stored(value, dtype)

    def _sum_of_product(self, node: Node) -> Value | None:
        """The sum, if one of its terms is a product that nothing else reads; None otherwise."""
        position = self.bodies.products.get(node)
        if position is None:
            return None
        product = self.bodies.source(node.inputs[position])
        if product in self.carried or product in self.kept:
            return None
        factors = [self._operand(product, k) for k in (0, 1)]
        return sum_of_product(self.m, node, position, factors, self._operand(node, 1 - position))

    def _operand(self, node: Node, position: int) -> Operand:
        """An operand of a sum or a product: an element, or a number from an attribute."""
        if position < len(node.inputs):
            return self._element(node, position)
        number: float = node.applied.settings["scalar"]
        return number

    def _elements(self, node: Node) -> list[Value]:
        reads = self.bodies.loops[node].reads
        return [self._element(node, k) for k, read in enumerate(reads) if read is not None]

    def _element(self, node: Node, position: int) -> Value:
        entry, number = node.inputs[position], self.bodies.reads.get((node, position))
        if number is None:
            return self._of(self.bodies.source(entry))
        return self._read(number, self.bodies.dtypes[entry])

    def _read(self, number: int, dtype: Dtype) -> Value:
        if number not in self.elements:
            self.elements[number] = self.m.element(number, dtype)
        return self.elements[number]


class _OwnAxes:
    """The extents and indices of the axes of an operator's own loop."""

    def __init__(self, m: Recorder, own: AxisMap, merged: Sequence[Sequence[int]]) -> None:
        self._m, self._own, self._merged = m, own, merged

    def extent(self, axes: Sequence[int]) -> Value:
        """The number of elements along axes of the loop; all or none of a merged group of axes."""
        spaces = [i for i, axis in enumerate(self._own) if axis in axes]
        return self._m.extent([i for i, own in enumerate(self._merged) if set(own) & set(spaces)])

    def index(self, axis: int) -> Value:
        """The index of the position along an axis of the loop."""
        for number, own in enumerate(self._merged):
            if own == (self._own.index(axis),):
                return self._m.index(number)
        return self._m.constant(0, INT64)


def _dtypes(values: Sequence[Value]) -> tuple[Dtype, ...]:
    return tuple([value.dtype for value in values])
