"""The bodies of a fused group's stages: the operators' expressions, evaluated one after the other."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from gluonic.codegen.loops.contraction import products_in_sums, sum_of_product
from gluonic.codegen.loops.costs import is_costly, split_points_of
from gluonic.codegen.loops.fusion import Group
from gluonic.codegen.loops.kernel import Carry, Reduce, Result, Stage, Store
from gluonic.codegen.loops.loop import AxisMap, Loop, element
from gluonic.codegen.loops.parts import parts_of
from gluonic.codegen.loops.semantics import is_selection
from gluonic.codegen.machine.target import host
from gluonic.codegen.maths.elements import as_stored
from gluonic.codegen.maths.values import Bounds, Dtype, arithmetic
from gluonic.graph import Entry, Node

_ENOUGH_REGISTERS = 32
_STORED_AS_COMPUTED = ("float16", "float32", "float64")


class StageBodies:
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
    ) -> None:
        assert group.stages is not None
        self.group, self.loops, self.dtypes, self.roots = group, loops, dtypes, roots
        self.merged, self.reads = merged, reads
        self.domains, self.sweeps = group.stages.domains, group.stages.sweeps
        self.outputs = {e.node: first_output + i for i, e in enumerate(group.outputs)}
        self.products = products_in_sums(group.nodes, self.outputs, self.source, dtypes)
        self.kept: dict[Node, int] = {}
        self.carried: dict[Node, int] = {}
        self.scratch: dict[Node, int] = {}
        self.bounds: dict[Node, Bounds] = {}
        self.scratch_dtypes: list[Dtype] = []
        self.operand_count = first_output + len(self.outputs)

    def stages(self) -> tuple[Stage, ...]:
        """All stages, in order."""
        if self._runs_by_blocks():
            parts = self._parts()
            split_points = [self._split_points(part) for part in parts]
            if len(parts) > 1 or any(split_points):
                numbers = range(len(parts))
                return tuple(s for k in numbers for s in self._part(k, parts, split_points[k]))
        self._keep_costly()
        found: list[Stage] = []
        known = 0
        for number in range(self.sweeps):
            sweep, reduced = self._sweep(number)
            found.append(sweep)
            point = self._point(number, reduced, known)
            known += len(reduced)
            if point is not None:
                found.append(point)
                known += sum(isinstance(result, Carry) for result in point.results)
        return tuple(found)

    def _runs_by_blocks(self) -> bool:
        """Whether the parts of the group run one after the other over blocks of elements.

        An expensive operator computes many elements at once, so where registers are few they hold only its own
        values; and a processor's out-of-order window is limited.
        """
        plain = all(domain.kind == "element" for domain in self.domains.values())
        return self.sweeps == 1 and plain and host().vector_registers < _ENOUGH_REGISTERS

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

    def _split_points(self, part: Sequence[Node]) -> list[Dtype]:
        """The dtypes of the values that cross the split points in a part's operators."""
        found = []
        for node in part:
            found += split_points_of(node.application, self.loops[node], self._dtypes_read(node))
        return found

    def _is_costly(self, node: Node) -> bool:
        return is_costly(node.application, self.loops[node], self._dtypes_read(node))

    def _dtypes_read(self, node: Node) -> list[Dtype]:
        return [self.dtypes[entry] for entry in self._entries_read(node)]

    def _entries_read(self, node: Node) -> list[Entry]:
        """An operator's inputs whose elements, not only shapes, are read."""
        reads = zip(node.inputs, self.loops[node].reads, strict=True)
        return [entry for entry, read in reads if read is not None]

    def _left(self, dtype: Dtype) -> int:
        """Add a scratch array and return its operand index."""
        self.scratch_dtypes.append(arithmetic(dtype))
        return self.operand_count + len(self.scratch_dtypes) - 1

    def _part(
        self, number: int, parts: Sequence[Sequence[Node]], split_points: Sequence[Dtype]
    ) -> list[Stage]:
        """The stages of one part, one more than its split points; what later parts read goes to scratch."""
        own, known = parts[number], dict(self.scratch)
        later = {
            source
            for part in parts[number + 1 :]
            for node in part
            for source in self._sources(node)
        }
        crossing = [self._left(dtype) for dtype in split_points]
        stored = [(node, self.outputs[node]) for node in own if node in self.outputs]
        for node in own:
            if node in later:
                self.scratch[node] = self._left(self.dtypes[node.entry()])
                stored.append((node, self.scratch[node]))

        def body(m: Any, x: Any, r: Any, done: int = len(split_points)) -> list[Any]:
            met: list[Any] = []

            def at_split(value: Any) -> Any:
                met.append(value)
                return x[crossing[len(met) - 1]] if len(met) <= done else value

            with m.cutting(at_split):
                values = _Evaluation(self, m, x, r, 0, {}, kept=known)
                results = [values.of(node) for node, _ in stored]
            self.bounds.update({n: v.bounds for (n, _), v in zip(stored, results, strict=True)})
            return results if done == len(split_points) else [met[done]]

        whole = Stage(body, tuple(Store(operand) for _, operand in stored))
        begun = [
            Stage(partial(body, done=done), (Store(goal),)) for done, goal in enumerate(crossing)
        ]
        return [*begun, whole]

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
        known = dict(self.carried)

        def body(m: Any, x: Any, r: Any) -> list[Any]:
            values = _Evaluation(self, m, x, r, number, known)
            return [values.of(node) for node in wanted]

        return Stage(body, tuple(results)), reduces

    def _point(self, number: int, reduces: Sequence[Node], known: int) -> Stage | None:
        """The stage that computes from reduced values; it finishes them and passes them on."""
        points = self._at("point", number)
        nodes = [*reduces, *points]
        if not nodes:
            return None
        raw = {node: known + i for i, node in enumerate(reduces)}
        before = dict(self.carried)
        stored = [node for node in nodes if node in self.outputs]
        later = [node for node in nodes if self._is_read_after(node, number)]
        first = known + len(reduces)
        self.carried.update({node: first + i for i, node in enumerate(later)})
        results: list[Result] = [Store(self.outputs[node]) for node in stored]
        results += [Carry() for _ in later]

        def body(m: Any, x: Any, r: Any) -> list[Any]:
            values = _Evaluation(self, m, x, r, number, before, raw)
            return [values.of(node) for node in (*stored, *later)]

        return Stage(body, tuple(results), point=True) if results else None

    def _is_read_after(self, node: Node, number: int) -> bool:
        return any(
            self.source(entry) is node
            and (self.domains[reader].kind != "point" or self.domains[reader].stage > number)
            for reader in self.group.nodes
            for entry in reader.inputs
        )


class _Evaluation:
    """The values at one position of one stage, each computed on first use."""

    def __init__(
        self,
        bodies: StageBodies,
        m: Any,
        x: Any,
        r: Any,
        stage: int,
        carried: Mapping[Node, int],
        raw: Mapping[Node, int] | None = None,
        kept: Mapping[Node, int] | None = None,
    ) -> None:
        self.bodies, self.m, self.x, self.r = bodies, m, x, r
        self.stage, self.carried, self.raw = stage, carried, raw or {}
        self.kept = kept or {}
        self.values: dict[Node, Any] = {}

    def of(self, node: Node) -> Any:
        """The value of an operator's result; in a sweep, of a reduction the element to be reduced."""
        if node not in self.values:
            self.values[node] = self._computed(node)
        return self.values[node]

    def _computed(self, node: Node) -> Any:
        bodies = self.bodies
        if node in self.carried:
            return self.r[self.carried[node]]
        if node in self.kept:
            return self.x[self.kept[node]].within(bodies.bounds[node])
        m = _OwnAxes(self.m, self.x, bodies.domains[node].axes, bodies.merged)
        if node in self.raw:
            finish, value = bodies.loops[node].finish, self.r[self.raw[node]]
            return self._stored(node, value if finish is None else finish(m, value))
        if bodies.domains[node].stage < self.stage and node in bodies.kept:
            return self.x[bodies.kept[node]]
        loop = bodies.loops[node]
        value = self._sum_of_product(node)
        if value is None:
            value = loop.expression(m, *self._elements(node))
        return value if loop.reduction is not None else self._stored(node, value)

    def _stored(self, node: Node, value: Any) -> Any:
        """A result as its readers see it: rounded to its dtype, as if it had been in memory."""
        dtypes, loop = self.bodies.dtypes, self.bodies.loops[node]
        dtype, value = dtypes[node.entry()], self.m.asarray(value)
        moves = loop.reduction is None and loop.expression is element
        if (moves or is_selection(node.applied)) and all(dtypes[e] == dtype for e in node.inputs):
            return self.m.astype(value, dtype)
        return as_stored(self.m, value, dtype)

    def _sum_of_product(self, node: Node) -> Any:
        """The sum, if one of its terms is a product that nothing else reads; None otherwise."""
        position = self.bodies.products.get(node)
        if position is None:
            return None
        product = self.bodies.source(node.inputs[position])
        if product in self.carried or product in self.kept:
            return None
        factors = [self._operand(product, k) for k in (0, 1)]
        return sum_of_product(self.m, node, position, factors, self._operand(node, 1 - position))

    def _operand(self, node: Node, position: int) -> Any:
        """An operand of a sum or a product: an element, or a number from an attribute."""
        if position < len(node.inputs):
            return self._element(node, position)
        return node.applied.settings["scalar"]

    def _elements(self, node: Node) -> list[Any]:
        reads = self.bodies.loops[node].reads
        return [self._element(node, k) for k, read in enumerate(reads) if read is not None]

    def _element(self, node: Node, position: int) -> Any:
        number = self.bodies.reads.get((node, position))
        if number is None:
            return self.of(self.bodies.source(node.inputs[position]))
        return self.x[number]


class _OwnAxes:
    """An emitter whose extents and indices are those of the axes of an operator's own loop."""

    def __init__(self, m: Any, x: Any, own: AxisMap, merged: Sequence[Sequence[int]]) -> None:
        self._m, self._x, self._own, self._merged = m, x, own, merged

    def __getattr__(self, name: str) -> Any:
        return getattr(self._m, name)

    def extent(self, axes: Sequence[int]) -> Any:
        """The number of elements along axes of the loop; all or none of a merged group of axes."""
        spaces = [i for i, axis in enumerate(self._own) if axis in axes]
        return self._m.extent([i for i, own in enumerate(self._merged) if set(own) & set(spaces)])

    def index(self, axis: int) -> Any:
        """The index of the position along an axis of the loop."""
        for number, own in enumerate(self._merged):
            if own == (self._own.index(axis),):
                return self._x.index(number)
        return self._m.constant(0, "int64")
