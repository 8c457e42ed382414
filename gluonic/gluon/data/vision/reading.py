"""Reading files of images and labels."""

import importlib
import io
from pathlib import Path

import numpy as np

from gluonic.graph.errors import FileFormatError, MXNetError, describe
from gluonic.ndarray import NDArray


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
