"""Filters with very many taps compile about as fast as others."""

import numpy as np
import pytest

from gluonic import autograd, nd
from gluonic.gluon import nn


@pytest.mark.parametrize("kernel", [28, 61])
def test_a_filter_as_large_as_the_image_compiles_and_agrees(kernel: int) -> None:
    net = nn.Conv2D(5, kernel, in_channels=2)
    net.initialize()
    x = nd.random.uniform(-1, 1, shape=(2, 2, kernel, kernel))
    x.attach_grad()
    parameters = net.collect_params().values()
    found = []
    for _ in range(2):
        with autograd.record():
            y = net(x)
        y.backward(y)
        found.append([a.asnumpy() for a in (y, x.grad, *(p.grad() for p in parameters))])
        net.hybridize()
    for eager, compiled in zip(*found, strict=True):
        np.testing.assert_allclose(compiled, eager, rtol=1e-4, atol=1e-5 * np.abs(eager).max())
