"""The range to clip to, so that quantization loses little of a distribution."""

from typing import Any

import numpy as np

from gluonic.graph.attributes import Positive
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, operator
from gluonic.graph.view import NodeView, title_of

_LITTLE = 1e-4


@operator("_contrib_calibrate_entropy", outputs=("threshold", "divergence"))
def calibrate_entropy(hist: Array, hist_edges: Array, *, num_quantized_bins: Positive = 255) -> Any:
    """Find the range, from a histogram around zero, whose quantization changes the distribution least.

    Values beyond a range are counted in its outermost bins. Of all ranges that have at least
    `num_quantized_bins` bins, this is the one where the Kullback-Leibler divergence between the
    distribution and its quantization to that number of bins is least (S. Migacz, 8-bit inference with
    TensorRT, 2017).

    Parameters
    ----------
    hist : float32 array of shape (bins,), an odd number: how often numbers fell into each
    hist_edges : float32 array of shape (bins + 1,)
    num_quantized_bins : int, default 255

    Returns
    -------
    threshold : float32 array of shape (1,), the end of the range
    divergence : float32 array of shape (1,)
    """
    counts = hist.astype(np.float64)
    middle = len(hist) // 2
    below, above = np.cumsum(counts), np.cumsum(counts[::-1])[::-1]
    best, found = np.inf, middle
    halves = range(num_quantized_bins // 2, middle + 1)
    for half in halves:
        start, stop = middle - half, middle + half + 1
        inner = counts[start:stop].copy()
        inner[0] = 0
        outer = inner.copy()
        outer[0] = below[start]
        outer[-1] = above[stop - 1]
        divergence = _divergence(outer, inner, num_quantized_bins)
        if divergence < best:
            best, found = divergence, half
    if not np.isfinite(best):
        found = halves[0]
    threshold = hist_edges[min(middle + found + 1, len(hist))]
    return np.full(1, threshold, np.float32), np.full(1, best, np.float32)


def _divergence(outer: Array, inner: Array, bins: int) -> float:
    """The information lost when `inner` is quantized to fewer bins, relative to `outer`."""
    starts = np.arange(bins) * (len(inner) // bins)
    sums = np.trunc(np.add.reduceat(inner, starts))
    filled = np.add.reduceat(inner != 0, starts)
    means = np.divide(sums, filled, out=np.zeros(bins), where=filled > 0)
    lengths = np.diff(np.append(starts, len(inner)))
    expanded = np.where(outer != 0, np.repeat(means, lengths), 0)
    p, q = _smooth(outer), _smooth(expanded)
    if p is None or q is None:
        return float(np.inf)
    p, q = p / p.sum(), q / q.sum()
    return float((p * np.log(p / q)).sum())


def _smooth(counts: Array) -> Array | None:
    """The counts with each zero replaced by a little, taken from the others; None if that is too much."""
    empty = counts == 0
    full = len(counts) - empty.sum()
    taken = _LITTLE * empty.sum() / full if full else np.inf
    if taken >= 1:
        return None
    return np.where(empty, _LITTLE, counts - taken)


@calibrate_entropy.infer_shape
def _(n: NodeView) -> None:
    n.threshold = n.divergence = (1,)
    (bins,) = n.hist
    n.hist_edges = (None if bins is None else bins + 1,)
    if bins is not None and (bins % 2 == 0 or bins < n.num_quantized_bins):
        raise InferenceError(
            f"{title_of(n)}: hist must have an odd number of bins, at least "
            f"num_quantized_bins={n.num_quantized_bins}, not {bins}"
        )


@calibrate_entropy.infer_dtype
def _(n: NodeView) -> None:
    n.hist = n.hist_edges = n.threshold = n.divergence = np.dtype("float32")
