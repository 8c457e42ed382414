"""Samples of random numbers; what is drawn is checked in tests/graph/test_random.py."""

import numpy as np

from gluonic.graph.ops.random_numbers import DISTRIBUTIONS
from tests.graph.samples.sample import Sample, uniform

FLOATS = ("float32", "float16")
LOW, HIGH = np.array([0.25, 0.5]), np.array([0.75, 1.0])
PROBABILITIES = np.array([[0.2, 0.5, 0.3], [0.6, 0.3, 0.1]])


def _arrays(count: int) -> list[np.ndarray]:
    return [LOW, HIGH][:count]


SAMPLES = {
    **{
        f"_random_{row.name}": [
            Sample([], {"shape": (2, 3)}),
            Sample([], {"shape": (0, 3), "dtype": "float16"}),
            Sample([], {"dtype": "float64", "ctx": "cpu(0)"}),
        ]
        for row in DISTRIBUTIONS
    },
    **{
        f"_random_{row.name}_like": [Sample([uniform(2, 3)], dtypes=FLOATS, differentiable=())]
        for row in DISTRIBUTIONS
    },
    **{
        f"_sample_{row.name}": [
            Sample(_arrays(len(row.parameters)), dtypes=FLOATS, differentiable=()),
            Sample(_arrays(len(row.parameters)), {"shape": (3, 4)}, differentiable=()),
            Sample(
                _arrays(len(row.parameters)), {"shape": 3, "dtype": "float64"}, differentiable=()
            ),
        ]
        for row in DISTRIBUTIONS
    },
    "_random_randint": [
        Sample([], {"low": -3, "high": 5, "shape": (2, 3)}),
        Sample([], {"low": 0, "high": 2**40, "dtype": "int64"}),
    ],
    "_sample_multinomial": [
        Sample([PROBABILITIES], differentiable=(), dtypes=FLOATS),
        Sample([PROBABILITIES[0]], differentiable=()),
        Sample([PROBABILITIES], {"shape": (4, 2), "get_prob": True}),
        Sample([PROBABILITIES[0]], {"get_prob": True, "dtype": "float64"}, differentiable=()),
    ],
    "_gather_chosen": [
        Sample([PROBABILITIES, np.array([[0, 2, 2], [1, 0, 1]])], differentiable=(0,)),
        Sample([PROBABILITIES, np.array([0, 2], "int32")], differentiable=(0,)),
    ],
    "_shuffle": [Sample([uniform(4, 2)], dtypes=(*FLOATS, "int32", "bool"))],
    "_sample_unique_zipfian": [Sample([], {"range_max": 100, "shape": (2, 5)})],
}
