"""Samples of the fully connected layer."""

from tests.graph.samples.sample import Sample, uniform

FLOATS = ("float32", "float16")

SAMPLES = {
    "FullyConnected": [
        Sample([uniform(3, 4), uniform(5, 4), uniform(5)], {"num_hidden": 5}, dtypes=FLOATS),
        Sample([uniform(3, 2, 2), uniform(5, 4)], {"num_hidden": 5, "no_bias": True}),
        Sample(
            [uniform(3, 2, 4), uniform(5, 4), uniform(5)],
            {"num_hidden": 5, "flatten": False},
            dtypes=FLOATS,
        ),
        Sample([uniform(4), uniform(5, 4), uniform(5)], {"num_hidden": 5, "flatten": False}),
        Sample([uniform(4), uniform(5, 1), uniform(5)], {"num_hidden": 5}),
        Sample([uniform(0, 4), uniform(5, 4), uniform(5)], {"num_hidden": 5}),
        Sample([uniform(3, 0), uniform(5, 0), uniform(5)], {"num_hidden": 5}),
    ]
}
