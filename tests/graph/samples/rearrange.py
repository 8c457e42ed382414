"""Samples of operators that reorder or repeat elements."""

from tests.graph.samples.sample import Sample, uniform

ALL = ("float32", "float16", "int32", "int64", "int8", "uint8", "bool")


def _of(*shape: int, **attributes: object) -> Sample:
    return Sample([uniform(*shape)], attributes, dtypes=ALL)


def _pad(mode: str, *widths: int) -> Sample:
    attributes = {"mode": mode, "pad_width": (0, 0, 0, 0, *widths), "constant_value": 0.5}
    return Sample([uniform(2, 1, 3, 4)], attributes, dtypes=("float32", "float16"))


SAMPLES = {
    "transpose": [_of(2, 3, 4), _of(2, 3, 4, axes=(1, 2, 0)), _of(3), _of(0, 2)],
    "SwapAxis": [_of(2, 3, 4, dim1=0, dim2=2), _of(2, 3, 4, dim1=-1, dim2=1), _of(2, 3)],
    "reverse": [_of(2, 3, 4, axis=1), _of(2, 3, 4, axis=(0, 2)), _of(2, 3, axis=(1, 1))],
    "depth_to_space": [_of(2, 8, 2, 3, block_size=2), _of(0, 4, 1, 1, block_size=2)],
    "space_to_depth": [_of(2, 2, 4, 6, block_size=2)],
    "tile": [_of(2, 3, reps=reps) for reps in ((2,), (2, 1), (2, 3), (2, 1, 2), ())],
    "repeat": [
        _of(2, 3, repeats=2),
        _of(2, 3, repeats=2, axis=0),
        _of(2, 3, repeats=3, axis=-1),
        _of(2, 3, repeats=0, axis=0),
        _of(0, 3, repeats=2, axis=1),
    ],
    "Pad": [
        _pad(mode, *widths)
        for mode in ("constant", "edge", "reflect")
        for widths in ((1, 2, 3, 0), (0, 0, 0, 0))
    ],
    "diag": [
        _of(3, k=-1),
        _of(3, 4, k=1),
        _of(3, 4),
        _of(2, 3, 4, k=-1),
        _of(2, 3, 4, k=1, axis1=-1, axis2=0),
    ],
}
