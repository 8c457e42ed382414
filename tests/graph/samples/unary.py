"""Samples of functions of one number."""

from gluonic.graph.ops.unary import UNARY
from tests.graph.samples.sample import Sample, uniform

NUMBERS = ("float32", "float16", "int32", "int64", "int8", "uint8")
# Where a function is real and smooth, if not on all of (-2, 2).
RANGES = {
    "arccos": (-0.9, 0.9),
    "arcsin": (-0.9, 0.9),
    "arctanh": (-0.9, 0.9),
    "erfinv": (-0.9, 0.9),
    "arccosh": (1.5, 3.0),
    "log1p": (-0.5, 2.0),
    "tan": (-1.2, 1.2),
    **dict.fromkeys(
        (
            "cbrt", "digamma", "gamma", "gammaln", "log", "log10", "log2", "rcbrt", "reciprocal",
            "rsqrt", "sqrt",
        ),
        (0.5, 2.5),
    ),
}  # fmt: skip

SAMPLES = {
    row.name: [
        Sample(
            [uniform(3, 4, low=low, high=high)],
            dtypes=NUMBERS,
            differentiable=() if row.name.endswith("_ste") else None,
        ),
        Sample([uniform(0, 2)]),
    ]
    for row in UNARY
    for low, high in [RANGES.get(row.name, (-2.0, 2.0))]
} | {
    "clip": [Sample([uniform(3, 4)], {"a_min": -0.5, "a_max": 0.4}, dtypes=NUMBERS)],
    "smooth_l1": [
        Sample([uniform(3, 4)], {"scalar": 1.5}, dtypes=NUMBERS),
        Sample([uniform(3, 4, low=-3, high=3)]),
    ],
    "hard_sigmoid": [
        Sample([uniform(3, 4, low=-5, high=5)], dtypes=("float32", "float16")),
        Sample([uniform(3, 4)], {"alpha": 0.7, "beta": 0.4}),
    ],
    "_polygamma": [Sample([uniform(3, 4, low=0.5, high=2)], {"order": 1})],
    "_contrib_quadratic": [
        Sample([uniform(3, 4)], {"a": 1.5, "b": -2.0, "c": 0.5}, dtypes=NUMBERS)
    ],
    "_contrib_gradientmultiplier": [
        Sample([uniform(3, 4)], {"scalar": 0.5}, differentiable=(), dtypes=NUMBERS)
    ],
}
