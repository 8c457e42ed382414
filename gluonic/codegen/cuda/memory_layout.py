"""Where the results of a graph on a device are: in a few blocks, which each call allocates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from gluonic.codegen.machine.memory import Lifetimes

_ALIGNMENT = 256
"""That of each result in its block, in bytes."""


class BlockPlace(NamedTuple):
    """An address in a call.

    Attributes
    ----------
    number : that of the input or block, of which all are numbered, the inputs first
    offset : in bytes
    """

    number: int
    offset: int = 0


class MemoryLayout:
    """The blocks of a call. Memory is known by its *slot*, a number.

    What only the graph reads is in one block, in which results that are not alive at the same time may share
    memory. All work of a device runs in one order, so the block may be freed when the work is queued.

    Parameters
    ----------
    given : the number of inputs, whose slots are the first ones
    steps : the slots that each step uses, in the order of execution
    sizes : those of the slots that are allocated, in bytes
    outlasting : slots that outlast the call, in groups that are freed together
    apart : whether each slot gets a block of its own, so that a device can check accesses

    Attributes
    ----------
    places : of each slot
    blocks : the sizes of the blocks, in bytes
    """

    def __init__(
        self,
        given: int,
        steps: Sequence[Sequence[int]],
        sizes: Mapping[int, int],
        outlasting: Sequence[Sequence[int]],
        *,
        apart: bool,
    ) -> None:
        self._given, self._sizes = given, sizes
        self.places = {slot: BlockPlace(slot) for slot in range(given)}
        self.blocks: list[int] = []
        for group in outlasting:
            for together in [[slot] for slot in group] if apart else [group]:
                *starts, last = accumulate(map(self._rounded, together[:-1]), initial=0)
                self._add(together, [*starts, last], last + sizes[together[-1]])
        within = [slot for slot in sizes if slot not in self.places]
        if apart:
            for slot in within:
                self._add([slot], [0], sizes[slot])
        elif within:
            self._share(within, steps)

    def _share(self, within: Sequence[int], steps: Sequence[Sequence[int]]) -> None:
        """Lay out the block of slots that die before the call is over."""
        living, born = set(within), set[int]()
        moves = []
        for used in steps:
            new = [slot for slot in dict.fromkeys(used) if slot in living and slot not in born]
            born.update(new)
            moves.append((used, new))
        lifetimes = Lifetimes(moves, living, {})
        plan = lifetimes.plan([self._rounded(slot) for slot in lifetimes.buffers])
        self._add(lifetimes.buffers, plan.offsets, plan.size)

    def _rounded(self, slot: int) -> int:
        return -(-max(self._sizes[slot], 1) // _ALIGNMENT) * _ALIGNMENT

    def _add(self, slots: Sequence[int], offsets: Sequence[int], size: int) -> None:
        """Add a block with some slots."""
        index = self._given + len(self.blocks)
        self.places.update((s, BlockPlace(index, o)) for s, o in zip(slots, offsets, strict=True))
        self.blocks.append(size)
