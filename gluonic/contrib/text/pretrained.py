"""Which files of pretrained vectors there are, and where they lie.

``pretrained.txt`` has a line for each: the embedding, the file, its SHA-1 digest, the archive that it was
published in, and that one's digest.
"""

import shutil
import zipfile
from functools import cache
from pathlib import Path

from gluonic.base import data_dir
from gluonic.gluon.fetching import (
    check_sha1,
    download,
    has_repository,
    repository_file_url,
    write_checked,
)
from gluonic.graph.errors import FileFormatError, MXNetError, describe


@cache
def lines() -> list[list[str]]:
    """Return the table of files: embedding, file and its digest, archive and its digest."""
    text = Path(__file__).with_name("pretrained.txt").read_text()
    return [line.split() for line in text.splitlines()]


def digests_of_files(embedding: str) -> dict[str, str]:
    """Return by name the digests of an embedding's files."""
    return {file: digest for name, file, digest, _, _ in lines() if name == embedding}


def digests_of_archives(embedding: str) -> dict[str, str]:
    """Return by name the digests of the archives that an embedding's files were published in."""
    return {archive: digest for name, _, _, archive, digest in lines() if name == embedding}


def find_file(embedding: str, file: str, digest: str, root: str | None = None) -> str:
    """Return the path of a file of vectors.

    If its archive lies in its place, it is unpacked. If that is not there either, it is fetched from where
    $MXNET_GLUON_REPO says.

    Parameters
    ----------
    embedding : the embedding's name, in lower case: the folder
    file : the file's name
    digest : its SHA-1 digest
    root : the folder above; by default ``embeddings`` in ``~/.mxnet``, or in $MXNET_HOME

    Raises
    ------
    MXNetError
        if it is not there; it says where to put it
    FileFormatError
        if it, or its archive, is damaged
    """
    folder = Path(root or Path(data_dir()) / "embeddings").expanduser() / embedding
    path = folder / file
    if path.is_file():
        if not check_sha1(str(path), digest):
            raise FileFormatError(f"{path} is damaged: its SHA-1 digest is not {digest}")
        return str(path)
    rows = [(a, d) for name, one, _, a, d in lines() if (name, one) == (embedding, file)]
    published, its_digest = rows[0] if rows else (file, digest)
    source = folder / published
    if not source.is_file() and has_repository():
        url = repository_file_url(f"gluon/embeddings/{embedding}", published)
        download(url, str(source), sha1_hash=its_digest)
    if not source.is_file():
        raise MXNetError(
            describe(
                f"the vectors {file} are not on this machine",
                where=embedding,
                facts=[f"looked for: {path}", f"published in: {published}"],
                hint=f"put {file} into {folder}, or let the environment variable MXNET_GLUON_REPO say where "
                "to fetch it",
            )
        )
    if source != path:
        write_checked(
            path, digest, f"{file} of {source}", lambda place: _unpack(source, file, place)
        )
    return str(path)


def _unpack(archive: Path, file: str, place: str) -> None:
    """Write a file of an archive to a place."""
    try:
        with (
            zipfile.ZipFile(archive) as inside,
            inside.open(file) as read,
            open(place, "wb") as out,
        ):
            shutil.copyfileobj(read, out)
    except (zipfile.BadZipFile, KeyError, EOFError) as error:
        raise FileFormatError(f"{archive} is damaged: it holds no {file}: {error}") from error
