"""Samples of operators on small integers."""

from typing import Any

import numpy as np

from tests.graph.samples.sample import Sample, uniform

Array = np.ndarray[Any, Any]


def numbers(dtype: str, *shape: int, seed: int = 0) -> Array:
    """Reproducible integers of all sizes."""
    ends = np.iinfo(dtype)
    least = max(ends.min, -(10**6))
    greatest = min(ends.max, 10**6)
    return uniform(*shape, low=least, high=greatest, seed=seed).astype(dtype)


def ends(low: float, high: float) -> list[Array]:
    """A range."""
    return [np.array([low], np.float32), np.array([high], np.float32)]


RANGE, OTHER, BIAS = ends(-2.5, 3.0), ends(-1.0, 2.0), ends(-0.5, 0.7)
CALIBRATED = {"min_calib_range": -3.0, "max_calib_range": 4.0}
POSITIVE = {"min_calib_range": 0.0, "max_calib_range": 2.0}
DATA = uniform(2, 3, 4, low=-2.5, high=3).astype(np.float32)
IMAGES = {kind: numbers(kind, 2, 3, 5, 6) for kind in ("int8", "uint8")}
WEIGHT, OFFSETS = numbers("int8", 4, 3, 3, 2, seed=1), numbers("int8", 4, seed=2)
CHANNELS = [
    uniform(3, low=0.5, high=2, seed=seed).astype(np.float32) * sign
    for seed, sign in enumerate((1, -1, 1, 1))
]
LSTM = {"mode": "lstm", "state_size": 3, "num_layers": 2}
COUNTS = np.histogram(uniform(4000, seed=3) ** 3, 101, (-1, 1))


def _uses(inputs: list[Array], *attributes: dict[str, Any]) -> list[Sample]:
    return [Sample(inputs, one, differentiable=()) for one in attributes or ({},)]


SAMPLES = {
    "_contrib_quantize": _uses([DATA, *RANGE], {"out_type": "int8"}, {"out_type": "uint8"}),
    "_contrib_quantize_v2": [
        *_uses([DATA], {}, {"out_type": "uint8"}, CALIBRATED, {"out_type": "auto", **POSITIVE}),
        *_uses([DATA * np.float32(0)]),
        *_uses([IMAGES["int8"]], {}, CALIBRATED),
        *_uses([IMAGES["uint8"]], {"out_type": "uint8"}),
    ],
    "_contrib_quantize_asym": _uses([DATA], {}, CALIBRATED),
    "_contrib_dequantize": [*_uses([IMAGES["int8"], *RANGE]), *_uses([IMAGES["uint8"], *RANGE])],
    "_contrib_requantize": _uses(
        [numbers("int32", 3, 5), *ends(-2e6, 3e6)],
        *({}, {"out_type": "uint8"}, {"out_type": "auto", **POSITIVE}),
        {"min_calib_range": -1000.0, "max_calib_range": 900.0},
    ),
    "_contrib_quantized_conv": [
        *_uses(
            [IMAGES["uint8"], WEIGHT, OFFSETS, *RANGE, *OTHER, *BIAS],
            {"kernel": (3, 2), "num_filter": 4, "pad": (1, 0)},
        ),
        *_uses(
            [IMAGES["int8"], WEIGHT, *RANGE, *OTHER],
            {"kernel": (3, 2), "num_filter": 4, "stride": (2, 1), "no_bias": True},
        ),
    ],
    "_contrib_quantized_fully_connected": [
        *_uses(
            [IMAGES["int8"], numbers("int8", 4, 90), OFFSETS, *RANGE, *OTHER, *BIAS],
            {"num_hidden": 4},
        ),
        *_uses(
            [IMAGES["uint8"], numbers("int8", 4, 6), *RANGE, *OTHER],
            {"num_hidden": 4, "flatten": False, "no_bias": True},
        ),
    ],
    "_contrib_quantized_pooling": [
        *_uses([IMAGES["int8"], *RANGE], {"kernel": (2, 3), "stride": (2, 2)}),
        *_uses(
            [IMAGES["uint8"], *RANGE],
            {"kernel": (2, 3), "pool_type": "avg", "pad": (1, 1)},
            {"global_pool": True, "pool_type": "avg"},
        ),
    ],
    "_contrib_quantized_act": [
        *_uses([IMAGES["int8"], *RANGE], {"act_type": "relu"}),
        *_uses([IMAGES["uint8"], *RANGE], {"act_type": "relu"}),
    ],
    "_contrib_quantized_flatten": _uses([IMAGES["int8"], *RANGE]),
    "_contrib_quantized_embedding": _uses(
        [np.array([[0, 2], [9, -1]], np.int32), numbers("int8", 3, 2), *RANGE],
        {"input_dim": 3, "output_dim": 2},
    ),
    "_contrib_quantized_batch_norm": [
        *_uses([IMAGES["int8"], *CHANNELS, *RANGE], CALIBRATED),
        *_uses([IMAGES["uint8"], *CHANNELS, *RANGE], CALIBRATED),
    ],
    "_contrib_quantized_elemwise_add": [
        sample
        for first in IMAGES.values()
        for second in IMAGES.values()
        for sample in _uses([first, second, *RANGE, *OTHER], {}, CALIBRATED)
    ],
    "_contrib_quantized_elemwise_mul": _uses(
        [IMAGES["int8"], IMAGES["int8"], *RANGE, *OTHER],
        *({}, {"min_calib_range": -8.0, "max_calib_range": 9.0}, {"enable_float_output": True}),
    ),
    "_contrib_quantized_concat": [
        sample
        for first in IMAGES.values()
        for sample in _uses([first, IMAGES["uint8"], *RANGE, *OTHER], {"num_args": 2})
    ],
    "_contrib_quantized_rnn": _uses(
        [
            numbers("uint8", 3, 2, 4),
            *(uniform(*shape).astype(np.float32) for shape in ((204,), (2, 2, 3), (2, 2, 3))),
            *ends(40.0, 128.0),
        ],
        *(LSTM, {**LSTM, "state_outputs": True}),
    ),
    "_contrib_calibrate_entropy": _uses(
        [COUNTS[0].astype(np.float32), COUNTS[1].astype(np.float32)], {"num_quantized_bins": 31}
    ),
}
