"""Samples of operators that make arrays."""

from tests.graph.samples.sample import Sample, uniform

ALL = ("float32", "float16", "int32", "int64", "int8", "uint8", "bool")

SAMPLES = {
    **{
        name: [Sample([], {"shape": (2, 3), "dtype": dtype}) for dtype in ALL]
        + [Sample([], {"shape": (0, 3), "ctx": "cpu(0)"})]
        for name in ("_zeros", "_ones")
    },
    "_full": [Sample([], {"shape": (2, 3), "dtype": dtype, "value": 2.7}) for dtype in ALL],
    "_zeros_without_dtype": [Sample([], {"shape": (2,)}), Sample([], {"shape": 2, "dtype": 6})],
    "_eye": [
        Sample([], {"N": 3}),
        Sample([], {"N": 2, "M": 4, "k": 1, "dtype": "int32"}),
        Sample([], {"N": 2, "M": 4, "k": -1}),
    ],
    "_arange": [
        Sample([], {"start": 5}),
        Sample([], {"start": 2, "stop": 5, "step": 0.7, "repeat": 2}),
        Sample([], {"start": 5, "stop": 1, "step": -1, "dtype": "int32"}),
        Sample([], {"start": 0.5, "stop": 5, "dtype": "int64"}),
        Sample([], {"start": 3, "stop": 3}),
    ],
    "_linspace": [
        Sample([], {"start": 0, "stop": 5, "num": 3}),
        Sample([], {"start": 0, "stop": 5, "num": 4, "endpoint": False}),
        Sample([], {"start": 0, "stop": 5, "num": 4, "dtype": "int32"}),
        Sample([], {"start": 0, "stop": 5, "num": 1}),
    ],
    "_contrib_arange_like": [
        Sample([uniform(2, 3)], dtypes=ALL[:-1]),
        Sample([uniform(2, 3)], {"axis": -1, "start": 2, "step": 0.5}, dtypes=ALL[:-1]),
        Sample([uniform(2, 3)], {"axis": -1, "start": -2.5, "step": 1.5}, dtypes=ALL[:-1]),
        Sample([uniform(2, 3)], {"repeat": 2}),
    ],
    "shape_array": [Sample([uniform(2, 3)], dtypes=ALL)],
    "size_array": [Sample([uniform(2, 3)], dtypes=ALL)],
}
