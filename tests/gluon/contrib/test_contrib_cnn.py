"""Deformable convolution layers are MXNet's."""

import math

import numpy as np
import pytest

import gluonic as mx
from gluonic import nd
from gluonic.gluon.contrib import cnn
from tests.measured import deformable
from tests.measured.measure import agrees, numbers, read

MEASURED = read("deformable")


@pytest.mark.parametrize("case", deformable.CASES)
def test_a_deformable_layer_has_the_parameters_and_the_graph_of_mxnets(case: str) -> None:
    found = numbers(deformable.shape(mx, case))
    for what, measured in MEASURED[case].items():
        assert found[what] == measured, what


@pytest.mark.parametrize("hybridize", [False, True], ids=["eager", "hybrid"])
@pytest.mark.parametrize("case", deformable.COMPUTED)
def test_a_deformable_layer_computes_what_that_of_mxnet_does(case: str, hybridize: bool) -> None:
    found = numbers(deformable.values(mx, case, hybridize))
    for ours, measured in zip(found, MEASURED[f"{case} values"], strict=True):
        assert agrees(ours, measured, 1e-4)


@pytest.mark.parametrize("hybridize", [False, True], ids=["eager", "hybrid"])
def test_a_modulated_layer_reads_at_positions_moved_by_a_pixel(hybridize: bool) -> None:
    layer = cnn.ModulatedDeformableConvolution(2, 1, in_channels=3)
    layer.initialize()
    layer.offset_bias.set_data(nd.array([1.0, -2.0, math.log(3)]))  # down, right, the logit of 3/4
    if hybridize:
        layer.hybridize()
    x, weight = nd.random.normal(shape=(2, 3, 6, 7)), layer.deformable_conv_weight.data()
    expected = 1.5 * nd.Convolution(x, weight, no_bias=True, kernel=(1, 1), num_filter=2)
    inside = layer(x)[:, :, :-1, 2:].asnumpy()
    np.testing.assert_allclose(inside, expected[:, :, 1:, :-2].asnumpy(), atol=1e-5)


@pytest.mark.parametrize("kind", [cnn.DeformableConvolution, cnn.ModulatedDeformableConvolution])
def test_channels_come_first(kind: type) -> None:
    with pytest.raises(mx.MXNetError, match="layout must be NCHW, not 'NHWC'"):
        kind(2, 3, layout="NHWC")
    assert "Parameters" in (kind.__doc__ or "")


def test_a_layer_that_knows_its_channels_is_initialized_at_once() -> None:
    layer = cnn.DeformableConvolution(2, 3, in_channels=4, groups=2)
    layer.initialize()
    assert [p.data().shape for p in layer.collect_params().values()] == [
        (18, 2, 3, 3), (18,), (2, 2, 3, 3), (2,),
    ]  # fmt: skip
