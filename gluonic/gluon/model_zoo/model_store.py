"""Files of pretrained models: found on this machine, never downloaded."""

import re
from pathlib import Path

from gluonic.base import data_dir
from gluonic.gluon.utils import sha1_of
from gluonic.graph.errors import FileFormatError, MXNetError, describe

__all__ = ["get_model_file", "purge"]

# full digests of models by their names; other libraries announce those of theirs here
_model_sha1: dict[str, str] = {}
_HASHED = re.compile(r".*-([0-9a-f]{8})\.params\Z")


def models_folder() -> str:
    """Return the folder that models are looked for in: ``~/.mxnet/models``, or below $MXNET_HOME."""
    return str(Path(data_dir()) / "models")


def get_model_file(name: str, root: str | None = None) -> str:
    """Return the path of a pretrained model's parameters.

    They are looked for as ``name.params`` and as ``name-01234567.params``, where MXNet puts the
    beginning of the file's SHA-1 digest, which is checked. Where a library has announced the whole
    digest, only the file that bears it is looked for under such a name.

    Parameters
    ----------
    name : such as ``resnet18_v1``
    root : the folder; `models_folder` by default

    Raises
    ------
    MXNetError
        if there is no such file
    FileFormatError
        if its digest is not the one in its name
    """
    folder = Path(root or models_folder()).expanduser()
    plain = folder / f"{name}.params"
    ending = short_hash(name) if name in _model_sha1 else "*"
    hashed = sorted(p for p in folder.glob(f"{name}-{ending}.params") if _HASHED.match(p.name))
    for path in [plain, *hashed] if plain.is_file() else hashed:
        _check_digest(path)
        return str(path)
    raise MXNetError(
        describe(
            f"the pretrained parameters of {name!r} are not on this machine",
            where="model_zoo",
            facts=[
                f"looked for: {plain}",
                f"and: {folder}/{name}-{ending.replace('*', '01234567')}.params (MXNet's name)",
            ],
            hint="put the file there; gluonic downloads nothing",
        )
    )


def short_hash(name: str) -> str:
    """Return the beginning of a model's digest, which is part of its file's name.

    Raises
    ------
    ValueError
        if nobody has announced the digest
    """
    if name not in _model_sha1:
        raise ValueError(f"the digest of the model {name!r} is not known")
    return _model_sha1[name][:8]


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
