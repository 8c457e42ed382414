"""Helpers of training loops: splitting batches, clipping gradients, checking and fetching files."""

import hashlib
import os
import shutil
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import numpy as np

from gluonic import ndarray as nd
from gluonic.gluon.hooks import HookHandle
from gluonic.gluon.parameter import shape_is_known
from gluonic.graph.errors import FileFormatError, MXNetError, describe
from gluonic.ndarray import Context, NDArray

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


def split_data(
    data: Any, num_slice: int, batch_axis: int = 0, even_split: bool = True
) -> list[Any]:
    """Cut an array into `num_slice` pieces along `batch_axis`; the first ones get the remainder.

    Parameters
    ----------
    data : the array
    num_slice : how many pieces
    batch_axis : the axis to cut
    even_split : refuse what does not divide

    Raises
    ------
    ValueError
        when the pieces would differ in length and `even_split` is set
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
        data.slice_axis(axis=batch_axis, begin=end - n, end=end)
        if batch_axis
        else data[end - n : end]
        for n, end in zip(lengths, ends, strict=True)
    ]


def split_and_load(
    data: Any, ctx_list: Sequence[Context], batch_axis: int = 0, even_split: bool = True
) -> list[NDArray]:
    """Cut an array into one piece for each context, and bring it there.

    Parameters
    ----------
    data : an NDArray or whatever `nd.array` takes
    ctx_list : the contexts
    batch_axis, even_split : see `split_data`
    """
    if not isinstance(data, NDArray):
        data = nd.array(data, ctx=ctx_list[0])
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
    squares = sum(float(np.vdot(a, a)) for a in (_as_floats(array) for array in arrays))
    norm = float(np.sqrt(squares))
    if check_isfinite and not np.isfinite(norm):
        warnings.warn(
            "nan or inf is among the values to clip; the result is of no use", stacklevel=2
        )
    scale = max_norm / (norm + 1e-8)
    if not scale >= 1.0:
        for array in arrays:
            array *= scale
    return norm if check_isfinite else nd.array([norm], ctx=arrays[0].context)


def _as_floats(array: NDArray) -> Any:
    return array.asnumpy().astype(np.float64, copy=False).ravel()


def sha1_of(filename: str) -> str:
    """Return the SHA-1 digest of a file."""
    with Path(filename).open("rb") as file:
        return hashlib.file_digest(file, "sha1").hexdigest()


def check_sha1(filename: str, sha1_hash: str) -> bool:
    """Return whether a file has this SHA-1 digest."""
    return sha1_of(filename) == sha1_hash


def replace_file(src: str, dst: str) -> None:
    """Move a file over another one, in one step: `dst` is never half written."""
    try:
        os.replace(src, dst)
    except OSError:
        Path(src).unlink(missing_ok=True)
        raise


def download(
    url: str,
    path: str | None = None,
    overwrite: bool = False,
    sha1_hash: str | None = None,
    retries: int = 5,
    verify_ssl: bool = True,
) -> str:
    """Copy a file that is on this machine; nothing is fetched from the network.

    Parameters
    ----------
    url : a ``file://`` address; any other one will do if the file is there already
    path : the file or folder to write to; the present folder and the name in `url` by default
    overwrite : copy even if the file is there
    sha1_hash : the digest that the file must have
    retries, verify_ssl : accepted for MXNet's sake

    Returns
    -------
    str
        where the file is

    Raises
    ------
    MXNetError
        when the file would have to come from the network
    FileFormatError
        when the file does not have the digest
    """
    parts = urlparse(url)
    name = Path(unquote(parts.path)).name
    target = Path(path).expanduser() if path is not None else Path(name)
    if target.is_dir():
        target = target / name
    if target.is_file() and not overwrite and (not sha1_hash or check_sha1(str(target), sha1_hash)):
        return str(target)
    if parts.scheme not in ("", "file"):
        raise MXNetError(
            describe(
                "gluonic fetches nothing from the network",
                where="download",
                facts=[f"address: {url}", f"file: {target} (not there, or not the right one)"],
                hint="fetch it yourself and put it there",
            )
        )
    _copy(Path(unquote(parts.path)), target, sha1_hash)
    return str(target)


def _copy(source: Path, target: Path, sha1_hash: str | None) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=target.name)
    os.close(handle)
    try:
        shutil.copyfile(source, temporary)
        if sha1_hash and not check_sha1(temporary, sha1_hash):
            raise FileFormatError(f"{source} does not have the SHA-1 digest {sha1_hash}")
        replace_file(temporary, str(target))
    finally:
        Path(temporary).unlink(missing_ok=True)
