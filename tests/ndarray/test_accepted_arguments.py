"""Arguments that MXNet accepts although they are unusual."""

from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import gluon, nd, npx, util
from gluonic.graph.errors import AttributeValueError, MXNetError


@pytest.mark.parametrize("dtype", ["int32", "float16"])
def test_an_array_stands_for_its_dtype(dtype: str) -> None:
    like = nd.ones(2, dtype=dtype)
    made = [
        nd.ones(2).astype(like),
        nd.array([1], dtype=like),
        nd.zeros(2, dtype=like),
        nd.cast(nd.ones(2), dtype=like),
        nd.ones(2).astype(like.as_np_ndarray()),
    ]
    assert {np.dtype(array.dtype).name for array in made} == {dtype}
    with pytest.raises(AttributeValueError, match="not a dtype"):
        nd.ones(2).astype(like.asnumpy())  # NumPy refuses its own arrays


def test_buffers_without_variables_are_ignored() -> None:
    for mark, record in (
        (mx.contrib.autograd.mark_variables, mx.contrib.autograd.train_section),
        (mx.autograd.mark_variables, mx.autograd.record),
    ):
        x = nd.ones(2)
        mark([x], [nd.zeros(2), nd.zeros(3)])
        with record():
            y = x * 2
        y.backward()
        assert x.grad.asnumpy().tolist() == [2, 2]
        with pytest.raises(MXNetError, match="2 variables, 1 gradients"):
            mark([x, nd.ones(2)], [nd.zeros(2)])  # here MXNet reads foreign memory


_LAYERS: list[Any] = [
    lambda: gluon.nn.Activation("unknown"),
    lambda: gluon.nn.Dense(2, in_units=2, activation="unknown"),
    lambda: gluon.nn.Conv1D(2, 1, in_channels=1, activation="unknown"),
    lambda: gluon.nn.Conv2DTranspose(2, 1, in_channels=1, activation="unknown"),
    lambda: gluon.rnn.RNNCell(2, input_size=2, activation="unknown"),
]


@pytest.mark.parametrize("make", _LAYERS)
def test_the_first_call_refuses_an_unknown_activation(make: Any) -> None:
    layer = make()
    layer.initialize()
    inputs = nd.ones(
        {"Conv1D": (1, 1, 3), "Conv2DTranspose": (1, 1, 3, 3)}.get(type(layer).__name__, (1, 2))
    )
    states = [layer.begin_state(1)] if isinstance(layer, gluon.rnn.RNNCell) else []
    with pytest.raises(AttributeValueError, match="act_type='unknown' must be one of 'relu'"):
        layer(inputs, *states)


class _Data(gluon.data.vision.MNIST):
    def _read(self) -> tuple[Any, Any]:
        return np.zeros((3, 28, 28, 1), np.uint8), np.arange(3)


def test_labels_are_of_the_kind_that_gluon_works_on() -> None:
    assert isinstance(_Data()[1][1], np.int32)
    npx.set_np()
    try:
        data = _Data()
        image, label = data[1]
        assert type(image) is type(label) is mx.np.ndarray
        assert (label.shape, label.dtype, label.item()) == ((), np.int32, 1)
        (_, labels), *_rest = gluon.data.DataLoader(data, 2)
        assert labels.asnumpy().tolist() == [0, 1]
    finally:
        util.reset_np()
