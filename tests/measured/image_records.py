"""Batches of `ImageRecordIter` and its kin: labels in their order, filling, and the pixels."""

from __future__ import annotations

import os
import re
import struct
import tempfile
import zlib
from typing import Any

import numpy as np

_HEIGHT, _WIDTH = 15, 19


def png(image: Any) -> bytes:
    """The contents of a PNG file, written without a library: MXNet's machine has none."""
    height, width, channels = image.shape
    kinds = {1: 0, 3: 2, 4: 6}
    rows = b"".join(b"\0" + row.tobytes() for row in image)

    def chunk(name: bytes, content: bytes) -> bytes:
        checked = name + content
        return struct.pack(">I", len(content)) + checked + struct.pack(">I", zlib.crc32(checked))

    header = struct.pack(">IIBBBBB", width, height, 8, kinds[channels], 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def image(number: int, channels: int = 3) -> Any:
    """An image: waves, whose length differs by channel, and noise."""
    y, x = np.mgrid[: _HEIGHT + number % 3, :_WIDTH].astype(np.float64)
    waves = [127 + 90 * np.sin((x * (1 + c) + y * 2) / 5 + number) for c in range(channels)]
    noise = np.random.RandomState(number).randint(0, 30, (*y.shape, channels))
    return (np.stack(waves, -1) + noise).astype(np.uint8)


def write(mx: Any, folder: str, labels: int = 1, channels: int = 3) -> dict[str, str]:
    """A file of ten records, its index, and a list with other labels."""
    paths = {
        "path_imgrec": os.path.join(folder, "a.rec"),
        "path_imgidx": os.path.join(folder, "a.idx"),
        "path_imglist": os.path.join(folder, "a.lst"),
    }
    record = mx.recordio.MXIndexedRecordIO(paths["path_imgidx"], paths["path_imgrec"], "w")
    for i in range(10):
        label = float(i) if labels == 1 else [i + j / 4 for j in range(labels)]
        record.write_idx(i, mx.recordio.pack((0, label, 100 + i, 0), png(image(i, channels))))
    record.close()
    with open(paths["path_imglist"], "w") as file:
        for i in range(10):
            file.write(
                "\t".join([f"{100 + i}", *[f"{-i - j}" for j in range(labels)], "x.png"]) + "\n"
            )
    return paths


_SMALL = {"data_shape": (3, 8, 10), "batch_size": 5, "seed_aug": 3}
# what is asked of ImageRecordIter about the order; passes are three
ORDERS: dict[str, dict[str, Any]] = {
    "as they are": {},
    "in whole batches": {"batch_size": 5},
    "more than there are": {"batch_size": 12},
    "shuffled": {"shuffle": True},
    "shuffled by a seed": {"shuffle": True, "seed": 5},
    "shuffled by an index": {"shuffle": True, "path_imgidx": True, "seed": 3},
    "by an index": {"path_imgidx": True},
    "labels of a list": {"path_imglist": True},
    **{
        f"part {part} of 3{kind}": {"num_parts": 3, "part_index": part, "batch_size": 1, **settings}
        for part in range(3)
        for kind, settings in (
            ("", {}),
            (" by an index", {"path_imgidx": True}),
            (" shuffled", {"shuffle": True, "path_imgidx": True}),
        )
    },
}
# what is asked of it about the pixels; of two batches
PIXELS: dict[str, dict[str, Any]] = {
    "crop": {},
    "random crop": {"rand_crop": True},
    "random crop in one thread": {
        "rand_crop": True, "rand_mirror": True, "seed_aug": None, "preprocess_threads": 1,
    },
    "random crop of shuffled images": {"rand_crop": True, "shuffle": True},
    "random crop by an index": {"rand_crop": True, "path_imgidx": True, "shuffle": True},
    "mirror": {"mirror": True},
    "random mirror": {"rand_mirror": True, "rand_crop": True},
    "enlarged": {"data_shape": (3, 20, 30)},
    "resize": {"resize": 12},
    "resize larger": {"resize": 24, "inter_method": 9},
    **{f"resize by {k}": {"resize": 12, "inter_method": k} for k in (0, 2, 3, 4, 9, 10)},
    "random sizes": {"max_crop_size": 13, "min_crop_size": 9, "rand_crop": True},
    "random sizes in the middle": {"max_crop_size": 13, "min_crop_size": 9},
    "random areas": {
        "random_resized_crop": True, "min_random_area": 0.2, "max_random_area": 0.9,
        "min_aspect_ratio": 0.75, "max_aspect_ratio": 1.333,
    },
    "random areas around 1": {"random_resized_crop": True, "max_aspect_ratio": 0.4, "inter_method": 10},
    "padded": {"pad": 3, "fill_value": 77, "data_shape": (3, 18, 20)},
    "brightness": {"brightness": 0.4},
    "contrast": {"contrast": 0.4},
    "saturation": {"saturation": 0.4},
    "jitter": {"brightness": 0.4, "contrast": 0.3, "saturation": 0.2},
    "hue, saturation, lightness": {"random_h": 30, "random_s": 40, "random_l": 50},
    "noise": {"pca_noise": 0.1},
    "normalized": {
        "mean_r": 120, "mean_g": 110.5, "mean_b": 100, "std_r": 58.5, "std_g": 57, "std_b": 56, "scale": 0.5,
    },
    "contrast and illumination": {
        "max_random_contrast": 0.3, "max_random_illumination": 20, "mean_r": 120, "std_b": 3, "scale": 0.1,
    },
    "rotated": {"rotate": 30},
    "rotated at random": {"max_rotate_angle": 40, "fill_value": 9},
    "rotated by one of several": {"rotate_list": "10,90,200"},
    "sheared": {"max_shear_ratio": 0.3},
    "scaled": {"min_random_scale": 0.7, "max_random_scale": 1.4, "rand_crop": True},
    "stretched": {"max_aspect_ratio": 0.3},
    "stretched within limits": {"min_aspect_ratio": 0.6, "max_aspect_ratio": 1.7, "inter_method": 2},
    "between sizes": {"min_img_size": 16, "max_img_size": 17},
    "bytes": {"dtype": "uint8", "rand_crop": True, "rand_mirror": True},
    "signed bytes": {"dtype": "int8", "mean_r": 120.5, "mean_g": 20, "mean_b": -3.5},
    "grey": {"data_shape": (1, 8, 10), "mean_r": 7, "rand_crop": True},
    "transparent": {"data_shape": (4, 8, 10), "channels": 4, "mean_a": 7, "std_a": 2},
    "mean image": {"mean_img": True, "rand_mirror": True, "scale": 0.25},
}  # fmt: skip
# settings under which OpenCV 3.4.2 and later ones round some pixel differently
ROUNDED = ("hue, saturation, lightness", "stretched within limits")


def _made(mx: Any, kind: str, folder: str, settings: dict[str, Any]) -> Any:
    settings = dict(settings)
    paths = write(mx, folder, settings.get("label_width", 1), settings.pop("channels", 3))
    settings = {k: paths[k] if v is True and k in paths else v for k, v in settings.items()}
    if settings.get("mean_img"):
        settings["mean_img"] = os.path.join(folder, "mean.bin")
    return getattr(mx.io, kind)(path_imgrec=paths["path_imgrec"], verbose=False, **settings)


def order(mx: Any, settings: dict[str, Any]) -> Any:
    """The labels of three passes, batch by batch, and how much of each last one is filled up."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        given = {"data_shape": (3, 8, 10), "batch_size": 4, **settings}
        batches = _made(mx, "ImageRecordIter", folder, given)
        for number in range(3):
            if number:
                batches.reset()
            found.append([[batch.label[0].asnumpy().tolist(), batch.pad] for batch in batches])
    # in later passes MXNet also tells of a batch's memory how it was filled up before
    return [found[0], *([labels for labels, _ in batches] for batches in found[1:])]


def pixels(mx: Any, settings: dict[str, Any]) -> list[Any]:
    """The images of two batches."""
    with tempfile.TemporaryDirectory() as folder:
        batches = _made(mx, "ImageRecordIter", folder, {**_SMALL, **settings})
        return [batches.next().data[0].asnumpy() for _ in range(2)]


def summary(name: str, images: list[Any]) -> Any:
    """The images as a checksum; some of their numbers, where they are rounded differently."""
    if name in ROUNDED:
        return images
    return [f"{zlib.crc32(np.ascontiguousarray(array).tobytes()):08x}" for array in images]


KINDS = (
    "ImageRecordIter",
    "ImageRecordIter_v1",
    "ImageRecordUInt8Iter",
    "ImageRecordUInt8Iter_v1",
    "ImageRecordInt8Iter",
)


def parameters(kind: Any) -> list[str]:
    """The names of an iterator's parameters, by its documentation."""
    return re.findall(r"^(\w+) :", kind.__doc__, re.M)


def cases(mx: Any) -> dict[str, Any]:
    """Orders, and pixels."""
    return {
        **{f"order: {k}": lambda v=v: order(mx, v) for k, v in ORDERS.items()},
        **{f"pixels: {k}": lambda k=k, v=v: summary(k, pixels(mx, v)) for k, v in PIXELS.items()},
        **{f"parameters: {k}": lambda k=k: parameters(getattr(mx.io, k)) for k in KINDS},
        "several labels": lambda: order(mx, {"label_width": 3}),
        "several labels of a list": lambda: order(mx, {"label_width": 3, "path_imglist": True}),
    }
