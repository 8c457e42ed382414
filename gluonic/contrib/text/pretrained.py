"""The published files of pretrained vectors, and their paths.

``pretrained.txt`` has a line for each: the embedding, the file, its SHA-1 digest, the archive that it was
published in, and the archive's digest.
"""

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
from gluonic.graph.archives import unpack_from_zip
from gluonic.graph.errors import FileFormatError, MXNetError, describe


@cache
def lines() -> list[list[str]]:
    """Return the table of files: embedding, file and its digest, archive and its digest."""
    text = Path(__file__).with_name("pretrained.txt").read_text()
    return [line.split() for line in text.splitlines()]


def digests_of_files(embedding: str) -> dict[str, str]:
    """Return the digests of an embedding's files, by name."""
    return {file: digest for name, file, digest, _, _ in lines() if name == embedding}


def digests_of_archives(embedding: str) -> dict[str, str]:
    """Return the digests of the archives in which an embedding's files were published, by name."""
    return {archive: digest for name, _, _, archive, digest in lines() if name == embedding}


def find_file(embedding: str, file: str, digest: str, root: str | None = None) -> str:
    """Return the path of a file of vectors.

    If only its archive is in the folder, that is unpacked. If neither is, the archive is fetched from
    $MXNET_GLUON_REPO.

    Parameters
    ----------
    embedding : the embedding's name in lower case, which is that of the folder
    file : the file's name
    digest : its SHA-1 digest
    root : the folder above it; by default ``embeddings`` in ``~/.mxnet``, or in $MXNET_HOME

    Raises
    ------
    MXNetError
        if there is no such file; the message says where to put it
    FileFormatError
        if the file or its archive is damaged
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
            path,
            digest,
            f"{file} of {source}",
            lambda target: unpack_from_zip(source, file, target, str(source)),
        )
    return str(path)
