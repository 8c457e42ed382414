"""Which files of pretrained vectors there are, and where they lie.

``pretrained.txt`` has a line for each: the embedding, the file, its SHA-1 digest, the archive that it was
published in, and that one's digest.
"""

from functools import cache
from pathlib import Path

from gluonic.base import data_dir
from gluonic.gluon.fetching import check_sha1
from gluonic.graph.errors import FileFormatError, MXNetError, describe


@cache
def _lines() -> list[list[str]]:
    text = Path(__file__).with_name("pretrained.txt").read_text()
    return [line.split() for line in text.splitlines()]


def digests_of_files(embedding: str) -> dict[str, str]:
    """Return by name the digests of an embedding's files."""
    return {file: digest for name, file, digest, _, _ in _lines() if name == embedding}


def digests_of_archives(embedding: str) -> dict[str, str]:
    """Return by name the digests of the archives that an embedding's files were published in."""
    return {archive: digest for name, _, _, archive, digest in _lines() if name == embedding}


def find_file(embedding: str, file: str, digest: str, root: str | None = None) -> str:
    """Return the path of a file of vectors.

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
        if it has another digest
    """
    folder = Path(root or Path(data_dir()) / "embeddings").expanduser() / embedding
    path = folder / file
    if not path.is_file():
        archives = [a for name, one, _, a, _ in _lines() if (name, one) == (embedding, file)]
        raise MXNetError(
            describe(
                f"the vectors {file} are not on this machine",
                where=embedding,
                facts=[f"looked for: {path}", *(f"published in: {a}" for a in archives)],
                hint=f"put {file} into {folder}; gluonic downloads nothing",
            )
        )
    if not check_sha1(str(path), digest):
        raise FileFormatError(f"{path} is damaged: its SHA-1 digest is not {digest}")
    return str(path)
