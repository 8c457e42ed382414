"""Comparison of arrays, with tolerances by dtype."""

import numbers
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gluonic.ndarray import Context, NDArray, current_context
from gluonic.ndarray.placing import memory_is_shared

_Tolerance = Any  # a number, numbers by dtype, or None for the default

_FLOAT64 = np.dtype("float64")
_INTEGERS = dict.fromkeys(
    map(np.dtype, ("bool", "int8", "uint8", "int32", "uint32", "int64", "uint64")), 0.0
)


def default_context() -> Context:
    """Return the context that tests run on."""
    return current_context()


def set_default_context(ctx: Context) -> None:
    """Set the context that tests run on, in this thread."""
    Context.default_ctx = ctx


def default_dtype() -> type[np.float32]:
    """Return float32, the default dtype of tests."""
    return np.float32


def default_rtols() -> dict[np.dtype[Any], float]:
    """Return the relative tolerance of each dtype."""
    return {
        np.dtype("float16"): 1e-2,
        np.dtype("float32"): 1e-4,
        np.dtype("float64"): 1e-5,
        **_INTEGERS,
    }


def default_atols() -> dict[np.dtype[Any], float]:
    """Return the absolute tolerance of each dtype."""
    return {
        np.dtype("float16"): 1e-1,
        np.dtype("float32"): 1e-3,
        np.dtype("float64"): 1e-20,
        **_INTEGERS,
    }


def default_numeric_eps() -> dict[np.dtype[Any], float]:
    """Return the step of central differences for each dtype."""
    return {
        np.dtype("float16"): 2.0**-6,
        np.dtype("float32"): 2.0**-9,
        np.dtype("float64"): 2.0**-14,
    }


def effective_dtype(dat: Any) -> np.dtype[Any]:
    """Return the dtype that an array was computed in."""
    found: np.dtype[Any] = np.dtype(dat.dtype)
    return found


def get_tolerance(dat: Any, tol: _Tolerance, default_tol: Mapping[Any, float]) -> float:
    """Return the tolerance for an array: the number `tol`, or that of its dtype in `tol` or `default_tol`."""
    if isinstance(tol, numbers.Real):
        return float(tol)
    dtype = effective_dtype(dat)
    return float((tol or {}).get(dtype, default_tol[dtype]))


def get_tols(x: Any, y: Any, rtol: _Tolerance, atol: _Tolerance) -> tuple[float, float]:
    """Return the tolerances for comparing two arrays: the larger of both arrays' tolerances."""
    x, y = (np.array(v) if isinstance(v, numbers.Number) else v for v in (x, y))
    relative = max(get_tolerance(v, rtol, default_rtols()) for v in (x, y))
    absolute = max(get_tolerance(v, atol, default_atols()) for v in (x, y))
    return relative, absolute


def get_atol(atol: float | None = None, dtype: Any = _FLOAT64) -> float:
    """Return `atol`, or the default of a dtype."""
    return default_atols()[np.dtype(dtype)] if atol is None else atol


def get_rtol(rtol: float | None = None, dtype: Any = _FLOAT64) -> float:
    """Return `rtol`, or the default of a dtype."""
    return default_rtols()[np.dtype(dtype)] if rtol is None else rtol


def get_etol(etol: float | None = None) -> float:
    """Return `etol`, the fraction of elements that may be wrong; by default 0."""
    return 0 if etol is None else etol


def as_numpy(x: Any) -> Any:
    """Return an array as a NumPy array."""
    return x.asnumpy() if isinstance(x, NDArray) else np.asarray(x)


def same(a: Any, b: Any) -> bool:
    """Return whether two arrays are equal in shape and elements."""
    return np.array_equal(as_numpy(a), as_numpy(b))


def checkShapes(a: Any, b: Any) -> None:
    """Raise an AssertionError if two arrays differ in shape."""
    if a.shape != b.shape:
        raise AssertionError(f"the shapes {a.shape} and {b.shape} are not equal")


def almost_equal(
    a: Any,
    b: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    use_broadcast: bool = True,
) -> bool:
    """Return whether ``|a - b| <= atol + rtol · |b|`` everywhere.

    Parameters
    ----------
    rtol, atol : the tolerances; those of float64 by default
    equal_nan : whether NaN is equal to NaN
    use_broadcast : whether shapes may differ
    """
    if not use_broadcast:
        checkShapes(a, b)
    found = np.allclose(
        as_numpy(a), as_numpy(b), rtol=get_rtol(rtol), atol=get_atol(atol), equal_nan=equal_nan
    )
    return bool(found)


def find_max_violation(a: Any, b: Any, rtol: float, atol: float) -> tuple[Any, float]:
    """Return the index where two arrays differ most, and the difference there, in units of the tolerance."""
    a, b = np.broadcast_arrays(as_numpy(a), as_numpy(b))
    with np.errstate(all="ignore"):
        gap = np.where(np.equal(a, b), 0, np.abs(np.subtract(a, b, dtype=np.float64)))
        violation = gap / (atol + rtol * np.abs(b) + 1e-20)
    violation = np.where(np.isnan(violation), np.inf, violation)
    position = np.unravel_index(int(np.argmax(violation)), violation.shape)
    return tuple(map(int, position)), float(violation[position])


def _wrong(a: Any, b: Any, rtol: float, atol: float, equal_nan: bool) -> Any:
    return ~np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)


def locationError(a: Any, b: Any, index: Any, names: Sequence[str], maxError: bool = False) -> str:
    """Return a message with an index where two arrays differ, and their elements there.

    Parameters
    ----------
    a, b : the arrays
    index : the index
    names : the names of the arrays
    maxError : whether the difference is the largest one
    """
    kind = "maximum error" if maxError else "error"
    return f"Location of {kind}: {index}, {names[0]}={a[index]:.8f}, {names[1]}={b[index]:.8f}"


def assert_almost_equal(
    a: Any,
    b: Any,
    rtol: _Tolerance = None,
    atol: _Tolerance = None,
    names: Sequence[str] = ("a", "b"),
    equal_nan: bool = False,
    use_broadcast: bool = True,
    mismatches: tuple[int, int] = (10, 10),
) -> None:
    """Raise an AssertionError unless ``|a - b| <= atol + rtol · |b|`` everywhere.

    Parameters
    ----------
    a, b : NDArrays, NumPy arrays or numbers
    rtol, atol : numbers, numbers by dtype, or None for the default of the dtypes
    names : their names in the message
    equal_nan : whether NaN is equal to NaN
    use_broadcast : whether shapes may differ
    mismatches : the maximum number of mismatches to show, the first of the pair
    """
    if not use_broadcast:
        checkShapes(a, b)
    relative, absolute = get_tols(a, b, rtol, atol)
    a, b = as_numpy(a), as_numpy(b)
    if not almost_equal(a, b, relative, absolute, equal_nan=equal_nan):
        raise AssertionError(_report(a, b, relative, absolute, names, equal_nan, mismatches[0]))


def _report(
    a: Any, b: Any, rtol: float, atol: float, names: Sequence[str], equal_nan: bool, most: int
) -> str:
    position, error = find_max_violation(a, b, rtol, atol)
    left, right = np.broadcast_arrays(a, b)
    wrong = _wrong(left, right, rtol, atol, equal_nan)
    lines = [
        f"Error {error:f} exceeds tolerance rtol={rtol:e}, atol={atol:e} "
        f"(mismatch {100 * wrong.mean():f}%).",
        f"Location of maximum error: {position}, "
        f"{names[0]}={left[position]:.8f}, {names[1]}={right[position]:.8f}",
    ]
    for index in map(tuple, np.argwhere(wrong)[: max(0, most)].tolist()):
        lines.append(f"  {index}: {names[0]}={left[index]:.8f}, {names[1]}={right[index]:.8f}")
    lines += [f"{name}: shape {x.shape}, {x.dtype}" for name, x in zip(names, (a, b), strict=True)]
    return "\n".join(lines)


def assert_allclose(
    a: Any, b: Any, rtol: float = 1e-07, atol: float = 0, equal_nan: bool = True
) -> None:
    """Raise an AssertionError unless two arrays are nearly equal; see `assert_almost_equal`."""
    assert_almost_equal(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)


def assert_almost_equal_with_err(
    a: Any,
    b: Any,
    rtol: _Tolerance = None,
    atol: _Tolerance = None,
    etol: float | None = None,
    names: Sequence[str] = ("a", "b"),
    equal_nan: bool = False,
    mismatches: tuple[int, int] = (10, 10),
) -> None:
    """Raise an AssertionError if more than the fraction `etol` of the elements differ."""
    relative, absolute = get_tols(a, b, rtol, atol)
    a, b = as_numpy(a), as_numpy(b)
    if _wrong(a, b, relative, absolute, equal_nan).mean() > get_etol(etol):
        raise AssertionError(_report(a, b, relative, absolute, names, equal_nan, mismatches[0]))


def assert_almost_equal_ignore_nan(
    a: Any,
    b: Any,
    rtol: _Tolerance = None,
    atol: _Tolerance = None,
    names: Sequence[str] = ("a", "b"),
) -> None:
    """`assert_almost_equal`, except where either is NaN."""
    a, b = as_numpy(a).copy(), as_numpy(b).copy()
    either = np.isnan(a) | np.isnan(b)
    a[either] = b[either] = 0
    assert_almost_equal(a, b, rtol, atol, names)


def compare_ndarray_tuple(
    t1: Any, t2: Any, rtol: _Tolerance = None, atol: _Tolerance = None
) -> None:
    """Compare nested tuples of arrays; None on either side is equal to anything."""
    if t1 is None or t2 is None:
        return
    if isinstance(t1, (tuple, list)):
        for one, other in zip(t1, t2, strict=True):
            compare_ndarray_tuple(one, other, rtol, atol)
    else:
        assert_almost_equal(t1, t2, rtol=rtol, atol=atol)


def compare_optimizer(
    opt1: Any,
    opt2: Any,
    shape: Any,
    dtype: Any,
    w_stype: str = "default",
    g_stype: str = "default",
    rtol: float = 1e-4,
    atol: float = 1e-5,
    compare_states: bool = True,
    ntensors: int | None = None,
) -> None:
    """Update random weights with two optimizers and compare weights and states.

    Parameters
    ----------
    opt1, opt2 : the optimizers
    shape : the weight's shape, or a list of shapes to update together
    dtype : the dtype
    w_stype, g_stype : the storage types of weights and gradients for the second optimizer
    rtol, atol : the tolerances
    compare_states : whether to compare the states too
    ntensors : number of shapes to take from a list; all by default
    """
    several = isinstance(shape, list)
    shapes = shape[:ntensors] if several else [shape]
    draws = [[np.random.uniform(-1, 1, s).astype(dtype) for s in shapes] for _ in range(2)]
    results = []
    kinds = ("default", "default"), (w_stype, g_stype)
    for optimizer, stypes in zip((opt1, opt2), kinds, strict=True):
        weights, grads = (
            [NDArray(x.copy()).tostype(stype) for x in drawn]
            for drawn, stype in zip(draws, stypes, strict=True)
        )
        indices = list(range(len(shapes)))
        states = [optimizer.create_state_multi_precision(i, weights[i]) for i in indices]
        if several:
            optimizer.update_multi_precision(indices, weights, grads, states)
        else:
            optimizer.update_multi_precision(0, weights[0], grads[0], states[0])
        results.append((weights, states))
    if compare_states:
        compare_ndarray_tuple(results[0][1], results[1][1], rtol, atol)
    compare_ndarray_tuple(results[0][0], results[1][0], rtol, atol)


def same_array(array1: NDArray, array2: NDArray) -> bool:
    """Return whether two NDArrays share memory."""
    return memory_is_shared(array1, array2)


def same_symbol_structure(sym1: Any, sym2: Any) -> bool:
    """Return whether two symbols have the same internal outputs in order, by the last part of their names."""
    nodes = [symbol.get_internals().list_outputs() for symbol in (sym1, sym2)]
    return [x.split("_")[-1] for x in nodes[0]] == [x.split("_")[-1] for x in nodes[1]]
