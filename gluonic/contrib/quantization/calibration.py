"""The ranges of a net's values, found by running it on examples."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from gluonic import ndarray as nd
from gluonic.graph import Array
from gluonic.graph.errors import CallError, MismatchError, describe
from gluonic.io import DataIter
from gluonic.ndarray import Context, NDArray
from gluonic.progress import progress
from gluonic.symbol import Symbol

Range = tuple[float, float]
Histogram = tuple[Array, Array, float, float, float]
Parameters = Mapping[str, NDArray]
_BINS = 255


class Collector(Protocol):
    """The interface of objects that receive the values of a net."""

    def collect(self, name: str, arr: NDArray) -> None:
        """Receive a value."""


class LayerOutputMinMaxCollector:
    """Keeps the minimum and the maximum of each value.

    Parameters
    ----------
    quantized_dtype : accepted for compatibility
    include_layer : the names of the values to use
    logger : receives a line for each value

    Attributes
    ----------
    min_max_dict : the minimum and the maximum, by name
    """

    def __init__(
        self,
        quantized_dtype: str = "auto",
        include_layer: Sequence[str] = (),
        logger: logging.Logger | None = None,
    ) -> None:
        self.min_max_dict: dict[str, Range] = {}
        self.quantized_dtype = quantized_dtype
        self.include_layer = include_layer
        self.logger = logger

    def collect(self, name: str, arr: NDArray) -> None:
        """Receive a value."""
        if name not in self.include_layer:
            return
        values = arr.asnumpy()
        low, high = float(values.min()), float(values.max())
        before = self.min_max_dict.get(name, (low, high))
        self.min_max_dict[name] = min(before[0], low), max(before[1], high)
        if self.logger:
            self.logger.debug("%s: from %f to %f", name, low, high)


class LayerHistogramCollector:
    """Keeps a histogram, symmetric about zero, of each value.

    Parameters
    ----------
    num_bins : initial number of bins, odd
    include_layer : the names of the values to use
    logger : receives a line for each value

    Attributes
    ----------
    hist_dict : by name how often numbers fell into each bin, the bins' edges, the least and the greatest
        number, and the end of the bins
    """

    def __init__(
        self,
        num_bins: int = 8001,
        include_layer: Sequence[str] = (),
        logger: logging.Logger | None = None,
    ) -> None:
        self.hist_dict: dict[str, Histogram] = {}
        self.num_bins = num_bins
        self.include_layer = include_layer
        self.logger = logger

    def collect(self, name: str, arr: NDArray) -> None:
        """Receive a value."""
        if name not in self.include_layer:
            return
        values = arr.asnumpy()
        if self.logger:
            self.logger.debug("%s: a histogram of the shape %s", name, values.shape)
        low, high = values.min(), values.max()
        end = max(abs(low), abs(high))
        before = self.hist_dict.get(name)
        if before is None:
            counts, edges = np.histogram(values, bins=self.num_bins, range=(-end, end))
            self.hist_dict[name] = counts, edges, low, high, end
        else:
            self.hist_dict[name] = combine_histogram(before, values, low, high, end)


def combine_histogram(
    old_hist: Histogram, arr: Array, new_min: float, new_max: float, new_th: float
) -> Histogram:
    """Add numbers to a histogram; it gets more bins if they lie beyond its ends.

    Parameters
    ----------
    old_hist : counts, edges of bins, the minimum and the maximum, the end of the bins
    arr : the numbers
    new_min, new_max, new_th : their minimum and maximum, and the greater of the two magnitudes
    """
    counts, edges, low, high, end = old_hist
    low, high = min(low, new_min), max(high, new_max)
    bins = len(counts)
    if new_th <= end:
        return counts + np.histogram(arr, bins=bins, range=(-end, end))[0], edges, low, high, end
    step = 2 * end / bins
    more = int((new_th - end) // step + 1) if step else 0
    end = more * step + end if step else new_th
    found, edges = np.histogram(arr, bins=bins + 2 * more, range=(-end, end))
    found[more : more + bins] += counts
    return found, edges, low, high, end


def smooth_distribution(p: Array, eps: float = 0.0001) -> Array:
    """Return a distribution with `eps` instead of each zero, taken from the nonzero numbers.

    Parameters
    ----------
    p : any nonnegative numbers
    eps : the replacement for zeros

    Raises
    ------
    ValueError
        if all are zero, or there are too many zeros for `eps`
    """
    empty = p == 0
    full = p.size - int(empty.sum())
    taken = eps * int(empty.sum()) / full if full else np.inf
    if taken >= 1:
        raise MismatchError(
            f"a distribution with {full} of {p.size} numbers other than zero cannot be smoothed"
        )
    return np.where(empty, np.float32(eps), p - taken).astype(np.float32)


def optimal_threshold(
    hist_data: Histogram, quantized_dtype: str, num_quantized_bins: int = _BINS
) -> tuple[float, float, Array, Array]:
    """Find the range that preserves a distribution best.

    Parameters
    ----------
    hist_data : a histogram from a `LayerHistogramCollector`
    quantized_dtype : ``int8``, ``uint8`` or ``auto``
    num_quantized_bins : the number of levels; uint8 has twice as many

    Returns
    -------
    the minimum and the maximum, the end of the range, and the divergence
    """
    counts, edges, low, high, _ = hist_data
    if _is_unsigned(low, quantized_dtype):
        num_quantized_bins = num_quantized_bins * 2 + 1
    threshold, divergence = nd.contrib.calibrate_entropy(
        nd.array(counts), nd.array(edges), num_quantized_bins=num_quantized_bins
    )
    return low, high, threshold.asnumpy(), divergence.asnumpy()


def _is_unsigned(low: float, dtype: str) -> bool:
    return low >= 0 and dtype in ("auto", "uint8")


def optimal_thresholds(
    hist_dict: dict[str, Histogram],
    quantized_dtype: str,
    num_quantized_bins: int = _BINS,
    logger: logging.Logger | None = None,
) -> dict[str, Range]:
    """Find the ranges for histograms, which are removed one by one.

    Parameters
    ----------
    hist_dict : histograms from a `LayerHistogramCollector`, by name
    quantized_dtype, num_quantized_bins : as for `optimal_threshold`
    logger : receives a line for each range
    """
    found: dict[str, Range] = {}
    with progress(len(hist_dict), "histogram") as bar:
        for name in list(hist_dict):
            low, high, threshold, divergence = optimal_threshold(
                hist_dict.pop(name), quantized_dtype, num_quantized_bins
            )
            end = threshold.item()
            found[name] = (0 if _is_unsigned(low, quantized_dtype) else -end), end
            if logger:
                logger.debug("%s: from %f to %f, cut at %f (%f)", name, low, high, end, divergence)
            bar.update()
    return found


def run_examples(
    sym: Symbol,
    params: Parameters,
    data: DataIter,
    collector: Collector,
    *,
    data_names: Sequence[str],
    ctx: Context | None,
    most: int | None = None,
    logger: logging.Logger | None = None,
) -> int:
    """Run a net on examples, and pass its values to a collector.

    Parameters
    ----------
    sym, params : the net, with its parameters and auxiliary states
    data : an iterator over batches
    collector : receives all values, by name
    data_names : the names of the batches' arrays
    ctx : the context to run it on
    most : the number of examples after which to stop; by default all are used

    Returns
    -------
    int
        the number of examples
    """
    if not isinstance(data, DataIter):
        raise MismatchError(
            describe(
                f"calib_data must be a DataIter, not {type(data).__name__}", where="quantization"
            )
        )
    shapes: dict[str, Any] = {name: shape for name, shape in _shapes(data) if name in data_names}
    executor = sym.simple_bind(ctx, grad_req="null", **shapes)
    executor.copy_params_from(params, params, allow_extra_params=True)
    executor.set_monitor_callback(collector.collect, monitor_all=True)
    count = batches = 0
    with progress(None, "batch") as bar:
        for batch in data:
            executor.forward(is_train=False, **dict(zip(data_names, batch.data, strict=False)))
            batches, count = batches + 1, count + data.batch_size
            bar.update()
            if most is not None and count >= most:
                break
    if not count:
        raise CallError(describe("calib_data has no batches", where="quantization"))
    if logger:
        logger.info("Looked at %d batches of %d", batches, data.batch_size)
    return count


def _shapes(data: Any) -> Iterable[tuple[str, tuple[int, ...]]]:
    return [(desc[0], tuple(desc[1])) for desc in data.provide_data]
