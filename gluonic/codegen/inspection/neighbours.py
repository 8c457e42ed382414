"""Why steps that pass arrays to each other were not fused, in sentences."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gluonic.codegen.data_movement.row_steps import PickStep
from gluonic.codegen.data_movement.transposition_steps import TranspositionStep
from gluonic.codegen.loops.fusion import MOST_ARRAYS, MOST_NODES
from gluonic.graph import Entry
from gluonic.graph.attributes import Shape
from gluonic.graph.view import written

if TYPE_CHECKING:
    from gluonic.codegen.loops.fusion import Group
    from gluonic.codegen.runtime.binding import Binding


def space_of(group: "Group", binding: "Binding") -> Shape | None:
    """The iteration space of a group for these shapes; None for a group that is not a loop over elements.

    A batch of one is compiled as if it were larger.
    """
    if group.space is None:
        return None
    compiled = binding.specialization.facts.shapes
    for node in group.nodes:
        outputs = (node.entry(i) for i in range(node.output_count))
        for entry in (*outputs, *node.inputs):
            if compiled[entry] == group.space:
                return binding.facts.shapes[entry]
    return group.space


class Neighbours:
    """The steps of a compiled graph, with the results that they read from each other.

    Parameters
    ----------
    binding : the binding for the shapes
    names : for each step, its name for the user
    """

    def __init__(self, binding: "Binding", names: Sequence[str]) -> None:
        self._binding, self._names = binding, names
        spec = binding.specialization
        self._groups, self._root, self._prepacked = spec.groups, spec.root, set(spec.prepacked)
        self._maker: dict[Entry, int] = {}
        self._readers: dict[int, set[int]] = {}
        self._before: list[set[int]] = []
        for number, group in enumerate(self._groups):
            read = {self._root.get(e, e) for e in group.inputs}
            before = {self._maker[entry] for entry in read if entry in self._maker}
            self._before.append(before)
            for earlier in before:
                self._readers.setdefault(earlier, set()).add(number)
            for node in group.nodes:
                made = (node.entry(i) for i in range(node.output_count))
                self._maker.update(dict.fromkeys(made, number))

    def apart(self, number: int) -> tuple[tuple[int, str], ...]:
        """For each step that one reads from, except prepacked ones: why the two were not fused."""
        return tuple(
            (earlier, self._why(earlier, number))
            for earlier in sorted(self._before[number])
            if self._groups[earlier] not in self._prepacked
        )

    def _why(self, a: int, b: int) -> str:
        first, second = self._groups[a], self._groups[b]
        for number, group in ((a, first), (b, second)):
            if not group.is_native:
                return f"Python runs {self._names[number]}."
        if first.stages is None or second.stages is None:
            return self._why_whole(a, b)
        for number, group in ((a, first), (b, second)):
            if isinstance(group.step, PickStep):
                return (
                    f"{self._names[number]} reads one element of each row in place; "
                    "a shared loop would read all of them."
                )
            if isinstance(group.step, TranspositionStep):
                return (
                    f"{self._names[number]} moves the last axis, "
                    "in square blocks, with a loop of its own."
                )
        return self._why_loops(a, b)

    def _why_whole(self, a: int, b: int) -> str:
        """Why two steps were not fused, at least one of which is not a loop over elements."""
        first, second = self._groups[a], self._groups[b]
        if first.stages is not None:
            return (
                f"{self._names[b]} is no loop over elements: "
                f"what it reads of {self._names[a]} is in memory before it begins."
            )
        if second.stages is None:
            return (
                f"Neither is a loop over elements: {self._names[a]} "
                f"is finished when {self._names[b]} begins."
            )
        if len(self._readers[a]) > 1:
            return (
                f"{len(self._readers[a])} steps read what {self._names[a]} computes, "
                "so it is written to memory, and each reads it there."
            )
        if second.stages.reduced:
            return (
                f"{self._names[a]} could take in only what follows element by element; "
                f"{self._names[b]} reduces axes."
            )
        return (
            f"{self._names[a]} is no loop over elements: "
            f"its result is in memory before {self._names[b]} begins."
        )

    def _why_loops(self, a: int, b: int) -> str:
        first, second = self._groups[a], self._groups[b]
        if len(first.nodes) + len(second.nodes) > MOST_NODES:
            return f"A loop has at most {MOST_NODES} operators."
        made = {node.entry(i) for node in first.nodes for i in range(node.output_count)}
        if len({*first.inputs, *second.inputs} - made) > MOST_ARRAYS:
            return f"A loop reads at most {MOST_ARRAYS} arrays."
        between = self._between(a, b)
        if between is not None:
            return f"{self._names[between]} comes between: it reads the one, the other reads it."
        assert first.stages is not None
        assert second.stages is not None
        if first.stages.space != second.stages.space:
            return f"They run over different elements: {self._over(a)} and {self._over(b)}."
        if first.stages.reduced and second.stages.reduced != first.stages.reduced:
            axes = [
                ", ".join(map(str, sorted(group.stages.reduced))) or "none"
                for group in (first, second)
                if group.stages is not None
            ]
            return f"They reduce other axes of {self._over(a)}: {axes[0]}, and {axes[1]}."
        return (
            f"{self._names[b]} reads elements of {self._names[a]} "
            "other than the one that is computed at the same index."
        )

    def _over(self, number: int) -> str:
        return written(space_of(self._groups[number], self._binding) or ())

    def _between(self, a: int, b: int) -> int | None:
        """A step that depends on the one, directly or not, and that the other depends on."""
        after = {a}
        for number in range(a + 1, b):
            if self._before[number] & after:
                after.add(number)
        found = sorted(after & self._before[b] - {a})
        return found[0] if found else None
