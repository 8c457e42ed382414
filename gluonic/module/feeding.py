"""Batches of arrays, for estimators that accept iterators or arrays."""

from typing import Any

import numpy as np

from gluonic.io import DataIter, NDArrayIter
from gluonic.ndarray import NDArray


def batches_of(X: Any, y: Any, batch_size: int, *, shuffle: bool) -> Any:
    """Return an iterator over batches of arrays, or the given iterator.

    Parameters
    ----------
    X, y : an iterator, or arrays of examples and their labels
    batch_size : examples in a batch of arrays
    shuffle : whether to shuffle the examples at each pass; an incomplete batch rolls over then
    """
    if isinstance(X, DataIter):
        return X
    if not isinstance(X, (np.ndarray, NDArray)):
        raise TypeError(f"FeedForward: X must be a DataIter or an array, not a {type(X).__name__}")
    if y is None:
        raise ValueError("FeedForward: an array X needs y=, its labels")
    if not isinstance(y, (np.ndarray, NDArray)):
        raise TypeError(f"FeedForward: y must be an array like X, not a {type(y).__name__}")
    if y.ndim == 2 and y.shape[1] == 1:
        y = y.reshape((-1,))
    if y.ndim != 1 or y.shape[0] != X.shape[0]:
        raise ValueError(f"FeedForward: y must have shape ({X.shape[0]},), not {y.shape}")
    handling = "roll_over" if shuffle else "pad"
    count = min(X.shape[0], batch_size)
    return NDArrayIter(X, y, count, shuffle=shuffle, last_batch_handle=handling)


def unlabelled_batches(X: Any, batch_size: int) -> Any:
    """Return an iterator over an array, with zeros as labels, or the given iterator."""
    labels = np.zeros(X.shape[0]) if isinstance(X, (np.ndarray, NDArray)) else None
    return batches_of(X, labels, batch_size, shuffle=False)


def batches_to_score(given: Any, batch_size: int) -> Any:
    """Return an iterator for an iterator, or for a pair of arrays or lists; None for None."""
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        if given is None or isinstance(given, DataIter):
            return given
        raise TypeError("FeedForward: eval_data must be a DataIter or a pair (data, labels)")
    data, label = given
    if data is None:
        raise ValueError("FeedForward: eval_data has no data")
    if label is None and isinstance(data, DataIter):
        return data
    data, label = (np.array(each) if isinstance(each, list) else each for each in (data, label))
    return batches_of(data, label, batch_size, shuffle=True)
