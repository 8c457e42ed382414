"""Helpers of training loops: splitting batches and clipping gradients; fetching files, too."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic import ndarray as nd
from gluonic.gluon.fetching import (
    check_sha1,
    download,
    replace_file,
    repository_file_url,
    repository_url,
)
from gluonic.gluon.hooks import HookHandle
from gluonic.gluon.parameter import shape_is_known
from gluonic.graph.errors import CallError, MXNetError, describe
from gluonic.ndarray import Context, NDArray
from gluonic.ndarray.numpy_class import as_switched

__all__ = [
    "HookHandle",
    "check_sha1",
    "clip_global_norm",
    "download",
    "replace_file",
    "shape_is_known",
    "split_and_load",
    "split_data",
]

# the names that other libraries import
_get_repo_url, _get_repo_file_url = repository_url, repository_file_url


def _indent(s_: str, numSpaces: int) -> str:
    """Indent all lines of a text but the first one; programs call it in `__repr__`."""
    return s_.replace("\n", "\n" + " " * numSpaces)


def _brief_print_list(lst: Sequence[Any], limit: int = 7) -> str:
    """Quote the elements of a list, of a long one the first and the last."""
    half = limit // 2
    if len(lst) > limit:
        return f"{_brief_print_list(lst[:half], limit)}, ..., {_brief_print_list(lst[-limit + half :], limit)}"
    return ", ".join(f"'{element}'" for element in lst)


def split_data(
    data: Any, num_slice: int, batch_axis: int = 0, even_split: bool = True
) -> list[Any]:
    """Divide an array into `num_slice` pieces along `batch_axis`; the first ones get the remainder.

    Parameters
    ----------
    data : the array
    num_slice : number of pieces
    batch_axis : the axis to cut
    even_split : raise an error if the axis cannot be divided evenly

    Raises
    ------
    ValueError
        if the pieces would differ in length and `even_split` is set
    """
    size = data.shape[batch_axis]
    if even_split and size % num_slice:
        raise ValueError(
            describe(
                f"an array of shape {data.shape} cannot be cut into {num_slice} equal pieces along "
                f"axis {batch_axis}",
                where="split_data",
                hint=f"a batch size that is a multiple of {num_slice}, or even_split=False",
            )
        )
    length, longer = divmod(size, num_slice)
    lengths = [length + 1] * longer + [length] * (num_slice - longer)
    ends = np.cumsum(lengths).tolist()
    return [
        nd.slice_axis(data, axis=batch_axis, begin=end - n, end=end)
        if batch_axis
        else data[end - n : end]
        for n, end in zip(lengths, ends, strict=True)
    ]


def split_and_load(
    data: Any, ctx_list: Sequence[Context], batch_axis: int = 0, even_split: bool = True
) -> list[NDArray]:
    """Divide an array into one piece per context, and copy it there.

    Parameters
    ----------
    data : an NDArray, or anything that `nd.array` accepts
    ctx_list : the contexts
    batch_axis, even_split : see `split_data`
    """
    if not isinstance(data, NDArray):
        data = as_switched(nd.array(data, ctx=ctx_list[0]))
    if len(ctx_list) == 1:
        return [data.as_in_context(ctx_list[0])]
    pieces = split_data(data, len(ctx_list), batch_axis, even_split)
    return [piece.as_in_context(ctx) for piece, ctx in zip(pieces, ctx_list, strict=True)]


def clip_global_norm(
    arrays: Sequence[NDArray], max_norm: float, check_isfinite: bool = True
) -> Any:
    """Scale arrays in place so that the norm of all of them together is at most `max_norm`.

    Parameters
    ----------
    arrays : the arrays, usually gradients
    max_norm : the bound
    check_isfinite : warn of NaN and infinity, and return a number

    Returns
    -------
    float or NDArray
        the norm before; an NDArray of shape ``(1,)`` without `check_isfinite`
    """
    if not arrays:
        raise MXNetError("clip_global_norm: there are no arrays to clip")
    if not all(isinstance(array, NDArray) for array in arrays):
        kinds = sorted({type(array).__name__ for array in arrays})
        raise CallError(
            describe(
                f"arrays must be NDArrays, not {', '.join(kinds)}",
                where="clip_global_norm",
                hint="[p.grad() for p in net.collect_params().values()]",
            )
        )
    squares = sum(float(np.vdot(a, a)) for a in (_as_floats(array) for array in arrays))
    norm = float(np.sqrt(squares))
    if check_isfinite and not np.isfinite(norm):
        warnings.warn(
            "nan or inf is among the values to clip; the result is unusable", stacklevel=2
        )
    scale = max_norm / (norm + 1e-8)
    if not scale >= 1.0:
        for array in arrays:
            array *= scale
    return norm if check_isfinite else as_switched(nd.array([norm], ctx=arrays[0].context))


def _as_floats(array: NDArray) -> Any:
    return array.asnumpy().astype(np.float64, copy=False).ravel()
