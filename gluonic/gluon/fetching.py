"""Downloads of files from the network or from folders: a file is written completely or not at all."""

import hashlib
import os
import shutil
import ssl
import sys
import warnings
from collections.abc import Callable
from http import HTTPStatus
from http.client import HTTPException
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import unquote, urlparse
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    UnknownHandler,
)

from gluonic.graph.errors import FileFormatError, MXNetError, describe
from gluonic.support.unfinished_files import remove_abandoned, unfinished

_REPOSITORY = "https://apache-mxnet.s3-accelerate.dualstack.amazonaws.com/"


def sha1_of(filename: str) -> str:
    """Return the SHA-1 digest of a file."""
    with Path(filename).open("rb") as file:
        return hashlib.file_digest(file, "sha1").hexdigest()


def check_sha1(filename: str, sha1_hash: str) -> bool:
    """Return whether a file has this SHA-1 digest.

    Parameters
    ----------
    filename : the path
    sha1_hash : the digest, as hexadecimal digits
    """
    return sha1_of(filename) == sha1_hash


def replace_file(src: str, dst: str) -> None:
    """Move a file over another one, in one step: `dst` is never half written.

    Parameters
    ----------
    src : the path of the file, which is gone afterwards
    dst : the path that it gets
    """
    try:
        os.replace(src, dst)
    except OSError:
        Path(src).unlink(missing_ok=True)
        raise


def has_repository() -> bool:
    """Return whether $MXNET_GLUON_REPO names a repository of data sets and models."""
    return bool(os.environ.get("MXNET_GLUON_REPO"))


def repository_url() -> str:
    """Return where Gluon's data sets and models are published; $MXNET_GLUON_REPO names a mirror."""
    url = os.environ.get("MXNET_GLUON_REPO") or _REPOSITORY
    return url if url.endswith("/") else f"{url}/"


def repository_file_url(namespace: str, filename: str) -> str:
    """Return the address of a published file."""
    return f"{repository_url()}{namespace}/{filename}"


def download(
    url: str,
    path: str | None = None,
    overwrite: bool = False,
    sha1_hash: str | None = None,
    retries: int = 5,
    verify_ssl: bool = True,
) -> str:
    """Fetch a file unless it exists. Nothing else in gluonic uses the network.

    Parameters
    ----------
    url : its address, ``file://``, ``http://`` or ``https://``
    path : the file or folder to write to; the current folder and the name in `url` by default
    overwrite : fetch it even if the file exists
    sha1_hash : the expected digest of the file
    retries : number of further attempts
    verify_ssl : whether to check the server's certificate

    Returns
    -------
    str
        the path of the file

    Raises
    ------
    MXNetError
        when it cannot be fetched, or the address is of another kind
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
        write_checked(
            target, sha1_hash, url, lambda file: shutil.copyfile(Path(unquote(parts.path)), file)
        )
        return str(target)
    if parts.scheme not in ("http", "https"):
        raise MXNetError(
            describe(f"{url[:80]!r} is no http://, https:// or file:// address", where="download")
        )
    if not verify_ssl:
        warnings.warn(
            f"Unverified HTTPS request: the certificate of {url} is not checked", stacklevel=2
        )
    write_checked(target, sha1_hash, url, lambda file: _fetch(url, file, retries, verify_ssl))
    return str(target)


def _fetch(url: str, file: str, retries: int, verify_ssl: bool) -> None:
    """Write a server's response to a file, as MXNet with `requests` if the program has imported that."""
    fetch = _with_requests if "requests" in sys.modules else _with_urllib
    failure: Exception | None = None
    for _ in range(1 + max(retries, 0)):
        try:
            fetch(url, file, verify_ssl)
        except (OSError, HTTPException) as error:  # what urllib and requests raise is an OSError
            if isinstance(error, HTTPError):
                error.close()
            failure = error
        else:
            return
    told = f"answers {failure.code}" if isinstance(failure, HTTPError) else failure
    raise MXNetError(describe(f"{url}: {told}", where="download")) from failure


def _with_urllib(url: str, file: str, verify_ssl: bool) -> None:
    opener = _opener(None if verify_ssl else ssl._create_unverified_context())
    with opener.open(url) as answer, open(file, "wb") as out:
        shutil.copyfileobj(answer, out)


def _with_requests(url: str, file: str, verify_ssl: bool) -> None:
    """Call the function that a program may have replaced: in its tests, or to pass a proxy."""
    answer = sys.modules["requests"].get(url, stream=True, verify=verify_ssl)
    if answer.status_code != HTTPStatus.OK:
        if hasattr(answer, "close"):  # what a program's own function returns may have no connection
            answer.close()
        raise HTTPError(url, answer.status_code, answer.reason, answer.headers, BytesIO())
    with open(file, "wb") as out:
        out.writelines(answer.iter_content(1 << 16))


def _opener(context: ssl.SSLContext | None) -> OpenerDirector:
    """What opens addresses of servers, also where they redirect to, and no others."""
    opener = OpenerDirector()
    for handler in (
        ProxyHandler(),
        HTTPHandler(),
        HTTPSHandler(context=context),
        HTTPRedirectHandler(),
        HTTPDefaultErrorHandler(),
        HTTPErrorProcessor(),
        UnknownHandler(),
    ):
        opener.add_handler(handler)
    return opener


def write_checked(
    target: Path, sha1_hash: str | None, source: str, write: Callable[[str], Any]
) -> None:
    """Write a temporary file in the same folder, check it, and rename it in one step.

    Parameters
    ----------
    target : the path of the file
    sha1_hash : its expected digest, if known
    source : the source of its contents, for messages
    write : writes the file of this name

    Raises
    ------
    FileFormatError
        if it has another digest; an existing file is not changed
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    remove_abandoned(target.parent)
    with unfinished(target) as file:
        write(file.path)
        if sha1_hash and not check_sha1(file.path, sha1_hash):
            raise FileFormatError(f"{source} does not have the SHA-1 digest {sha1_hash}")
        file.put_in_place()
