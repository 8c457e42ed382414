"""Data sets of images are read from local files; transforms behave as documented."""

import gzip
import io
import struct
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import nd
from gluonic.gluon.data import DataLoader
from gluonic.gluon.data.vision import (
    CIFAR10,
    CIFAR100,
    MNIST,
    FashionMNIST,
    ImageFolderDataset,
    ImageRecordDataset,
    transforms,
)
from gluonic.graph.errors import FileFormatError
from gluonic.graph.image_files import encode
from gluonic.image import imrotate


def write_idx(path: Path, array: Any) -> None:
    header = struct.pack(f">2xBB{array.ndim}I", 8, array.ndim, *array.shape)
    contents = header + array.tobytes()
    path.write_bytes(gzip.compress(contents) if path.suffix == ".gz" else contents)


def images(count: int, *shape: int) -> Any:
    return np.random.default_rng(0).integers(0, 256, (count, *shape)).astype(np.uint8)


@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize(("train", "part"), [(True, "train"), (False, "t10k")])
@pytest.mark.parametrize("kind", [MNIST, FashionMNIST])
def test_mnist_is_read_from_idx_files(
    tmp_path: Path, kind: Any, train: bool, part: str, suffix: str
) -> None:
    pixels, labels = images(5, 28, 28), images(5) % 10
    write_idx(tmp_path / f"{part}-images-idx3-ubyte{suffix}", pixels)
    write_idx(tmp_path / f"{part}-labels-idx1-ubyte{suffix}", labels)
    dataset = kind(str(tmp_path), train)
    image, label = dataset[3]
    assert len(dataset) == 5
    assert (image.shape, image.dtype, label) == ((28, 28, 1), np.uint8, labels[3])
    assert isinstance(label, np.int32)
    assert (image.asnumpy()[..., 0] == pixels[3]).all()
    doubled = kind(str(tmp_path), train, transform=lambda x, y: (x, 2 * y))
    assert doubled[3][1] == 2 * labels[3]


def test_missing_files_are_named_with_their_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MXNET_HOME", str(tmp_path))
    with pytest.raises(mx.MXNetError, match=r"train-images-idx3-ubyte\.gz[\s\S]*datasets/mnist"):
        MNIST()


@pytest.mark.parametrize(
    "damage",
    [lambda b: b[:-3], lambda b: b"\0\0\x0d" + b[3:], lambda b: b[:6], lambda b: b""],
    ids=["short", "of floats", "within the header", "empty"],
)
def test_damaged_idx_files_are_refused(tmp_path: Path, damage: Any) -> None:
    write_idx(tmp_path / "train-labels-idx1-ubyte", images(2))
    path = tmp_path / "train-images-idx3-ubyte"
    write_idx(path, images(2, 28, 28))
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(FileFormatError, match="train-images"):
        MNIST(str(tmp_path))


def test_damaged_compressed_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "train-images-idx3-ubyte.gz"
    write_idx(path, images(2, 28, 28))
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(FileFormatError, match="damaged"):
        MNIST(str(tmp_path))


def test_images_without_their_labels_are_refused(tmp_path: Path) -> None:
    write_idx(tmp_path / "train-images-idx3-ubyte", images(2, 28, 28))
    write_idx(tmp_path / "train-labels-idx1-ubyte", images(3))
    with pytest.raises(FileFormatError, match="2 images do not go with 3 labels"):
        MNIST(str(tmp_path))


def cifar(labels: int, count: int) -> Any:
    return images(count, labels + 3072)


@pytest.mark.parametrize("archived", [False, True])
def test_cifar_is_read_from_binary_files_or_their_archive(tmp_path: Path, archived: bool) -> None:
    parts = {f"data_batch_{i}.bin": cifar(1, i) for i in range(1, 6)}
    if archived:
        with tarfile.open(tmp_path / "cifar-10-binary.tar.gz", "w:gz") as archive:
            for name, records in parts.items():
                member = tarfile.TarInfo(f"cifar-10-batches-bin/{name}")
                member.size = records.nbytes
                archive.addfile(member, io.BytesIO(records.tobytes()))
    else:
        for name, records in parts.items():
            (tmp_path / name).write_bytes(records.tobytes())
    dataset = CIFAR10(str(tmp_path))
    image, label = dataset[1]
    record = parts["data_batch_2.bin"][0]
    assert len(dataset) == 15
    assert label == record[0]
    assert (image.asnumpy() == record[1:].reshape(3, 32, 32).transpose(1, 2, 0)).all()
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(
        ["cifar-10-binary.tar.gz"] if archived else parts
    )


@pytest.mark.parametrize("fine", [False, True])
def test_cifar_100_has_coarse_and_fine_labels(tmp_path: Path, fine: bool) -> None:
    records = cifar(2, 3)
    (tmp_path / "test.bin").write_bytes(records.tobytes())
    dataset = CIFAR100(str(tmp_path), fine_label=fine, train=False)
    assert [label for _, label in (dataset[i] for i in range(3))] == records[:, int(fine)].tolist()


def test_damaged_cifar_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "test_batch.bin").write_bytes(b"x" * 3000)
    with pytest.raises(FileFormatError, match="no whole images"):
        CIFAR10(str(tmp_path), train=False)
    (tmp_path / "cifar-100-binary.tar.gz").write_bytes(b"no archive")
    with pytest.raises(FileFormatError, match="damaged"):
        CIFAR100(str(tmp_path))


def photo(height: int = 6, width: int = 8) -> Any:
    return nd.array(images(1, height, width, 3)[0], dtype="uint8")


def test_transforms_are_composed_and_hybrid_ones_compiled_together() -> None:
    both = [transforms.ToTensor(), transforms.Normalize([0.5, 0.25, 0.0], 0.5)]
    composed = transforms.Compose([transforms.CenterCrop(4), *both])
    assert [type(child).__name__ for child in composed] == ["CenterCrop", "HybridSequential"]
    x = photo()
    expected = x.asnumpy()[1:5, 2:6].transpose(2, 0, 1) / 255
    expected = (expected - np.array([0.5, 0.25, 0.0]).reshape(3, 1, 1)) / 0.5
    assert composed(x).asnumpy() == pytest.approx(expected, abs=1e-6)


def test_images_are_cast_and_flipped() -> None:
    x = photo()
    assert transforms.Cast("float16")(x).dtype is np.float16
    for flip, axis in (
        (transforms.RandomFlipLeftRight(), 1),
        (transforms.RandomFlipTopBottom(), 0),
    ):
        found = {flip(x).asnumpy().tobytes() for _ in range(30)}
        assert found == {x.asnumpy().tobytes(), np.flip(x.asnumpy(), axis).tobytes()}


def test_images_are_resized_and_cropped() -> None:
    x = photo(6, 8)
    assert transforms.Resize(4)(x).shape == (4, 4, 3)
    assert transforms.Resize((5, 3))(x).shape == (3, 5, 3)
    assert transforms.Resize(3, keep_ratio=True)(x).shape == (3, 4, 3)
    assert transforms.CenterCrop((4, 2))(x).shape == (2, 4, 3)
    assert transforms.CenterCrop(20)(x).shape == (20, 20, 3)
    part = transforms.CropResize(1, 2, 4, 3)(x)
    assert (part.asnumpy() == x.asnumpy()[2:5, 1:5]).all()
    assert transforms.CropResize(1, 2, 4, 3, size=7)(x).shape == (7, 7, 3)


def test_random_crops_have_the_asked_size_and_differ() -> None:
    mx.random.seed(1)
    crop, x = transforms.RandomResizedCrop((5, 4), scale=(0.3, 0.6)), photo(20, 30)
    found = {crop(x).asnumpy().tobytes() for _ in range(5)}
    assert len(found) == 5
    assert crop(x).shape == (4, 5, 3)


def test_a_crop_that_never_fits_falls_back_on_the_middle() -> None:
    crop = transforms.RandomResizedCrop(4, scale=(2.0, 3.0))
    assert crop(photo(6, 8)).shape == (4, 4, 3)


@pytest.mark.parametrize(
    "jitter",
    [
        transforms.RandomBrightness(0.5),
        transforms.RandomContrast(0.5),
        transforms.RandomSaturation(0.5),
        transforms.RandomHue(0.5),
        transforms.RandomColorJitter(0.3, 0.3, 0.3, 0.3),
        transforms.RandomLighting(0.5),
    ],
    ids=lambda jitter: type(jitter).__name__,
)
def test_colours_change_at_random(jitter: Any) -> None:
    mx.random.seed(4)
    x = photo().astype("float32")
    first, second = jitter(x), jitter(x)
    assert first.shape == x.shape
    assert not np.allclose(first.asnumpy(), second.asnumpy())


def test_rotations_by_right_angles_map_pixels_onto_pixels() -> None:
    x = nd.array(np.arange(18).reshape(2, 3, 3))
    for quarters in range(5):
        turned = transforms.Rotate(90 * quarters)(x).asnumpy()
        assert turned == pytest.approx(np.rot90(x.asnumpy(), quarters, axes=(1, 2)), abs=1e-4)


def test_a_batch_is_rotated_by_an_angle_for_each_image_as_in_mxnet() -> None:
    x = nd.array(np.arange(24).reshape(2, 1, 3, 4))
    # mx.image.imrotate of MXNet 1.9.1 with 30 and -45 degrees
    measured = {
        (False, False): (
            "0.269 1.385 3.969 4.581 1.201 4.067 6.933 9.799 3.129 7.031 8.339 3.955 12.751 "
            "15.025 12.349 3.217 19.199 18.561 16.439 13.677 4.911 20.528 19.975 12.877 "
        ),
        (True, False): (
            "0.925 2.631 4.501 6.371 2.695 4.565 6.435 8.305 4.629 6.499 8.369 9.476 17.286 "
            "16.0 14.714 12.735 19.429 18.143 16.857 15.571 19.765 20.286 19.0 17.714 "
        ),
        (False, True): (
            "0.0 0.464 3.153 0.0 0.0 3.304 7.696 4.762 0.0 7.847 2.72 0.0 0.0 10.25 3.229 0.0 "
            "3.75 19.25 15.75 2.812 0.0 5.521 16.0 0.0 "
        ),
    }
    for (zoom_in, zoom_out), expected in measured.items():
        found = imrotate(x, nd.array([30, -45]), zoom_in, zoom_out).asnumpy()
        assert found.ravel() == pytest.approx([float(x) for x in expected.split()], abs=2e-3)


def test_random_rotations_stay_within_their_limits() -> None:
    x = nd.ones((1, 5, 5))
    assert (transforms.RandomRotation((10, 20), rotate_with_proba=0)(x) == x).asnumpy().all()
    turned = transforms.RandomRotation((10, 20), zoom_in=True)(x)
    assert turned.asnumpy() == pytest.approx(1, abs=1e-5)
    with pytest.raises(ValueError, match="must be less"):
        transforms.RandomRotation((20, 10))
    with pytest.raises(ValueError, match="no probability"):
        transforms.RandomRotation((10, 20), rotate_with_proba=2)
    with pytest.raises(TypeError, match="ToTensor"):
        transforms.Rotate(10)(photo())


def test_transforms_are_applied_now_and_then() -> None:
    x = nd.ones((2,))
    for p, expected in ((0, {1.0}), (1, {-1.0}), (0.5, {1.0, -1.0})):
        apply = transforms.RandomApply(mx.gluon.nn.HybridLambda("negative"), p)
        assert {float(apply(x).asnumpy()[0]) for _ in range(40)} == expected


def photographs(folder: Path, broken: int | None = None) -> tuple[Any, Any]:
    """Data sets of the same four grey pictures: of folders, and of records."""
    contents = [encode(np.full((4, 5, 3), 50 * n, np.uint8), 3, ".png") for n in range(4)]
    if broken is not None:
        contents[broken] = contents[broken][:30]
    record = mx.recordio.MXIndexedRecordIO(str(folder / "a.idx"), str(folder / "a.rec"), "w")
    for number, content in enumerate(contents):
        file = folder / "images" / f"kind {number % 2}" / f"{number}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        header = mx.recordio.IRHeader(0, float(number % 2), number, 0)
        record.write_idx(number, mx.recordio.pack(header, content))
    record.close()
    (folder / "images" / "kind 1" / "notes.txt").write_text("no image")
    with pytest.warns(UserWarning, match=r"notes\.txt"):
        return (
            ImageFolderDataset(str(folder / "images")),
            ImageRecordDataset(str(folder / "a.rec"), 0, lambda image, label: (image, label)),
        )


def test_images_are_read_from_folders_and_records(tmp_path: Path) -> None:
    in_folders, in_records = photographs(tmp_path)
    assert in_folders.synsets == ["kind 0", "kind 1"]
    assert [(int(x.astype("float32").mean().asscalar()), y) for x, y in in_folders] == [
        (0, 0),
        (100, 0),
        (50, 1),
        (150, 1),
    ]
    assert [(x.shape, int(x.astype("float32").mean().asscalar()), y) for x, y in in_records] == [
        ((4, 5, 1), 50 * n, n % 2) for n in range(4)
    ]


@pytest.mark.parametrize("workers", [0, 2])
def test_a_damaged_image_of_a_data_set_is_named(tmp_path: Path, workers: int) -> None:
    in_folders, in_records = photographs(tmp_path, broken=2)
    for dataset, name in (
        (in_folders, r"kind 0/2\.png"),
        (in_records, r"record number 2 of .*a\.rec"),
    ):
        with pytest.raises(FileFormatError, match=rf"no image, or damaged[\s\S]*{name}"):
            list(DataLoader(dataset, 4, num_workers=workers))
