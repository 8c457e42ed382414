"""Transforms of one image, and loaders of transformed images, on gluonic and on MXNet in turn.

usage: python -m benchmarks.transforms [--mxnet PYTHON] [--only Resize,chain] [--seconds 0.5]

Images are 256 by 256 pixels. The chain is usual for ImageNet; a call of a loader takes 64 images through it.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.in_turn import main

TRANSFORMS: dict[str, Callable[[Any], Any]] = {
    "Cast": lambda t: t.Cast("float32"),
    "ToTensor": lambda t: t.ToTensor(),
    "Normalize": lambda t: t.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
    "Resize": lambda t: t.Resize(224),
    "Resize, larger": lambda t: t.Resize(320),
    "Resize, cubic": lambda t: t.Resize(224, interpolation=2),
    "Resize, areas": lambda t: t.Resize(128, interpolation=3),
    "CenterCrop": lambda t: t.CenterCrop(224),
    "CropResize": lambda t: t.CropResize(10, 10, 200, 200, 224, 1),
    "RandomResizedCrop": lambda t: t.RandomResizedCrop(224),
    "RandomFlipLeftRight": lambda t: t.RandomFlipLeftRight(),
    "RandomFlipTopBottom": lambda t: t.RandomFlipTopBottom(),
    "RandomBrightness": lambda t: t.RandomBrightness(0.4),
    "RandomContrast": lambda t: t.RandomContrast(0.4),
    "RandomSaturation": lambda t: t.RandomSaturation(0.4),
    "RandomHue": lambda t: t.RandomHue(0.4),
    "RandomColorJitter": lambda t: t.RandomColorJitter(0.4, 0.4, 0.4, 0.1),
    "RandomLighting": lambda t: t.RandomLighting(0.1),
    "Rotate": lambda t: t.Rotate(30),
    "RandomRotation": lambda t: t.RandomRotation((-30, 30), zoom_in=True),
    "RandomApply": lambda t: t.RandomApply(t.RandomFlipLeftRight()),
    "chain": lambda t: _chain(t),
}
_FLOATING = ("Normalize", "Rotate", "RandomRotation")
_LOADERS = {"loader, no workers": 0, "loader, two workers": 2}


def _chain(t: Any) -> Any:
    changes = [
        t.RandomResizedCrop(224),
        t.RandomFlipLeftRight(),
        t.RandomColorJitter(brightness=0.4, contrast=0.4, saturation=0.4),
        t.RandomLighting(0.1),
        t.ToTensor(),
        t.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
    ]
    return t.Compose(changes)


def _pixels(mx: Any, count: int) -> list[Any]:
    random = np.random.default_rng(0)
    y, x = np.mgrid[:256, :256]
    waves = [128 + 100 * np.sin(x / (9 + k)) * np.cos(y / (17 - k)) for k in range(3)]
    images = [np.stack(waves, -1) + random.normal(0, 12, (256, 256, 3)) for _ in range(count)]
    return [mx.nd.array(np.clip(image, 0, 255), dtype="uint8") for image in images]


def calls(mx: Any, name: str) -> dict[str, Callable[[], Any]]:
    """A transform's call, or an iteration over all batches of a loader."""
    data = mx.gluon.data
    if name in _LOADERS:
        images = data.SimpleDataset(_pixels(mx, 64)).transform(_chain(data.vision.transforms))
        loader = data.DataLoader(images, batch_size=16, num_workers=_LOADERS[name])

        def epoch() -> None:
            for batch in loader:
                batch.wait_to_read()

        return {"forward": epoch}
    transform = TRANSFORMS[name](data.vision.transforms)
    image = _pixels(mx, 1)[0]
    if name in _FLOATING:
        image = image.astype("float32").transpose((2, 0, 1)) / 255
    return {"forward": lambda: transform(image).wait_to_read()}


if __name__ == "__main__":
    main(__file__, __doc__, [*TRANSFORMS, *_LOADERS], calls)
