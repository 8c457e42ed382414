"""Collective operations on arrays."""

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import numpy as np

from gluonic.distributed.group import RankGroup
from gluonic.distributed.marks import marked
from gluonic.distributed.reduction import Pipeline
from gluonic.graph import Array
from gluonic.graph.errors import MXNetError, NotThereError, describe
from gluonic.horovod.process_sets import ProcessSet, global_process_set
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.creation import array
from gluonic.ndarray.kernels import overwrite

Average, Sum, Adasum, Min, Max, Product = range(6)
_COMBINED_BY = {Average: "sum", Sum: "sum", Min: "min", Max: "max", Product: "product"}
_unnamed = count()


class InputError(MXNetError, ValueError, AssertionError):
    """The arguments of an operation are invalid."""


def _agreed(
    group: RankGroup, what: str, name: str | None, facts: str, problem: str = ""
) -> Callable[[], str]:
    """Compare the ranks' arguments; returns their description for errors.

    Raises
    ------
    RanksDisagreeError
        on all ranks, if they differ, or one has an invalid argument
    InputError
        if all have the same invalid argument
    """
    called = what if name is None else f"{what} {name!r}"

    def say() -> str:
        return f"hvd.{called}"

    group.agree(f"{called}: {facts}{problem and f'; {problem}'}", say)
    if problem:
        raise InputError(describe(problem, where=f"hvd.{called}", facts=[facts]))
    group.watch.advance()
    return say


def _described(tensors: Sequence[NDArray]) -> str:
    return "; ".join(f"{np.dtype(t.dtype)} {t.shape}" for t in tensors)


def _scaled(values: Array, factor: float) -> Array:
    """Values times a factor, in their dtype; integers are multiplied in float64, float16 in float32."""
    if factor == 1.0:
        return values
    least = np.float64 if values.dtype.kind in "iu" else np.float32
    wide = np.result_type(values.dtype, least)
    found: Array = (values.astype(wide) * wide.type(factor)).astype(values.dtype)
    return found


def _operation(op: int | None, average: bool | None) -> int:
    """The requested operation; ``average=`` is its older spelling."""
    if op is not None and average is not None:
        raise ValueError("The op parameter supersedes average. Please provide only one of them.")
    chosen = op if op is not None else Sum if average is False else Average
    if chosen not in _COMBINED_BY:
        raise NotThereError(describe("there is no Adasum", where="hvd", hint="op=hvd.Average"))
    return chosen


def grouped_allreduce(
    tensors: Sequence[NDArray],
    average: bool | None = None,
    name: str | None = None,
    priority: int = 0,
    prescale_factor: float = 1.0,
    postscale_factor: float = 1.0,
    process_set: ProcessSet = global_process_set,
    op: int | None = None,
) -> list[NDArray]:
    """Reduce several arrays over all ranks; see `allreduce`.

    Parameters
    ----------
    tensors : the arrays, of the same shapes and dtypes on all ranks
    average : whether to average or to sum, in older programs
    name : its name in errors
    priority : accepted for compatibility; operations run in the order of the calls
    process_set : the ranks
    prescale_factor, postscale_factor : the factors before and after the reduction
    op : `Average`, which is the default, `Sum`, `Min`, `Max` or `Product`
    """
    chosen = _operation(op, average)
    if not tensors:
        return []
    group = process_set.group()
    scales = f"op {chosen}, scaled by {prescale_factor} and {postscale_factor}"
    say = _agreed(group, "allreduce", name, f"{_described(tensors)}; {scales}")
    with marked("allreduce", named=name):
        values = [np.array(_scaled(t.elements, prescale_factor), order="C") for t in tensors]
        pipeline = Pipeline(group, _COMBINED_BY[chosen])
        for flat in [v.reshape(-1) for v in values]:
            pipeline.add(flat, flat, say)
        pipeline.finish()
    after = postscale_factor / group.size if chosen == Average else postscale_factor
    return [NDArray(_scaled(v, after), t.context) for v, t in zip(values, tensors, strict=True)]


def grouped_allreduce_(
    tensors: Sequence[NDArray], *arguments: Any, **options: Any
) -> Sequence[NDArray]:
    """Reduce several arrays in place; see `allreduce`.

    Parameters
    ----------
    tensors : the arrays that are overwritten
    *arguments, **options : as for `grouped_allreduce`
    """
    for tensor, found in zip(
        tensors, grouped_allreduce(tensors, *arguments, **options), strict=True
    ):
        overwrite(tensor, found.elements)
    return tensors


def allreduce(
    tensor: NDArray,
    average: bool | None = None,
    name: str | None = None,
    priority: int = 0,
    prescale_factor: float = 1.0,
    postscale_factor: float = 1.0,
    process_set: ProcessSet = global_process_set,
    op: int | None = None,
) -> NDArray:
    """Reduce an array over all ranks.

    Parameters
    ----------
    tensor : the array, of one shape and dtype on all ranks
    average : whether to average or to sum, in older programs
    name : its name in errors
    priority : accepted for compatibility; operations run in the order of the calls
    prescale_factor, postscale_factor : the factors before and after the reduction
    process_set : the ranks
    op : `Average`, which is the default, `Sum`, `Min`, `Max` or `Product`

    Raises
    ------
    RanksDisagreeError
        on all ranks, if they differ in name, shape, dtype or operation
    """
    scales = (prescale_factor, postscale_factor)
    return grouped_allreduce([tensor], average, name, priority, *scales, process_set, op)[0]


def allreduce_(tensor: NDArray, *arguments: Any, **options: Any) -> NDArray:
    """Reduce an array in place; see `allreduce`.

    Parameters
    ----------
    tensor : the array that is overwritten
    *arguments, **options : as for `allreduce`
    """
    overwrite(tensor, allreduce(tensor, *arguments, **options).elements)
    return tensor


def grouped_allgather(
    tensors: Sequence[NDArray],
    name: str | None = None,
    priority: int = 0,
    process_set: ProcessSet = global_process_set,
) -> list[NDArray]:
    """Concatenate several arrays over all ranks; see `allgather`.

    Parameters
    ----------
    tensors : the arrays
    name : its name in errors
    priority : accepted for compatibility; operations run in the order of the calls
    process_set : the ranks
    """
    group = process_set.group()
    rests = "; ".join(f"{np.dtype(t.dtype)} {('…', *t.shape[1:])}" for t in tensors)
    say = _agreed(group, "allgather", name, rests)
    with marked("allgather", named=name):
        return [NDArray(np.concatenate(group.gather(t.elements, say)), t.context) for t in tensors]


def allgather(
    tensor: NDArray,
    name: str | None = None,
    priority: int = 0,
    process_set: ProcessSet = global_process_set,
) -> NDArray:
    """Concatenate the ranks' arrays, which may differ in the length of the first axis.

    Parameters
    ----------
    tensor : the array, of one dtype on all ranks
    name : its name in errors
    priority : accepted for compatibility; operations run in the order of the calls
    process_set : the ranks
    """
    return grouped_allgather([tensor], name, priority, process_set)[0]


def broadcast(
    tensor: NDArray,
    root_rank: int,
    name: str | None = None,
    priority: int = 0,
    process_set: ProcessSet = global_process_set,
) -> NDArray:
    """The array of the rank `root_rank`, counted among all ranks; every rank passes one of the same shape.

    Parameters
    ----------
    tensor : the array
    root_rank : the rank whose values all get
    name : its name in errors
    priority : accepted for compatibility; operations run in the order of the calls
    process_set : the ranks
    """
    group = process_set.group()
    problem = "" if root_rank in group.members else f"rank {root_rank} is not in {process_set}"
    facts = f"{_described([tensor])} from rank {root_rank}"
    say = _agreed(group, "broadcast", name, facts, problem)
    values = tensor.asnumpy()
    with marked("broadcast", named=name):
        group.broadcast(values, group.members.index(root_rank), say)
    return NDArray(values, tensor.context)


def broadcast_(tensor: NDArray, root_rank: int, *arguments: Any, **options: Any) -> NDArray:
    """Replace an array's values by those of one rank; see `broadcast`.

    Parameters
    ----------
    tensor : the array that is overwritten
    root_rank : the rank whose values all get
    *arguments, **options : as for `broadcast`
    """
    overwrite(tensor, broadcast(tensor, root_rank, *arguments, **options).elements)
    return tensor


def alltoall(
    tensor: NDArray,
    splits: Any = None,
    name: str | None = None,
    priority: int = 0,
    process_set: ProcessSet = global_process_set,
) -> Any:
    """Send each rank a slice of the first axis.

    Parameters
    ----------
    tensor : the array to send
    splits : the lengths of the slices for each rank, 32-bit integers; equal slices by default
    name, priority, process_set : see `allreduce`

    Returns
    -------
    NDArray, or a pair
        the received slices, concatenated; and, if `splits` was given, their lengths
    """
    group = process_set.group()
    lengths, problem = _lengths_of(tensor, splits, group.size)
    facts = f"{np.dtype(tensor.dtype)} {('…', *tensor.shape[1:])}"
    say = _agreed(group, "alltoall", name, facts, problem)
    with marked("alltoall", named=name):
        found = group.scatter(tensor.elements[: sum(lengths)], lengths, say)
    collected = NDArray(np.concatenate(found), tensor.context)
    if splits is None:
        return collected
    return collected, array([len(part) for part in found], dtype="int32")


def _lengths_of(tensor: NDArray, splits: Any, size: int) -> tuple[list[int], str]:
    """The length of each slice, and a description of what is wrong with the lengths."""
    length = len(tensor)
    if splits is None:
        wrong = (
            f"the first axis, {length}, cannot be divided among {size} ranks"
            if length % size
            else ""
        )
        return [length // size] * size, wrong
    given = splits if isinstance(splits, NDArray) else array(splits, dtype="int32")
    if given.dtype != np.int32 or given.shape != (size,):
        return [], f"splits must be {size} integers of 32 bits, not {_described([given])}"
    found = [int(n) for n in given.asnumpy()]
    if min(found) < 0 or sum(found) > length:
        return [], f"splits {found} do not fit into a first axis of {length}"
    return found, ""


def grouped_reducescatter(
    tensors: Sequence[NDArray],
    op: int = Average,
    name: str | None = None,
    priority: int = 0,
    process_set: ProcessSet = global_process_set,
    prescale_factor: float = 1.0,
    postscale_factor: float = 1.0,
) -> list[NDArray]:
    """Reduce several arrays, and return this rank's part of each; see `reducescatter`.

    Parameters
    ----------
    tensors : the arrays, of the same shapes and dtypes on all ranks
    op : `Average` or `Sum`
    name : its name in errors
    priority : accepted for compatibility; operations run in the order of the calls
    process_set : the ranks
    prescale_factor, postscale_factor : the factors before and after the reduction
    """
    if op not in (Average, Sum):
        raise InputError(describe("op must be hvd.Average or hvd.Sum", where="hvd.reducescatter"))
    if any(not tensor.shape for tensor in tensors):
        raise InputError(describe("a scalar has no first axis", where="hvd.reducescatter"))
    group = process_set.group()
    scales = {"prescale_factor": prescale_factor, "postscale_factor": postscale_factor}
    whole = grouped_allreduce(
        tensors, None, name, priority, process_set=process_set, op=op, **scales
    )
    found = []
    for tensor in whole:
        least, more = divmod(len(tensor), group.size)
        start = group.rank * least + min(group.rank, more)
        found.append(tensor[start : start + least + (group.rank < more)])
    return found


def reducescatter(tensor: NDArray, *arguments: Any, **options: Any) -> NDArray:
    """Sum or average an array over the ranks, and return this rank's part of the first axis.

    If the axis cannot be divided evenly, the first ranks' parts are longer by one.

    Parameters
    ----------
    tensor : the array, of one shape and dtype on all ranks
    *arguments, **options : as for `grouped_reducescatter`
    """
    return grouped_reducescatter([tensor], *arguments, **options)[0]


def barrier(process_set: ProcessSet = global_process_set) -> None:
    """Wait for all ranks.

    Parameters
    ----------
    process_set : the ranks
    """
    process_set.group().barrier()
