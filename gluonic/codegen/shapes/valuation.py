"""Expressions of a size, valued together: one by one, they took most of what a binding for another size takes.

Atoms follow from each other and are valued one by one. All else is sums of multiples of them: many such sums
are the product of a matrix with the values of the atoms.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from gluonic.codegen.shapes.symbolic import SymbolicDim, valued, written

Integers: TypeAlias = npt.NDArray[np.int64]

_BOUND = 2**62
"""Below it sums of integers stay what they are in 64 bits."""


class Sums:
    """Integers and extents, valued together.

    Parameters
    ----------
    listed : what is valued

    Examples
    --------
    >>> from gluonic.codegen.shapes.symbolic import ShapeEnv
    >>> env = ShapeEnv(4)
    >>> sums = Sums([7, env.size * 3 + 1, env.size // 2])
    >>> sums.at(env.values_at(9)).tolist()
    [7, 28, 4]
    """

    def __init__(self, listed: Sequence[Any]) -> None:
        self._fixed = np.array([0 if type(x) is SymbolicDim else x for x in listed], np.int64)
        places = [place for place, x in enumerate(listed) if type(x) is SymbolicDim]
        self._extents, which = distinct([listed[place] for place in places], written)
        self._places, self._which = np.array(places, np.intp), np.array(which, np.intp)
        self._atoms = sorted({atom for x in self._extents for atom, _ in x.terms})
        columns = {atom: column for column, atom in enumerate(self._atoms)}
        factors = [[0] * len(columns) for _ in self._extents]
        for row, extent in zip(factors, self._extents, strict=True):
            for atom, factor in extent.terms:
                row[columns[atom]] = factor
        summands = [extent.constant for extent in self._extents]
        weights = [sum(map(abs, row), abs(c)) for row, c in zip(factors, summands, strict=True)]
        self._most = 0
        if _are_integers(weights) and max(weights, default=0) < _BOUND:
            self._most = _BOUND // max(weights, default=1)
            self._factors, self._summands = (np.array(x, np.int64) for x in (factors, summands))

    def at(self, values: Sequence[Any]) -> Integers:
        """All of them, given the values of the atoms."""
        found = self._fixed.copy()
        if self._extents:
            found[self._places] = self._sums([values[atom] for atom in self._atoms], values)
        return found

    def _sums(self, own: Sequence[Any], values: Sequence[Any]) -> Integers:
        if _are_integers(own) and max(own) < self._most and -min(own) < self._most:
            return (self._factors @ np.array(own, np.int64) + self._summands)[self._which]
        return np.array([valued(extent, values) for extent in self._extents], np.int64)[self._which]


def _are_integers(numbers: Sequence[Any]) -> bool:
    return {*map(type, numbers)} <= {int}


def distinct(
    all_of_them: Sequence[Any], key: Callable[[Any], Hashable]
) -> tuple[list[Any], list[int]]:
    """Those that differ, and for each which of them it is."""
    numbers: dict[Hashable, int] = {}
    which = [numbers.setdefault(key(x), len(numbers)) for x in all_of_them]
    first = dict(reversed([*zip(which, all_of_them, strict=True)]))
    return [first[number] for number in range(len(first))], which
