"""Images with labels, as records."""

import struct
from numbers import Number
from typing import Any, NamedTuple

import numpy as np

from gluonic.graph.errors import AttributeValueError, FileFormatError, describe
from gluonic.graph.image_files import decode, encode
from gluonic.ndarray import NDArray

_HEADER = struct.Struct("<IfQQ")


class IRHeader(NamedTuple):
    """The header stored before an image.

    Attributes
    ----------
    flag : number of labels; 0 for a single one
    label : the label, or an array of them
    id : the image's number
    id2 : higher bits of its number
    """

    flag: int
    label: Any
    id: int
    id2: int


IRHeader.__name__ = "HEADER"


def pack(header: Any, s: bytes) -> bytes:
    r"""Prepend a header to the contents of a file.

    Parameters
    ----------
    header : an `IRHeader` or a tuple like it; its flag follows from its label
    s : the contents

    Examples
    --------
    >>> record = pack(IRHeader(0, [1.5, 2.5], 7, 0), b"contents")
    >>> unpack(record)
    (HEADER(flag=2, label=array([1.5, 2.5], dtype=float32), id=7, id2=0), b'contents')
    """
    header = IRHeader(*header)
    if isinstance(header.label, Number):
        return _packed(0, *header[1:]) + s
    label = header.label.asnumpy() if isinstance(header.label, NDArray) else header.label
    labels = np.asarray(label, np.float32)
    return _packed(labels.size, 0, *header[2:]) + labels.tobytes() + s


def _packed(*numbers: Any) -> bytes:
    """The bytes of a header."""
    try:
        return _HEADER.pack(*numbers)
    except (struct.error, OverflowError) as error:
        raise AttributeValueError(
            describe(
                f"the numbers of a record's header do not fit: {error}",
                where="pack",
                facts=[
                    f"{name}: {value!r:.80}"
                    for name, value in zip(("flag", "label", "id", "id2"), numbers, strict=False)
                ],
                hint="a label of float32, and an id and id2 from 0 to 2**64 - 1",
            )
        ) from error


def unpack(s: bytes) -> tuple[IRHeader, bytes]:
    """Return the header and the contents that were put together by `pack`.

    Parameters
    ----------
    s : a record

    Raises
    ------
    FileFormatError
        if the record is too short for its header or its labels
    """
    if len(s) < _HEADER.size:
        raise _too_short(s, _HEADER.size, "a header")
    header, begin = IRHeader(*_HEADER.unpack_from(s)), _HEADER.size
    if header.flag > 0:
        end = begin + 4 * header.flag
        if len(s) < end:
            raise _too_short(s, end, f"a header with {header.flag} labels")
        labels = np.frombuffer(s, np.float32, header.flag, begin)
        header, begin = header._replace(label=labels), end
    return header, s[begin:]


def _too_short(s: bytes, needed: int, what: str) -> FileFormatError:
    return FileFormatError(
        describe(
            f"a record of {len(s)} bytes is no image: {what} takes {needed}",
            where="unpack",
            hint="records that pack() did not make have no header",
        )
    )


def pack_img(header: Any, img: Any, quality: int = 95, img_fmt: str = ".jpg") -> bytes:
    """Encode an image, and prepend a header.

    Parameters
    ----------
    header : an `IRHeader` or a tuple like it
    img : an array of bytes ``(height, width)`` or ``(height, width, channels)``; colours as OpenCV orders them,
        blue first
    quality : 1 to 100 for JPEG, 0 to 9 for PNG
    img_fmt : ``.jpg`` or ``.png``
    """
    array = img.asnumpy() if isinstance(img, NDArray) else img
    return pack(header, encode(array, quality, img_fmt))


def unpack_img(s: bytes, iscolor: int = -1) -> tuple[IRHeader, Any]:
    """Return the header and the image of a record.

    Parameters
    ----------
    s : the record
    iscolor : 1 for colours, 0 for grey, -1 for the channels that are stored

    Returns
    -------
    header, image
        the image is an array ``(height, width, channels)``, blue first, or ``(height, width)`` if it is grey

    Raises
    ------
    FileFormatError
        if the record holds no image that can be decoded
    """
    header, contents = unpack(s)
    image = decode(contents, iscolor, to_rgb=False, turned=True)
    return header, image[:, :, 0] if image.shape[2] == 1 else image
