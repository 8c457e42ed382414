"""Samples of layers with the gradient of a loss.

Their gradients are no derivatives of their outputs; tests/graph/test_loss_layers.py checks them.
"""

from typing import Any

import numpy as np

from tests.graph.samples.sample import Sample, uniform

LABELS = np.array([0.0, 3.0, 2.0])
LABEL_ROWS = np.array([[0.0, 3.0], [2.0, 1.0], [2.0, 2.0]])
OPTIONS: list[dict[str, Any]] = [
    {},
    {"grad_scale": 3.0, "smooth_alpha": 0.1},
    {"use_ignore": True, "ignore_label": 2.0, "normalization": "valid"},
    {"normalization": "batch"},
]


def _backward_samples() -> list[Sample]:
    samples = []
    for options in OPTIONS:
        samples += [
            Sample([uniform(3, 4), LABELS], options, differentiable=(0,)),
            Sample([uniform(3, 4), uniform(3, 4)], options, differentiable=(0,)),
            Sample(
                [uniform(3, 4, 2), LABEL_ROWS],
                {**options, "multi_output": True},
                differentiable=(0,),
            ),
            Sample(
                [uniform(3, 2, 4), LABEL_ROWS],
                {**options, "preserve_shape": True},
                differentiable=(0,),
            ),
        ]
    return samples


SAMPLES = {
    "SoftmaxOutput": [
        Sample([uniform(3, 4), LABELS], {}, differentiable=(), dtypes=("float32", "float16")),
        Sample([uniform(3, 2, 2), LABEL_ROWS], {}, differentiable=()),
        Sample([uniform(3, 4, 2), LABEL_ROWS], {"multi_output": True}, differentiable=()),
        Sample([uniform(3, 2, 4), LABEL_ROWS], {"preserve_shape": True}, differentiable=()),
        Sample([uniform(0, 4), uniform(0)], {}, differentiable=()),
    ],
    "_backward_SoftmaxOutput": _backward_samples(),
    **{
        name: [
            Sample([uniform(3, 4), uniform(3, 4, seed=1)], differentiable=()),
            Sample([uniform(3, 1), uniform(3)], differentiable=()),
        ]
        for name in ("LinearRegressionOutput", "LogisticRegressionOutput", "MAERegressionOutput")
    },
    "_per_instance": [Sample([uniform(3, 4)], {"scalar": 3.0})],
    "SVMOutput": [
        Sample([uniform(3, 4), LABELS], differentiable=()),
        Sample([uniform(3, 2, 4), LABEL_ROWS], {"use_linear": True}, differentiable=()),
    ],
    "_away_from_label": [Sample([uniform(3, 4), LABELS], differentiable=(0,))],
    "softmax_cross_entropy": [Sample([uniform(3, 4), LABELS], differentiable=(0,))],
}
