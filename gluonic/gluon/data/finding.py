"""Finding files of images and labels."""

from collections.abc import Sequence
from pathlib import Path

from gluonic.gluon.data.published import PUBLISHED
from gluonic.gluon.fetching import download, has_repository, repository_file_url
from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.files import accessing


def find(folder: Path, names: Sequence[str], what: str, kind: str = "") -> Path:
    """Return the first of several files that exists, or the one from $MXNET_GLUON_REPO.

    Parameters
    ----------
    folder : the folder to search
    names : the names of the files
    what : the data set, for messages
    kind : the folder of the repository that has the data set

    Raises
    ------
    MXNetError
        if there is none, or it cannot be fetched
    FileFormatError
        if the fetched file does not have the expected digest
    """
    with accessing(folder):
        for name in names:
            if (folder / name).is_file():
                return folder / name
    digests = PUBLISHED.get(kind, {})
    for name in names if has_repository() else ():
        if name in digests:
            url = repository_file_url(f"gluon/dataset/{kind}", name)
            return Path(download(url, str(folder / name), sha1_hash=digests[name]))
    raise MXNetError(
        describe(
            f"{what} is not on this machine",
            facts=[f"looked for {' or '.join(names)} in {folder}"],
            hint="put it there, or root= for another folder, or let the environment variable "
            "MXNET_GLUON_REPO say where to fetch it",
        )
    )
