"""Samples of softmax and its relatives."""

from typing import Any

import numpy as np

from tests.graph.samples.sample import Sample, uniform

FLOATS = ("float32", "float16")
ATTRIBUTES: list[dict[str, Any]] = [
    {},
    {"axis": 1, "temperature": 2.5},
    {"axis": 0, "dtype": "float64"},
]

SAMPLES = {
    name: [
        Sample([uniform(2, 3, 4, low=-2, high=2)], attributes, dtypes=FLOATS)
        for attributes in ATTRIBUTES
    ]
    + [Sample([uniform(0, 3)]), Sample([uniform(3, 0)], differentiable=())]
    for name in ("softmax", "log_softmax", "softmin")
}
SAMPLES["softmax"] += [
    Sample([uniform(2, 3), np.array([1, 3], np.int32)], {"use_length": True, "temperature": 0.5}),
    Sample(
        [uniform(2, 3, 2), np.array([[1, 3], [0, 2]], np.int64)], {"use_length": True, "axis": 1}
    ),
]
SAMPLES["SoftmaxActivation"] = [
    Sample([uniform(2, 3, 4)], {"mode": mode}) for mode in ("instance", "channel")
]
