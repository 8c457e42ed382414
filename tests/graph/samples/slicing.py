"""Samples of operators that read and write rectangular pieces."""

from typing import Any

from tests.graph.samples.sample import Sample, uniform

ALL = ("float32", "float16", "int32", "int64", "int8", "uint8", "bool")
PIECES: list[dict[str, Any]] = [
    {"begin": (0, 1), "end": (2, 3)},
    {"begin": (None, -3), "end": (-1, None)},
    {"begin": (None, 3), "end": (None, None), "step": (2, -2)},
    {"begin": (2,), "end": (1,)},
]
PIECE_SHAPES = [(2, 2), (2, 3), (2, 2), (0, 4)]


def _of(*shape: int, **attributes: object) -> Sample:
    return Sample([uniform(*shape)], attributes, dtypes=ALL)


def _two(first: tuple[int, ...], second: tuple[int, ...], **attributes: object) -> Sample:
    return Sample(
        [uniform(*first), uniform(*second, seed=1)], attributes, differentiable=(0,), dtypes=ALL
    )


SAMPLES = {
    "slice": [_of(3, 4, **piece) for piece in PIECES],
    "_slice_assign": [
        Sample([uniform(3, 4), uniform(*shape, seed=1)], piece, dtypes=ALL)
        for piece, shape in zip(PIECES, PIECE_SHAPES, strict=True)
    ],
    "_slice_assign_scalar": [_of(3, 4, scalar=1, **piece) for piece in PIECES],
    "slice_axis": [
        _of(3, 4, axis=0, begin=1, end=None),
        _of(3, 4, axis=-1, begin=-3, end=-1),
        _of(0, 4, axis=1, begin=0, end=2),
    ],
    "slice_like": [
        _two((3, 4), (2, 3)),
        _two((3, 4, 2), (5, 3), axes=(1,)),
        _two((3, 4), (3, 1), axes=(-1,)),
    ],
    "Crop": [
        _of(1, 2, 4, 5, h_w=(2, 3), offset=(1, 2)),
        _of(1, 2, 4, 5, h_w=(2, 3), center_crop=True),
        _two((1, 2, 4, 5), (1, 1, 2, 3), offset=(1, 1)),
    ],
}
