"""Samples of operators that order elements; none are equal, so that derivatives exist."""

from itertools import product
from typing import Any

import numpy as np

from tests.graph.samples.sample import Sample, uniform

NUMBERS = ("float32", "float16", "int32", "int64", "int8", "uint8")


def _of(*shape: int, differentiable: tuple[int, ...] | None = None, **attributes: object) -> Sample:
    numbers = np.random.Generator(np.random.Philox(3)).permutation(int(np.prod(shape)))
    dtypes = () if numbers.size > 100 else NUMBERS
    data = numbers.reshape(shape).astype(np.float64)
    return Sample([data], attributes, differentiable=differentiable, dtypes=dtypes)


AXES: list[dict[str, Any]] = [
    {"axis": axis, "is_ascend": ascending}
    for axis, ascending in product((0, -1, None), (True, False))
]
SAMPLES = {
    "sort": [_of(3, 4, **axes) for axes in AXES] + [_of(2, 0)],
    "argsort": [
        *[_of(3, 4, differentiable=(), **axes) for axes in AXES],
        _of(3, 4, differentiable=(), dtype="int32"),
    ],
    "topk": [
        *[
            _of(3, 4, differentiable=None if values else (), ret_typ=kind, k=2, **axes)
            for kind, values in {"value": 1, "both": 1, "indices": 0, "mask": 0}.items()
            for axes in AXES
        ],
        _of(2, 200, k=3, ret_typ="value"),
        _of(2, 200, k=3, ret_typ="value", is_ascend=True),
        _of(3, 4, k=0, ret_typ="value"),
        _of(3, 4, differentiable=(), dtype="int64"),
    ],
    "_take_along_axis": [
        Sample([uniform(2, 3), np.array([[2, 0], [1, 2]])]),
        Sample([uniform(2, 3), np.array([5, 0])], {"axis": None}),
    ],
    "_histogram": [
        Sample([uniform(10, low=0)], {"bin_cnt": 4, "range": (0, 1)}, differentiable=()),
        Sample([uniform(10), np.array([-0.5, 0.1, 0.8])], differentiable=()),
    ],
}
