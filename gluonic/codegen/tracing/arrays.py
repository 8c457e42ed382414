"""Arrays that note what NumPy computes with them, as nodes of a graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from types import SimpleNamespace
from typing import Any, TypeVar

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from gluonic.codegen.tracing.elements import (
    NotTraced,
    constant_array,
    converted,
    function_of_elements,
)
from gluonic.codegen.tracing.reductions import Reductions, axes_of
from gluonic.graph import Entry
from gluonic.graph.attributes import Shape
from gluonic.graph.builder import F

INDEX = np.dtype(np.int64)
"""The dtype of indices."""
_REDUCTIONS = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_and": "all",
    "logical_or": "any",
}
"""The methods that compute reductions by functions of two elements."""
FUNCTIONS: dict[str, Callable[..., Any]] = {}
"""What computes NumPy's functions of arrays, by their names, and gets and sets items."""
_Function = TypeVar("_Function", bound=Callable[..., Any])


def function(*names: str) -> Callable[[_Function], _Function]:
    """Register what computes functions of NumPy."""

    def register(own: _Function) -> _Function:
        FUNCTIONS.update(dict.fromkeys(names, own))
        return own

    return register


class TracedArray(Reductions, NDArrayOperatorsMixin):
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
        shape: Sequence[int],
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

    def view_of(
        self,
        shape: Sequence[int],
        read: Callable[[Entry], Entry],
        write: Callable[[TracedArray], None] | None = None,
    ) -> TracedArray:
        """A view of the array: what reads it from a result, and what a change of it changes."""
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
        return int(self.dtype.itemsize)

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
        is_product = ufunc is np.matmul
        found = FUNCTIONS["matmul"](*inputs) if is_product else of_elements(ufunc, inputs, dtype)
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
        known = FUNCTIONS.get(function.__name__)
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
        return self.view_of(self.shape, lambda entry: entry, self.replace)

    def reshape(self, *shape: Any, order: str = "C") -> TracedArray:
        """The same elements under another shape."""
        if order != "C":
            raise NotTraced("another order of elements")
        wanted = (
            shape[0] if len(shape) == 1 and not isinstance(shape[0], int | np.integer) else shape
        )
        extents = [int(extent) for extent in wanted]
        if -1 in extents:
            rest = prod(extent for extent in extents if extent != -1)
            extents[extents.index(-1)] = self.size // rest if rest else 0
        new = tuple(extents)
        if prod(new) != self.size:
            raise ValueError(f"cannot reshape {self.shape} to {new}")
        if new == self.shape:
            return self.view()
        return self.view_of(
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
        axes = axes_of(axis, self.ndim) if axis is not None else range(self.ndim)
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
        return self.view_of(
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
        return whole.view_of(shape, lambda entry: F.broadcast_to(entry, shape=tuple(shape)))

    def repeat(self, repeats: int, axis: Any = None) -> Any:
        """Each element several times."""
        return FUNCTIONS["repeat"](self, repeats, axis=axis)

    def take(self, indices: Any, axis: Any = None, mode: str = "raise") -> Any:
        """Elements by index along an axis."""
        return FUNCTIONS["take"](self, indices, axis=axis, mode=mode)

    # -- indexing -----------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> TracedArray:
        found: TracedArray = FUNCTIONS["getitem"](self, key)
        return found

    def __setitem__(self, key: Any, value: Any) -> None:
        FUNCTIONS["setitem"](self, key, value)


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
        found: TracedArray = FUNCTIONS["stack"]([as_traced(each) for each in value])
        return found
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
