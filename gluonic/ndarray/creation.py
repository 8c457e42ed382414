"""Creation of arrays: from values, constants and ranges."""

from collections.abc import Callable
from math import prod
from operator import index
from typing import Any

import numpy as np

from gluonic.graph import REGISTRY
from gluonic.graph.arithmetic import is_number
from gluonic.graph.dtypes import as_dtype, is_bfloat16
from gluonic.graph.errors import MXNetError, NotThereError, describe
from gluonic.graph.memory import too_large
from gluonic.graph.storage.values import KINDS, StorageError
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.context import Context, named, usable
from gluonic.ndarray.invoke import invoke
from gluonic.ndarray.kernels import overwrite
from gluonic.ndarray.nested_lists import array_of
from gluonic.ndarray.placing import GPU, device_of, on_devices, placed
from gluonic.ndarray.recording import check_writable
from gluonic.ndarray.storage.arrays import host_context, zeros_of
from gluonic.ndarray.storage.copies import is_sparse, sparse_copy
from gluonic.ndarray.storage.dispatch import assign, has_sparse
from gluonic.support.suppress_fp_warnings import quietly

_DENSE = (None, "default")
_FLOAT32 = np.dtype(np.float32)


class ShapeError(MXNetError, ValueError, TypeError):
    """A shape is invalid, or the array would be too large."""


def as_shape(shape: Any, where: str) -> tuple[int, ...]:
    """Read a shape given as a sequence of lengths, or as one length.

    Raises
    ------
    ShapeError
        for anything else, and for negative lengths
    """
    lengths = shape if isinstance(shape, (tuple, list, np.ndarray)) else (shape,)
    try:
        found = tuple(map(index, lengths))
    except TypeError:
        raise ShapeError(
            describe(f"shape {shape!r} must be an integer or a tuple of integers", where=where)
        ) from None
    for length in found:  # `any` takes longer
        if length < 0:
            raise ShapeError(describe(f"shape {found} has a negative length", where=where))
    return found


def allocate(shape: Any, dtype: Any, where: str, make: Any = np.empty) -> Any:
    """Allocate a NumPy array, or raise an error if it is too large.

    Parameters
    ----------
    make : `numpy.empty`, `numpy.zeros` or `numpy.ones`
    """
    lengths = as_shape(shape, where)
    kind = as_dtype("float32" if dtype is None else dtype)
    try:
        return make(lengths, kind)
    except (MemoryError, ValueError) as error:
        what = f"{prod(lengths):,} elements"
        raise too_large(what, error, where=where, shape=lengths, dtype=kind) from None


def _sparse(
    name: str, make: Any, shape: Any, ctx: Context | None, dtype: Any, stype: Any
) -> NDArray:
    """Create a sparse array that stores nothing."""
    if stype not in KINDS or make is np.ones:
        raise StorageError(f"{name}: unknown storage type {stype!r}")
    kind = "float32" if dtype is None else dtype
    return zeros_of(stype, as_shape(shape, name), kind, host_context(ctx))


def _constant(name: str, make: Any, words: str) -> Callable[..., NDArray]:
    def function(
        shape: Any,
        ctx: Context | None = None,
        dtype: Any = None,
        stype: str | None = None,
        out: NDArray | None = None,
    ) -> NDArray:
        if out is None and stype not in _DENSE:
            return _sparse(name, make, shape, ctx, dtype, stype)
        if out is None:
            context = named(ctx)
            device = None if context.device_typeid != GPU else device_of(context)
            if device is None:
                return NDArray(allocate(shape, dtype, name, make), context)
            lengths, kind = as_shape(shape, name), as_dtype("float32" if dtype is None else dtype)
            return on_devices().filled(device, lengths, kind, make is np.ones)  # type: ignore[no-any-return]
        expected = as_shape(shape, name)
        if out.shape != expected:
            raise MXNetError(
                describe(f"out has the shape {out.shape}, but shape={expected}", where=name)
            )
        check_writable(out)
        if out.on_device:
            return on_devices().overwrite(out, make((), out.dtype))  # type: ignore[no-any-return]
        assign(
            out,
            np.full(out.shape, make((), out.dtype)) if has_sparse([out]) else make((), out.dtype),
        )
        return out

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"Return an array {words}.\n\n"
        "Parameters\n----------\n"
        "shape : the lengths of the axes, or the length of the only one\n"
        "ctx : the context; the current one by default\n"
        "dtype : the element type, float32 by default\n"
        'stype : the storage type: ``"default"``, or for zeros and empty ``"csr"`` or ``"row_sparse"``\n'
        "out : an array of that shape to be filled instead\n"
    )
    return function


zeros = _constant("zeros", np.zeros, "of zeros")
ones = _constant("ones", np.ones, "of ones")
empty = _constant("empty", np.empty, "whose elements are arbitrary")


def full(
    shape: Any,
    val: Any,
    ctx: Context | None = None,
    dtype: Any = np.float32,
    out: NDArray | None = None,
) -> NDArray:
    """Return an array filled with a value.

    Parameters
    ----------
    shape : the lengths of the axes, or the length of the only one
    val : a number, or an array that is broadcast
    ctx : the context; the current one by default
    dtype : the element type
    out : an array to be filled instead
    """
    if out is None:
        out = empty(shape, ctx, dtype)
    if is_number(val) and not out.is_sparse:
        check_writable(out)
        overwrite(out, val)
    else:
        out[:] = val
    return out


def array(source_array: Any, ctx: Context | None = None, dtype: Any = None) -> NDArray:
    """Return an array with the elements of an array-like object.

    Parameters
    ----------
    source_array : an NDArray, a NumPy array, a number, or (nested) sequences of numbers, also as strings
    ctx : the context; the current one by default
    dtype : the element type; by default that of an NDArray, float32 for anything else

    Examples
    --------
    >>> array([[1, 2], [3, 4]]).dtype
    <class 'numpy.float32'>
    """
    if is_sparse(source_array):
        return sparse_copy(source_array, ctx, dtype)
    if isinstance(source_array, NDArray):
        source = source_array.host_elements()
        wanted = source.dtype if dtype is None else as_dtype(dtype)
    else:
        wanted = _FLOAT32 if dtype is None else as_dtype(dtype)
        source = _read(source_array, wanted)
    try:
        data = quietly(source.astype, wanted, "C")
    except MemoryError:
        data = allocate(source.shape, wanted, "array")
    return placed(data, usable(ctx))


def _read(value: Any, dtype: np.dtype[Any]) -> Any:
    if isinstance(value, np.ndarray):
        found = value
        if found.dtype.kind in "biufc":
            return found
    else:
        try:
            found = array_of(np.nan if value is None else value)
        except (ValueError, TypeError):  # OverflowError is not caught: it names the number
            found = np.array("")
    is_number = found.dtype.kind in "biufc" or is_bfloat16(found.dtype)
    is_read = found.dtype.kind in "OSU"  # strings may represent numbers
    if not is_number and not is_read and found.size:
        raise _not_like_an_array(value)
    if is_read:
        try:
            found = found.astype(dtype)
        except (ValueError, TypeError):
            raise _not_like_an_array(value) from None
    return found


def _not_like_an_array(value: Any) -> TypeError:
    return TypeError(
        describe(
            f"source_array must be array like object, not {type(value).__name__}",
            where="array",
            facts=[f"the value: {value!r:.80}"],
            hint="numbers, in nested lists of equal lengths, in place of texts, dictionaries or None",
        )
    )


def arange(
    start: float,
    stop: float | None = None,
    step: float = 1.0,
    repeat: int = 1,
    infer_range: bool | None = None,
    ctx: Context | None = None,
    dtype: Any = np.float32,
) -> NDArray:
    """Return the numbers from `start` up to but not including `stop`, `step` apart.

    Parameters
    ----------
    start, stop : the range; `start` alone means from 0 to `start`
    step : the difference of consecutive numbers
    repeat : number of repetitions of each element
    infer_range : deprecated; only False
    ctx : the context; the current one by default
    dtype : the element type

    Examples
    --------
    >>> arange(2, 5, repeat=2).asnumpy().tolist()
    [2.0, 2.0, 3.0, 3.0, 4.0, 4.0]
    """
    if infer_range:
        raise NotThereError("arange(infer_range=True) is deprecated; give stop")
    attributes = {"start": start, "stop": stop, "step": step, "repeat": repeat, "dtype": dtype}
    return _made("_arange", attributes, ctx)


def linspace(
    start: float,
    stop: float,
    num: int,
    endpoint: bool = True,
    ctx: Context | None = None,
    dtype: Any = np.float32,
) -> NDArray:
    """Return `num` numbers evenly spaced from `start` to `stop`.

    Parameters
    ----------
    start, stop : the first number, and the last, or the one after it
    num : how many
    endpoint : whether `stop` is the last of them
    ctx : the context; the current one by default
    dtype : the element type
    """
    attributes = {"start": start, "stop": stop, "num": num, "endpoint": endpoint, "dtype": dtype}
    return _made("_linspace", attributes, ctx)


def eye(
    N: int,
    M: int = 0,
    k: int = 0,
    ctx: Context | None = None,
    dtype: Any = None,
) -> NDArray:
    """Return a matrix with ones on a diagonal and zeros elsewhere.

    Parameters
    ----------
    N, M : the numbers of rows and columns; square by default
    k : the index of the diagonal: 0 for the main one, positive above, negative below
    ctx : the context; the current one by default
    dtype : the element type, float32 by default
    """
    return _made(
        "_eye", {"N": N, "M": M, "k": k, "dtype": "float32" if dtype is None else dtype}, ctx
    )


def _made(name: str, attributes: dict[str, Any], ctx: Context | None) -> NDArray:
    context, application = usable(ctx), REGISTRY[name].apply(attributes)
    device = device_of(context)
    if device is not None:
        return on_devices().invoke_on(device, application, ())[0]  # type: ignore[no-any-return]
    made = invoke(application, ())[0]
    made.stated_context = context
    return made
