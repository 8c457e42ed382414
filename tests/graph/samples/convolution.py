"""Samples of convolution and transposed convolution."""

from typing import Any

from tests.graph.samples.sample import Sample, uniform

CONVOLUTIONS: list[tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = [
    ((2, 3, 7), (4, 3, 3), {"pad": (1,), "stride": (2,)}),
    ((2, 3, 5, 6), (4, 3, 3, 2), {}),
    ((2, 3, 5, 6), (4, 3, 1, 1), {}),
    ((2, 4, 6, 5), (6, 2, 3, 3), {"stride": (2, 1), "pad": (1, 2), "num_group": 2}),
    ((2, 3, 7, 7), (3, 1, 2, 3), {"num_group": 3, "dilate": (2, 1), "no_bias": True}),
    ((2, 4, 5, 6), (4, 2, 1, 1), {"num_group": 2, "stride": (2, 2)}),
    ((1, 2, 3, 4, 3), (2, 2, 2, 2, 2), {"pad": (0, 1, 0)}),
    ((0, 3, 5, 6), (4, 3, 3, 2), {}),
]


def _channels_last(shape: tuple[int, ...]) -> tuple[int, ...]:
    return (shape[0], *shape[2:], shape[1])


def _convolution(data: Any, weight: Any, attributes: dict[str, Any], last: bool = False) -> Sample:
    kernel, filters = weight[2:], weight[0]
    attributes = {**attributes, "kernel": kernel, "num_filter": filters}
    if last:
        data, weight = _channels_last(data), _channels_last(weight)
        attributes["layout"] = {1: "NCW", 2: "NHWC", 3: "NDHWC"}[len(kernel)]
    inputs = [uniform(*data), uniform(*weight), uniform(filters)]
    if attributes.get("no_bias"):
        inputs.pop()
    return Sample(inputs, attributes, dtypes=("float32", "float16"))


# The data and the output are exchanged; what `adj` adds at the far end is the last number.
DECONVOLUTIONS: list[tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = [
    ((2, 4, 4), (4, 3, 3), {"stride": (2,), "adj": (1,), "num_filter": 3}),
    ((2, 4, 3, 4), (4, 3, 3, 2), {"num_filter": 3, "no_bias": False}),
    ((2, 4, 3, 4), (4, 3, 1, 1), {"num_filter": 3}),
    (
        (2, 6, 3, 4),
        (6, 2, 3, 3),
        {"stride": (2, 1), "pad": (1, 2), "num_group": 2, "num_filter": 4},
    ),
    ((1, 3, 3, 3), (3, 2, 3, 3), {"stride": (2, 2), "target_shape": (5, 6), "num_filter": 2}),
    ((1, 2, 3, 3), (2, 2, 2, 2), {"dilate": (2, 1), "num_filter": 2}),
    ((1, 2, 2, 3, 2), (2, 2, 2, 2, 2), {"pad": (0, 1, 0), "num_filter": 2}),
]


def _deconvolution(
    data: Any, weight: Any, attributes: dict[str, Any], last: bool = False
) -> Sample:
    attributes = {**attributes, "kernel": weight[2:]}
    if last:
        data, weight = _channels_last(data), _channels_last(weight)
        attributes["layout"] = {2: "NHWC", 3: "NDHWC"}[len(attributes["kernel"])]
    inputs = [uniform(*data), uniform(*weight)]
    if not attributes.get("no_bias", True):
        inputs.append(uniform(attributes["num_filter"]))
    return Sample(inputs, attributes, dtypes=("float32", "float16"))


SAMPLES = {
    "Convolution": [
        *(_convolution(*case) for case in CONVOLUTIONS),
        *(_convolution(*CONVOLUTIONS[i], last=True) for i in (1, 3, 4, 6)),
    ],
    "Deconvolution": [
        *(_deconvolution(*case) for case in DECONVOLUTIONS),
        *(_deconvolution(*DECONVOLUTIONS[i], last=True) for i in (1, 3, 6)),
    ],
}
