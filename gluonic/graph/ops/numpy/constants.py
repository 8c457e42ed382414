"""Arrays made from attributes alone, with NumPy's rules of shapes."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gluonic.graph.attributes import DType, Shape
from gluonic.graph.derivation import derived
from gluonic.graph.dtypes import DEFAULT
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, operator
from gluonic.graph.rules import fixed_by, like
from gluonic.graph.view import title_of

FLOAT32, INT32 = DType(DEFAULT), DType(np.dtype(np.int32))

derived("_npi_zeros", "_zeros", shape=fixed_by("shape"))
derived("_npi_ones", "_ones", shape=fixed_by("shape"))
derived("_npi_full", "_full", shape=fixed_by("shape"))
derived("_npi_linspace", "_linspace")


@operator("_npi_identity", dtype=fixed_by("dtype"), shape=fixed_by("shape"))
def identity(*, shape: Shape = (), ctx: str = "", dtype: DType = FLOAT32) -> Array:
    """A square matrix with ones on its diagonal, zeros elsewhere."""
    return np.eye(*shape, dtype=dtype)


@operator("_npi_eye", dtype=fixed_by("dtype"))
def eye(
    *, N: int, M: int | None = None, k: int = 0, ctx: str = "", dtype: DType = FLOAT32
) -> Array:
    """A matrix of zeros, with ones on a diagonal.

    Parameters
    ----------
    N : the number of rows
    M : the number of columns; `N` by default
    k : the diagonal: 0 is the main one, positive ones are above it
    """
    return np.eye(N, M, k, dtype)


@eye.infer_shape
def _(n: Any) -> None:
    n.output = (n.N, n.N if n.M is None else n.M)


def _range(n: Any) -> tuple[float, float, float]:
    start, stop = (0.0, n.start) if n.stop is None else (n.start, n.stop)
    if n.step == 0:
        raise InferenceError("arange: step must not be 0")
    return start, stop, n.step


@operator("_npi_arange", dtype=fixed_by("dtype"))
def arange(
    *,
    start: float,
    stop: float | None = None,
    step: float = 1.0,
    repeat: int = 1,
    infer_range: bool = False,
    ctx: str = "",
    dtype: DType = FLOAT32,
) -> Array:
    """Evenly spaced numbers from `start` (included) to `stop` (excluded).

    Parameters
    ----------
    start, stop : the range; if only one is given, it is the end, and the range starts at 0
    step : the distance of consecutive numbers
    repeat, infer_range : without effect
    """
    begin, end = (0.0, start) if stop is None else (start, stop)
    return np.arange(_count(begin, end, step)) * step + begin


def _count(start: float, stop: float, step: float) -> int:
    return max(int(np.ceil((stop - start) / step)), 0)


@arange.infer_shape
def _(n: Any) -> None:
    n.output = (_count(*_range(n)),)


@operator("_npi_logspace", dtype=fixed_by("dtype"))
def logspace(
    *,
    start: float,
    stop: float,
    num: int,
    endpoint: bool = True,
    base: float = 10.0,
    ctx: str = "",
    dtype: DType = FLOAT32,
) -> Array:
    """Numbers between two powers of `base`, evenly spaced on a logarithmic scale.

    Parameters
    ----------
    start, stop : the exponents of the first number and the last
    num : number of samples
    endpoint : whether the last is among them
    """
    return np.logspace(start, stop, num, endpoint, base)


@logspace.infer_shape
def _(n: Any) -> None:
    if n.num < 0:
        raise InferenceError(f"{title_of(n)}: num={n.num} must not be negative")
    n.output = (n.num,)


@operator("_npi_indices", dtype=fixed_by("dtype"))
def indices(*, dimensions: Shape, dtype: DType = INT32, ctx: str = "") -> Array:
    """The index of each element of a grid along each of its axes."""
    return np.indices(dimensions, dtype)


@indices.infer_shape
def _(n: Any) -> None:
    n.output = (len(n.dimensions), *n.dimensions)


@operator("_npi_full_like", shape=like("a"))
def full_like(a: Array, *, fill_value: float, ctx: str = "", dtype: DType | None = None) -> Array:
    """An array of the shape of `a`, every element `fill_value`."""
    return np.full(a.shape, np.float64(fill_value)).astype(a.dtype if dtype is None else dtype)


@full_like.infer_dtype
def _(n: Any) -> None:
    if n.dtype is None:
        like("a")(n)
    else:
        n.output = n.dtype


def _window(name: str, make: Callable[[int], Array]) -> None:
    def kernel(*, M: int | None = None, ctx: str = "", dtype: DType = FLOAT32) -> Array:
        return make(0 if M is None else max(M, 0))

    def rule(n: Any) -> None:
        n.output = (0 if n.M is None else max(n.M, 0),)

    kernel.__doc__ = f"The {name.title()} window of `M` points."
    operator(f"_npi_{name}", shape=rule, dtype=fixed_by("dtype"))(kernel).gradient()


for _name in ("blackman", "hamming", "hanning"):
    _window(_name, getattr(np, _name))
for _op in (identity, eye, arange, logspace, indices, full_like):
    _op.gradient()
