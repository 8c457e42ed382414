"""Batches made of samples."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gluonic import ndarray as nd
from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.memory import allocating
from gluonic.ndarray import Context, NDArray
from gluonic.ndarray.numpy_class import as_switched

_UNEQUAL = "samples that are not alike make no batch"
_PADDED = "a transform that makes them alike, or batchify_fn= with a function that pads them"
_NOT_STACKED = "a batch is stacked of arrays and numbers, or of tuples of them"
_BY_FUNCTION = (
    "a transform that makes numbers of it, or batchify_fn= with a function that makes a batch of a list of "
    "samples, such as batchify_fn=list"
)
_BY_KEYS = "batchify_fn=lambda samples: {key: mx.nd.array([s[key] for s in samples]) for key in samples[0]}"
_NO_NUMBERS = "OUSmM"


class UnequalSamplesError(MXNetError, ValueError):
    """Samples of different shapes, lengths or kinds, or without numbers, cannot be stacked.

    Attributes
    ----------
    kinds : descriptions of one or two of them, by their index in the batch
    told : what is wrong, and what to try
    """

    kinds: dict[int, str]
    told: tuple[str, str]


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
            stacked: Any = nd.stack(*data) if isinstance(first, NDArray) else np.asarray(data)
    except (MXNetError, ValueError) as error:
        _require_alike(data, error)
        raise
    if isinstance(first, NDArray):
        return stacked
    _require_numbers(data, stacked)
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
            raise _error(kinds, *error.told) from error.__cause__
    return batches


default_mp_batchify_fn = default_batchify_fn


def note(error: Exception, where: str) -> None:
    """Add a line to an error: within the message of our own, whose last line states the problem."""
    if isinstance(error, MXNetError):
        error.facts.append(where)
    else:
        error.add_note(where)


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
        raise _error(kinds, *error.told) from error.__cause__
    except Exception as error:
        note(error, f"in a DataLoader, making the batch of samples {samples}")
        raise


def _require_alike(data: Sequence[Any], cause: Exception | None = None) -> None:
    """Raise an error that names the first sample and one that differs, if there is one."""
    first, *others = map(_kind, data)
    for position, other in enumerate(others, 1):
        if other != first:
            raise _error({0: first, position: other}) from cause


def _require_numbers(data: Sequence[Any], stacked: np.ndarray[Any, Any]) -> None:
    """Raise an error that names the first sample that is not made of numbers, if there is one."""
    if stacked.dtype.kind not in _NO_NUMBERS:
        return
    kinds = (np.asarray(sample).dtype.kind for sample in data)
    position = next((i for i, kind in enumerate(kinds) if kind in _NO_NUMBERS), 0)
    sample = data[position]
    shown = f"{sample!r:.60}"
    described = {position: shown if sample is None else f"a {type(sample).__name__}, {shown}"}
    is_mapping = isinstance(sample, Mapping)
    raise _error(described, _NOT_STACKED, _BY_KEYS if is_mapping else _BY_FUNCTION)


def _error(kinds: dict[Any, str], what: str = _UNEQUAL, hint: str = _PADDED) -> UnequalSamplesError:
    facts = [f"sample {index}: {kind}" for index, kind in kinds.items()]
    error = UnequalSamplesError(describe(what, where="DataLoader", facts=facts, hint=hint))
    error.kinds, error.told = kinds, (what, hint)
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
