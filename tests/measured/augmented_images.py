"""Functions and augmenters of ``mx.image``, and transforms that draw as they do: one seed, one image."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np

from tests.measured.image_operators import BATCH, IMAGE, written

FLOATS = IMAGE.astype(np.float32)
PLANES = np.ascontiguousarray(BATCH.transpose(0, 3, 1, 2)[:, :, :7]).astype(np.float32)
WIDE = np.tile(IMAGE, (2, 3, 1))
_MEAN, _STD = np.array([120.0, 110.0, 100.0]), np.array([50.0, 60.0, 70.0])
_VALUES, _VECTORS = np.array([55.0, 4.8, 1.1]), np.linspace(-1, 1, 9).reshape(3, 3)

# name: the name of an augmenter, its arguments, the image
AUGMENTERS: dict[str, Any] = {
    "resize": ("ResizeAug", (6,), WIDE),
    "resize by areas": ("ResizeAug", (5, 3), IMAGE),
    "force a size": ("ForceResizeAug", ((7, 9), 1), IMAGE),
    "force a size, as it suits": ("ForceResizeAug", ((30, 40), 9), IMAGE),
    "force a size, at random": ("ForceResizeAug", ((8, 5), 10), IMAGE),
    "crop": ("RandomCropAug", ((6, 5),), WIDE),
    "crop more than there is": ("RandomCropAug", ((6, 20), 1), IMAGE),
    "crop the middle": ("CenterCropAug", ((4, 7),), IMAGE),
    "crop more than the middle": ("CenterCropAug", ((30, 7), 9), IMAGE),
    "crop an area": ("RandomSizedCropAug", ((6, 6), 0.2, (0.5, 2.0), 1), WIDE),
    "crop one of two areas": ("RandomSizedCropAug", ((6, 6), (0.3, 0.5), (0.5, 2.0), 2), WIDE),
    "crop an area that is too large": (
        "RandomSizedCropAug",
        ((6, 6), (2.0, 3.0), (0.5, 2.0)),
        WIDE,
    ),
    "mirror": ("HorizontalFlipAug", (0.5,), IMAGE),
    "brightness": ("BrightnessJitterAug", (0.4,), FLOATS),
    "contrast": ("ContrastJitterAug", (0.4,), FLOATS),
    "saturation": ("SaturationJitterAug", (0.4,), FLOATS),
    "hue": ("HueJitterAug", (0.4,), FLOATS),
    "colours": ("ColorJitterAug", (0.4, 0.3, 0.2), FLOATS),
    "some colours": ("ColorJitterAug", (0.4, 0, 0.2), FLOATS),
    "light": ("LightingAug", (0.3, _VALUES, _VECTORS), FLOATS),
    "normalize": ("ColorNormalizeAug", (_MEAN, _STD), FLOATS),
    "subtract a mean": ("ColorNormalizeAug", (_MEAN, None), FLOATS),
    "one deviation": ("ColorNormalizeAug", (None, np.array([2.0])), FLOATS),
    "grey": ("RandomGrayAug", (0.6,), FLOATS),
    "cast": ("CastAug", (), IMAGE),
    "cast to another": ("CastAug", ("int32",), FLOATS),
}

CREATED: dict[str, Any] = {
    "default": {},
    "training": {"rand_crop": True, "rand_mirror": True, "mean": True, "std": True},
    "areas": {"rand_crop": True, "rand_resize": True, "inter_method": 10, "resize": 9},
    "colours": {
        "brightness": 0.1,
        "contrast": 0.2,
        "saturation": 0.3,
        "hue": 0.1,
        "pca_noise": 0.1,
    },
    "grey": {"rand_gray": 0.5, "mean": _MEAN, "std": None},
}

TRANSFORMS: dict[str, Any] = {
    "RandomResizedCrop": (((6, 5), (0.2, 0.9), (0.6, 1.4), 2), WIDE),
    "CenterCrop": (((4, 13),), IMAGE),
    "Rotate": ((25, True), PLANES[0]),
    "RandomRotation": (((-40, 60), False, True, 0.7), PLANES[0]),
}

ROTATIONS: dict[str, Any] = {
    "one": (PLANES[0], 33),
    "zoomed in": (PLANES[0], -50, True),
    "zoomed out": (PLANES[0], 130, False, True),
    "several by one angle": (PLANES, 5.5),
    "several": (PLANES, [100.0, -20.0], True),
}

REFUSED: dict[str, Any] = {
    "both zooms": (ValueError, PLANES[0], 1, True, True),
    "bytes": (TypeError, IMAGE, 1),
    "a plane": (ValueError, PLANES[0, 0], 1),
    "one by several angles": (TypeError, PLANES[0], [1.0, 2.0]),
    "too few angles": (ValueError, PLANES, [1.0]),
}

_SIZES = [(6, 4), (4, 30), (0, 0), (11, 9), (1000, 1)]


def array(mx: Any, image: Any) -> Any:
    """An NDArray of an image."""
    return mx.nd.array(image, dtype=image.dtype)


def seeded(run: Any) -> Any:
    """What a function returns, and the numbers that the generators give after it."""
    random.seed(5)
    np.random.seed(6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [run(), random.random(), float(np.random.rand())]


def several(mx: Any, change: Any, image: Any) -> Any:
    """An image changed three times, each time from the start."""
    return seeded(lambda: [written(change(array(mx, image))) for _ in range(3)])


def augmented(mx: Any, case: str) -> Any:
    """How an augmenter describes itself, and its results."""
    name, arguments, image = AUGMENTERS[case]
    augmenter = getattr(mx.image, name)(*arguments)
    return [augmenter.dumps(), several(mx, augmenter, image)]


def created(mx: Any, case: str) -> Any:
    """How the created augmenters describe themselves, and their results."""
    made = mx.image.SequentialAug(mx.image.CreateAugmenter((3, 6, 7), **CREATED[case]))
    return [made.dumps(), several(mx, made, WIDE)]


def transformed(mx: Any, case: str) -> Any:
    """What a transform makes."""
    arguments, image = TRANSFORMS[case]
    transform = getattr(mx.gluon.data.vision.transforms, case)(*arguments)
    return several(mx, transform, image)


def rotated(mx: Any, image: Any, angles: Any, *zooms: bool) -> Any:
    """An image turned."""
    angles = mx.nd.array(angles) if isinstance(angles, list) else angles
    return written(mx.image.imrotate(array(mx, image), angles, *zooms))


def refused(mx: Any, kind: Any, *arguments: Any) -> bool:
    """Whether an image cannot be rotated so, which an error of a kind reports."""
    try:
        rotated(mx, *arguments)
    except kind:
        return True
    return False


def turned_at_random(mx: Any) -> Any:
    """Several images turned at random."""
    return several(mx, lambda images: mx.image.random_rotate(images, (-20, 70), True), PLANES)


def functions(mx: Any) -> dict[str, Any]:
    """Functions of one image."""
    image = array(mx, IMAGE)
    made = mx.image
    return {
        "scale_down": lambda: [made.scale_down((11, 9), size) for size in _SIZES],
        "resize_short, wide": lambda: written(made.resize_short(array(mx, WIDE), 5)),
        "resize_short, high": lambda: written(made.resize_short(image.transpose((1, 0, 2)), 4, 9)),
        "imresize": lambda: written(made.imresize(image, 5, 6, interp=2)),
        "fixed_crop": lambda: written(made.fixed_crop(image, 2, 3, 5, 4)),
        "fixed_crop, resized": lambda: written(made.fixed_crop(image, 2, 3, 5, 4, (3, 6), 9)),
        "center_crop": lambda: made.center_crop(image, (4, 5))[1],
        "random_crop": lambda: seeded(lambda: made.random_crop(image, (4, 5))[1]),
        "random_size_crop": lambda: seeded(
            lambda: made.random_size_crop(image, (4, 5), 0.1, (0.5, 2))[1]
        ),
        "min_area": lambda: seeded(
            lambda: made.random_size_crop(image, (4, 5), None, (0.5, 2), min_area=0.3)[1]
        ),
        "color_normalize": lambda: written(
            made.color_normalize(array(mx, FLOATS), mx.nd.array(_MEAN), mx.nd.array(_STD))
        ),
        "copyMakeBorder": lambda: written(
            made.copyMakeBorder(image, 1, 2, 3, 0, 0, values=(1, 2, 3))
        ),
    }


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    return {
        **{f"augmenter: {case}": lambda case=case: augmented(mx, case) for case in AUGMENTERS},
        **{f"created: {case}": lambda case=case: created(mx, case) for case in CREATED},
        **{f"transform: {case}": lambda case=case: transformed(mx, case) for case in TRANSFORMS},
        **{
            f"rotated: {case}": lambda case=case: rotated(mx, *ROTATIONS[case])
            for case in ROTATIONS
        },
        **{
            f"not rotated: {case}": lambda case=case: refused(mx, *REFUSED[case])
            for case in REFUSED
        },
        **{f"function: {name}": run for name, run in functions(mx).items()},
        "rotated at random": lambda: turned_at_random(mx),
    }
