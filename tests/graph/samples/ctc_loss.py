"""Samples of connectionist temporal classification."""

import numpy as np

from tests.graph.samples.sample import Sample, uniform

SCORES = uniform(6, 2, 5)
LABELS = np.array([[1, 2, 0], [3, 3, 1]], np.int32)

SAMPLES = {
    "CTCLoss": [
        Sample([SCORES, LABELS], orders=1, dtypes=("float32", "float16")),
        Sample(
            [SCORES, np.array([[0, 2, -1], [3, 3, 1]], np.int32)], {"blank_label": "last"}, orders=1
        ),
        Sample([SCORES, LABELS, np.array([4, 6], np.int32)], {"use_data_lengths": True}, orders=1),
        Sample(
            [SCORES, LABELS, np.array([5, 6], np.int32), np.array([2, 1], np.int32)],
            {"use_data_lengths": True, "use_label_lengths": True},
            orders=1,
        ),
        Sample([SCORES, LABELS, np.array([0, 3], np.int32)], {"use_label_lengths": True}, orders=1),
    ]
}
