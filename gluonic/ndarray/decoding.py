"""Arrays of the images in files."""

import os
from typing import Any

from gluonic.graph.errors import FileFormatError
from gluonic.graph.files import read_bytes
from gluonic.graph.image_files import decode
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.numpy_class import as_switched


def _cvimdecode(buf: Any, flag: int = 1, to_rgb: bool = True, out: Any = None) -> Any:
    """Decode the contents of an image file.

    Parameters
    ----------
    buf : an array of bytes, or bytes
    flag : 1 for three channels, 0 for one grey channel, -1 for the stored channels
    to_rgb : whether the order of colours is red, green, blue; otherwise blue, green, red, as in OpenCV
    out : an array to write the image into
    """
    contents = buf.asnumpy() if isinstance(buf, NDArray) else buf
    image = as_switched(NDArray(decode(contents, flag, to_rgb)))
    if out is None:
        return image
    out[:] = image
    return out


def _cvimread(
    filename: str | os.PathLike[str], flag: int = 1, to_rgb: bool = True, out: Any = None
) -> Any:
    """Read an image file; the parameters are those of `_cvimdecode`.

    Raises
    ------
    FileFormatError
        if it is not an image, or damaged; the error names the file
    """
    contents = read_bytes(filename)
    try:
        return _cvimdecode(contents, flag, to_rgb, out)
    except FileFormatError as error:
        error.facts.append(f"file: {filename}")
        raise
