"""Samples of pooling."""

from typing import Any

from tests.graph.samples.sample import Sample, uniform

KINDS: list[dict[str, Any]] = [
    {"pool_type": "max"},
    {"pool_type": "avg"},
    {"pool_type": "avg", "count_include_pad": False},
    {"pool_type": "sum"},
    {"pool_type": "lp", "p_value": 1},
    {"pool_type": "lp", "p_value": 2},
    {"pool_type": "lp", "p_value": 3},
]
WINDOWS: list[tuple[tuple[int, ...], dict[str, Any]]] = [
    ((2, 3, 8), {"kernel": (3,), "stride": (2,), "pad": (1,)}),
    ((2, 3, 5, 6), {"kernel": (2, 2)}),
    ((2, 3, 5, 7), {"kernel": (3, 2), "stride": (2, 3), "pooling_convention": "full"}),
    (
        (2, 3, 4, 6),
        {"kernel": (3, 3), "pad": (1, 1), "stride": (2, 2), "pooling_convention": "full"},
    ),
    ((2, 3, 7), {"kernel": (2,), "stride": (3,), "pooling_convention": "same"}),
    ((1, 2, 3, 4, 3), {"kernel": (2, 2, 2), "stride": (1, 2, 1)}),
    ((2, 3, 4, 5), {"global_pool": True}),
    ((2, 4, 5, 3), {"kernel": (2, 3), "layout": "NHWC", "pad": (0, 1)}),
    ((2, 4, 3), {"global_pool": True, "layout": "NWC"}),
    ((0, 3, 4, 4), {"kernel": (2, 2)}),
]

WINDOWS_V1: list[tuple[tuple[int, ...], dict[str, Any]]] = [
    ((2, 3, 5, 6), {"kernel": (2, 2)}),
    ((2, 3, 5, 7), {"kernel": (3, 2), "stride": (2, 3), "pooling_convention": "full"}),
    ((2, 3, 4, 6), {"kernel": (3, 3), "pad": (1, 1), "stride": (2, 2)}),
    ((1, 2, 3, 4, 3), {"kernel": (2, 2, 2), "stride": (1, 2, 1), "pad": (0, 1, 0)}),
    ((2, 3, 4, 5), {"global_pool": True}),
]

SAMPLES = {
    "Pooling_v1": [
        Sample(
            [uniform(*shape)],
            {**windows, "pool_type": kind},
            orders=1,
            dtypes=("float32", "float16"),
        )
        for shape, windows in WINDOWS_V1
        for kind in ("max", "avg", "sum")
    ],
    "Pooling": [
        Sample(
            [uniform(*shape, low=0.2, high=2)],
            {**windows, **kind},
            dtypes=("float32", "float16"),
        )
        for shape, windows in WINDOWS
        for kind in KINDS
    ]
    + [Sample([uniform(1, 2, 9, 9)], {"kernel": (9, 8)})],
    "_take_maxima": [
        Sample(
            [uniform(2, 1, 4), uniform(2, 1, 4, seed=1), uniform(2, 1, 3, seed=1)],
            {"kernel": (2,)},
            differentiable=(0,),
        )
    ],
}
