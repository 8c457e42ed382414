"""The sources of an iterator's images and labels: files of records, list files, lists."""

from collections.abc import Sequence
from numbers import Number
from typing import Any, NamedTuple

import numpy as np

from gluonic import ndarray as nd
from gluonic import recordio
from gluonic.graph.errors import AttributeValueError, FileFormatError, describe
from gluonic.graph.files import read_text

_LABELS = ("int32", "float32", "int64", "float64")


class ImageList(NamedTuple):
    """Images in order.

    Attributes
    ----------
    entries : the label, an NDArray, and the file, by key
    keys : the keys in order
    """

    entries: dict[Any, tuple[Any, str]]
    keys: list[Any]


def listed_images(path: str | None, images: Any, dtype: str) -> ImageList | None:
    """The images of a list file or of a list; None if neither is given.

    Parameters
    ----------
    path : a file with lines of a number, labels and a file, separated by tabs
    images : a list of label (or labels) and file each
    dtype : the dtype of the labels
    """
    if path:
        return _read(path, dtype)
    return _given(images, dtype) if isinstance(images, list) else None


def _read(path: str, dtype: str) -> ImageList:
    """Read a list file.

    Raises
    ------
    FileAccessError
        if the file cannot be read
    FileFormatError
        naming the line that is malformed
    """
    text = read_text(path)
    entries = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.strip().split("\t")
        is_entry = len(words) > 1 and "\0" not in line
        key, *labels, file = words if is_entry else ("", "")
        try:
            entries[int(key)] = (nd.array(np.array(labels, dtype), dtype=dtype), file)
        except (ValueError, OverflowError) as error:
            raise FileFormatError(
                describe(
                    f"{path}, line {number}: {line!r} is not a number, labels and a file",
                    hint="write tabs between them, as im2rec does",
                )
            ) from error
    return ImageList(entries, list(entries))


def _given(images: Sequence[Sequence[Any]], dtype: str) -> ImageList:
    """Make an `ImageList` of images with the keys "1", "2" and so on."""
    entries = {str(key): _entry(image, dtype) for key, image in enumerate(images, 1)}
    return ImageList(entries, list(entries))


def _entry(image: Sequence[Any], dtype: str) -> tuple[Any, str]:
    *labels, file = image
    first = labels[0]
    values = labels if len(labels) > 1 or isinstance(first, Number) else first
    return nd.array(values, dtype=dtype), file


def check_sources(records: Any, list_file: Any, images: Any, dtype: str) -> None:
    """Check that an iterator is given a source of images.

    Parameters
    ----------
    records : the name of a file of records
    list_file : the name of a list of images
    images : a list of images
    dtype : the dtype of the labels

    Raises
    ------
    AttributeValueError
        if none of them is given, or labels cannot have the dtype
    """
    if not (records or list_file or isinstance(images, list)):
        raise AttributeValueError(
            describe(
                "ImageIter has no source of images",
                hint="path_imgrec=, path_imglist=, or imglist=[[label, file], ...]",
            )
        )
    if dtype not in _LABELS:
        raise AttributeValueError(f"{dtype} label not supported: there are {', '.join(_LABELS)}")


def open_records(records: str | None, index: str | None) -> tuple[Any, list[Any] | None]:
    """The file of records and the keys of its index; None for what is not given."""
    if not records:
        return None, None
    if not index:
        return recordio.MXRecordIO(records, "r"), None
    opened = recordio.MXIndexedRecordIO(index, records, "r")
    return opened, list(opened.keys)


def part_of(keys: list[Any], index: int, count: int) -> list[Any]:
    """One of several parts of equal length."""
    if index >= count:
        raise AttributeValueError(f"part_index={index}: there are {count} parts")
    length = len(keys) // count
    return keys[index * length : (index + 1) * length]
