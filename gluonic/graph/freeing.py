"""The order of steps in which few results are alive at once."""

from collections.abc import Container, Sequence
from itertools import pairwise

_FEW = 8
"""The number of results alive at once that no other order is sought for."""
_LESS = 0.8
"""The largest ratio of the results alive at once for which steps run in another order."""


def is_crowded(reads: Sequence[Sequence[int]], kept: Container[int]) -> bool:
    """Whether so many results are alive at once that another order may be worth its search.

    Parameters
    ----------
    reads, kept : see `freeing_order`
    """
    return _most_alive(reads, kept) > _FEW


def freeing_order(
    reads: Sequence[Sequence[int]],
    outputs: Sequence[int],
    kept: Container[int],
    in_turn: Sequence[int],
) -> list[int] | None:
    """An order of steps in which far fewer results are alive at once; None if none was found.

    A step's longest chain of inputs is computed first: in ``s = f(x) + s``, repeated, each `f(x)` is then
    computed when it is added. Depth first from the left, all of them would be computed before the first sum.

    Parameters
    ----------
    reads : for each step, in a valid order, the steps whose results it reads
    outputs : the steps whose results are the outputs; they are finished in this order
    kept : the steps whose results are not freed: outputs and inputs
    in_turn : steps that must stay in this, their present order
    """
    found = _longest_first(reads, outputs, in_turn)
    places = {step: place for place, step in enumerate(found)}
    moved = [[places[read] for read in reads[step]] for step in found]
    still_kept = {place for step, place in places.items() if step in kept}
    fewer = _most_alive(moved, still_kept) <= _LESS * _most_alive(reads, kept)
    return found if fewer else None


def _most_alive(reads: Sequence[Sequence[int]], kept: Container[int]) -> int:
    """The largest number of results that are alive at once; those that are kept are not counted."""
    last = [*range(len(reads))]
    for step, read in enumerate(reads):
        for one in read:
            last[one] = step
    dying = [0] * len(reads)
    for step, end in enumerate(last):
        if step not in kept:
            dying[end] += 1
    alive = most = 0
    for step in range(len(reads)):
        alive += step not in kept
        most = max(most, alive)
        alive -= dying[step]
    return most


def _longest_first(
    reads: Sequence[Sequence[int]], outputs: Sequence[int], in_turn: Sequence[int]
) -> list[int]:
    """All steps, depth first; of the steps that one reads, the one with the longest chain is first."""
    depths: list[int] = []
    for read in reads:
        depths.append(max([depths[one] + 1 for one in read], default=0))
    before = {later: earlier for earlier, later in pairwise(in_turn)}
    stack = [*reversed(outputs)]
    done: dict[int, None] = {}
    while stack:
        step = stack.pop()
        if step < 0:  # the steps before it are done
            done[~step] = None
        elif step not in done:
            stack.append(~step)
            needed = sorted(set(reads[step]), key=lambda one: (depths[one], -one))
            if step in before:
                needed.append(before[step])
            stack += [one for one in needed if one not in done]
    return list(done)
