"""Samples of operators that search, accumulate and summarize."""

import numpy as np

from tests.graph.samples.sample import Sample, uniform

NUMBERS = ("float32", "float16", "int32", "int64", "int8", "uint8")
POSITIVE = uniform(2, 3, 4, low=0.5, high=3)
INFINITE = np.array([1.0, np.inf])

SAMPLES = {
    **{
        name: [
            Sample([POSITIVE], dtypes=NUMBERS),
            Sample([POSITIVE], {"axis": 1}, dtypes=NUMBERS),
            Sample([POSITIVE], {"axis": -1, "keepdims": True}),
            Sample([POSITIVE], {"keepdims": True}),
        ]
        for name in ("argmax", "argmin")
    },
    "argmax_channel": [Sample([POSITIVE], dtypes=NUMBERS)],
    "_np_cumsum": [
        Sample([POSITIVE], dtypes=NUMBERS),
        Sample([POSITIVE], {"axis": 1}, dtypes=(*NUMBERS, "bool")),
        Sample([POSITIVE], {"axis": -1, "dtype": "float64"}),
    ],
    "_square_sum": [
        Sample([POSITIVE], dtypes=NUMBERS),
        Sample([POSITIVE], {"axis": 1, "keepdims": True}),
        Sample([POSITIVE], {"axis": (0, 2), "exclude": True}),
    ],
    "moments": [
        Sample([POSITIVE], {"axes": (0, 1, 2)}, dtypes=NUMBERS),
        Sample([POSITIVE], {"axes": (0, 2)}),
        Sample([POSITIVE], {"axes": -1, "keepdims": True}),
    ],
    "multi_sum_sq": [
        Sample([POSITIVE, uniform(3)], dtypes=("float32", "float16"), differentiable=())
    ],
    "all_finite": [Sample([POSITIVE]), Sample([INFINITE])],
    "multi_all_finite": [Sample([POSITIVE, INFINITE]), Sample([POSITIVE])],
    "_contrib_allclose": [
        Sample([POSITIVE, POSITIVE + 1e-9], dtypes=("float32", "float16", "int32")),
        Sample([INFINITE, INFINITE[::-1].copy()]),
        Sample([POSITIVE, POSITIVE + 0.1], {"atol": 0.2}),
    ],
    "multi_lars": [
        Sample(
            [
                np.array([0.1, 0.2]),
                np.array([1.0, 2.0]),
                np.array([3.0, 0.0]),
                np.array([0.01, 0.02]),
            ],
            {"eta": 0.001, "eps": 1e-8, "rescale_grad": 2.0},
        )
    ],
}
