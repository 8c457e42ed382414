"""Samples of NumPy's random numbers: parameters as numbers, and as arrays."""

from typing import Any

import numpy as np

from gluonic.graph.ops.numpy.draws import ROWS, DrawnFrom
from tests.graph.samples.sample import Sample, uniform

SOME = uniform(3, low=1.5, high=2.5)


def _samples(row: DrawnFrom) -> list[Sample]:
    numbers: dict[str, Any] = {name: 1.5 + i for i, (name, _) in enumerate(row.parameters)}
    last = row.parameters[-1][0]
    one_array = {**numbers, last: None, "size": (2, 3)}
    arrays = [SOME] if len(row.parameters) == 1 else [SOME, SOME + 1]
    return [
        Sample([], {**numbers, "size": (2, 3)}),
        Sample([SOME + 1], one_array, (), dtypes=()),
        Sample(arrays, dict.fromkeys(numbers), (), dtypes=()),
    ]


SAMPLES = {f"_npi_{row.name}": _samples(row) for row in ROWS} | {
    "_npi_uniform_n": [Sample([SOME], {"low": None, "high": 5.0, "size": (2,)}, (), dtypes=())],
    "_npi_normal_n": [Sample([SOME], {"loc": 0.0, "scale": None, "size": (2,)}, (), dtypes=())],
    "_npi_random_randint": [Sample([], {"low": 2, "high": 9, "shape": (2, 3)})],
    "_npi_bernoulli": [
        Sample([], {"prob": 0.4, "logit": None, "is_logit": False, "size": (5,)}),
        Sample([SOME - 1.5], {"prob": None, "logit": None, "is_logit": True}, ()),
    ],
    "_npi_choice": [
        Sample([], {"a": 7, "size": (4,)}),
        Sample([], {"a": 7, "size": (4,), "replace": False}),
        Sample([np.array([0.2, 0.3, 0.5])], {"a": 3, "size": (4,), "weighted": True}, ()),
        Sample([np.array([1.0, 2.0, 3.0])], {"size": ()}, ()),
    ],
    "_npi_multinomial": [
        Sample([], {"n": 5, "pvals": (0.2, 0.3, 0.5), "size": (2,)}),
        Sample([np.array([0.2, 0.3, 0.5])], {"n": 5}, ()),
    ],
}
