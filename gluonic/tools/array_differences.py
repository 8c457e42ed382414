"""How far arrays differ."""

from typing import Any

import numpy as np

from gluonic.ndarray import NDArray
from gluonic.support.record import record

_Array = np.ndarray[Any, Any]


@record
class Tolerance:
    """What counts as equal, as for ``numpy.allclose``: ``|a - b| <= absolute + relative * |b|``."""

    relative: float = 0.0
    absolute: float = 0.0


def how_different(
    left: NDArray | _Array, right: NDArray | _Array, tolerance: Tolerance
) -> str | None:
    """Say how an array differs from an earlier one, `left`, in words; None if it does not.

    >>> how_different(np.array([1.0, 2.0]), np.array([1.0, 2.5]), Tolerance())
    '1 of 2 elements differ, by at most 0.5'
    >>> how_different(np.array([1.0]), np.array([1.0 + 1e-9]), Tolerance(absolute=1e-6)) is None
    True
    """
    a, b = (one.asnumpy() if isinstance(one, NDArray) else one for one in (left, right))
    if a.shape != b.shape:
        return f"shape {_written(a.shape)} → {_written(b.shape)}"
    if a.dtype != b.dtype:
        return f"dtype {a.dtype.name} → {b.dtype.name}"
    wide = [one.astype(np.float64) for one in (a, b)]
    exact = np.asarray(a == b) | (np.isnan(wide[0]) & np.isnan(wide[1]))
    with np.errstate(invalid="ignore", over="ignore"):
        gaps = np.where(exact, 0.0, np.abs(wide[0] - wide[1]))
        allowed = tolerance.absolute + tolerance.relative * np.abs(wide[1])
        differ = ~exact & ~(np.isfinite(gaps) & (gaps <= allowed))
    if not differ.any():
        return None
    largest = np.nanmax(gaps[differ]) if not np.isnan(gaps[differ]).all() else np.nan
    return f"{differ.sum():,} of {differ.size:,} elements differ, by at most {largest:.3g}"


def _written(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape)) or "()"
