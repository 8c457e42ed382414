"""Images are decoded to MXNet's pixels, and encoded, by OpenCV or by Pillow."""

import importlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from gluonic.graph import image_files, opencv
from gluonic.graph.errors import AttributeValueError, FileFormatError
from gluonic.graph.image_files import decode, encode
from tests.measured.measure import read
from tests.measured.picture_files import FILES

MEASURED = read("picture_files")


@pytest.fixture(params=["OpenCV", "Pillow"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Decode by one of the libraries."""
    if request.param == "Pillow":
        monkeypatch.setattr(image_files, "opencv", lambda: None)
    return str(request.param)


@pytest.mark.parametrize("case", MEASURED)
def test_pixels_are_those_of_mxnet(case: str) -> None:
    name, flag, to_rgb = case.rsplit(" ", 2)
    shape, pixels = MEASURED[case]
    decoded = decode(FILES[name], int(flag), to_rgb == "1")
    assert list(decoded.shape) == shape
    assert decoded.tobytes().hex() == pixels


# Pillow blends colours between neighbours by other arithmetic, and cuts 16 bits off
@pytest.mark.parametrize("case", [case for case in MEASURED if "16 bits" not in case])
def test_pillow_gives_nearly_these_pixels(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image_files, "opencv", lambda: None)
    name, flag, to_rgb = case.rsplit(" ", 2)
    shape, pixels = MEASURED[case]
    decoded = decode(FILES[name], int(flag), to_rgb == "1")
    measured = np.frombuffer(bytes.fromhex(pixels), np.uint8).reshape(shape)
    assert decoded.shape == measured.shape
    assert np.abs(decoded.astype(int) - measured).max() <= 12


@given(
    image=arrays(np.uint8, st.tuples(st.integers(1, 9), st.integers(1, 9), st.sampled_from([1, 3])))
)
def test_lossless_encoding_is_undone_by_decoding(image: np.ndarray) -> None:
    contents = encode(image, 3, ".png")
    assert np.array_equal(decode(contents, -1, to_rgb=False), image)


def test_libraries_read_each_other(library: str) -> None:
    image = np.arange(4 * 5 * 4, dtype=np.uint8).reshape(4, 5, 4)
    contents = encode(image, 3, ".PNG")
    assert np.array_equal(decode(contents, -1, to_rgb=False), image)
    assert np.array_equal(decode(contents, -1)[..., :3], image[..., 2::-1])
    assert decode(encode(image[..., :3], 100), 1).shape == (4, 5, 3)


def test_quality_makes_files_larger(library: str) -> None:
    image = np.random.RandomState(0).randint(0, 256, (40, 40, 3)).astype(np.uint8)
    sizes = [len(encode(image, quality)) for quality in (10, 50, 95)]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]


@pytest.mark.parametrize("contents", [b"", b"no image at all", FILES["png"][:60]])
def test_data_other_than_images_are_refused(contents: bytes, library: str) -> None:
    with pytest.raises(FileFormatError, match="no image, or damaged"):
        decode(contents)


def test_unknown_formats_are_refused_by_name(library: str) -> None:
    with pytest.raises(AttributeValueError, match=r"cannot be written as \.unknown"):
        encode(np.zeros((2, 2, 3), np.uint8), 95, ".unknown")


def test_without_a_library_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise ModuleNotFoundError(name=name)

    monkeypatch.setattr(image_files, "opencv", lambda: None)
    monkeypatch.setattr(importlib, "import_module", absent)
    for use in (lambda: decode(FILES["png"]), lambda: encode(np.zeros((2, 2, 3), np.uint8))):
        with pytest.raises(opencv.MissingLibraryError, match="pip install opencv-python-headless"):
            use()


def test_decoded_memory_can_be_written_to(library: str) -> None:
    for name in ("jpeg", "grey png"):
        decode(FILES[name])[0, 0] = 1
        decode(FILES[name], 0)[0, 0] = 1
