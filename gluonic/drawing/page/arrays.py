"""The description of an array on a page: its shape, statistics and a histogram."""

from typing import Any

import numpy as np

_BINS = 24
_MOST = 1 << 17
"""The most elements; of larger arrays every n-th element is taken."""


def facts_of_array(array: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Describe an array: shape, dtype, bytes, and statistics of its finite numbers."""
    found: dict[str, Any] = {
        "shape": list(array.shape),
        "dtype": array.dtype.name,
        "bytes": int(array.nbytes),
    }
    if not array.size or array.dtype.kind not in "biuf":
        return found
    step = max(1, array.size // _MOST)
    flat = array.reshape(-1)[::step].astype(np.float64)
    finite = flat[np.isfinite(flat)]
    found |= {"zeros": int((flat == 0).sum()), "looked_at": int(flat.size)}
    if finite.size < flat.size:
        found["not_finite"] = int(flat.size - finite.size)
    if finite.size:
        low, high = float(finite.min()), float(finite.max())
        scale = max(abs(low), abs(high)) or 1.0  # squares of large numbers would overflow float64
        found |= {
            "least": low,
            "most": high,
            "mean": float((finite / scale).mean()) * scale,
            "deviation": float((finite / scale).std()) * scale,
        }
        if low < high and np.isfinite(high - low):
            found["histogram"] = np.histogram(finite, _BINS)[0].tolist()
        found["first"] = finite[:6].tolist()
    return found
