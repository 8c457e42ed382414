"""Making batches of samples."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic import ndarray as nd
from gluonic.ndarray import Context, NDArray


def default_batchify_fn(data: Sequence[Any]) -> Any:
    """Stack samples: arrays along a new first axis, tuples part by part, numbers to an array.

    Parameters
    ----------
    data : the samples

    Returns
    -------
    NDArray or list
        a list where samples are tuples
    """
    first = data[0]
    if isinstance(first, NDArray):
        return nd.stack(*data)
    if isinstance(first, tuple):
        return [default_batchify_fn(part) for part in zip(*data, strict=True)]
    stacked = np.asarray(data)
    return nd.array(stacked, dtype=stacked.dtype)


default_mp_batchify_fn = default_batchify_fn


def in_context(data: Any, ctx: Context) -> Any:
    """Return a batch with its arrays on a context."""
    if isinstance(data, NDArray):
        return data.as_in_context(ctx)
    if isinstance(data, (list, tuple)):
        return [in_context(part, ctx) for part in data]
    return data
