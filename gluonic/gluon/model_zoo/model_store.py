"""Files of pretrained models, found on this machine or fetched from $MXNET_GLUON_REPO."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

from gluonic.base import data_dir
from gluonic.gluon.fetching import (
    download,
    has_repository,
    repository_file_url,
    sha1_of,
    write_checked,
)
from gluonic.gluon.model_zoo.published import PUBLISHED
from gluonic.graph.archives import unpack_from_zip
from gluonic.graph.errors import FileFormatError, MXNetError, describe
from gluonic.graph.files import accessing

__all__ = ["get_model_file", "purge"]

# full digests of models by their names; other libraries add theirs here
_model_sha1: dict[str, str] = {}
_HASHED = re.compile(r".*-([0-9a-f]{8})\.params\Z")


class UnknownModelError(MXNetError, ValueError):
    """The digest of a model is not known."""


def models_folder() -> str:
    """Return the folder of pretrained models: ``~/.mxnet/models``, or below $MXNET_HOME."""
    return str(Path(data_dir()) / "models")


def get_model_file(name: str, root: str | None = None) -> str:
    """Return the path of a pretrained model's parameters.

    They are looked for as ``name.params`` and as ``name-01234567.params``, where MXNet puts the
    beginning of the file's SHA-1 digest, which is checked. Where a library has added the whole
    digest, only the file with that digest is looked for under such a name.

    Parameters
    ----------
    name : such as ``resnet18_v1``
    root : the folder; `models_folder` by default

    Where there is none, and the environment variable MXNET_GLUON_REPO is the address of a repository as
    MXNet's, ``gluon/models/name-01234567.zip`` is fetched from it (``http``, ``https`` or ``file``).

    Raises
    ------
    MXNetError
        if there is no such file, or it cannot be fetched
    FileFormatError
        if its digest is not the one in its name, or that of the model
    """
    folder = Path(root or models_folder()).expanduser()
    plain = folder / f"{name}.params"
    ending = short_hash(name) if name in _model_sha1 else "*"
    with accessing(folder):
        hashed = sorted(p for p in folder.glob(f"{name}-{ending}.params") if _HASHED.match(p.name))
        is_plain = plain.is_file()
    for path in [plain, *hashed] if is_plain else hashed:
        _check_digest(path)
        return str(path)
    if has_repository():
        return str(_fetched(name, folder))
    raise MXNetError(
        describe(
            f"the pretrained parameters of {name!r} are not on this machine",
            where="model_zoo",
            facts=[
                f"looked for: {plain}",
                f"and: {folder}/{name}-{ending.replace('*', '01234567')}.params (MXNet's name)",
            ],
            hint="put the file there, or let the environment variable MXNET_GLUON_REPO say where to fetch it",
        )
    )


def _fetched(name: str, folder: Path) -> Path:
    """Fetch a model's archive, and unpack from it the file that bears the model's digest."""
    file = f"{name}-{short_hash(name)}"
    url, target = repository_file_url("gluon/models", f"{file}.zip"), folder / f"{file}.params"
    with TemporaryDirectory() as temporary:
        archive = download(url, str(Path(temporary) / "model.zip"))

        write_checked(
            target,
            _digest(name),
            url,
            lambda path: unpack_from_zip(archive, target.name, path, url),
        )
    return target


def short_hash(name: str) -> str:
    """Return the beginning of a model's digest, which is part of its file's name.

    Raises
    ------
    ValueError
        if the digest is not known
    """
    return _digest(name)[:8]


def _digest(name: str) -> str:
    digest = _model_sha1.get(name) or PUBLISHED.get(name)
    if digest is None:
        raise UnknownModelError(
            describe(f"the digest of the model {name!r} is not known", where="model_zoo")
        )
    return digest


def _check_digest(path: Path) -> None:
    match = _HASHED.match(path.name)
    if match and not sha1_of(str(path)).startswith(match[1]):
        raise FileFormatError(
            f"{path}: damaged: its SHA-1 digest does not begin with {match[1]}, as its name says"
        )


def purge(root: str | None = None) -> None:
    """Delete all parameter files in the models folder.

    Parameters
    ----------
    root : the folder; `models_folder` by default
    """
    for path in Path(root or models_folder()).expanduser().glob("*.params"):
        path.unlink()
