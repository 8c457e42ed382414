"""Small files that would become large, or say that they are, are refused before they do."""

import bz2
import gzip
import io
import os
import random
import struct
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic.contrib.text import pretrained
from gluonic.gluon.contrib.data.text import WikiText2
from gluonic.gluon.data.vision import CIFAR10, MNIST, ImageRecordDataset
from gluonic.gluon.model_zoo import model_store
from gluonic.graph import image_files
from gluonic.graph.image_files import encode
from gluonic.graph.image_sizes import stated_pixels
from gluonic.graph.unpacking import UnpackedLimitError, unpacked_limit
from gluonic.recordio import IRHeader, MXIndexedRecordIO, pack
from gluonic.test_utils import datasets
from gluonic.tools import im2rec
from tests.face.file_kinds import KINDS

LARGE, LIMIT = 3 << 20, 1 << 20
SWITCH = "GLUONIC_UNPACKED_LIMIT"


def zipped(name: str, content: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return stream.getvalue()


def tarred(*members: tuple[str, bytes], **headers: str) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name, content in members:
            member = tarfile.TarInfo(name)
            member.size, member.pax_headers = len(content), headers
            archive.addfile(member, io.BytesIO(content))
    return stream.getvalue()


def sparse_tar() -> bytes:
    """An archive that says that zeros are left out of a file of many bytes."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.GNU_FORMAT) as archive:
        archive.addfile(tarfile.TarInfo("data_batch_1.bin"))
    block = bytearray(stream.getvalue()[:512])
    block[156:157] = tarfile.GNUTYPE_SPARSE
    block[483:495] = b"%011o\0" % LARGE
    block[148:156] = b"%06o\0 " % (256 + sum(block[:148]) + sum(block[156:]))
    return gzip.compress(bytes(block) + stream.getvalue()[512:])


def digits(folder: Path) -> None:
    header = bytes((0, 0, 8, 3)) + struct.pack(">3I", LARGE // 784, 28, 28)
    images, labels = header + bytes(LARGE // 784 * 784), bytes((0, 0, 8, 1)) + struct.pack(">I", 2)
    (folder / "train-images-idx3-ubyte.gz").write_bytes(gzip.compress(images))
    (folder / "train-labels-idx1-ubyte").write_bytes(labels + b"ab")
    MNIST(str(folder))


def photographs(content: bytes) -> Callable[[Path], None]:
    def read(folder: Path) -> None:
        (folder / "cifar-10-binary.tar.gz").write_bytes(content)
        CIFAR10(str(folder))

    return read


def articles(folder: Path) -> None:
    packed = zipped("wikitext-2/wiki.train.tokens", b"a b\n" * (LARGE // 4))
    (folder / "wikitext-2-v1.zip").write_bytes(packed)
    WikiText2(str(folder))


def vectors(folder: Path) -> None:
    embedding, file, digest, archive, _ = next(
        line for line in pretrained.lines() if ".zip" in line[3]
    )
    (folder / embedding).mkdir()
    (folder / embedding / archive).write_bytes(zipped(file, bytes(LARGE)))
    pretrained.find_file(embedding, file, digest, str(folder))


def model(folder: Path) -> None:
    name = f"alexnet-{model_store.short_hash('alexnet')}"
    place = folder / "gluon" / "models" / f"{name}.zip"
    place.parent.mkdir(parents=True)
    place.write_bytes(zipped(f"{name}.params", bytes(LARGE)))
    os.environ["MXNET_GLUON_REPO"] = folder.as_uri()
    model_store.get_model_file("alexnet", str(folder))


def example(name: str, content: bytes) -> Callable[[Path], None]:
    def unpack(folder: Path) -> None:
        (folder / name).write_bytes(content)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(datasets, "download", lambda *_, **__: str(folder / name))
            if name.endswith(".zip"):
                (folder / name).rename(folder / "mnist.zip")
                patch.chdir(folder)
                patch.setattr(datasets, "download", lambda *_, **__: str(folder / "mnist.zip"))
                datasets.get_mnist_ubyte()
            else:
                datasets.get_bz2_data(str(folder), "unpacked", "http://nowhere", name)

    return unpack


BATCH = "cifar-10-batches-bin/data_batch_1.bin"
ARCHIVES: dict[str, Callable[[Path], None]] = {
    "digits": digits,
    "photographs": photographs(tarred((BATCH, bytes(LARGE)))),
    "something before photographs": photographs(tarred(("other", bytes(LARGE)), (BATCH, b""))),
    "a long header before photographs": photographs(tarred((BATCH, b""), comment="x" * LARGE)),
    "photographs without their zeros": photographs(sparse_tar()),
    "articles": articles,
    "vectors": vectors,
    "model": model,
    "example in an archive": example("given.zip", zipped("unpacked", bytes(LARGE))),
    "compressed example": example("given.bz2", bz2.compress(bytes(LARGE))),
}


@pytest.mark.parametrize("kind", ARCHIVES)
def test_an_archive_does_not_become_larger_than_the_limit(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SWITCH, str(LIMIT))
    monkeypatch.setenv("MXNET_GLUON_REPO", "")
    tracemalloc.start()
    try:
        with pytest.raises(
            UnpackedLimitError, match=f"(?s)more than {LIMIT:,}.*{SWITCH}"
        ) as caught:
            ARCHIVES[kind](tmp_path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert str(tmp_path) in str(caught.value)
    written = sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file())
    assert written < LARGE // 2
    assert peak < 4 * LARGE  # the files are made here, too


RAISED = {
    "digits": "images do not go with 2 labels",
    "photographs": "are no whole images",
    "vectors": "does not have the SHA-1 digest",
}
"""What else is wrong with these files."""


@pytest.mark.parametrize("kind", RAISED)
def test_the_limit_can_be_raised(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SWITCH, str(1 << 40))
    with pytest.raises(mx.MXNetError, match=RAISED[kind]):
        ARCHIVES[kind](tmp_path)


def test_the_usual_limit_is_large_and_grows_with_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SWITCH, raising=False)
    assert unpacked_limit(10) == 512 << 20
    assert unpacked_limit(1 << 30) == 20 << 30
    monkeypatch.setenv(SWITCH, "many")
    with pytest.raises(mx.MXNetError, match=f"{SWITCH}='many'"):
        unpacked_limit(10)


# ------------------------------------------------------------------------------------------ images

PIXELS = (np.arange(370 * 210 * 3) % 251).astype(np.uint8).reshape(210, 370, 3)
FORMATS = (
    "jpg",
    "png",
    "bmp",
    "tiff",
    "webp",
    "ppm",
    "gif",
    "sr",
    "pam",
    "avif",
    "jp2",
    "hdr",
    "pfm",
)


def encoded(ending: str) -> bytes:
    cv2 = pytest.importorskip("cv2")
    wide = ending in ("hdr", "pfm")
    done, data = cv2.imencode(f".{ending}", PIXELS.astype(np.float32) if wide else PIXELS)
    if not done:
        pytest.skip(f"this OpenCV writes no .{ending}")
    return bytes(data)


@pytest.mark.parametrize("ending", FORMATS)
def test_the_size_of_an_image_is_read_from_its_first_bytes(
    ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = encoded(ending)
    assert stated_pixels(memoryview(data)) == 370 * 210
    for length in range(min(len(data), 60)):
        stated_pixels(memoryview(data[:length]))
    monkeypatch.setenv(SWITCH, str(370 * 210 * 3 - 1))
    with pytest.raises(UnpackedLimitError, match="this image"):
        mx.image.imdecode(data)
    monkeypatch.setenv(SWITCH, str(370 * 210 * 3))
    assert mx.image.imdecode(data).shape == (210, 370, 3)


def test_pillow_has_the_limit_too(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("PIL")
    data = encode(PIXELS, 9, ".png")
    monkeypatch.setattr(image_files, "opencv", lambda: None)
    monkeypatch.setenv(SWITCH, str(370 * 210 * 3 - 1))
    with pytest.raises(UnpackedLimitError, match="this image"):
        image_files.decode(data)


def enlarged() -> bytes:
    """A PNG that says it has 40,000 × 40,000 pixels, 4.8 GB."""
    return encode(PIXELS, 9, ".png").replace(
        struct.pack(">II", 370, 210), struct.pack(">II", 40000, 40000)
    )


def of_records(folder: Path, data: bytes) -> str:
    path = str(folder / "a.rec")
    records = MXIndexedRecordIO(str(folder / "a.idx"), path, "w")
    records.write_idx(0, pack(IRHeader(0, 1.0, 0, 0), data))
    records.close()
    return path


SHAPE: dict[str, Any] = {"data_shape": (3, 4, 4), "batch_size": 1}
IMAGES: dict[str, Callable[[Path, bytes], Any]] = {
    "imdecode": lambda folder, data: mx.image.imdecode(data),
    "imread": lambda folder, data: mx.image.imread(str(folder / "a.png")),
    "ImageIter": lambda folder, data: mx.image.ImageIter(
        imglist=[[0, "a.png"]], path_root=str(folder), **SHAPE
    ).next(),
    "ImageRecordDataset": lambda folder, data: ImageRecordDataset(of_records(folder, data))[0],
    "ImageRecordIter": lambda folder, data: mx.io.ImageRecordIter(
        path_imgrec=of_records(folder, data), **SHAPE
    ).next(),
    "unpack_img": lambda folder, data: mx.recordio.unpack_img(pack(IRHeader(0, 1.0, 0, 0), data)),
}


@pytest.mark.parametrize("reader", IMAGES)
def test_every_reader_of_images_has_the_limit(reader: str, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(enlarged())
    with pytest.raises(mx.MXNetError, match="4,800,000,000"):
        IMAGES[reader](tmp_path, enlarged())


def test_im2rec_leaves_out_what_is_too_large(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "a.lst").write_text("0\t1\ta.png\n")
    (tmp_path / "a.png").write_bytes(enlarged())
    im2rec.main(["--resize", "8", str(tmp_path / "a"), str(tmp_path)])
    assert "4,800,000,000" in caplog.text


# -------------------------------------------------------------------------------------- stated sizes


@pytest.mark.parametrize(
    "name", ["parameters", "sparse", "pickled", "states", "digits", "records", "objects", "trained"]
)
def test_a_size_that_a_file_states_allocates_nothing(name: str, tmp_path: Path) -> None:
    """Numbers of megabytes, terabytes and more are written over parts of a file."""
    kind, draw = KINDS[name], random.Random(0)
    data = kind.make(tmp_path)[0]
    places = range(0, len(data), 2)
    tracemalloc.start()
    try:
        for place in draw.sample(places, min(len(places), 75)):
            size = draw.choice((4, 8))
            stated = draw.choice((1 << 29, 1 << 41, 1 << 62)) & (1 << 8 * size) - 1
            damaged = bytearray(data)
            damaged[place : place + size] = stated.to_bytes(size, draw.choice(("little", "big")))
            tracemalloc.reset_peak()
            with suppress(mx.MXNetError):
                kind.use(tmp_path, bytes(damaged))
            assert tracemalloc.get_traced_memory()[1] < 64 << 20, (place, stated)
    finally:
        tracemalloc.stop()
