"""Operators on images; bytes are written in hexadecimal, so that they agree to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np

_random = np.random.RandomState(11)
IMAGE = _random.randint(0, 256, (9, 11, 3)).astype(np.uint8)
IMAGE[0], IMAGE[1], IMAGE[2, :, 1] = IMAGE[0, :, :1], 0, IMAGE[2, :, 0]  # gray, black, two alike
IMAGE[3, :5] = 255
GRAY = IMAGE[..., :1]
BATCH = np.stack([IMAGE, IMAGE[::-1]])

_SIZES = ((5, 4), (22, 18), (11, 9), (7, 20), (30, 3))
_FACTORS = (0.0, 0.3, 1.0, 1.7)

# name: operator of nd.image or nd._internal, image, settings
CASES: dict[str, Any] = {
    **{
        f"{name} {factor} {kind}": (f"random_{name}", image, (factor, factor))
        for name in ("brightness", "contrast", "saturation", "hue")
        for factor in _FACTORS
        for kind, image in (("bytes", IMAGE), ("floats", IMAGE.astype(np.float32)))
    },
    **{
        f"resize to {size} by {kind}": ("resize", IMAGE, (size, False, kind))
        for kind in range(5)
        for size in _SIZES
    },
    **{
        f"floats resized to {size} by {kind}": (
            "resize",
            IMAGE.astype(np.float32),
            (size, False, kind),
        )
        for kind in range(5)
        for size in _SIZES[:2]
    },
    "resize one channel": ("resize", GRAY, ((5, 4), False, 1)),
    "resize a batch": ("resize", BATCH, ((5, 4), False, 2)),
    "keep the ratio": ("resize", IMAGE, (5, True, 1)),
    "lighting": ("adjust_lighting", IMAGE, ((0.5, -0.3, 0.1),)),
    "lighting of floats": ("adjust_lighting", IMAGE.astype(np.float32), ((0.5, -0.3, 0.1),)),
    **{
        f"border {kind}": ("_cvcopyMakeBorder", IMAGE, (2, 3, 1, 4, kind, 0.0, (7, 8, 9)))
        for kind in (0, 1, 2, 3, 4, 16, 17)
    },
    "border of one value": ("_cvcopyMakeBorder", GRAY, (2, 3, 1, 4, 0, 5.0)),
    "border of three values": ("_cvcopyMakeBorder", IMAGE, (2, 3, 1, 4, 0, 5.0)),
    "border of floats": (
        "_cvcopyMakeBorder",
        IMAGE.astype(np.float32),
        (1, 1, 1, 1, 0, 0.0, (7.5, 1, 2)),
    ),
}


def run(mx: Any, case: str) -> Any:
    """Call an operator."""
    name, image, settings = CASES[case]
    room = mx.nd._internal if name.startswith("_") else mx.nd.image
    return written(getattr(room, name)(mx.nd.array(image, dtype=image.dtype), *settings))


def written(array: Any) -> Any:
    """Return a shape and its elements, bytes as text."""
    found = array.asnumpy() if hasattr(array, "asnumpy") else array
    return [
        list(found.shape),
        found.tobytes().hex() if found.dtype == np.uint8 else found.astype(np.float64).ravel(),
    ]


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    return {case: lambda case=case: run(mx, case) for case in CASES}
