"""Images from files and from their contents."""

import os
from typing import Any

import numpy as np

from gluonic.graph.errors import AttributeValueError, describe
from gluonic.ndarray import NDArray, _internal

__all__ = ["imdecode", "imread"]


def imread(
    filename: str | os.PathLike[str], flag: int = 1, to_rgb: bool = True, out: Any = None
) -> Any:
    """Read an image file.

    Parameters
    ----------
    filename : its path
    flag : 1 for three channels, 0 for a grey one, -1 for the channels that are stored
    to_rgb : whether channels are in the order red, green, blue; otherwise blue is first, as in OpenCV
    out : an array to write the image into

    Returns
    -------
    NDArray
        (height, width, channels), uint8

    Raises
    ------
    FileAccessError
        if there is no such file, or it cannot be read
    FileFormatError
        naming the file, if it is no image, or damaged
    """
    return _internal._cvimread(filename, flag, to_rgb, out)


def imdecode(buf: Any, flag: int = 1, to_rgb: bool = True, out: Any = None) -> Any:
    """Decode the contents of an image file.

    Parameters
    ----------
    buf : bytes, bytearray, or an array of bytes
    flag : 1 for three channels, 0 for a grey one, -1 for the channels that are stored
    to_rgb : whether channels are in the order red, green, blue; otherwise blue is first, as in OpenCV
    out : an array to write the image into

    Returns
    -------
    NDArray
        (height, width, channels), uint8

    Raises
    ------
    ValueError
        if `buf` is of another type
    FileFormatError
        if it is no image, or damaged
    """
    if not isinstance(buf, (NDArray, bytes, bytearray, memoryview, np.ndarray)):
        raise AttributeValueError(
            describe(
                f"imdecode: buf must be bytes, bytearray or numpy.ndarray, not {type(buf).__name__}",
                hint="the contents of a file opened with 'rb'; imread takes its name",
            )
        )
    return _internal._cvimdecode(buf, flag, to_rgb, out)
