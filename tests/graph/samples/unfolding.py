"""Samples of windows as columns."""

from tests.graph.samples.sample import Sample, uniform

ALL = ("float32", "float16", "int32")
WINDOWS = {"kernel": (3, 2), "stride": (2, 1), "dilate": (1, 2), "pad": (1, 0)}

SAMPLES = {
    "im2col": [
        Sample([uniform(2, 3, 5, 6)], WINDOWS, dtypes=ALL),
        Sample([uniform(2, 3, 7)], {"kernel": (3,)}, dtypes=ALL),
    ],
    "col2im": [
        Sample([uniform(2, 18, 12)], {"output_size": (5, 6), **WINDOWS}, dtypes=ALL),
        Sample([uniform(1, 8, 1)], {"output_size": (2, 2), "kernel": (2, 2)}, dtypes=ALL),
    ],
}
