"""Images are read from files and their contents; what is none is named."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import image
from gluonic.graph.errors import FileFormatError
from gluonic.graph.image_files import encode

PIXELS = np.random.default_rng(0).integers(0, 256, (5, 7, 3)).astype(np.uint8)
CONTENTS = encode(PIXELS, 3, ".png")


@pytest.mark.parametrize("make", [bytes, bytearray, lambda c: np.frombuffer(c, np.uint8)])
def test_contents_are_decoded_red_first(make: Any) -> None:
    found = image.imdecode(make(CONTENTS))
    assert (found.asnumpy() == PIXELS[..., ::-1]).all()
    assert found.dtype is np.uint8
    assert (image.imdecode(make(CONTENTS), to_rgb=False).asnumpy() == PIXELS).all()
    assert image.imdecode(make(CONTENTS), 0).shape == (5, 7, 1)


def test_arrays_of_bytes_are_decoded_and_results_written_into_arrays() -> None:
    out = mx.nd.zeros((5, 7, 3), dtype="uint8")
    buffer = mx.nd.array(np.frombuffer(CONTENTS, np.uint8), dtype="uint8")
    assert image.imdecode(buffer, out=out) is out
    assert (out.asnumpy() == PIXELS[..., ::-1]).all()
    with pytest.raises(ValueError, match=r"\(5, 7, 3\)"):
        image.imdecode(CONTENTS, out=mx.nd.zeros((4, 7, 3), dtype="uint8"))


def test_a_file_is_read_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    path.write_bytes(CONTENTS)
    for name in (path, str(path)):
        assert (image.imread(name).asnumpy() == PIXELS[..., ::-1]).all()


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    path.write_bytes(b"no image")
    with pytest.raises(FileFormatError, match=r"no image[\s\S]*picture\.png"):
        image.imread(path)
    with pytest.raises(mx.MXNetError, match=r"absent\.png"):
        image.imread(tmp_path / "absent.png")


@pytest.mark.parametrize("contents", [b"", b"clearly no image"])
def test_contents_that_are_no_image_are_refused(contents: bytes) -> None:
    with pytest.raises(FileFormatError, match="no image"):
        image.imdecode(contents)


def test_text_is_not_decoded() -> None:
    with pytest.raises(ValueError, match=r"bytes.*not str"):
        image.imdecode("picture.png")


def test_operators_decode_and_read_as_the_functions_do(tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    path.write_bytes(CONTENTS)
    buffer = mx.nd.array(np.frombuffer(CONTENTS, np.uint8), dtype="uint8")
    expected = image.imread(path).asnumpy()
    assert (mx.nd._internal._cvimdecode(buffer).asnumpy() == expected).all()
    assert (mx.nd._internal._cvimread(str(path)).asnumpy() == expected).all()
