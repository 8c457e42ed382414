"""Reading files of images and labels."""

import gzip
import importlib
import io
import struct
import zlib
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from gluonic.graph.errors import FileFormatError, MXNetError, describe
from gluonic.ndarray import NDArray

_UNSIGNED_BYTES = 0x08


def find(folder: Path, names: list[str], what: str) -> Path:
    """Return the first of several files that is there.

    Raises
    ------
    MXNetError
        if there is none
    """
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise MXNetError(
        describe(
            f"{what} is not on this machine",
            facts=[f"looked for {' or '.join(names)} in {folder}"],
            hint="put it there, or root= for another folder; gluonic downloads nothing",
        )
    )


def read_idx(path: Path) -> Any:
    """Read an IDX file of bytes, compressed or not, as MNIST comes.

    Raises
    ------
    FileFormatError
        if it is something else, or damaged
    """
    try:
        contents = path.read_bytes()
        if path.suffix == ".gz":
            contents = gzip.decompress(contents)
    except (OSError, EOFError, zlib.error) as error:
        raise FileFormatError(f"{path}: damaged: {error}") from error
    if len(contents) < 4 or contents[:2] != b"\0\0" or contents[2] != _UNSIGNED_BYTES:
        raise FileFormatError(f"{path}: this is no IDX file of bytes")
    axes = contents[3]
    if len(contents) < 4 + 4 * axes:
        raise FileFormatError(f"{path}: damaged: it ends within its header")
    shape = struct.unpack(f">{axes}I", contents[4 : 4 + 4 * axes])
    elements = np.frombuffer(contents, np.uint8, offset=4 + 4 * axes)
    if elements.size != prod(shape):
        raise FileFormatError(
            f"{path}: damaged: {elements.size} bytes are not an array of shape {shape}"
        )
    return elements.reshape(shape)


def read_image(file: str | Path | bytes, flag: int = 1) -> NDArray:
    """Read an image as an array ``(height, width, channels)`` of bytes.

    Parameters
    ----------
    file : the path of a file that Pillow can read, or its contents
    flag : 1 for colour (RGB), 0 for grey

    Raises
    ------
    MXNetError
        if Pillow is not installed
    FileFormatError
        if it is no image, or damaged
    """
    try:
        pillow = importlib.import_module("PIL.Image")
    except ImportError as error:
        raise MXNetError(
            describe("reading images needs Pillow", hint="pip install pillow")
        ) from error
    source = io.BytesIO(file) if isinstance(file, bytes) else file
    try:
        with pillow.open(source) as image:
            pixels = np.asarray(image.convert("RGB" if flag else "L"))
    except (pillow.UnidentifiedImageError, SyntaxError, EOFError) as error:
        raise FileFormatError(f"this is no image, or damaged: {error}") from error
    return NDArray(np.array(pixels if flag else pixels[:, :, None]))
