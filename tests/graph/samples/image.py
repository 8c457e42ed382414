"""Samples of operators on images."""

from typing import Any

from tests.graph.samples.sample import Sample, uniform


def _image(*shape: int, **attributes: Any) -> Sample:
    return Sample([uniform(*shape, low=0, high=255)], attributes, dtypes=("float32", "uint8"))


def _pixels(**attributes: Any) -> Sample:
    return Sample(
        [uniform(4, 5, 3, low=0, high=255)], attributes, differentiable=(), dtypes=("uint8",)
    )


SAMPLES = {
    "_image_to_tensor": [
        Sample([uniform(*shape)], differentiable=(), dtypes=("float32", "uint8", "int32"))
        for shape in ((4, 5, 3), (2, 4, 5, 1), (0, 5, 3))
    ],
    "_image_normalize": [
        Sample([uniform(3, 4, 5)], {"mean": (0.1, 0.2, 0.3), "std": (0.5, 1, 2)}),
        Sample([uniform(2, 1, 4, 5)], {"mean": 0.1, "std": 0.5}, dtypes=("float32", "float16")),
    ],
    "_image_crop": [
        _image(4, 5, 3, x=1, y=2, width=3, height=2),
        _image(2, 4, 5, 1, x=0, y=0, width=5, height=1),
    ],
    "_image_flip_left_right": [_image(4, 5, 3)],
    "_image_flip_top_bottom": [_image(4, 5, 1)],
    "_image_resize": [
        *[
            _pixels(size=size, interp=kind)
            for size in ((3, 7), (3, 2), (7, 8))
            for kind in range(5)
        ],
        _pixels(size=2, keep_ratio=True, interp=3),
    ],
    "_cvimresize": [_pixels(w=3, h=7, interp=kind) for kind in range(5)],
    "_cvcopyMakeBorder": [
        _pixels(top=1, bot=2, left=0, right=1, type=kind, value=7) for kind in range(5)
    ]
    + [_pixels(top=1, bot=0, left=0, right=1, values=(1, 2, 3))],
    **{
        f"_image_random_{name}": [_pixels(min_factor=0.2, max_factor=0.8)]
        for name in ("brightness", "contrast", "saturation", "hue")
    },
    "_image_random_color_jitter": [_pixels(brightness=0.4, contrast=0.4, saturation=0.4, hue=0.2)],
    "_image_adjust_lighting": [_pixels(alpha=(1, 0.5, 0.2))],
    "_image_random_lighting": [_pixels()],
    "_image_random_flip_left_right": [_pixels()],
    "_image_random_flip_top_bottom": [_pixels()],
}
