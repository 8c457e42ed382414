"""Operators that MXNet has superseded, or that few programs use, are MXNet's."""

from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import nd, sym
from gluonic.graph.errors import OutOfRangeError
from tests.measured import older_operators
from tests.measured.measure import agrees, numbers, read

MEASURED = read("older_operators")


@pytest.mark.parametrize("case", older_operators.CASES)
def test_an_older_operator_is_that_of_mxnet(case: str) -> None:
    found = numbers(older_operators.run(mx, case))
    assert agrees(found, MEASURED[case], 1e-5), case


def test_a_convolution_of_an_old_file_is_read() -> None:
    symbol = sym.Convolution_v1(sym.Variable("data"), kernel=(3, 3), num_filter=2, name="c")
    text = symbol.tojson().replace('"op": "Convolution"', '"op": "Convolution_v1"')
    assert '"Convolution_v1"' in text
    again = sym.load_json(text)
    assert again.list_arguments() == ["data", "c_weight", "c_bias"]
    assert again.infer_shape(data=(1, 3, 5, 5))[1] == [(1, 2, 3, 3)]


def test_marks_of_unknown_processes_are_refused() -> None:
    one = nd.ones((1, 2))
    marks = nd.array([[2]], dtype="int32")
    with pytest.raises(OutOfRangeError, match="index 2 is out of range for an axis of 2"):
        nd.contrib.hawkesll(
            *(one, one[0], one[0], one, one[:, :1], marks, nd.array([1]), nd.array([3]))
        )


def test_regions_of_missing_images_are_empty() -> None:
    settings: dict[str, Any] = {
        "spatial_scale": 1.0,
        "output_dim": 1,
        "group_size": 1,
        "pooled_size": 2,
    }
    rois = nd.array([[0, 0, 0, 3, 3], [2, 0, 0, 3, 3], [-1, 0, 0, 3, 3]])
    data = nd.ones((1, 1, 4, 4))
    data.attach_grad()
    with mx.autograd.record():
        pooled = nd.contrib.DeformablePSROIPooling(data, rois, no_trans=True, **settings)
    pooled.backward()
    assert pooled.asnumpy()[:, 0].tolist() == [[[1, 1], [1, 1]], [[0, 0], [0, 0]], [[0, 0], [0, 0]]]
    assert data.grad.sum().asscalar() == pytest.approx(4)


def test_a_step_of_row_wise_adagrad_is_the_optimizers() -> None:
    weight, grad = nd.array([[1.0, 2.0], [3.0, 4.0]]), nd.array([[0.5, -1.0], [2.0, 0.0]])
    ours, history = weight.copy(), nd.zeros((2, 1))
    updater = mx.optimizer.get_updater(mx.optimizer.create("groupadagrad", learning_rate=0.1))
    for _ in range(3):
        updater(0, grad, weight)
        nd.contrib.group_adagrad_update(ours, grad, history, lr=0.1, out=ours)
    assert np.allclose(ours.asnumpy(), weight.asnumpy(), rtol=1e-6)
    assert history.asnumpy().tolist() == updater.states[0].asnumpy().tolist()
