"""Samples of operators that copy, convert, choose or fill."""

import numpy as np

from tests.graph.samples.sample import Sample, uniform

ALL = ("float32", "float16", "int32", "int64", "int8", "uint8", "bool")
CHOICE = np.array([[1.0, 0.0, -2.0], [0.0, 0.5, 0.0]])

SAMPLES = {
    "cast_storage": [Sample([uniform(2, 3)], {"stype": "default"}, dtypes=ALL)],
    "_copy": [Sample([uniform(2, 3)], dtypes=ALL)],
    "BlockGrad": [Sample([uniform(2, 3)], differentiable=(), dtypes=ALL)],
    "make_loss": [Sample([uniform(2, 3)], differentiable=(), dtypes=ALL)],
    "MakeLoss": [
        Sample([uniform(2, 3)], {"normalization": kind, "grad_scale": 0.5}, differentiable=())
        for kind in ("null", "batch", "valid")
    ],
    "zeros_like": [Sample([uniform(2, 3)], dtypes=ALL)],
    "ones_like": [Sample([uniform(2, 3)], dtypes=ALL)],
    "_cast_like": [
        Sample([uniform(2, 3), uniform(2, 3, seed=1)], differentiable=(0,), dtypes=ALL),
        Sample([uniform(2, 3), np.ones((2, 3), "int32")], differentiable=()),
    ],
    "Cast": [Sample([uniform(2, 3)], {"dtype": "float64"}, dtypes=ALL)]
    + [Sample([uniform(2, 3)], {"dtype": d}, differentiable=(), dtypes=ALL) for d in ALL],
    "add_n": [
        Sample([uniform(2, 3, seed=i) for i in range(n)], dtypes=ALL[:-1]) for n in (1, 2, 4)
    ],
    "where": [
        Sample([CHOICE, uniform(2, 3), uniform(2, 3, seed=1)], differentiable=(1, 2), dtypes=ALL),
        Sample([CHOICE[0, :2], uniform(2, 3), uniform(2, 3, seed=1)], differentiable=(1, 2)),
        Sample([np.array([1, 0], np.int32), uniform(2), uniform(2, seed=1)], differentiable=(1, 2)),
    ],
}
