"""Lists of images: text files with a number, labels and a path in each line, separated by tabs."""

import logging
import os
import random
from collections.abc import Collection, Iterator, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import NamedTuple

from gluonic.graph.errors import AttributeValueError, FileFormatError
from gluonic.graph.files import opened, write_atomically

_SEED = 100  # MXNet's, so that lists are in its order


_LARGEST_NUMBER = 2**64 - 1


class ListedImage(NamedTuple):
    """A line of a list.

    Attributes
    ----------
    number : the image's number
    path : the path relative to the root of all images
    labels : one or more labels
    """

    number: int
    path: str
    labels: tuple[float, ...]


def find_images(
    root: Path, recursive: bool, endings: Collection[str]
) -> tuple[list[ListedImage], dict[str, int]]:
    """Find the images in a folder, and the labels of its folders.

    Parameters
    ----------
    root : the folder
    recursive : whether to include its folders, of which each with images is a label
    endings : the file name extensions of images
    """
    labels: dict[str, int] = {}
    found: list[ListedImage] = []
    for folder, files in _folders(root, recursive):
        for name in files:
            path = folder / name
            if path.suffix.lower() in endings and path.is_file():
                within = os.path.relpath(folder, root)
                label = labels.setdefault(within, len(labels)) if recursive else 0
                found.append(ListedImage(len(found), os.path.relpath(path, root), (label,)))
    return found, labels


def _folders(root: Path, recursive: bool) -> Iterator[tuple[Path, list[str]]]:
    if not recursive:
        yield root, sorted(os.listdir(root))
        return
    for folder, below, files in os.walk(root, followlinks=True):
        below.sort()
        yield Path(folder), sorted(files)


def divide(
    images: Sequence[ListedImage], chunks: int, train_ratio: float, test_ratio: float
) -> Iterator[tuple[str, Sequence[ListedImage]]]:
    """Divide images into lists, each with the suffix of its file's name.

    Raises
    ------
    ValueError
        if the numbers are invalid
    """
    if chunks < 1 or train_ratio < 0 or test_ratio < 0 or train_ratio + test_ratio > 1:
        raise AttributeValueError(
            f"{chunks} chunks, {train_ratio} of each for training and {test_ratio} for testing: "
            "there must be a chunk, and no more than all of it"
        )
    size = -(-len(images) // chunks)
    for number in range(chunks):
        chunk, ending = (
            images[number * size : (number + 1) * size],
            f"_{number}" if chunks > 1 else "",
        )
        training, testing = int(size * train_ratio), int(size * test_ratio)
        if train_ratio == 1:
            yield ending, chunk
            continue
        if test_ratio:
            yield f"{ending}_test", chunk[:testing]
        if train_ratio + test_ratio < 1:
            yield f"{ending}_val", chunk[testing + training :]
        yield f"{ending}_train", chunk[testing : testing + training]


def shuffle(images: list[ListedImage]) -> None:
    """Shuffle images into MXNet's random order."""
    random.Random(_SEED).shuffle(images)


def write_list(path: str, images: Sequence[ListedImage]) -> None:
    """Write a list of images."""
    lines = (
        "\t".join([str(image.number), *(f"{label:f}" for label in image.labels), image.path]) + "\n"
        for image in images
    )
    write_atomically(path, "".join(lines).encode())


def read_list(path: str) -> Iterator[ListedImage]:
    """Read a list of images; invalid lines are logged and skipped."""
    for number, line in enumerate(_lines(path), 1):
        words = [word.strip() for word in line.strip().split("\t")]
        try:
            first, *labels, name = words
            if "\0" in line:
                raise ValueError("it has NUL bytes")
            if not labels:
                raise ValueError("a number, a label and a path must be there, with tabs between")
            if not 0 <= int(first) <= _LARGEST_NUMBER:
                raise ValueError(f"{first} is not between 0 and {_LARGEST_NUMBER}")
            yield ListedImage(int(first), name, tuple(map(float, labels)))
        except ValueError as error:
            logging.error("%s: line %d is left out: %s", path, number, error)


def _lines(path: str) -> Iterator[str]:
    with TextIOWrapper(opened(path), encoding="utf-8") as file:
        try:
            yield from file
        except UnicodeDecodeError as error:
            raise FileFormatError(f"{path}: damaged: this is no text in UTF-8: {error}") from error
