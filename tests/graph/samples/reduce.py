"""Samples of reductions."""

from typing import Any

import numpy as np

from gluonic.graph.ops.reduce import REDUCTIONS
from tests.graph.samples.sample import Sample, uniform

NUMBERS = ("float32", "float16", "int32", "int64", "int8", "uint8", "bool")
WITH_NAN = np.where(np.arange(24).reshape(2, 3, 4) % 5, uniform(2, 3, 4, low=0.5, high=2), np.nan)
ATTRIBUTES: list[dict[str, Any]] = [
    {},
    {"axis": 1},
    {"axis": (-1, 0), "keepdims": True},
    {"axis": (1,), "exclude": True},
    {"axis": (0, 1, 2), "keepdims": True},
]

SAMPLES = {
    row.names[0]: [
        Sample([uniform(2, 3, 4, low=0.5, high=2)], attributes, dtypes=NUMBERS)
        for attributes in ATTRIBUTES
    ]
    + [
        Sample([uniform(2, 0)], {"axis": 1}, differentiable=()),
        Sample([uniform(0, 2)], {"axis": 1}),
    ]
    for row in REDUCTIONS
}
for _name in ("nansum", "nanprod"):
    SAMPLES[_name].append(Sample([WITH_NAN], {"axis": 2}))
SAMPLES["norm"] = [
    Sample([uniform(2, 3, 4)], {**attributes, "ord": order}, dtypes=NUMBERS[:-1])
    for order in (1, 2)
    for attributes in ATTRIBUTES
    if "exclude" not in attributes
] + [
    Sample([uniform(2, 3)], {"out_dtype": "float64"}),
    Sample([uniform(2, 3, low=-100, high=100)], {"out_dtype": "float64"}, dtypes=NUMBERS),
    Sample([uniform(2, 3, low=-100, high=100)], {"ord": 1, "out_dtype": "float64"}, dtypes=NUMBERS),
]
