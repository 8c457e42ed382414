"""Reading files of vectors of words: a word a line, and its numbers."""

import warnings
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gluonic.graph.errors import FileFormatError, MXNetError


class VectorFileError(FileFormatError, AssertionError):
    """A file of vectors is not what it should be; MXNet fails an assertion."""


class Vectors(NamedTuple):
    """What a file holds.

    Attributes
    ----------
    tokens : the words in order, without the unknown one
    matrix : their vectors, float32 of shape (tokens, length)
    unknown : the vector of the unknown word, if the file has one
    """

    tokens: list[str]
    matrix: np.ndarray[Any, Any]
    unknown: np.ndarray[Any, Any] | None


def read_vectors(path: str, delimiter: str, unknown_token: Any, encoding: str = "utf8") -> Vectors:
    """Read a file of vectors; a word that comes again, and a header, are skipped with a warning.

    Parameters
    ----------
    path : the file
    delimiter : what stands between a word and its numbers
    unknown_token : the word for all that are not known
    encoding : the file's

    Raises
    ------
    FileFormatError
        if a line has no numbers, or another count of them; the error is an AssertionError, too
    ValueError
        if there is no file
    """
    file = Path(path).expanduser()
    if not file.is_file():
        raise MissingVectorsError(f"there is no file of vectors {file}")
    tokens: dict[str, None] = {}
    numbers, unknown, length = array("f"), None, 0
    for place, token, values in _rows(file, delimiter, encoding):
        if token == unknown_token and unknown is None:
            unknown = values
        elif token in tokens or token == unknown_token:
            warnings.warn(f"{place}: {token!r} has come before; skipped", stacklevel=2)
        elif len(values) == 1:
            warnings.warn(f"{place}: {token!r} with one number is a header; skipped", stacklevel=2)
        elif length and len(values) != length:
            raise VectorFileError(
                f"{place}: {token!r} has {len(values)} numbers; words before have {length}"
            )
        else:
            length = len(values)
            tokens[token] = None
            numbers.extend(values)
    length = length or len(unknown or ())
    if not length or (unknown is not None and len(unknown) != length):
        raise VectorFileError(f"{file}: vectors of one length are needed")
    matrix = np.frombuffer(numbers, np.float32).reshape(len(tokens), length)
    return Vectors(list(tokens), matrix, None if unknown is None else np.array(unknown, "float32"))


class MissingVectorsError(MXNetError, ValueError):
    """There is no such file."""


def _rows(file: Path, delimiter: str, encoding: str) -> Iterator[tuple[str, str, list[float]]]:
    """Each line's place, word and numbers."""
    with file.open(encoding=encoding) as lines:
        for number, line in enumerate(lines, 1):
            token, *texts = line.rstrip().split(delimiter)
            place = f"{file}, line {number}"
            if not texts:
                raise VectorFileError(f"{place}: {token!r:.80} has no numbers after {delimiter!r}")
            try:
                values = [float(text) for text in texts]
            except ValueError as error:
                raise VectorFileError(f"{place}: {error}") from error
            yield place, token, values
