"""Samples of probability densities."""

import numpy as np

from gluonic.graph.ops.random_density import DENSITIES
from tests.graph.samples.sample import Sample, uniform

INTEGERS = np.array([[0.0, 1, 2], [3, 4, 5]])
POSITIVE = uniform(2, 3, low=0.5, high=2)
FIRST, SECOND = np.array([0.4, 0.9]), np.array([0.6, 0.3])
SIMPLEX = np.array([[[0.2, 0.5, 0.3], [0.1, 0.2, 0.7]]])
CONCENTRATIONS = np.array([[1.5, 2.0, 0.7]])
HALF = ("float32", "float16")


def _parameters(name: str, count: int) -> list[np.ndarray]:
    if name == "uniform":
        return [FIRST, FIRST + 1]
    return [FIRST, SECOND][:count]


SAMPLES = {
    f"_random_pdf_{row.name}": [
        Sample(
            [POSITIVE if row.sample else INTEGERS, *_parameters(row.name, len(row.parameters))],
            {"is_log": is_log},
            dtypes=HALF,
            differentiable=None if row.sample else (1, 2)[: len(row.parameters)],
        )
        for is_log in (False, True)
    ]
    + [
        Sample(
            [POSITIVE[:, 0].copy(), *_parameters(row.name, len(row.parameters))],
            differentiable=tuple(range(0 if row.sample else 1, len(row.parameters) + 1)),
        )
    ]
    for row in DENSITIES
} | {
    "_along_sample": [
        Sample([FIRST, POSITIVE], differentiable=(0,), dtypes=HALF),
        Sample([FIRST, FIRST], differentiable=(0,)),
    ],
    "_random_pdf_dirichlet": [
        Sample([SIMPLEX, CONCENTRATIONS], {"is_log": is_log}, dtypes=HALF, orders=1)
        for is_log in (False, True)
    ]
    + [Sample([SIMPLEX[0, 0], CONCENTRATIONS[0]], orders=1)],
}
