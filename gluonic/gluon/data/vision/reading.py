"""Reading files of images and labels."""

from pathlib import Path

from gluonic.graph.errors import FileFormatError, MXNetError, describe
from gluonic.graph.image_files import decode
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
    file : the path of an image, or its contents
    flag : 1 for colour (RGB), 0 for grey

    Raises
    ------
    FileFormatError
        if it is no image, or damaged
    MissingLibraryError
        if neither OpenCV nor Pillow is installed
    """
    contents = file if isinstance(file, bytes) else Path(file).read_bytes()
    try:
        return NDArray(decode(contents, flag))
    except FileFormatError as error:
        if not isinstance(file, bytes):
            error.facts.append(f"file: {file}")
        raise
