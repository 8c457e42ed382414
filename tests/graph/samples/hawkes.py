"""Samples of self-exciting processes."""

import numpy as np

from tests.graph.samples.sample import Sample, uniform

MARKS = np.array([[0, 1, 1, 0], [1, 1, 0, 0], [0, 0, 0, 0]], np.int32)

SAMPLES = {
    "_contrib_hawkesll": [
        Sample(
            [
                uniform(3, 2, low=0.5, high=1.5),
                uniform(2, low=0.2, high=0.6, seed=1),
                uniform(2, low=1, high=2, seed=2),
                state,
                uniform(3, 4, low=0.1, high=1, seed=4),
                MARKS,
                np.array(lengths, np.float64),
                np.array([5.0, 6.0, 4.5]),
            ],
            differentiable=(0, 1, 2, 3),
            orders=1,
        )
        for state, lengths in (
            (np.zeros((3, 2)), [4, 4, 4]),
            (uniform(3, 2, low=0, high=1, seed=3), [1, 4, 0]),
        )
    ]
}
