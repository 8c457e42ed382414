"""Samples of operators that sample images and transform signals."""

import numpy as np

from tests.graph.samples.sample import Sample, uniform

FLOATING = ("float32", "float16")
IMAGES = uniform(2, 2, 4, 5)
GRID = uniform(2, 2, 3, 3, low=-0.93, high=0.91, seed=3)
LOC = np.array([[0.7, 0.13, 0.083, -0.2, 0.61, 0.11], [0.5, -0.21, -0.3, 0.1, 1.23, 0.017]])
SIGNS = np.array([[1.0, -1, 1, 1, -1]])

SAMPLES = {
    "_bilinear_sample": [
        Sample([IMAGES, GRID], {"x_order": x, "y_order": y})
        for x, y in ((0, 0), (1, 0), (0, 1), (1, 1), (2, 0))
    ],
    "BilinearSampler": [Sample([IMAGES, GRID]), Sample([IMAGES, 1.6 * GRID])],
    "GridGenerator": [
        Sample([LOC], {"transform_type": "affine", "target_shape": (2, 3)}, dtypes=FLOATING),
        Sample([uniform(2, 2, 3, 4)], {"transform_type": "warp"}, dtypes=FLOATING),
    ],
    "_scale_flow": [Sample([uniform(2, 2, 3, 4)])],
    "_affine_grid": [Sample([LOC], {"target_shape": (2, 3)})],
    "SpatialTransformer": [
        Sample(
            [IMAGES, LOC],
            {"transform_type": "affine", "sampler_type": "bilinear", "target_shape": (3, 4)},
        )
    ],
    "_contrib_fft": [Sample([uniform(2, 5)]), Sample([uniform(2, 1, 3, 4)])],
    "_contrib_ifft": [Sample([uniform(2, 6)])],
    "_contrib_count_sketch": [
        Sample(
            [uniform(3, 5), np.array([[0.0, 2, 2, 1, 0]]), SIGNS],
            {"out_dim": 4},
            differentiable=(0,),
        )
    ],
}
