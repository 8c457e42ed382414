"""Samples of NumPy's reductions."""

from typing import Any

import numpy as np

from gluonic.graph.ops.numpy.reductions import NUMPY_REDUCTIONS, NumpyReduction
from tests.graph.samples.sample import Sample, uniform

NUMBERS = ("float32", "float16", "int32", "int64", "int8", "uint8", "bool")
ATTRIBUTES: list[dict[str, Any]] = [
    {},
    {"axis": 1},
    {"axis": (-1, 0), "keepdims": True},
    {"axis": ()},
    {"axis": 2, "initial": 2.0},
]


def _samples(row: NumpyReduction) -> list[Sample]:
    extreme = row.base in ("max", "min")
    averages = row.base == "mean"
    given = [a for a in ATTRIBUTES if not (averages and "initial" in a)]
    found = [Sample([uniform(2, 3, 4, low=0.5, high=2)], a, dtypes=NUMBERS) for a in given]
    found.append(Sample([np.array(1.5)]))
    found.append(Sample([uniform(0, 2)], {"axis": 1}))
    if not extreme:
        found.append(Sample([uniform(2, 3, low=1, high=2)], {"dtype": "float64"}))
        found.append(Sample([np.arange(1, 7, dtype="int32").reshape(2, 3)], {"dtype": "float32"}))
    if averages:
        found.append(Sample([np.array([[100, 100], [100, -7]], "int8")], {"dtype": "int8"}))
    return found


SAMPLES = {row.names[0]: _samples(row) for row in NUMPY_REDUCTIONS}
