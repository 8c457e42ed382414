"""Arrays that note what NumPy computes with them, as nodes of a graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from gluonic.codegen.tracing.elements import (
    NotTraced,
    constant_array,
    converted,
    function_of_elements,
)
from gluonic.graph import Entry
from gluonic.graph.attributes import Shape
from gluonic.graph.builder import F

_INDEX = np.dtype(np.int64)
_MOVED_AS = {
    np.dtype(narrow): np.dtype(wide)
    for wide, all_narrow in {"float32": ("float16", "int8", "uint8", "bool"), "float64": ("int32",)}.items()
    for narrow in all_narrow
}
"""The dtypes in which rows are looked up, which are exact."""
_REDUCTIONS = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_and": "all",
    "logical_or": "any",
}
"""The methods that compute reductions by functions of two elements."""
_FUNCTIONS: dict[Any, Any] = {}
"""What computes NumPy's functions of arrays; see `functions`."""


class TracedArray(NDArrayOperatorsMixin):
    """The result of a node of a graph that is being made.

    Parameters
    ----------
    entry : the result
    shape, dtype : of it
    """

    __array_priority__ = 1000.0

    def __init__(
        self,
        entry: Entry | None,
        shape: Shape,
        dtype: Any,
        *,
        is_input: bool = False,
        base: TracedArray | None = None,
        read: Callable[[Entry], Entry] | None = None,
        write: Callable[[TracedArray], None] | None = None,
    ) -> None:
        self.shape, self.dtype = tuple([int(extent) for extent in shape]), np.dtype(dtype)
        self._entry, self._is_input = entry, is_input
        self._base, self._read, self._write = base, read, write
        self._seen: Entry | None = None

    @property
    def entry(self) -> Entry:
        """The result; that of a view is found anew if the array that it is a view of has been changed."""
        if self._base is not None and self._read is not None and self._base.entry is not self._seen:
            self._seen = self._base.entry
            self._entry = self._read(self._seen)
        assert self._entry is not None
        return self._entry

    def replace(self, new: TracedArray) -> None:
        """Change all elements, of a view those of the array that it is a view of."""
        if self._is_input or (self._base is not None and self._write is None):
            raise NotTraced("a change of an input")
        if self._write is not None:
            self._write(new)
        else:
            self._entry = new.entry

    def _view(
        self,
        shape: Shape,
        read: Callable[[Entry], Entry],
        write: Callable[[TracedArray], None] | None = None,
    ) -> TracedArray:
        return TracedArray(None, shape, self.dtype, base=self, read=read, write=write)

    # -- what an array is ---------------------------------------------------------------------

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self.shape)

    @property
    def itemsize(self) -> int:
        """The bytes of an element."""
        return self.dtype.itemsize

    @property
    def flags(self) -> Any:
        """What NumPy knows of its memory: nothing."""
        return SimpleNamespace(c_contiguous=False, f_contiguous=False, writeable=not self._is_input)

    @property
    def T(self) -> TracedArray:
        """The axes in reverse order."""
        return self.transpose()

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array without axes has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[TracedArray]:
        return iter([self[k] for k in range(len(self))])

    def _refused(self, *_: Any, **__: Any) -> Any:
        raise NotTraced("the kernel reads numbers on the host")

    __bool__ = __int__ = __float__ = __index__ = __array__ = item = tolist = _refused
    __hash__ = object.__hash__

    # -- NumPy's protocols --------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method == "reduce" and ufunc.__name__ in _REDUCTIONS:
            (array,) = inputs
            options.setdefault("axis", 0)
            return getattr(as_traced(array), _REDUCTIONS[ufunc.__name__])(**options)
        target, dtype = options.pop("out", None), options.pop("dtype", None)
        condition = options.pop("where", None)
        if options.pop("casting", "same_kind") not in ("same_kind", "unsafe") or options:
            raise NotTraced(f"{ufunc.__name__} with {sorted(options)}")
        if method != "__call__":
            raise NotTraced(f"{ufunc.__name__}.{method}")
        if ufunc is np.matmul:
            found = _FUNCTIONS["matmul"](*inputs)
        else:
            found = of_elements(ufunc, inputs, dtype)
        if target is None:
            if condition is not None:
                raise NotTraced("elements that are not there")
            return found
        (into,) = target
        if not isinstance(into, TracedArray):
            raise NotTraced("an array of the host as a result")
        into[...] = found if condition is None else chosen(condition, found, into)
        return into

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        known = _FUNCTIONS.get(function.__name__)
        if known is None:
            raise NotTraced(f"np.{function.__name__}")
        into = options.pop("out", None)
        found = known(*args, **options)
        if into is None:
            return found
        into[...] = found
        return into

    # -- shapes and dtypes --------------------------------------------------------------------

    def astype(self, dtype: Any, order: str = "K", copy: bool = True) -> TracedArray:
        """The same numbers in another dtype."""
        wanted = np.dtype(dtype)
        if wanted == self.dtype:
            return self.copy()
        return TracedArray(converted(self.entry, wanted), self.shape, wanted)

    def copy(self, order: str = "C") -> TracedArray:
        """The same numbers, which are changed apart."""
        return TracedArray(self.entry, self.shape, self.dtype)

    def view(self, dtype: Any = None) -> TracedArray:
        """The same array."""
        if dtype is not None and np.dtype(dtype) != self.dtype:
            raise NotTraced("bits as another dtype")
        return self._view(self.shape, lambda entry: entry, self.replace)

    def reshape(self, *shape: Any, order: str = "C") -> TracedArray:
        """The same elements under another shape."""
        if order != "C":
            raise NotTraced("another order of elements")
        wanted = shape[0] if len(shape) == 1 and not isinstance(shape[0], int | np.integer) else shape
        extents = [int(extent) for extent in wanted]
        if -1 in extents:
            rest = prod(extent for extent in extents if extent != -1)
            extents[extents.index(-1)] = self.size // rest if rest else 0
        new = tuple(extents)
        if prod(new) != self.size:
            raise ValueError(f"cannot reshape {self.shape} to {new}")
        if new == self.shape:
            return self.view()
        return self._view(
            new,
            lambda entry: F._np_reshape(entry, newshape=new),
            lambda changed: self.replace(changed.reshape(self.shape)),
        )

    def ravel(self) -> TracedArray:
        """All elements along one axis."""
        return self.reshape(-1)

    flatten = ravel

    def squeeze(self, axis: Any = None) -> TracedArray:
        """Without axes of one element."""
        axes = _axes(axis, self.ndim) if axis is not None else range(self.ndim)
        kept = [n for k, n in enumerate(self.shape) if k not in axes or (axis is None and n != 1)]
        return self.reshape(kept)

    def transpose(self, *axes: Any) -> TracedArray:
        """The axes in another order."""
        order = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        order = [int(axis) % self.ndim for axis in order or reversed(range(self.ndim))]
        if order == list(range(self.ndim)):
            return self.view()
        shape = tuple(self.shape[axis] for axis in order)
        back = [order.index(axis) for axis in range(self.ndim)]
        return self._view(
            shape,
            lambda entry: F.transpose(entry, axes=tuple(order)),
            lambda changed: self.replace(changed.transpose(back)),
        )

    def swapaxes(self, first: int, second: int) -> TracedArray:
        """Two axes exchanged."""
        order = [*range(self.ndim)]
        order[first], order[second] = order[second], order[first]
        return self.transpose(order)

    def broadcast_to(self, shape: Shape) -> TracedArray:
        """Elements repeated along new axes and axes of one element."""
        if tuple(shape) == self.shape:
            return self.view()
        whole = self.reshape((1,) * (len(shape) - self.ndim) + self.shape)
        return whole._view(shape, lambda entry: F.broadcast_to(entry, shape=tuple(shape)))

    # -- reductions ---------------------------------------------------------------------------

    def _reduced(self, name: str, axis: Any, keepdims: bool, dtype: Any = None) -> TracedArray:
        axes = _axes(axis, self.ndim) if axis is not None else tuple(range(self.ndim))
        wanted = np.dtype(dtype or self.dtype)
        array = self.astype(wanted)
        kept = [1 if k in axes else n for k, n in enumerate(self.shape)]
        if axes:
            if self.size == 0:
                raise NotTraced("a reduction of no elements")
            entry = getattr(F, f"_np_{name}")(array.entry, axis=axes, keepdims=True)
            array = TracedArray(entry, kept, wanted)
        if keepdims:
            return array
        return array.reshape([n for k, n in enumerate(kept) if k not in axes])

    def sum(self, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> TracedArray:
        """The sum over axes."""
        if dtype is None and self.dtype.kind in "biu" and self.dtype.itemsize < 8:
            dtype = np.uint64 if self.dtype.kind == "u" else np.int64
        if np.dtype(dtype or self.dtype) == np.float16:
            return self._reduced("sum", axis, keepdims, np.float32).astype(np.float16)
        return self._reduced("sum", axis, keepdims, dtype)

    def prod(self, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> TracedArray:
        """The product over axes."""
        if dtype is None and self.dtype.kind in "biu" and self.dtype.itemsize < 8:
            dtype = np.int64
        return self._reduced("prod", axis, keepdims, dtype)

    def max(
        self, axis: Any = None, keepdims: bool = False, initial: Any = None
    ) -> TracedArray:
        """The largest over axes."""
        found = self._reduced("max", axis, keepdims)
        return found if initial is None else np.maximum(found, found.dtype.type(initial))

    def min(
        self, axis: Any = None, keepdims: bool = False, initial: Any = None
    ) -> TracedArray:
        """The smallest over axes."""
        found = self._reduced("min", axis, keepdims)
        return found if initial is None else np.minimum(found, found.dtype.type(initial))

    def mean(self, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> TracedArray:
        """The mean over axes."""
        kind = np.dtype(dtype or (self.dtype if self.dtype.kind == "f" else np.float64))
        wide = np.dtype(np.float32) if kind == np.float16 else kind
        total = self._reduced("sum", axis, keepdims, wide)
        return (total / wide.type(self.size // max(total.size, 1))).astype(kind)

    def all(self, axis: Any = None, keepdims: bool = False) -> TracedArray:
        """Whether all are true."""
        return self.astype(bool).astype(np.int32)._reduced("min", axis, keepdims).astype(bool)

    def any(self, axis: Any = None, keepdims: bool = False) -> TracedArray:
        """Whether any is true."""
        return self.astype(bool).astype(np.int32)._reduced("max", axis, keepdims).astype(bool)

    def clip(self, low: Any = None, high: Any = None, out: Any = None) -> TracedArray:
        """Numbers within bounds."""
        found: Any = self
        found = found if low is None else np.maximum(found, low)
        found = found if high is None else np.minimum(found, high)
        if out is None:
            return found  # type: ignore[no-any-return]
        out[...] = found
        return out  # type: ignore[no-any-return]

    def round(self, decimals: int = 0) -> Any:
        """Whole numbers."""
        if decimals:
            raise NotTraced("rounding to decimals")
        return np.rint(self)

    def cumsum(self, axis: Any = None, dtype: Any = None) -> TracedArray:
        """Running sums along an axis."""
        array = self.ravel() if axis is None else self
        kind = np.dtype(dtype or self.dtype)
        if dtype is None and kind.kind in "biu" and kind.itemsize < 8:
            kind = _INDEX
        entry = F._np_cumsum(array.astype(kind).entry, axis=0 if axis is None else axis)
        return TracedArray(entry, array.shape, kind)

    def _position(self, name: str, axis: Any) -> TracedArray:
        array = self.ravel() if axis is None else self
        axis = 0 if axis is None else axis % self.ndim
        array = array.astype(np.float32) if self.dtype.kind == "b" else array
        found = getattr(F, name)(array.entry, axis=axis, keepdims=False)
        shape = [n for k, n in enumerate(array.shape) if k != axis]
        return TracedArray(found, shape or (1,), np.float32).reshape(shape).astype(_INDEX)

    def argmax(self, axis: Any = None) -> TracedArray:
        """Where the largest is."""
        return self._position("argmax", axis)

    def argmin(self, axis: Any = None) -> TracedArray:
        """Where the smallest is."""
        return self._position("argmin", axis)

    def repeat(self, repeats: int, axis: Any = None) -> Any:
        """Each element several times."""
        return np.repeat(self, repeats, axis=axis)

    def take(self, indices: Any, axis: Any = None, **options: Any) -> Any:
        """Elements by index along an axis."""
        return np.take(self, indices, axis=axis, **options)

    # -- indexing -----------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> TracedArray:
        keys = _whole_key(key, self.ndim)
        arrays = [k for k, each in enumerate(keys) if _is_array(each)]
        if not arrays:
            return self._basic(keys)
        return self._gathered(keys)

    def _basic(self, keys: Sequence[Any]) -> TracedArray:
        parts, shape, axis = [], [], 0
        for each in keys:
            if each is None:
                shape.append(1)
                continue
            extent = self.shape[axis]
            if isinstance(each, slice):
                start, stop, step = each.indices(extent)
                length = len(range(start, stop, step))
                shape.append(length)
            else:
                index = int(each)
                if not -extent <= index < extent:
                    raise IndexError(f"index {index} of an axis of {extent}")
                start, step, length = index % extent, 1, 1
            parts.append((start, step, length, extent))
            axis += 1
        if prod(shape) == 0:
            raise NotTraced("a part without elements")
        if all((start, step, length) == (0, 1, extent) for start, step, length, extent in parts):
            return self.reshape(shape)
        begin = tuple(start for start, _, _, _ in parts)
        end = tuple(_end(start, step, length) for start, step, length, _ in parts)
        steps = tuple(step for _, step, _, _ in parts)
        own = tuple(keys)

        def change(new: TracedArray) -> None:
            self[own] = new

        return self._view(
            tuple(shape),
            lambda entry: F._np_reshape(
                F.slice(entry, begin=begin, end=end, step=steps), newshape=tuple(shape)
            ),
            change,
        )

    def _gathered(self, keys: Sequence[Any]) -> TracedArray:
        """Elements at places that arrays determine, by their index in row-major order."""
        if any(each is None for each in keys):
            places = [k for k, each in enumerate(keys) if each is not None]
            inner = self._gathered([keys[k] for k in places])
            if any(_is_array(each) for each in keys[places[-1] + 1 :]):
                raise NotTraced("new axes among arrays of indices")
            raise NotTraced("new axes beside arrays of indices")
        chosen = [k for k, each in enumerate(keys) if _is_array(each) or not isinstance(each, slice)]
        others = [k for k in range(len(keys)) if k not in chosen]
        if any(getattr(keys[k], "dtype", _INDEX).kind == "b" for k in chosen):
            raise NotTraced("masks as indices")
        array: Any = self
        if any(keys[k] != slice(None) for k in others):
            array = self[tuple(keys[k] if k in others else slice(None) for k in range(len(keys)))]
        indices = [as_traced(keys[k]).astype(_INDEX) for k in chosen]
        shape = np.broadcast_shapes(*(index.shape for index in indices))
        flat: Any = 0
        for k, index in zip(chosen, indices, strict=True):
            extent = array.shape[k]
            flat = flat * extent + np.where(index < 0, index + extent, index)
        flat = as_traced(flat).broadcast_to(shape)
        moved = array.transpose([*chosen, *others])
        rest = [array.shape[k] for k in others]
        rows = moved.reshape([prod(array.shape[k] for k in chosen), *rest])
        found = rows.rows_at(flat)
        contiguous = chosen == list(range(chosen[0], chosen[-1] + 1))
        if not contiguous or not chosen[0]:
            return found
        front = len(shape)
        order = [*range(front, front + chosen[0]), *range(front)]
        return found.transpose([*order, *range(front + chosen[0], found.ndim)])

    def rows_at(self, indices: TracedArray) -> TracedArray:
        """The rows with some indices, which are within bounds."""
        if 0 in self.shape or not indices.size:
            raise NotTraced("rows of an empty array")
        wide = _MOVED_AS.get(self.dtype, self.dtype)
        entry = F.take(self.astype(wide).entry, indices.entry, axis=0, mode="clip")
        return TracedArray(entry, (*indices.shape, *self.shape[1:]), wide).astype(self.dtype)

    def __setitem__(self, key: Any, value: Any) -> None:
        new, keys = as_traced(value).astype(self.dtype), _whole_key(key, self.ndim)
        if any(_is_array(each) for each in keys):
            self._set_where(keys, new)
            return
        ranges, shape, whole = [], [], [each for each in keys if each is not None]
        for each, extent in zip(whole, self.shape, strict=True):
            start, stop, step = each.indices(extent) if isinstance(each, slice) else _one(each, extent)
            ranges.append(range(start, stop, step))
        lengths = iter([len(own) for own in ranges])
        for each in keys:
            length = 1 if each is None else next(lengths)
            if each is None or isinstance(each, slice):
                shape.append(length)
        if 0 in map(len, ranges):
            return
        inner = new.broadcast_to(tuple(shape)).reshape([len(own) for own in ranges])
        self.replace(self._with_part(inner, ranges))

    def _set_where(self, keys: Sequence[Any], new: TracedArray) -> None:
        """Change the elements that a mask chooses to one number, or to one for each element."""
        places = [k for k, each in enumerate(keys) if _is_array(each)]
        mask = as_traced(keys[places[0]])
        axis = places[0]
        plain = all(each == slice(None) for k, each in enumerate(keys) if k != axis)
        if len(places) > 1 or mask.dtype.kind != "b" or not plain or new.size > 1:
            raise NotTraced("a change at places that arrays determine")
        after = self.ndim - axis - mask.ndim
        over = mask.reshape((1,) * axis + mask.shape + (1,) * after)
        self.replace(chosen(over, new.reshape(()), self).astype(self.dtype))

    def _with_part(self, inner: TracedArray, ranges: Sequence[range]) -> TracedArray:
        """The array with a part replaced, axis by axis: joined, or chosen where the part has steps."""
        found = inner
        for axis in reversed(range(self.ndim)):
            own, extent = ranges[axis], self.shape[axis]
            old = self[tuple(_slice_of(r) if k < axis else slice(None) for k, r in enumerate(ranges))]
            ahead = (slice(None),) * axis
            if own.step == 1:
                parts = [
                    old[(*ahead, slice(0, own.start))] if own.start else None,
                    found,
                    old[(*ahead, slice(own.stop, None))] if own.stop < extent else None,
                ]
                found = joined([part for part in parts if part is not None], axis)
                continue
            index = as_traced(np.arange(extent))
            number = np.floor_divide(index - own.start, own.step)
            inside = (np.remainder(index - own.start, own.step) == 0) & (number >= 0)
            inside = inside & (number < len(own))
            spread = found[(*ahead, number.clip(0, len(own) - 1))]
            over = inside.reshape([-1 if k == axis else 1 for k in range(self.ndim)])
            found = chosen(over, spread, old).astype(self.dtype)
        return found


def _one(index: Any, extent: int) -> tuple[int, int, int]:
    """One element as a range."""
    place = int(index)
    if not -extent <= place < extent:
        raise IndexError(f"index {place} of an axis of {extent}")
    return place % extent, place % extent + 1, 1


def _slice_of(own: range) -> slice:
    return slice(own.start, _end(own.start, own.step, len(own)), own.step)


def joined(parts: Sequence[TracedArray], axis: int) -> TracedArray:
    """Arrays one after the other along an axis."""
    if len(parts) == 1:
        return parts[0]
    dtype = np.result_type(*(part.dtype for part in parts))
    shape = [*parts[0].shape]
    axis %= len(shape)
    shape[axis] = sum(part.shape[axis] for part in parts)
    entries = [part.astype(dtype).entry for part in parts if part.size]
    if not entries:
        raise NotTraced("arrays without elements")
    entry = F.Concat(*entries, dim=axis, num_args=len(entries)) if len(entries) > 1 else entries[0]
    return TracedArray(entry, shape, dtype)


def as_traced(value: Any) -> TracedArray:
    """An array, or a number, as a traced array."""
    if isinstance(value, TracedArray):
        return value
    if isinstance(value, list | tuple) and any(isinstance(each, TracedArray) for each in value):
        return np.stack([as_traced(each) for each in value])
    array = np.asarray(value)
    return TracedArray(constant_array(array), array.shape, array.dtype, is_input=True)


def of_elements(ufunc: Any, inputs: Sequence[Any], dtype: Any = None) -> TracedArray:
    """A function of NumPy or SciPy on the elements of arrays."""
    if ufunc.nout != 1 or getattr(ufunc, "signature", None):
        raise NotTraced(f"np.{ufunc.__name__}")
    trial = [
        np.ones((1,) * value.ndim, value.dtype) if isinstance(value, TracedArray) else value
        for value in inputs
    ]
    with np.errstate(all="ignore"):
        kind = np.asarray(ufunc(*trial, **({} if dtype is None else {"dtype": dtype}))).dtype
    operands = np.result_type(*trial)
    return _applied(ufunc.__name__, inputs, operands, kind)


def _applied(name: str, inputs: Sequence[Any], operands: np.dtype[Any], dtype: Any) -> TracedArray:
    arrays = [
        value if isinstance(value, TracedArray) else as_traced(_number_of(value, operands))
        for value in inputs
    ]
    shape = np.broadcast_shapes(*(array.shape for array in arrays))
    if 0 in shape:
        raise NotTraced("arrays without elements")
    entry = function_of_elements(name, [array.entry for array in arrays], operands, np.dtype(dtype))
    return TracedArray(entry, shape, dtype)


def _number_of(value: Any, operands: np.dtype[Any]) -> Any:
    """A number of Python in the dtype of the arrays beside it."""
    return operands.type(value) if isinstance(value, bool | int | float) else value


def chosen(condition: Any, a: Any, b: Any) -> TracedArray:
    """One or the other of two arrays' elements."""
    trial = [
        np.ones((1,) * value.ndim, value.dtype) if isinstance(value, TracedArray) else value
        for value in (a, b)
    ]
    dtype = np.result_type(*trial)
    return _applied("where", [as_traced(condition), a, b], dtype, dtype)


def _is_array(key: Any) -> bool:
    return isinstance(key, TracedArray | np.ndarray | list) and getattr(key, "ndim", 1) >= 0


def _whole_key(key: Any, rank: int) -> list[Any]:
    """A key for each axis."""
    keys = list(key) if isinstance(key, tuple) else [key]
    used = sum(each is not None and each is not Ellipsis for each in keys)
    missing = [slice(None)] * (rank - used)
    places = [k for k, each in enumerate(keys) if each is Ellipsis]
    if not places:
        return [*keys, *missing]
    (place,) = places
    return [*keys[:place], *missing, *keys[place + 1 :]]


def _end(start: int, step: int, length: int) -> int | None:
    """The end of a slice of so many elements."""
    end = start + step * length
    return None if end < 0 else end


def _axes(axis: Any, rank: int) -> tuple[int, ...]:
    """Axes as numbers that are not negative."""
    listed = axis if isinstance(axis, tuple | list) else (axis,)
    return tuple(int(each) % rank for each in listed)
