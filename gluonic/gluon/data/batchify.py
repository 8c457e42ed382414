"""Batches made of samples."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gluonic import ndarray as nd
from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.memory import allocating
from gluonic.ndarray import Context, NDArray
from gluonic.ndarray.numpy_class import as_switched


class UnequalSamplesError(MXNetError, ValueError):
    """Samples of different shapes, lengths or kinds cannot be stacked.

    Attributes
    ----------
    kinds : descriptions of two of them, by their index in the batch
    """

    kinds: dict[int, str]


def default_batchify_fn(data: Sequence[Any]) -> Any:
    """Stack samples: arrays along a new first axis, tuples part by part, numbers to an array.

    Parameters
    ----------
    data : the samples

    Returns
    -------
    NDArray or list
        a list where samples are tuples

    Raises
    ------
    UnequalSamplesError
        if their shapes differ, or other properties that must be equal
    """
    first = data[0]
    if isinstance(first, tuple):
        return _parts(data)
    try:
        with allocating("a batch"):
            stacked = nd.stack(*data) if isinstance(first, NDArray) else np.asarray(data)
    except (MXNetError, ValueError) as error:
        _require_alike(data, error)
        raise
    if isinstance(first, NDArray):
        return stacked
    return as_switched(nd.array(stacked, dtype=stacked.dtype))


def _parts(data: Sequence[Any]) -> list[Any]:
    """Stack tuples, each part with those of the others."""
    if any(not isinstance(sample, tuple) or len(sample) != len(data[0]) for sample in data):
        _require_alike(data)
    batches = []
    for number, part in enumerate(zip(*data, strict=True)):
        try:
            batches.append(default_batchify_fn(part))
        except UnequalSamplesError as error:
            kinds = {position: f"part {number}: {kind}" for position, kind in error.kinds.items()}
            raise _unequal(kinds) from error.__cause__
    return batches


default_mp_batchify_fn = default_batchify_fn


def batch_of(dataset: Any, samples: Sequence[Any], batchify: Callable[[list[Any]], Any]) -> Any:
    """Make a batch of samples of a data set; errors name the samples.

    Parameters
    ----------
    dataset : the data set
    samples : the indices of the samples
    batchify : makes a batch of a list of samples
    """
    try:
        return batchify([dataset[i] for i in samples])
    except UnequalSamplesError as error:
        kinds = {samples[position]: kind for position, kind in error.kinds.items()}
        raise _unequal(kinds) from error.__cause__
    except Exception as error:
        error.add_note(f"in a DataLoader, making the batch of samples {samples}")
        raise


def _require_alike(data: Sequence[Any], cause: Exception | None = None) -> None:
    """Raise an error that names the first sample and one that differs, if there is one."""
    first, *others = map(_kind, data)
    for position, other in enumerate(others, 1):
        if other != first:
            raise _unequal({0: first, position: other}) from cause


def _unequal(kinds: dict[Any, str]) -> UnequalSamplesError:
    error = UnequalSamplesError(
        describe(
            "samples that are not alike make no batch",
            where="DataLoader",
            facts=[f"sample {index}: {kind}" for index, kind in kinds.items()],
            hint="a transform that makes them alike, or batchify_fn= with a function that pads them",
        )
    )
    error.kinds = kinds
    return error


def _kind(sample: Any) -> str:
    """The properties of a sample that all samples of a batch must share."""
    if isinstance(sample, tuple):
        return f"a tuple of {len(sample)}"
    try:
        shape = np.shape(sample)
    except ValueError:  # lists of unequal lengths
        return f"a {type(sample).__name__} of unequal parts"
    if isinstance(sample, NDArray):
        return f"NDArray of shape {shape}, dtype {np.dtype(sample.dtype).name}"
    return f"{type(sample).__name__} of shape {shape}"


def in_context(data: Any, ctx: Context) -> Any:
    """Return a batch with its arrays on a context."""
    if isinstance(data, NDArray):
        return data.as_in_context(ctx)
    if isinstance(data, (list, tuple)):
        return [in_context(part, ctx) for part in data]
    return data
