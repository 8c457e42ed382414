"""Functions that make a batch of samples: for `DataLoader`, whose ``batchify_fn=`` takes them."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gluonic import ndarray as nd
from gluonic.graph.errors import CallError, describe
from gluonic.ndarray import NDArray
from gluonic.ndarray.context import Context
from gluonic.ndarray.numpy_class import as_switched

__all__ = ["Append", "AsList", "Group", "Pad", "Stack"]


def _array(values: Any, shared: bool) -> Any:
    """A new array of the kind that Gluon works on."""
    context = Context("cpu_shared", 0) if shared else None
    return as_switched(nd.array(values, context, values.dtype))


class Stacked:
    """Stack samples of one shape along a new first axis; samples that are tuples, part by part.

    Parameters
    ----------
    use_shared_mem : whether the batch is in memory that processes share
    """

    def __init__(self, use_shared_mem: bool = False) -> None:
        self._shared = use_shared_mem

    def __call__(self, data: Sequence[Any]) -> Any:
        """Return the batch, an array or a list of arrays."""
        first = data[0]
        if isinstance(first, (tuple, list)):
            return [self(part) for part in zip(*data, strict=True)]
        if isinstance(first, NDArray):
            stacked = as_switched(nd.stack(*data))
            return stacked.as_in_context(Context("cpu_shared", 0)) if self._shared else stacked
        return _array(np.asarray(data), self._shared)


class Pad:
    """Pad samples to the greatest lengths among them, and stack them along a new first axis.

    Parameters
    ----------
    val : what is padded with, default 0
    dtype : the dtype of the batch, by default that of the samples
    round_to : lengths are rounded upwards to a multiple of it
    use_shared_mem : whether the batch is in memory that processes share
    """

    def __init__(
        self,
        val: float | None = None,
        dtype: Any = None,
        round_to: int | None = None,
        use_shared_mem: bool = False,
    ) -> None:
        self._value = 0 if val is None else val
        self._dtype, self._multiple, self._shared = dtype, round_to, use_shared_mem

    def __call__(self, data: Sequence[Any]) -> Any:
        """Return the batch."""
        if not isinstance(data[0], (NDArray, np.ndarray, list)):
            raise NotImplementedError(
                describe(
                    f"samples are arrays or lists of numbers, not {type(data[0]).__name__}",
                    where="batchify.Pad",
                    hint="Group(Pad(), Pad(), …) for samples of several parts",
                )
            )
        arrays = [x.asnumpy() if isinstance(x, NDArray) else np.asarray(x) for x in data]
        lengths = [max(axis) for axis in zip(*(x.shape for x in arrays), strict=True)]
        if self._multiple is not None:
            lengths = [-(-length // self._multiple) * self._multiple for length in lengths]
        batch = np.full((len(arrays), *lengths), self._value, self._dtype or arrays[0].dtype)
        for row, x in zip(batch, arrays, strict=True):
            row[tuple(slice(length) for length in x.shape)] = x
        return _array(batch, self._shared)


class Append:
    """Return samples of any shapes as a list of arrays.

    Parameters
    ----------
    expand : whether each gets an axis of length one
    batch_axis : where that axis is
    use_shared_mem : whether the arrays are in memory that processes share
    """

    def __init__(
        self, expand: bool = True, batch_axis: int = 0, use_shared_mem: bool = False
    ) -> None:
        self._expand, self._axis, self._shared = expand, batch_axis, use_shared_mem

    def __call__(self, data: Sequence[Any]) -> list[Any]:
        """Return the list."""
        arrays = [x if isinstance(x, NDArray) else self._made(x) for x in data]
        if not self._expand:
            return arrays
        return [as_switched(nd.expand_dims(x.as_nd_ndarray(), axis=self._axis)) for x in arrays]

    def _made(self, sample: Any) -> Any:
        array = np.asarray(sample)
        return _array(array.astype(getattr(sample, "dtype", np.float32)), self._shared)


class Grouped:
    """Apply a function to each part of the samples, which are tuples.

    Parameters
    ----------
    fn : the function for the first part, or a list of functions for all
    *args : the functions for the other parts
    """

    def __init__(self, fn: Any, *args: Callable[..., Any]) -> None:
        if isinstance(fn, (list, tuple)) and args:
            raise CallError(
                describe("give one list of functions, or functions one by one", where="Group")
            )
        self._functions = tuple(fn) if isinstance(fn, (list, tuple)) else (fn, *args)
        for number, function in enumerate(self._functions):
            if not callable(function):
                raise CallError(
                    describe(f"function {number} cannot be called: {function!r}", where="Group")
                )

    def __call__(self, data: Sequence[Any]) -> tuple[Any, ...]:
        """Return the batch of each part."""
        if len(data[0]) != len(self._functions):
            raise CallError(
                describe(
                    f"samples have {len(data[0])} parts, and there are {len(self._functions)} functions",
                    where="Group",
                )
            )
        return tuple(f([sample[i] for sample in data]) for i, f in enumerate(self._functions))


class AsList:
    """Return the samples as a list, such as texts."""

    def __call__(self, data: Sequence[Any]) -> list[Any]:
        """Return the list."""
        return list(data)


Group = Grouped
Stack = Stacked
Grouped.__name__ = Grouped.__qualname__ = "Group"
Stacked.__name__ = Stacked.__qualname__ = "Stack"
