"""Samples of the casts of mixed precision."""

import numpy as np

from tests.graph.samples.sample import Sample, uniform

SAMPLES = {
    "amp_cast": [
        Sample([uniform(2, 3)], {"dtype": "float64"}, dtypes=("float32", "float16", "int32")),
        Sample([uniform(2, 3)], {"dtype": "float16"}, differentiable=()),
    ],
    "amp_multicast": [
        Sample([uniform(2, 3), uniform(4, seed=1)], dtypes=("float32", "float16")),
        Sample(
            [uniform(2, 3), uniform(4).astype("float32"), np.arange(3, dtype="int32")],
            differentiable=(0,),
        ),
        Sample(
            [uniform(2), uniform(4).astype("float32")], {"cast_narrow": True}, differentiable=()
        ),
    ],
}
