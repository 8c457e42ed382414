"""Samples of the operators that MXNet has for sparse arrays, on dense ones."""

import numpy as np

from tests.graph.samples.sample import Sample, uniform

SAMPLES = {
    "_sparse_retain": [
        Sample([uniform(4, 3), np.array([2.0, 0.0])], differentiable=(0,)),
        Sample([uniform(5), np.array([1], np.int64)], differentiable=(0,)),
    ],
    "_contrib_getnnz": [
        Sample([uniform(3, 4)], differentiable=()),
        Sample([uniform(3, 4)], {"axis": 1}, differentiable=()),
    ],
    "_contrib_edge_id": [
        Sample(
            [np.array([[1.0, 0, 2], [0, 3, 0]]), np.array([0, 0, 1, 9]), np.array([2, 1, 1, 0])],
            differentiable=(),
        )
    ],
    "_scatter_plus_scalar": [Sample([uniform(2, 3)], {"scalar": 0.5})],
    "_scatter_minus_scalar": [Sample([uniform(2, 3)], {"scalar": 0.5})],
    "_scatter_elemwise_div": [
        Sample([uniform(2, 3), uniform(2, 3, low=0.5, high=2.0, seed=1)]),
    ],
}
