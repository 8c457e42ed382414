"""Arrays made from numbers, and from the shapes of others."""

from collections.abc import Sequence
from typing import Any

from gluonic.graph.errors import NotThereError
from gluonic.numpy_functions.table import Operators, add, function

Order = str


def dtype_or_default(dtype: Any) -> Any:
    """The requested dtype, float32 by default."""
    return "float32" if dtype is None else dtype


def placed(ctx: Any) -> dict[str, Any]:
    """The keyword for the context of a new array, if one is given."""
    return {} if ctx is None else {"ctx": str(ctx)}


def require_c(name: str, order: Order) -> None:
    """Refuse any memory order but C's."""
    if order != "C":
        raise NotThereError(f"np.{name}: order={order!r}: elements lie in the order 'C'")


def _filled(name: str, operator: str, what: str) -> None:
    def fill(
        F: Operators, shape: Any, dtype: Any = None, order: Order = "C", ctx: Any = None
    ) -> Any:
        require_c(name, order)
        return getattr(F, operator)(shape=shape, dtype=dtype_or_default(dtype), **placed(ctx))

    fill.__doc__ = f"""Return an array of {what}.

    Parameters
    ----------
    shape : its extents, one or several
    dtype : its dtype, default float32
    order : "C"
    ctx : where it is made
    """
    add(name, fill)


_filled("zeros", "_npi_zeros", "zeros")
_filled("ones", "_npi_ones", "ones")
_filled("empty", "_npi_zeros", "arbitrary values, which are zeros")


def _filled_like(name: str, value: float, what: str) -> None:
    def fill(
        F: Operators,
        a: Any,
        dtype: Any = None,
        order: Order = "C",
        ctx: Any = None,
        out: Any = None,
    ) -> Any:
        require_c(name, order)
        return F._npi_full_like(a, fill_value=value, dtype=dtype, out=out, **placed(ctx))

    fill.__doc__ = f"""Return an array of {what} with the shape of another.

    Parameters
    ----------
    a : whose shape it has, and whose dtype if none is given
    dtype : its dtype
    order : "C"
    ctx : where it is made
    out : the array that receives the result
    """
    add(name, fill)


_filled_like("zeros_like", 0.0, "zeros")
_filled_like("ones_like", 1.0, "ones")


@function()
def empty_like(
    F: Operators,
    prototype: Any,
    dtype: Any = None,
    order: Order = "C",
    subok: bool = False,
    shape: Any = None,
) -> Any:
    """Return an array of arbitrary values with the shape of another.

    Parameters
    ----------
    prototype : whose shape it has, and whose dtype if none is given
    dtype : its dtype
    order : "C"
    subok, shape : False and None
    """
    require_c("empty_like", order)
    if subok or shape is not None:
        raise NotThereError("np.empty_like: subok= and shape= are not there")
    return F._npi_full_like(prototype, fill_value=0.0, dtype=dtype)


@function()
def full(
    F: Operators,
    shape: Any,
    fill_value: Any,
    dtype: Any = None,
    order: Order = "C",
    ctx: Any = None,
    out: Any = None,
) -> Any:
    """Return an array filled with a number.

    Parameters
    ----------
    shape : its extents, one or several
    fill_value : the number; or an array that is broadcast to `shape`
    dtype : its dtype, default float32, bool for a truth value
    order : "C"
    ctx : where it is made
    out : the array that receives the result
    """
    require_c("full", order)
    if F.is_array(fill_value):
        found = F._npi_broadcast_to(fill_value, shape=shape, out=out)
        return found if dtype is None else F._npi_cast(found, dtype=dtype)
    if isinstance(fill_value, bool) and dtype is None:
        dtype = "bool"
    return F._npi_full(
        shape=shape, value=float(fill_value), dtype=dtype_or_default(dtype), out=out, **placed(ctx)
    )


@function()
def full_like(
    F: Operators,
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: Order = "C",
    ctx: Any = None,
    out: Any = None,
) -> Any:
    """Return an array filled with a number, with the shape of another.

    Parameters
    ----------
    a : whose shape it has, and whose dtype if none is given
    fill_value : the number
    dtype : its dtype
    order : "C"
    ctx : where it is made
    out : the array that receives the result
    """
    require_c("full_like", order)
    return F._npi_full_like(a, fill_value=float(fill_value), dtype=dtype, out=out, **placed(ctx))


@function()
def arange(
    F: Operators, start: Any, stop: Any = None, step: Any = 1, dtype: Any = None, ctx: Any = None
) -> Any:
    """Return evenly spaced numbers from `start` (included) to `stop` (excluded).

    Parameters
    ----------
    start, stop : the range; if only one is given, it is the end, and the range starts at 0
    step : the distance of consecutive numbers
    dtype : default float32
    ctx : where it is made
    """
    if step == 0:
        raise ZeroDivisionError("np.arange: step must not be 0")
    step = 1 if step is None else step
    start, stop = (0, start) if stop is None else (start, stop)
    return F._npi_arange(
        start=start, stop=stop, step=step, dtype=dtype_or_default(dtype), **placed(ctx)
    )


@function()
def identity(F: Operators, n: int, dtype: Any = None, ctx: Any = None) -> Any:
    """Return the square matrix of `n` rows with ones on its diagonal."""
    if n < 0:
        raise ValueError(f"np.identity: n={n} must not be negative")
    return F._npi_identity(shape=(n, n), dtype=dtype_or_default(dtype), **placed(ctx))


@function()
def eye(
    F: Operators, N: int, M: int | None = None, k: int = 0, dtype: Any = None, **kwargs: Any
) -> Any:
    """Return a matrix of zeros, with ones on a diagonal.

    Parameters
    ----------
    N, M : the numbers of rows and columns; square by default
    k : the diagonal: 0 is the main one, positive ones are above it
    dtype : default float32
    kwargs : ``ctx=``, where it is made
    """
    return F._npi_eye(N=N, M=M, k=k, dtype=dtype_or_default(dtype), **placed(kwargs.get("ctx")))


@function()
def linspace(
    F: Operators,
    start: float,
    stop: float,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    ctx: Any = None,
) -> Any:
    """Return `num` evenly spaced numbers from `start` to `stop`.

    Parameters
    ----------
    start, stop : numbers
    num : number of samples
    endpoint : whether `stop` is the last of them
    retstep : whether their distance is returned, too
    dtype : default float32
    axis : 0
    ctx : where it is made
    """
    _require_numbers("linspace", axis, start, stop)
    found = F._npi_linspace(
        start=start,
        stop=stop,
        num=num,
        endpoint=endpoint,
        dtype=dtype_or_default(dtype),
        **placed(ctx),
    )
    if not retstep:
        return found
    parts = num - 1 if endpoint else num
    return found, (stop - start) / parts if parts > 0 else float("nan")


@function()
def logspace(
    F: Operators,
    start: float,
    stop: float,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10.0,
    dtype: Any = None,
    axis: int = 0,
    ctx: Any = None,
) -> Any:
    """Return numbers between two powers of `base`, evenly spaced on a logarithmic scale; see `linspace`."""
    _require_numbers("logspace", axis, start, stop)
    return F._npi_logspace(
        start=start,
        stop=stop,
        num=num,
        endpoint=endpoint,
        base=base,
        dtype=dtype_or_default(dtype),
        **placed(ctx),
    )


def _require_numbers(name: str, axis: int, *ends: Any) -> None:
    if axis != 0 or any(isinstance(end, (list, tuple)) or hasattr(end, "shape") for end in ends):
        raise NotImplementedError(f"np.{name}: of numbers alone, with axis=0")


@function()
def indices(F: Operators, dimensions: Any, dtype: Any = None, ctx: Any = None) -> Any:
    """Return the index of each element of a grid along each of its axes, default int32."""
    if not isinstance(dimensions, (tuple, list)):
        raise ValueError(f"np.indices: dimensions must be a tuple of extents, not {dimensions!r}")
    dtype = "int32" if dtype is None else dtype
    return F._npi_indices(dimensions=tuple(dimensions), dtype=dtype, **placed(ctx))


def _window(name: str) -> None:
    def make(F: Operators, M: int, dtype: Any = None, ctx: Any = None) -> Any:
        return getattr(F, f"_npi_{name}")(M=M, dtype=dtype_or_default(dtype), **placed(ctx))

    make.__doc__ = f"Return the {name.title()} window of `M` points, default float32."
    add(name, make)


for _name in ("blackman", "hamming", "hanning"):
    _window(_name)


@function()
def tril(F: Operators, m: Any, k: int = 0) -> Any:
    """Return `m` with zeros above a diagonal: 0 is the main one, positive ones lie above it."""
    return F._npi_tril(m, k=k)


@function()
def copy(F: Operators, a: Any, out: Any = None) -> Any:
    """Return a copy."""
    return F._np_copy(a, out=out)


@function()
def meshgrid(F: Operators, *xi: Any, **kwargs: Any) -> Any:
    """Return arrays of coordinates from vectors: each is repeated along the axes of the others.

    Parameters
    ----------
    xi : vectors
    kwargs : ``indexing="ij"`` where the first vector lies along the first axis, default ``"xy"``: along the
        second one; ``sparse=True`` leaves axes of length one
    """
    indexing, sparse = kwargs.pop("indexing", "xy"), kwargs.pop("sparse", False)
    kwargs.pop("copy", None)
    if kwargs:
        raise TypeError(f"meshgrid() got an unexpected keyword argument {next(iter(kwargs))!r}")
    if indexing not in ("xy", "ij"):
        raise ValueError(f"np.meshgrid: indexing={indexing!r} must be 'xy' or 'ij'")
    axes = list(range(len(xi)))
    if indexing == "xy" and len(xi) > 1:
        axes[:2] = [1, 0]
    made = [
        F._np_reshape(x, newshape=[-1 if i == axis else 1 for i in range(len(xi))])
        for x, axis in zip(xi, axes, strict=True)
    ]
    return made if sparse else together(F, made)


def together(F: Operators, arrays: Sequence[Any]) -> list[Any]:
    """Arrays broadcast to their common shape."""
    whole = arrays[0]
    for other in arrays[1:]:
        whole = F._npi_add(F.zeros_like(whole), F.zeros_like(other))
    return [F.broadcast_like(array, whole) for array in arrays]


@function()
def broadcast_arrays(F: Operators, *args: Any) -> Any:
    """Return arrays, and numbers, broadcast to their common shape."""
    kinds = {bool: "bool", int: "int64"}
    arrays = [a if F.is_array(a) else F.array_of(a, kinds.get(type(a), "float32")) for a in args]
    return together(F, arrays)
