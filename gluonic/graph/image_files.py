"""Decoding and encoding of image files, by OpenCV as in MXNet, or otherwise by Pillow."""

import importlib
import io
from typing import Any

import numpy as np

from gluonic.graph.errors import AttributeValueError, FileFormatError, describe
from gluonic.graph.image_sizes import stated_pixels
from gluonic.graph.opencv import MissingLibraryError, opencv
from gluonic.graph.unpacking import UnpackedLimitError, check_unpacked
from gluonic.support.extras import how_to_install

_AS_STORED, _GREY = -1, 0
_BYTES_OF_A_PIXEL = 3  # of most images
_QUALITY = {".jpg": "JPEG_QUALITY", ".jpeg": "JPEG_QUALITY", ".png": "PNG_COMPRESSION"}


def decode(contents: Any, flag: int = 1, to_rgb: bool = True, turned: bool | None = None) -> Any:
    """Decode the contents of an image file.

    Parameters
    ----------
    contents : bytes, or an array of them
    flag : 1 for three channels, 0 for a grey one, -1 for the stored channels
    to_rgb : whether colours are in the order red, green, blue, or in OpenCV's, which starts with blue
    turned : whether to rotate the image by its EXIF orientation; by default as ``mx.image.imdecode`` does,
        which excludes PNG and JPEG files that start with a JFIF header

    Returns
    -------
    An array ``(height, width, channels)`` of bytes, or with ``flag=-1`` of wider numbers, if the file has them.

    Raises
    ------
    FileFormatError
        if it is not a readable image, or damaged, or larger than `graph.unpacking` allows
    MissingLibraryError
        if neither OpenCV nor Pillow is installed
    """
    data = np.frombuffer(contents, np.uint8)
    if turned is None:
        turned = not _states_its_size_first(data)
    by = _decode_by_pillow if opencv() is None else _decode_by_opencv
    pixels = by(data, flag, turned and flag != _AS_STORED)
    if pixels.ndim == 2:
        return pixels[:, :, None]
    return _swapped(pixels) if to_rgb else pixels


def encode(image: Any, quality: int = 95, img_fmt: str = ".jpg") -> bytes:
    """Encode an image as the contents of a file.

    Parameters
    ----------
    image : an array of bytes ``(height, width)`` or ``(height, width, channels)``; colours in OpenCV's order,
        which starts with blue
    quality : 1 to 100 for JPEG; for PNG the compression level, 0 to 9
    img_fmt : the file name extension of the format

    Raises
    ------
    ValueError
        if the format is unknown, or cannot hold such an array
    MissingLibraryError
        if neither OpenCV nor Pillow is installed
    """
    by = _encode_by_pillow if opencv() is None else _encode_by_opencv
    return by(np.asarray(image), quality, img_fmt.lower())


def _states_its_size_first(data: Any) -> bool:
    """Whether MXNet reads an image's size from its first bytes, and then does not rotate the image."""
    start: bytes = data[:11].tobytes()
    return start[:4] == b"\x89PNG" or (start[:4] == b"\xff\xd8\xff\xe0" and start[6:] == b"JFIF\0")


def _swapped(pixels: Any) -> Any:
    """Swap the red and blue channels."""
    cv2, channels = opencv(), pixels.shape[2]
    if cv2 is None:
        return np.ascontiguousarray(pixels[:, :, [2, 1, 0, 3][:channels]])
    code = cv2.COLOR_BGR2RGB if channels == 3 else cv2.COLOR_BGRA2RGBA
    return cv2.cvtColor(pixels, code, pixels)


def _check_size(pixels: int, packed: int) -> None:
    """Check that a file of `packed` bytes does not become too large an image."""
    check_unpacked(pixels * _BYTES_OF_A_PIXEL, packed, "this image")


def _unreadable(reason: str) -> FileFormatError:
    return FileFormatError(describe(f"this is no image, or damaged: {reason}"))


def _decode_by_opencv(data: Any, flag: int, turned: bool) -> Any:
    cv2 = opencv()
    assert cv2 is not None
    if not data.size:
        raise _unreadable("it is empty")
    try:
        _check_size(stated_pixels(data.data), data.size)
        pixels = cv2.imdecode(data, flag if turned else flag | cv2.IMREAD_IGNORE_ORIENTATION)
    except cv2.error as error:
        raise _unreadable(error.err) from error
    if pixels is None:
        raise _unreadable(f"OpenCV cannot decode these {data.size} bytes")
    return pixels


def _encode_by_opencv(image: Any, quality: int, img_fmt: str) -> bytes:
    cv2 = opencv()
    assert cv2 is not None
    kind = _QUALITY.get(img_fmt)
    try:
        done, contents = cv2.imencode(
            img_fmt, image, [getattr(cv2, f"IMWRITE_{kind}"), quality] if kind else []
        )
    except cv2.error as error:
        raise _cannot_write(image, img_fmt, error.err) from error
    if not done:
        raise _cannot_write(image, img_fmt, "OpenCV declines")
    return bytes(contents)


def _cannot_write(image: Any, img_fmt: str, reason: str) -> AttributeValueError:
    return AttributeValueError(
        describe(
            f"an array {image.shape} of {image.dtype} cannot be written as {img_fmt}: {reason}",
            where="encode",
            hint="bytes (uint8) of one or three channels as .jpg, of up to four as .png",
        )
    )


def _pillow(module: str) -> Any:
    try:
        return importlib.import_module(f"PIL.{module}")
    except ModuleNotFoundError as error:
        raise MissingLibraryError(
            describe("images are decoded by OpenCV", hint=how_to_install("image"))
        ) from error


def _decode_by_pillow(data: Any, flag: int, turned: bool) -> Any:
    pillow = _pillow("Image")
    try:
        with pillow.open(io.BytesIO(data)) as image:
            _check_size(image.width * image.height, data.size)
            if turned:
                image = _pillow("ImageOps").exif_transpose(image)
            pixels = np.asarray(image.convert(_mode(image.mode, flag)))
    except UnpackedLimitError:
        raise
    except (OSError, SyntaxError, ValueError, pillow.DecompressionBombError) as error:
        raise _unreadable(str(error)) from error
    return np.array(pixels) if pixels.ndim == 2 else _swapped(pixels)


def _mode(stored: str, flag: int) -> str:
    """Pillow's mode for a flag."""
    if flag == _GREY:
        return "L"
    if flag != _AS_STORED:
        return "RGB"
    return stored if stored in ("L", "RGBA") else "RGB"


def _encode_by_pillow(image: Any, quality: int, img_fmt: str) -> bytes:
    pillow, stream = _pillow("Image"), io.BytesIO()
    kind = _QUALITY.get(img_fmt, "")
    setting = {"JPEG_QUALITY": "quality", "PNG_COMPRESSION": "compress_level"}.get(kind)
    flat = image[:, :, 0] if image.ndim == 3 and image.shape[2] == 1 else image
    try:
        made = pillow.fromarray(flat if flat.ndim == 2 else _swapped(flat))
        made.save(
            stream,
            pillow.registered_extensions()[img_fmt],
            **({setting: quality} if setting else {}),
        )
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise _cannot_write(image, img_fmt, str(error)) from error
    return stream.getvalue()
