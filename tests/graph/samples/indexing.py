"""Samples of operators that choose elements by arrays of positions."""

from typing import Any

import numpy as np

from tests.graph.samples.sample import Sample, uniform

ALL = ("float32", "float16", "int32", "int64", "int8", "uint8", "bool")
INDEX = np.array([[0, 2, 2], [3, -1, 5]], np.int32)


def _pick(data: Any, index: Any, first: tuple[int, ...] = (0,), **attributes: object) -> Sample:
    return Sample([data, index], attributes, differentiable=first, dtypes=ALL)


SAMPLES = {
    "take": [
        _pick(uniform(4, 3), INDEX),
        _pick(uniform(2, 4, 3), INDEX, axis=1, mode="wrap"),
        _pick(uniform(2, 4), np.array([3, 0]), axis=-1, mode="raise"),
        _pick(uniform(4), INDEX),
        _pick(uniform(4, 0), INDEX),
        _pick(uniform(4, 3), INDEX[:, :0]),
    ],
    "Embedding": [
        Sample([INDEX, uniform(4, 2)], {"input_dim": 4, "output_dim": 2}, differentiable=(1,)),
        Sample([INDEX[:0], uniform(4, 2)], {"input_dim": 4, "output_dim": 2}, differentiable=(1,)),
    ],
    "_contrib_SparseEmbedding": [
        Sample([INDEX, uniform(4, 2)], {"input_dim": 4, "output_dim": 2}, differentiable=(1,))
    ],
    "pick": [
        _pick(uniform(2, 4), np.array([3, 0], np.float32)),
        _pick(uniform(2, 4, 3), INDEX, axis=1, mode="wrap", keepdims=True),
        _pick(uniform(4), INDEX[1, :1], axis=0),
    ],
    "batch_take": [_pick(uniform(2, 4), INDEX[:, 1]), _pick(uniform(2, 3, 4), INDEX)],
    "one_hot": [
        Sample([INDEX], {"depth": 4}),
        Sample([INDEX], {"depth": 3, "on_value": 2, "off_value": -1, "dtype": "int8"}),
    ],
    "_onehot_encode": [
        Sample([index, uniform(3, 5)], differentiable=())
        for index in (INDEX[1], INDEX[1].astype(np.float64))
    ],
    "fill_element_0index": [
        Sample([uniform(2, 3), uniform(2, seed=1), np.array([0, 2], np.float32)])
    ],
    "gather_nd": [
        _pick(uniform(4, 3), np.array([[0, 3, -1], [2, 0, 1]])),
        _pick(uniform(4, 3), np.array([[[0, 3], [3, 0]]])),
        _pick(uniform(4, 0), np.array([[0, 1], [0, 0]])[:, :0]),
    ],
    "_backward_gather_nd": [_pick(uniform(2, 3), np.array([[1, 1]]), shape=(4, 3))],
    "scatter_nd": [
        _pick(uniform(2), np.array([[0, 3], [2, -1]]), shape=(4, 3)),
        _pick(uniform(2, 3), np.array([[1, 0]]), shape=(4, 3)),
    ],
    "_scatter_set_nd": [
        Sample(
            [uniform(4, 3), uniform(2, seed=1), np.array([[0, 3], [2, 1]])],
            {"shape": (4, 3)},
            dtypes=ALL,
        )
    ],
    "_contrib_index_copy": [
        Sample([uniform(4, 2), np.array([0, 2]), uniform(2, 2, seed=1)], dtypes=ALL)
    ],
    "_contrib_index_array": [
        Sample([uniform(2, 3)], {"axes": axes}, differentiable=())
        for axes in (None, (1,), (-1, 0), ())
    ],
    "_contrib_boolean_mask": [
        _pick(uniform(3, 2), np.array([1, 0, 1])),
        _pick(uniform(2, 3), np.array([0, 1, 1]), axis=1),
        _pick(uniform(3, 2), np.array([0, 0, 0])),
    ],
    "_ravel_multi_index": [Sample([np.array([[3, 6], [4, 5]])], {"shape": (7, 6)})],
    "_unravel_index": [Sample([np.array([22, 41], np.int64)], {"shape": (-1, 6)})],
}
