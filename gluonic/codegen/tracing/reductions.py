"""Reductions of traced arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.codegen.tracing.elements import NotTraced
from gluonic.graph import Entry
from gluonic.graph.attributes import Shape
from gluonic.graph.builder import F


class Reductions:
    """The methods of arrays that reduce axes, and those that run along one."""

    shape: Shape
    ndim: Any
    size: Any
    dtype: np.dtype[Any]
    entry: Any
    astype: Any
    ravel: Any

    def like(self, entry: Entry, shape: Sequence[int], dtype: Any) -> Any:
        """Another array of this class."""
        return type(self)(entry, shape, dtype)  # type: ignore[call-arg]

    def _reduced(self, name: str, axis: Any, keepdims: bool, dtype: Any = None) -> Any:
        axes = axes_of(axis, self.ndim) if axis is not None else tuple(range(self.ndim))
        wanted = np.dtype(dtype or self.dtype)
        array = self.astype(wanted)
        kept = [1 if k in axes else n for k, n in enumerate(self.shape)]
        if axes:
            if self.size == 0:
                raise NotTraced("a reduction of no elements")
            entry = getattr(F, f"_np_{name}")(array.entry, axis=axes, keepdims=True)
            array = self.like(entry, kept, wanted)
        if keepdims:
            return array
        return array.reshape([n for k, n in enumerate(kept) if k not in axes])

    def sum(self, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
        """The sum over axes."""
        if dtype is None and self.dtype.kind in "biu" and self.dtype.itemsize < 8:
            dtype = np.int64
        if np.dtype(dtype or self.dtype) == np.float16:
            return self._reduced("sum", axis, keepdims, np.float32).astype(np.float16)
        return self._reduced("sum", axis, keepdims, dtype)

    def prod(self, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
        """The product over axes."""
        if dtype is None and self.dtype.kind in "biu" and self.dtype.itemsize < 8:
            dtype = np.int64
        return self._reduced("prod", axis, keepdims, dtype)

    def max(self, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Any:
        """The largest over axes."""
        found = self._reduced("max", axis, keepdims)
        return found if initial is None else np.maximum(found, found.dtype.type(initial))

    def min(self, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Any:
        """The smallest over axes."""
        found = self._reduced("min", axis, keepdims)
        return found if initial is None else np.minimum(found, found.dtype.type(initial))

    def mean(self, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
        """The mean over axes."""
        kind = np.dtype(dtype or (self.dtype if self.dtype.kind == "f" else np.float64))
        wide = np.dtype(np.float32) if kind == np.float16 else kind
        total = self._reduced("sum", axis, keepdims, wide)
        return (total / wide.type(self.size // max(total.size, 1))).astype(kind)

    def all(self, axis: Any = None, keepdims: bool = False) -> Any:
        """Whether all are true."""
        return self.astype(bool).astype(np.int32)._reduced("min", axis, keepdims).astype(bool)

    def any(self, axis: Any = None, keepdims: bool = False) -> Any:
        """Whether any is true."""
        return self.astype(bool).astype(np.int32)._reduced("max", axis, keepdims).astype(bool)

    def clip(self, low: Any = None, high: Any = None, out: Any = None) -> Any:
        """Numbers within bounds."""
        found: Any = self
        if low is not None:
            found = np.maximum(found, low)
        if high is not None:
            found = np.minimum(found, high)
        if out is None:
            return found
        out[...] = found
        return out

    def round(self, decimals: int = 0) -> Any:
        """Whole numbers."""
        if decimals:
            raise NotTraced("rounding to decimals")
        whole: Any = self
        return np.rint(whole)

    def cumsum(self, axis: Any = None, dtype: Any = None) -> Any:
        """Running sums along an axis."""
        array = self.ravel() if axis is None else self
        kind = np.dtype(dtype or self.dtype)
        if dtype is None and kind.kind in "biu" and kind.itemsize < 8:
            kind = np.dtype(np.int64)
        entry = F._np_cumsum(array.astype(kind).entry, axis=0 if axis is None else axis)
        return self.like(entry, array.shape, kind)

    def _position(self, name: str, axis: Any, keepdims: bool) -> Any:
        array = self.ravel() if axis is None else self
        place = 0 if axis is None else axis % self.ndim
        array = array.astype(np.float32) if self.dtype.kind == "b" else array
        found = getattr(F, name)(array.entry, axis=place, keepdims=False)
        shape = [n for k, n in enumerate(array.shape) if k != place]
        placed = self.like(found, shape or (1,), np.float32).astype(np.int64)
        if keepdims:
            shape = [1] * self.ndim if axis is None else [*shape[:place], 1, *shape[place:]]
        return placed.reshape(shape)

    def argmax(self, axis: Any = None, keepdims: bool = False) -> Any:
        """Where the largest is."""
        return self._position("argmax", axis, keepdims)

    def argmin(self, axis: Any = None, keepdims: bool = False) -> Any:
        """Where the smallest is."""
        return self._position("argmin", axis, keepdims)


def axes_of(axis: Any, rank: int) -> tuple[int, ...]:
    """Axes as numbers that are not negative."""
    listed = axis if isinstance(axis, tuple | list) else (axis,)
    return tuple(int(each) % rank for each in listed)
