"""Samples of operators that repeat axes of length one, or sum them up."""

from tests.graph.samples.sample import Sample, uniform

DTYPES = ("float32", "float16", "int32", "bool")

SAMPLES = {
    "_reduce_like": [
        Sample([uniform(2, 4, 3), uniform(4, 1)], differentiable=(0,)),
        Sample([uniform(4, 3), uniform(4, 3)], differentiable=(0,)),
        Sample([uniform(0, 3), uniform(1, 3)], differentiable=(0,)),
    ],
    "broadcast_like": [
        Sample([uniform(2, 1, 1), uniform(2, 3, 4)], differentiable=(0,), dtypes=DTYPES),
        Sample([uniform(3), uniform(2, 3)], differentiable=(0,)),
        Sample(
            [uniform(1, 2, 1), uniform(4, 3)],
            {"lhs_axes": (0, -1), "rhs_axes": (1, 0)},
            differentiable=(0,),
        ),
    ],
    "broadcast_to": [
        Sample([uniform(2, 1, 1)], {"shape": (2, 3, 4)}, dtypes=DTYPES),
        Sample([uniform(2, 1, 3)], {"shape": (0, 5, 0)}),
    ],
    "broadcast_axis": [
        Sample([uniform(1, 2, 1)], {"axis": (0, 2), "size": (3, 4)}, dtypes=DTYPES),
        Sample([uniform(2, 1)], {"axis": 1, "size": 3}),
    ],
}
