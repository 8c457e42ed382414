"""Helpers of training loops: splitting batches, clipping gradients, checking and fetching files."""

import hashlib
import os
import shutil
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import numpy as np

from gluonic import ndarray as nd
from gluonic.gluon.hooks import HookHandle
from gluonic.gluon.parameter import shape_is_known
from gluonic.graph.errors import FileFormatError, MXNetError, describe
from gluonic.graph.unfinished_files import remove_abandoned, unfinished
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

_REPOSITORY = "https://apache-mxnet.s3-accelerate.dualstack.amazonaws.com/"


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


def repository_url() -> str:
    """Return where Gluon's data sets and models are published; $MXNET_GLUON_REPO names a mirror."""
    url = os.environ.get("MXNET_GLUON_REPO", _REPOSITORY)
    return url if url.endswith("/") else f"{url}/"


def repository_file_url(namespace: str, filename: str) -> str:
    """Return the address of a published file."""
    return f"{repository_url()}{namespace}/{filename}"


# the names that other libraries import
_get_repo_url, _get_repo_file_url = repository_url, repository_file_url


def download(
    url: str,
    path: str | None = None,
    overwrite: bool = False,
    sha1_hash: str | None = None,
    retries: int = 5,
    verify_ssl: bool = True,
) -> str:
    """Fetch a file, if it is not there. Nothing else in gluonic goes to the network.

    Parameters
    ----------
    url : its address, ``file://``, ``http://`` or ``https://`` (for these `requests` must be installed)
    path : the file or folder to write to; the present folder and the name in `url` by default
    overwrite : fetch it even if the file is there
    sha1_hash : the digest that the file must have
    retries : how many more times to try
    verify_ssl : whether to check the server's certificate

    Returns
    -------
    str
        where the file is

    Raises
    ------
    MXNetError
        when it cannot be fetched
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
    if parts.scheme in ("", "file"):
        _place(
            target, sha1_hash, url, lambda file: shutil.copyfile(Path(unquote(parts.path)), file)
        )
        return str(target)
    if not verify_ssl:
        warnings.warn(
            f"Unverified HTTPS request: the certificate of {url} is not checked", stacklevel=2
        )
    _place(target, sha1_hash, url, lambda file: _fetch(url, file, retries, verify_ssl))
    return str(target)


def _fetch(url: str, file: str, retries: int, verify_ssl: bool) -> None:
    """Write what a server answers to a file."""
    try:
        import requests
    except ImportError:
        raise MXNetError(
            describe(
                f"{url} cannot be fetched without the package requests",
                where="download",
                hint="pip install requests, or fetch it yourself and put it there",
            )
        ) from None
    failure: Exception | None = None
    for _ in range(1 + max(retries, 0)):
        try:
            answer = requests.get(url, stream=True, verify=verify_ssl)
            if answer.status_code != 200:
                raise MXNetError(f"download: {url} answers {answer.status_code}")
            with open(file, "wb") as out:
                out.writelines(answer.iter_content(1 << 16))
        except (requests.exceptions.RequestException, MXNetError) as error:
            failure = error
        else:
            return
    raise MXNetError(f"download: {url}: {failure}") from failure


def _place(target: Path, sha1_hash: str | None, source: str, write: Callable[[str], Any]) -> None:
    """Write a file beside its place, check it, and put it there in one step."""
    target.parent.mkdir(parents=True, exist_ok=True)
    remove_abandoned(target.parent)
    with unfinished(target) as file:
        write(file.path)
        if sha1_hash and not check_sha1(file.path, sha1_hash):
            raise FileFormatError(f"{source} does not have the SHA-1 digest {sha1_hash}")
        file.put_in_place()
