"""Functions of whole arrays that MXNet 2.0 adds or changes, over the functions that there were."""

from typing import Any, NamedTuple

import numpy as np

from gluonic import numpy as of_one
from gluonic.graph.errors import NotThereError
from gluonic.mxnet2.default_dtype import is_np_default_dtype
from gluonic.mxnet2.numpy.base import functions
from gluonic.mxnet2.numpy.results import in_numpy, written
from gluonic.ndarray import NDArray
from gluonic.ndarray.numpy.array import ndarray
from gluonic.ndarray.numpy.creation import array as new_array

__all__ = [
    "argmax", "argmin", "argsort", "array", "asarray", "cross", "diag", "diagflat", "fill_diagonal",
    "from_dlpack", "indices", "kron", "median", "prod", "sort", "squeeze", "std", "sum", "tri",
    "tril_indices", "triu", "triu_indices", "unique_all", "unique_inverse", "unique_values", "var",
]  # fmt: skip

_f = functions


def sort(
    a: Any, axis: int | None = -1, descending: bool = False, stable: bool = True, **of_one: Any
) -> Any:
    """Return the elements in order.

    Parameters
    ----------
    a : any array
    axis : along which to sort; None sorts all elements
    descending : whether the greatest comes first
    stable : accepted: equal elements keep their order in any case
    **of_one : ``kind`` of MXNet 1.x, which is accepted
    """
    found = _f["sort"](a, axis, **of_one)
    return _f["flip"](found, -1 if axis is None else axis) if descending else found


def argsort(
    a: Any, axis: int | None = -1, descending: bool = False, stable: bool = True, **of_one: Any
) -> Any:
    """Return the indices of the elements in order; see `sort`."""
    return _f["argsort"](_f["negative"](a) if descending else a, axis, **of_one)


def _extreme(name: str) -> Any:
    function = _f[name]

    def extreme(a: Any, axis: int | None = None, out: Any = None, keepdims: bool = False) -> Any:
        found = function(a, axis)
        if keepdims:
            rank = a.ndim
            shape = (1,) * rank if axis is None else None
            found = found.reshape(shape) if shape else _f["expand_dims"](found, axis % rank)
        return written(found, out)

    extreme.__name__ = extreme.__qualname__ = name
    extreme.__doc__ = f"""Return the index of the {"greatest" if name == "argmax" else "smallest"} element.

    Parameters
    ----------
    a : any array
    axis : the axis to search; None searches all elements
    out : the array that receives the result
    keepdims : whether the axis stays, with one element
    """
    return extreme


argmax, argmin = _extreme("argmax"), _extreme("argmin")


def _moment(name: str) -> Any:
    function = _f[name]

    def moment(
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        correction: float = 0,
        keepdims: bool = False,
        *,
        ddof: float | None = None,
    ) -> Any:
        degrees = correction if ddof is None else ddof
        return function(a, axis, dtype, out, degrees, keepdims)

    moment.__name__ = moment.__qualname__ = name
    moment.__doc__ = f"""Return the {"variance" if name == "var" else "standard deviation"}.

    Parameters
    ----------
    a : any array
    axis : the axes to compute it over; None is all of them
    dtype : the dtype of the result
    out : the array that receives the result
    correction : subtracted from the number of elements in the divisor; `ddof` is its name in MXNet 1.x
    keepdims : whether the axes stay, with one element
    """
    return moment


std, var = _moment("std"), _moment("var")


def sum(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool | None = None,
    initial: Any = None,
    where: Any = None,
) -> Any:
    """Return the sum of elements.

    Parameters
    ----------
    a : any array
    axis : the axes to sum over; None is all of them
    dtype : the dtype of the result
    out : the array that receives the result
    keepdims : whether the axes stay, with one element
    initial : a number to add
    where : an array that is true where an element counts
    """
    if where is not None:
        a = _f["where"](where, a, _f["zeros_like"](a))
    return written(_f["sum"](a, axis, dtype, bool(keepdims), initial), out)


def prod(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = None,
) -> Any:
    """Return the product of elements; `initial` is a further factor. See `sum`."""
    found = _f["prod"](a, axis, dtype, None, keepdims)
    return written(found if initial is None else _f["multiply"](found, initial), out)


def squeeze(x: Any, axis: Any = None) -> Any:
    """Return the array without its axes of length one, or without those that `axis` names."""
    return _f["squeeze"](x, axis)


def diag(v: Any, k: int = 0) -> Any:
    """Return a diagonal of a matrix, or the matrix with a vector on a diagonal, `k` above the main one."""
    return _f["diag"](v, k)


def diagflat(v: Any, k: int = 0) -> Any:
    """Return the matrix with all elements on a diagonal, `k` above the main one."""
    return _f["diagflat"](v, k)


def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None, device: Any = None) -> Any:
    """Return a matrix of ones at and below a diagonal, and zeros above.

    Parameters
    ----------
    N, M : the numbers of rows and columns, by default as many
    k : the diagonal, counted upwards from the main one
    dtype : its dtype, default float32
    device : where it is made
    """
    return new_array(np.tri(N, M, k), "float32" if dtype is None else dtype, device)


def triu(m: Any, k: int = 0) -> Any:
    """Return the array with zeros below a diagonal, `k` above the main one, of its last two axes."""
    below = _f["tril"](_f["ones_like"](m), k - 1)
    return _f["where"](_f["equal"](below, 0), m, _f["zeros_like"](m))


def triu_indices(n: int, k: int = 0, m: int | None = None, device: Any = None) -> Any:
    """Return the rows and the columns of the elements on and above a diagonal of an n x m matrix."""
    return tuple(new_array(x, "int64", device) for x in np.triu_indices(n, k, m))


def tril_indices(n: int, k: int = 0, m: int | None = None) -> Any:
    """Return the rows and the columns of the elements on and below a diagonal of an n x m matrix."""
    return tuple(new_array(x, "int64") for x in np.tril_indices(n, k, m))


def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    """Write a number, or the elements of an array, onto the main diagonal of an array, in place.

    Parameters
    ----------
    a : an array of at least two axes; if of more, these are of one length
    val : the elements
    wrap : whether the diagonal of a tall matrix begins anew below it
    """
    filled = a.asnumpy()
    np.fill_diagonal(filled, val.asnumpy() if isinstance(val, NDArray) else val, wrap)
    a[...] = new_array(filled, filled.dtype, a.context)


def median(
    a: Any, axis: Any = None, out: Any = None, overwrite_input: Any = None, keepdims: bool = False
) -> Any:
    """Return the element in the middle, or the mean of the two there.

    Parameters
    ----------
    a : any array
    axis : the axes to search; None is all of them
    out : the array that receives the result
    overwrite_input : accepted; `a` is not changed
    keepdims : whether the axes stay, with one element
    """
    found = _f["percentile"](a, 50, axis, None, None, "midpoint", keepdims)
    return written(found, out)


def kron(a: Any, b: Any) -> Any:
    """Return the products of all elements of one array with another array, as blocks."""
    rank = max(a.ndim, b.ndim)
    first = (1,) * (rank - a.ndim) + a.shape
    second = (1,) * (rank - b.ndim) + b.shape
    parts = [a.reshape(tuple(n for x in first for n in (x, 1)))]
    parts.append(b.reshape(tuple(n for x in second for n in (1, x))))
    lengths = tuple(x * y for x, y in zip(first, second, strict=True))
    return _f["multiply"](*parts).reshape(lengths)


def cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Any:
    """Return the vector products of vectors of two or three elements.

    Parameters
    ----------
    a, b : arrays of vectors, broadcast together
    axisa, axisb, axisc : the axes of the vectors in both and in the result
    axis : all three
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = _f["moveaxis"](a, axisa, -1), _f["moveaxis"](b, axisb, -1)
    lengths = x.shape[-1], y.shape[-1]
    if not set(lengths) <= {2, 3}:
        raise ValueError(f"np.cross: vectors have 2 or 3 elements, not {lengths}")
    u, v = ([p[..., i] for i in range(n)] for p, n in zip((x, y), lengths, strict=True))
    last = u[0] * v[1] - u[1] * v[0]
    if lengths == (2, 2):
        return last
    u, v = ([*p, _f["zeros_like"](p[0])][:3] for p in (u, v))
    parts = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], last]
    return _f["moveaxis"](_f["stack"](parts, -1), -1, axisc)


def array(object: Any, dtype: Any = None, device: Any = None, ctx: Any = None) -> Any:
    """Return a new array with the elements of an array-like object.

    Parameters
    ----------
    object : an array of `mx.np` or of NumPy, a number, or (nested) sequences of them
    dtype : the element type; that of an array of `mx.np`, else float32. If NumPy's types are the default
        (`np_default_dtype`), that of any array, else float64
    device : where it is
    ctx : the name of `device` in MXNet 1.x
    """
    if dtype is None:
        known = getattr(object, "dtype", None)
        if isinstance(object, np.ndarray) and not is_np_default_dtype():
            known = np.float32
        dtype = known if known is not None else np.float64 if is_np_default_dtype() else np.float32
    return of_one.array(object, dtype, ctx if device is None else device)


def indices(dimensions: Any, dtype: Any = np.int64, device: Any = None) -> Any:
    """Return the indices of an array's elements, a block for each axis.

    Parameters
    ----------
    dimensions : the array's shape
    dtype : the element type
    device : where it is
    """
    return _f["indices"](dimensions, dtype, device)


def asarray(obj: Any, dtype: Any = None, device: Any = None, copy: bool | None = None) -> Any:
    """Return an array with the elements of an object; the object itself if it is such an array.

    Parameters
    ----------
    obj : an array, a number, or nested sequences of numbers
    dtype : the element type; by default that of `obj`, else float32
    device : where it is
    copy : True for a copy in any case, False for an error where one is needed
    """
    is_there = isinstance(obj, ndarray) and (dtype is None or obj.dtype == np.dtype(dtype))
    is_there = is_there and (device is None or obj.context == device)
    if is_there and not copy:
        return obj
    if copy is False:
        raise ValueError(
            f"np.asarray: {type(obj).__name__} cannot become this array without a copy"
        )
    return array(obj, dtype, device)


def from_dlpack(x: Any) -> Any:
    """Return an array that shares its memory with another library's, which speaks DLPack."""
    return new_array(np.from_dlpack(x)) if not hasattr(x, "__array_interface__") else _shared(x)


def _shared(x: Any) -> Any:
    return ndarray(np.asarray(x))


class UniqueAll(NamedTuple):
    """The distinct elements, where each is first, which one each element is, and how often each occurs."""

    values: Any
    indices: Any
    inverse_indices: Any
    counts: Any


class UniqueInverse(NamedTuple):
    """The distinct elements, and which one each element is."""

    values: Any
    inverse_indices: Any


def unique_all(x: Any) -> UniqueAll:
    """Return the distinct elements in order, with all that is known of them."""
    return UniqueAll(*_f["unique"](x, True, True, True))


def unique_inverse(x: Any) -> UniqueInverse:
    """Return the distinct elements in order, and for each element the index of its value."""
    return UniqueInverse(*_f["unique"](x, return_inverse=True))


def unique_values(x: Any) -> Any:
    """Return the distinct elements in order."""
    return _f["unique"](x)


_: Any = in_numpy, NotThereError
