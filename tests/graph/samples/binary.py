"""Samples of functions of two numbers, in all their forms."""

import numpy as np

from gluonic.graph.ops.binary import BINARY, Binary
from tests.graph.samples.sample import Sample, uniform

NUMBERS = ("float32", "float16", "int32", "int64", "int8", "uint8")
# Where a function has kinks or is not real everywhere: the range of its arguments.
RANGES: dict[str, tuple[float, float]] = {
    "elemwise_div": (1.0, 3.0),
    "_mod": (1.1, 1.9),
    "_power": (0.5, 2.0),
}
COMPARABLE = ("_maximum", "_minimum", "_hypot")


def _pair(row: Binary, left: tuple[int, ...], right: tuple[int, ...]) -> list[np.ndarray]:
    low, high = RANGES.get(row.elementwise[0], (-2.0, 2.0))
    lhs, rhs = uniform(*left, low=low, high=high), uniform(*right, low=low, high=high, seed=1)
    return [lhs, rhs + 0.5 if row.elementwise[0] == "_mod" else rhs]


def _samples(row: Binary) -> dict[str, list[Sample]]:
    name = row.elementwise[0]
    boolean = () if row.lhs is not None else ("bool",)
    low, high = RANGES.get(name, (-2.0, 2.0))
    data = uniform(2, 3, low=low, high=high)
    scalar = 2.5 if name == "_mod" else 1.25
    found = {
        name: [
            Sample(_pair(row, (2, 3), (2, 3)), dtypes=(*NUMBERS, *boolean)),
            Sample(_pair(row, (0, 3), (0, 3))),
        ],
        row.broadcasting[0]: [
            Sample(_pair(row, (2, 1, 3), (4, 1)), dtypes=(*NUMBERS, *boolean)),
            Sample(_pair(row, (3,), (2, 1))),
            Sample(_pair(row, (2, 3), (2, 3))),
            Sample(_pair(row, (0, 3), (1, 3))),
        ],
        row.scalar[0]: [
            Sample([data], {"scalar": scalar}, dtypes=(*NUMBERS, "bool")),
            Sample([data], {"scalar": scalar, "is_int": False}, dtypes=(*NUMBERS, "bool")),
        ],
    }
    if row.reversed_scalar:
        found[row.reversed_scalar[0]] = [
            Sample([data], {"scalar": scalar}, dtypes=(*NUMBERS, "bool"))
        ]
    return found


SAMPLES = {name: samples for row in BINARY for name, samples in _samples(row).items()}
