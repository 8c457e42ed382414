"""Which loops are computed where the results of products are stored.

A loop can be if it reduces nothing, if all that it writes lies in memory as the product's result does, and if
each operand that it reads does, too, or has a number for each row of the product, or for each column. Numbers
for rows that a loop of their own computes (the scale of a batch norm) are computed there, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import TypeAlias

from gluonic.codegen.cuda.loop_steps import DeviceLoopStep
from gluonic.codegen.cuda.tails.form import Place, Tail, TailRead, include
from gluonic.codegen.cuda.tails.steps import ResultPlaces, TailedStep
from gluonic.codegen.loops.fusion import Group
from gluonic.codegen.loops.kernel import Store
from gluonic.codegen.scalar.program import ProgramBuilder, Ref, ScalarProgram
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph import Entry
from gluonic.support.record import record

_Reads: TypeAlias = dict[tuple[Entry, Place | None], int]
"""Operands with places, and their numbers in the program of a tail."""
_MOST_INSTRUCTIONS, _MOST_READS = 96, 16
"""The longest program, and the most operands, of a tail."""


@record
class _Loop:
    """A loop that reduces nothing, with one program.

    Attributes
    ----------
    program : what it computes of the elements of its operands
    extents : those of its axes
    strides : for each operand, in elements along these axes
    entries : the operands
    writes : those that are written, one for each result
    """

    program: ScalarProgram
    extents: Sequence[int]
    strides: Sequence[Sequence[int]]
    entries: Sequence[Entry]
    writes: Sequence[int]

    @classmethod
    def of(cls, step: DeviceLoopStep, facts: Facts) -> _Loop | None:
        """A step as such a loop; None for others."""
        kernel = step.kernel
        if kernel.reduced or kernel.scratch or len(kernel.stages) != 1 or step.displaced:
            return None
        (stage,) = kernel.stages
        stores = [result.operand for result in stage.results if isinstance(result, Store)]
        leaves = {name for name, _, _ in stage.program.instructions} & {"index", "extent", "value"}
        if len(stores) < len(stage.results) or leaves:
            return None
        extents, strides = step.host.sizes(facts)
        in_elements = [
            [0 if extent == 1 else stride // facts.dtypes[entry].itemsize
             for extent, stride in zip(extents, own, strict=True)]
            for entry, own in zip(step.operands, strides, strict=True)
        ]  # fmt: skip
        return cls(stage.program, extents, in_elements, step.operands, stores)

    @property
    def whole(self) -> list[int]:
        """The strides of an array that the loop goes through in order."""
        return [
            0 if extent == 1 else prod(self.extents[i + 1 :])
            for i, extent in enumerate(self.extents)
        ]

    def place(self, number: int, places: ResultPlaces) -> Place | None:
        """Where an operand's element is, relative to that of a result; None if it is elsewhere."""
        strides, whole = self.strides[number], self.whole
        if list(strides) == whole:
            return "element"
        moving = [i for i, stride in enumerate(strides) if stride]
        if not moving:
            return "all"
        if len(moving) > 1 or strides[moving[0]] != 1:
            return None
        extent, step = self.extents[moving[0]], whole[moving[0]]
        if (extent, step) == (places.rows, places.row_step):
            return "row"
        return "column" if (extent, step) == (places.columns, 1) else None


class _Merger:
    """The program of a tail while it is put together.

    Attributes
    ----------
    reads : the operands, with their places, and their numbers in the program; None for a place that there isn't
    moved, known : for operands of the loop, their numbers in the program, or what computes their elements
    """

    def __init__(self) -> None:
        self._builder, self.reads = ProgramBuilder(), _Reads()
        self.moved, self.known = dict[int, int](), dict[int, Ref]()

    def read(self, entry: Entry, place: Place | None) -> int:
        """The number of an operand."""
        return self.reads.setdefault((entry, place), len(self.reads) + 1)

    def include(self, number: int, loop: _Loop, place: Place | None) -> None:
        """Compute the elements of an operand as a loop does, which reads at its place, or single numbers."""
        numbers = {
            k: self.read(loop.entries[k], place if any(loop.strides[k]) else "all")
            for k in _read(loop.program)
        }
        ((_, self.known[number]),) = include(self._builder, loop.program, {}, numbers)

    def tail(self, program: ScalarProgram, writes: Sequence[Entry], facts: Facts) -> Tail:
        """The tail that computes a loop's program."""
        results = include(self._builder, program, self.known, self.moved)
        reads = [TailRead(facts.dtypes[entry], place) for entry, place in self.reads if place]
        dtypes = tuple([facts.dtypes[entry] for entry in writes])
        return Tail(self._builder.program(results), tuple(reads), dtypes)


class TailJoining:
    """Joins loops to the products whose results they read.

    Parameters
    ----------
    groups : of a graph, in order
    outputs : of the graph
    roots : for a reshaped result, the result whose memory it shares
    targets : for a result that is written to a variable, the variable
    product : the step of a group that may be a product
    loop : the step of a group that is a loop
    facts : shapes and dtypes
    """

    def __init__(
        self,
        groups: Sequence[Group],
        outputs: Sequence[Entry],
        roots: Mapping[Entry, Entry],
        targets: Mapping[Entry, Entry],
        product: Callable[[Group], object],
        loop: Callable[[Group], DeviceLoopStep],
        facts: Facts,
    ) -> None:
        self._groups, self._roots, self._targets = groups, roots, targets
        self._product, self._loop, self._facts = product, loop, facts
        self._kept = frozenset([*map(self._root, outputs), *targets])
        self._order = {group: i for i, group in enumerate(groups)}
        self._readers: dict[Entry, list[Group]] = {}
        self._producer: dict[Entry, Group] = {}
        for group in groups:
            for entry in dict.fromkeys(map(self._root, group.inputs)):
                self._readers.setdefault(entry, []).append(group)
            for node in group.nodes:
                self._producer.update((node.entry(i), group) for i in range(node.output_count))
        self._gone: set[Group] = set()
        self._tails: set[Group] = set()

    def groups(self) -> list[Group]:
        """The groups, in order; those that have a step are complete."""
        joined = {group: self._joined(group) for group in self._groups}
        return [joined[group] for group in self._groups if group not in self._gone]

    def _root(self, entry: Entry) -> Entry:
        return self._roots.get(entry, entry)

    def _home(self, entry: Entry) -> Entry:
        root = self._root(entry)
        return self._targets.get(root, root)

    def _joined(self, group: Group) -> Group:
        """A group, with a product that it reads if it can be its tail."""
        if group.stages is None or group.stages.reduced:
            return group
        read = (self._producer.get(self._root(entry)) for entry in group.inputs)
        products = {p for p in read if p is not None and p.stages is None and p not in self._gone}
        for product in sorted(products, key=self._order.__getitem__, reverse=True):
            step = self._product(product)
            if isinstance(step, TailedStep):
                group.step = group.step or self._loop(group)
                whole = self._with(product, step, group)
                if whole is not None:
                    return whole
        return group

    def _with(self, product: Group, step: TailedStep, group: Group) -> Group | None:
        """A loop as the tail of a product; None if it can't be."""
        loop, (result,) = _Loop.of(group.step, self._facts), step.outputs
        others = [reader for reader in self._readers[result] if reader is not group]
        if loop is None or prod(loop.extents) != prod(self._facts.shapes[result]):
            return None
        if any(self._order[reader] < self._order[group] for reader in others):
            return None
        places = step.places(self._facts)
        if any(loop.place(number, places) != "element" for number in loop.writes):
            return None
        merger = _Merger()
        inner = [
            self._include(merger, loop, number, places, result, group)
            for number in _read(loop.program)
        ]
        reads = merger.reads
        if any(place is None for _, place in reads) or len(reads) > _MOST_READS:
            return None
        scales = [source for source in inner if source is not None]
        if not self._is_safe([product, *scales], step, reads, group):
            return None
        writes = [loop.entries[number] for number in loop.writes]
        tail = merger.tail(loop.program, writes, self._facts)
        if len(tail.program.instructions) > _MOST_INSTRUCTIONS:
            return None
        is_kept = bool(others) or result in self._kept
        step.extend(tail, [entry for entry, _ in reads], writes, is_kept=is_kept)
        self._gone.update((product, *scales))
        self._tails.add(group)
        whole = Group([node for one in (product, *scales, group) for node in one.nodes], None)
        whole.step = step
        return whole

    def _include(
        self,
        merger: _Merger,
        loop: _Loop,
        number: int,
        places: ResultPlaces,
        result: Entry,
        reader: Group,
    ) -> Group | None:
        """Give a merger what a loop reads of an operand; return the loop that computes it if it is included."""
        entry, place = loop.entries[number], loop.place(number, places)
        if self._root(entry) == result:
            merger.moved[number] = 0 if place == "element" else merger.read(entry, None)
            return None
        scale = self._scale(entry, place, places, reader)
        if scale is None:
            merger.moved[number] = merger.read(entry, place)
            return None
        source, own = scale
        merger.include(number, own, place)
        return source

    def _scale(
        self, entry: Entry, place: Place | None, places: ResultPlaces, reader: Group
    ) -> tuple[Group, _Loop] | None:
        """The loop that computes numbers for rows or columns, if the reader of a product is its only one."""
        root = self._root(entry)
        source = self._producer.get(root)
        counts = {"row": places.rows, "column": places.columns}
        if (
            source is None
            or source.stages is None
            or source.stages.reduced
            or source in self._tails
        ):
            return None
        if place not in counts or root in self._kept or self._readers[root] != [reader]:
            return None
        source.step = source.step or self._loop(source)
        loop = _Loop.of(source.step, self._facts)
        if loop is None or len(loop.writes) > 1 or prod(loop.extents) != counts[place]:
            return None
        strides = [list(loop.strides[number]) for number in (*loop.writes, *_read(loop.program))]
        is_simple = all(own == loop.whole or not any(own) for own in strides)
        return (source, loop) if is_simple and strides[0] == loop.whole else None

    def _is_safe(
        self, moved: Sequence[Group], step: TailedStep, reads: _Reads, last: Group
    ) -> bool:
        """Whether nothing that moved groups read is overwritten before the last one, or by it elsewhere."""
        fixed = {*map(self._home, step.operands)}
        fixed |= {self._home(entry) for entry, place in reads if place != "element"}
        every = fixed | {self._home(entry) for entry, _ in reads}
        begin = min(self._order[group] for group in moved) + 1
        for group in self._groups[begin : self._order[last] + 1]:
            listed = fixed if group is last else every
            for node in group.nodes:
                for i in range(node.output_count):
                    if self._targets.get(self._root(node.entry(i))) in listed:
                        return False
        return True


def _read(program: ScalarProgram) -> list[int]:
    """The operands that a program reads, in order."""
    read = (int(refs[0]) for name, _, refs in program.instructions if name == "element")
    return list(dict.fromkeys(read))
