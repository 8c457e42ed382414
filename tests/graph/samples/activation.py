"""Samples of activation functions."""

from gluonic.graph.ops.activation import ACTIVATIONS, LEAKY_ACTIVATIONS
from tests.graph.samples.sample import Sample, uniform

FLOATS = ("float32", "float16")

SAMPLES = {
    "Activation": [
        Sample([uniform(3, 4, low=-3, high=3)], {"act_type": name}, dtypes=FLOATS)
        for name in ACTIVATIONS
    ],
    "LeakyReLU": [
        Sample([uniform(3, 4, low=-3, high=3)], {"act_type": name, "slope": 0.3}, dtypes=FLOATS)
        for name in LEAKY_ACTIVATIONS
    ]
    + [
        Sample([uniform(2, 3, 4), uniform(3, low=0.1)], {"act_type": "prelu"}),
        Sample([uniform(5), uniform(5)], {"act_type": "prelu"}),
        Sample([uniform(3, 4)], {"act_type": "rrelu"}),
        Sample([uniform(3, 4)], {"act_type": "rrelu"}, train=True, differentiable=()),
    ],
    "_gelu_slope": [Sample([uniform(3, 4, low=-3, high=3)], dtypes=FLOATS)],
    "_prelu_view_like": [Sample([uniform(3), uniform(2, 3, 4)])],
}
