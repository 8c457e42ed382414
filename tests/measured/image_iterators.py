"""Iterators over image files and records, and augmenters of images with objects: one seed, one batch."""

from __future__ import annotations

import random
import struct
import tempfile
import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from tests.measured.image_operators import IMAGE

_COUNT = 7
SCENE = np.tile(IMAGE, (4, 4, 1)).astype(np.float32)
OBJECTS = np.array(
    [[1, 0.1, 0.2, 0.45, 0.6], [0, 0.5, 0.5, 0.9, 0.95], [2, 0.3, 0.05, 0.7, 0.3]], np.float32
)

# name: the name of an augmenter, its arguments by name
DETECTION: dict[str, Any] = {
    "crop": ("DetRandomCropAug", {}),
    "crop much": ("DetRandomCropAug", {"min_object_covered": 0.7, "area_range": (0.2, 0.9)}),
    "crop in one proportion": ("DetRandomCropAug", {"aspect_ratio_range": 1.0, "area_range": 0.5}),
    "crop what nothing fulfils": ("DetRandomCropAug", {"min_object_covered": 1.5}),
    "crop and leave objects out": ("DetRandomCropAug", {"min_eject_coverage": 0.9}),
    "pad": ("DetRandomPadAug", {}),
    "pad with a colour": ("DetRandomPadAug", {"area_range": (2.0, 4.0), "pad_val": (1, 2, 3)}),
    "mirror": ("DetHorizontalFlipAug", {"p": 0.5}),
}

MADE: dict[str, Any] = {
    "default": {},
    "crops and borders": {
        "rand_crop": 0.7,
        "rand_pad": 0.7,
        "rand_mirror": True,
        "inter_method": 10,
    },
    "several crops": {
        "rand_crop": 1,
        "min_object_covered": [0.1, 0.5, 0.9],
        "area_range": (0.1, 1.0),
        "max_attempts": 20,
    },
    "colours": {"brightness": 0.2, "saturation": 0.2, "hue": 0.1, "pca_noise": 0.1, "mean": True},
}

# name: arguments of ImageIter beside batch size, shape and where images are
EPOCHS: dict[str, Any] = {
    **{kind: {"last_batch_handle": kind} for kind in ("pad", "discard", "roll_over")},
    "shuffled": {"shuffle": True, "rand_crop": True, "rand_mirror": True},
    "a part": {"num_parts": 2, "part_index": 1},
    "two labels": {"label_width": 2},
}
_SOURCES = ("list", "lst", "rec", "rec and lst", "rec without idx")


def seeded(run: Any) -> Any:
    """What a function returns, and the numbers that the generators give after it."""
    random.seed(3)
    np.random.seed(4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [run(), random.random(), float(np.random.rand())]


def gist(array: Any) -> Any:
    """The shape of an array, and a few sums that distinguish it from others."""
    found = array.asnumpy() if hasattr(array, "asnumpy") else array
    found = found.astype(np.float64)
    return [list(found.shape), found.mean(), (found.ravel() * np.sin(np.arange(found.size))).mean()]


def pictures() -> list[Any]:
    """Images of several sizes."""
    return [np.tile(np.roll(IMAGE, i, 1), (1 + i % 2, 1 + i % 3, 1)) for i in range(_COUNT)]


def label(number: int, width: int) -> list[float]:
    """The label of an image."""
    return [number * 1.5 + index for index in range(width)]


def written(mx: Any, folder: Path, contents: list[bytes], labels: list[Any]) -> dict[str, Any]:
    """Write images and everything that lists them; arguments of iterators by kind of source."""
    lines: list[str] = []
    listed: list[Any] = []
    record = mx.recordio.MXIndexedRecordIO(str(folder / "a.idx"), str(folder / "a.rec"), "w")
    for number, (content, numbers) in enumerate(zip(contents, labels)):  # noqa: B905
        (folder / f"{number}.png").write_bytes(content)
        words = [str(number * 3), *map(str, numbers), f"{number}.png"]
        lines.append("\t".join(words) + "\n")
        listed.append([*numbers, f"{number}.png"])
        header = mx.recordio.IRHeader(0, numbers if len(numbers) > 1 else numbers[0], number, 0)
        record.write_idx(number * 3, mx.recordio.pack(header, content))
    record.close()
    (folder / "a.lst").write_text("".join(lines))
    root, lst = {"path_root": str(folder)}, {"path_imglist": str(folder / "a.lst")}
    plain = {"path_imgrec": str(folder / "a.rec")}
    rec = {**plain, "path_imgidx": str(folder / "a.idx")}
    return {
        "list": {**root, "imglist": listed},
        "lst": {**root, **lst},
        "rec": rec,
        "rec and lst": {**rec, **lst},
        "rec without idx": plain,
    }


def png(pixels: Any) -> bytes:
    """An image, (height, width, 3), as the contents of a PNG file."""
    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    chunks = {
        b"IHDR": struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0),
        b"IDAT": zlib.compress(rows),
        b"IEND": b"",
    }
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks.items()
    )


def batches(iterator: Any, epochs: int = 3) -> Any:
    """What the batches of several epochs are."""
    found: list[Any] = []
    for _ in range(epochs):
        for batch in iterator:
            labels = batch.label[0].asnumpy()[: iterator.batch_size - batch.pad]
            found.append([gist(batch.data[0]), labels.tolist(), batch.pad])
        found.append("end")
        iterator.reset()
    return found


def epochs(mx: Any, source: str, name: str) -> Any:
    """Epochs of an iterator, and its description of itself."""
    settings = EPOCHS[name]
    with tempfile.TemporaryDirectory() as folder:
        labels = [label(n, settings.get("label_width", 1)) for n in range(_COUNT)]
        sources = written(mx, Path(folder), [png(p) for p in pictures()], labels)

        def run() -> Any:
            iterator = mx.image.ImageIter(3, (3, 8, 10), **sources[source], **settings)
            return [
                [list(map(list, d)) for d in (iterator.provide_data, iterator.provide_label)],
                batches(iterator),
            ]

        return seeded(run)


def objects(number: int) -> list[float]:
    """The label of an image with objects: a header, and one to three objects."""
    rows = np.roll(OBJECTS, number, axis=0)[: 1 + number % 3]
    return [2, 5, *np.round(rows.ravel().astype(np.float64), 4).tolist()]


def detection_epochs(mx: Any, source: str, **settings: Any) -> Any:
    """Epochs of an iterator over images with objects."""
    with tempfile.TemporaryDirectory() as folder:
        sources = written(
            mx, Path(folder), [png(p) for p in pictures()], [objects(n) for n in range(_COUNT)]
        )

        def run() -> Any:
            iterator = mx.image.ImageDetIter(3, (3, 12, 10), **sources[source], **settings)
            return [list(iterator.label_shape), list(iterator.provide_label[0]), batches(iterator)]

        return seeded(run)


def changed(mx: Any, augmenters: list[Any]) -> Any:
    """How augmenters describe themselves, and their results for images with objects."""

    def run() -> Any:
        found: list[Any] = []
        for _ in range(4):
            image, boxes = mx.nd.array(SCENE), OBJECTS.copy()
            for augmenter in augmenters:
                image, boxes = augmenter(image, boxes)
            found.append([gist(image), boxes])
        return found

    return [[augmenter.dumps() for augmenter in augmenters], seeded(run)]


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    image = mx.image
    return {
        **{
            f"{name}, {source}": lambda source=source, name=name: epochs(mx, source, name)
            for name in EPOCHS
            for source in _SOURCES
            if source != "rec without idx" or name in ("pad", "discard", "roll_over", "two labels")
        },
        **{
            f"augmenter: {case}": lambda name=name, settings=settings: changed(
                mx, [getattr(image, name)(**settings)]
            )
            for case, (name, settings) in DETECTION.items()
        },
        **{
            f"created: {case}": lambda settings=settings: changed(
                mx, image.CreateDetAugmenter((3, 12, 10), **settings)
            )
            for case, settings in MADE.items()
        },
        **{
            f"objects, {source}": lambda source=source: detection_epochs(mx, source)
            for source in _SOURCES
        },
        "objects, rolled over": lambda: detection_epochs(mx, "lst", last_batch_handle="roll_over"),
        "objects, augmented": lambda: detection_epochs(
            mx, "rec", shuffle=True, rand_crop=0.5, rand_pad=0.5, rand_mirror=True, brightness=0.1
        ),
    }
