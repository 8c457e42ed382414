"""Reading files of word vectors: each line has a word and its numbers."""

import warnings
from array import array
from collections.abc import Iterator
from io import TextIOWrapper
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gluonic.graph.errors import FileFormatError, MXNetError
from gluonic.graph.files import accessing, opened


class VectorFileError(FileFormatError, AssertionError):
    """A file of vectors is malformed; MXNet fails an assertion."""


class Vectors(NamedTuple):
    """The contents of a file.

    Attributes
    ----------
    tokens : the words in order, without the unknown word
    matrix : their vectors, float32 of shape (tokens, length)
    unknown : the vector of the unknown word, if the file has one
    """

    tokens: list[str]
    matrix: np.ndarray[Any, Any]
    unknown: np.ndarray[Any, Any] | None


def read_vectors(path: str, delimiter: str, unknown_token: Any, encoding: str = "utf8") -> Vectors:
    """Read a file of vectors; repeated words and a header are skipped with a warning.

    Parameters
    ----------
    path : the file
    delimiter : the separator of a word and its numbers
    unknown_token : the word that stands for all unknown ones
    encoding : the file's encoding

    Raises
    ------
    FileFormatError
        if a line has no numbers, or not as many as the others; the error is an AssertionError, too
    ValueError
        if the file does not exist
    """
    file = Path(path).expanduser()
    with accessing(file):
        is_there = file.is_file()
    if not is_there:
        raise MissingVectorsError(f"there is no file of vectors {file}")
    tokens: dict[str, None] = {}
    numbers, unknown, length = array("f"), None, 0
    for line, token, values in _rows(file, delimiter, encoding):
        if token == unknown_token and unknown is None:
            unknown = values
        elif token in tokens or token == unknown_token:
            warnings.warn(f"{line}: {token!r} is repeated; skipped", stacklevel=2)
        elif len(values) == 1:
            warnings.warn(f"{line}: {token!r} with one number is a header; skipped", stacklevel=2)
        elif length and len(values) != length:
            raise VectorFileError(
                f"{line}: {token!r} has {len(values)} numbers; the words before it have {length}"
            )
        else:
            length = len(values)
            tokens[token] = None
            numbers.extend(values)
    length = length or len(unknown or ())
    if not length or (unknown is not None and len(unknown) != length):
        raise VectorFileError(f"{file}: all vectors must have the same length")
    matrix = np.frombuffer(numbers, np.float32).reshape(len(tokens), length)
    return Vectors(list(tokens), matrix, None if unknown is None else np.array(unknown, "float32"))


class MissingVectorsError(MXNetError, ValueError):
    """The file does not exist."""


def _rows(file: Path, delimiter: str, encoding: str) -> Iterator[tuple[str, str, list[float]]]:
    """The number of each line with the file's name, its word and its numbers."""
    for number, text in enumerate(_lines(file, encoding), 1):
        token, *texts = text.rstrip().split(delimiter)
        line = f"{file}, line {number}"
        if "\0" in text:
            raise VectorFileError(f"{line}: damaged: it has NUL bytes")
        if not texts:
            raise VectorFileError(f"{line}: {token!r:.80} has no numbers after {delimiter!r}")
        try:
            values = [float(text) for text in texts]
        except ValueError as error:
            raise VectorFileError(f"{line}: {error}") from error
        yield line, token, values


def _lines(file: Path, encoding: str) -> Iterator[str]:
    with TextIOWrapper(opened(file), encoding) as lines:
        try:
            yield from lines
        except UnicodeDecodeError as error:
            raise VectorFileError(f"{file}: this is no text in {encoding}: {error}") from error
