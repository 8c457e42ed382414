"""Inputs that no rule foresaw are refused with an error of the operator, eagerly and compiled."""

from typing import Any

import numpy as np
import pytest

from gluonic import nd
from gluonic.gluon import nn
from gluonic.graph.errors import InferenceError


def scalar() -> Any:
    return nd.array(np.float32(1))


def no_pixels() -> Any:
    return nd.zeros((4, 0, 3))


UNFIT: dict[str, Any] = {
    "Convolution": lambda F, x: F.Convolution(x, x, kernel=(2, 2), num_filter=2, no_bias=True),
    "Flatten": lambda F, x: F.Flatten(x),
    "FullyConnected": lambda F, x: F.FullyConnected(x, x, num_hidden=2, no_bias=True),
    "linalg_trmm": lambda F, x: F.linalg.trmm(x, x),
    "linalg_makediag": lambda F, x: F.linalg.makediag(x),
    "batch_take": lambda F, x: F.batch_take(x, x),
    "ROIAlign": lambda F, x: F.contrib.ROIAlign(x, x, pooled_size=(2, 2), spatial_scale=1),
}


@pytest.mark.parametrize("hybridize", [False, True], ids=["eager", "hybrid"])
@pytest.mark.parametrize("name", UNFIT)
def test_arrays_without_axes_are_refused_where_axes_are_needed(name: str, hybridize: bool) -> None:
    net = nn.HybridLambda(UNFIT[name])
    if hybridize:
        net.hybridize()
    with pytest.raises(InferenceError, match=r"test_unfit_inputs\.py"):
        net(scalar())


def test_errors_of_numpy_are_reported_with_the_operator_and_its_inputs() -> None:
    with pytest.raises(InferenceError, match=r"_image_resize.*\n.*shape \(4, 0, 3\)"):
        nd.image.resize(no_pixels(), size=2)


def test_no_boxes_are_matched_with_nothing() -> None:
    rows, columns = nd.contrib.bipartite_matching(nd.zeros((2, 0, 4)), threshold=0.5)
    assert rows.shape == (2, 0)
    assert columns.asnumpy().tolist() == [[-1] * 4] * 2
    assert nd.contrib.box_nms(nd.zeros((2, 0, 6))).shape == (2, 0, 6)


def test_positions_along_no_axis_gather_everything() -> None:
    data = nd.array([[1.0, 2.0], [3.0, 4.0]])
    found = nd.gather_nd(data, nd.zeros((0, 3)))
    assert found.asnumpy().tolist() == [data.asnumpy().tolist()] * 3
