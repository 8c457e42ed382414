"""Resizing of images in blocks of channels, and its gradients; nets that resize stay in blocks."""

from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.codegen.convolution.filters import lanes_of
from gluonic.codegen.convolution.steps import strides_of_blocks
from gluonic.codegen.resampling.blocked import ResamplingGeometry, emit_resampling
from gluonic.codegen.resampling.blocked_operators import RESAMPLINGS, resample_blocks
from gluonic.gluon import nn
from tests.codegen.harness import LEVELS, target_named
from tests.codegen.native_functions import filled, normal, run_native

EXTENTS = [
    ((5, 7), (13, 9)),
    ((8, 3), (3, 3)),
    ((6, 4), (12, 8)),
    ((1, 5), (4, 1)),
    ((2, 2), (1, 1)),
]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("way", RESAMPLINGS)
@pytest.mark.parametrize("extents", EXTENTS)
@pytest.mark.parametrize("back", [False, True])
def test_images_in_blocks_are_resized_and_gradients_taken_back(
    extents: tuple[tuple[int, int], tuple[int, int]], way: str, back: bool, level: str
) -> None:
    target = target_named(level)
    here, there = reversed(extents) if back else extents
    images = normal(2, 3, *here, lanes_of(target))
    expected = resample_blocks.kernel(images, np.empty((*there, 0)), way=way, back=back)
    found, line = filled(*expected.shape), filled(here[1], lanes_of(target))
    geometry = ResamplingGeometry(
        here, there, 3, strides_of_blocks(images.shape), strides_of_blocks(expected.shape)
    )
    run_native(
        target,
        lambda m, n: emit_resampling(m, n, RESAMPLINGS[way](), back=back),
        [images, found, line],
        geometry.numbers(),
        2 * 3 * there[0],
    )
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=2e-6)


class _Pyramid(gluon.HybridBlock):
    """Images made smaller and larger again between convolutions."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.first, self.last = nn.Conv2D(20, 3, padding=1), nn.Conv2D(10, 3)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Add what was resized in every way."""
        x = self.first(x)
        small = F.contrib.AdaptiveAvgPooling2D(x, output_size=3)
        repeated = F.UpSampling(small, scale=4, sample_type="nearest")
        corners = F.contrib.BilinearResize2D(small, height=12, width=12)
        rims = F.contrib.BilinearResize2D(small, height=12, width=12, align_corners=False)
        return self.last(x + repeated + corners * rims)


def _results(net: Any, data: Any) -> list[Any]:
    data.attach_grad()
    with autograd.record():
        output = net(data)
        squares = output * output
    squares.backward()
    gradients = [p.grad() for p in net.collect_params().values()]
    return [array.asnumpy() for array in (output, data.grad, *gradients)]


def test_a_net_that_resizes_stays_in_blocks_and_computes_the_same() -> None:
    net, data = _Pyramid(), nd.array(normal(2, 3, 12, 12))
    net.initialize(mx.init.Xavier())
    expected = _results(net, data)
    net.hybridize()
    for found, wanted in zip(_results(net, data), expected, strict=True):
        atol = 1e-5 * np.abs(wanted).max()
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=atol)
    operators = [s.operators[0].split()[0] for s in net.explain(data).steps]
    assert operators.count("_to_planes") == 1
    assert operators.count("_resample_blocks") == 4
