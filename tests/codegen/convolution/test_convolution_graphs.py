"""Hybridized nets of convolutions: the same results and gradients, with images in blocks throughout."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.gluon import nn
from tests.codegen.native_functions import normal

Layer = Callable[[], Any]


def conv(*args: Any, **keywords: Any) -> Layer:
    """A convolution, to be made."""
    return lambda: nn.Conv2D(*args, **keywords)


class Residual(gluon.HybridBlock):
    """Two convolutions and a sum with what went in."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        with self.name_scope():
            self.body = nn.HybridSequential()
            self.body.add(
                nn.Conv2D(channels, 3, padding=1, use_bias=False),
                nn.BatchNorm(),
                nn.Activation("relu"),
                nn.Conv2D(channels, 3, padding=1),
                nn.BatchNorm(),
            )

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Add and rectify."""
        return F.Activation(self.body(x) + x, act_type="relu")


class Excited(gluon.HybridBlock):
    """Images scaled by what follows from the means of all channels, then by the means of all positions."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        with self.name_scope():
            self.excite = nn.Conv2D(channels, 1)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Scale."""
        means = F.contrib.AdaptiveAvgPooling2D(x, output_size=1)
        x = F.broadcast_mul(x, F.sigmoid(self.excite(means)))
        return F.broadcast_mul(F.mean(x, axis=1, keepdims=True), x)


class Zeros(gluon.HybridBlock):
    """Functions of an element that do not depend on it."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Forget everything but the shape."""
        return F.tanh(F.zeros_like(x)) + F.ones_like(x)


NETS: dict[str, tuple[Sequence[Layer], tuple[int, ...]]] = {
    "large filters": (
        [conv(68, 3, padding=1), conv(68, 3, strides=2), conv(4, 1)],  # streamed when packed
        (6, 60, 7, 7),
    ),
    "results that are never read": ([conv(5, 3), Zeros, conv(7, 1)], (2, 3, 6, 6)),
    "small images": ([conv(20, 5, activation="relu"), conv(5, 3)], (3, 1, 12, 12)),
    "strided, dilated": (
        [conv(20, 3, strides=2, padding=1), conv(17, 3, dilation=2, activation="tanh")],
        (2, 18, 15, 14),
    ),
    "stride beyond the kernel": (
        [conv(9, (1, 2), strides=(3, 2), dilation=(1, 3)), conv(8, 2, strides=2, padding=1)],
        (2, 8, 10, 13),
    ),
    "groups": ([conv(24, 3, groups=4, padding=1), conv(32, 3, groups=2)], (2, 8, 9, 9)),
    "depthwise": (
        [conv(40, 1), conv(40, 3, strides=2, padding=1, groups=40), nn.BatchNorm, conv(9, 1)],
        (2, 20, 9, 13),
    ),
    "residual": ([conv(16, 3), lambda: Residual(16), lambda: Residual(16)], (2, 3, 9, 10)),
    "normalized first": (
        [conv(20, 3), lambda: nn.MaxPool2D(2), nn.BatchNorm, lambda: nn.Activation("relu")],
        (2, 9, 12, 12),
    ),
    "pooled": (
        [
            conv(20, 3),
            lambda: nn.MaxPool2D(3, 2, 1),
            lambda: nn.AvgPool2D(2, 1, 1, count_include_pad=False),
            lambda: nn.GlobalAvgPool2D(),
        ],
        (2, 3, 17, 12),
    ),
    "functions": (
        [
            conv(12, 3),
            lambda: nn.LeakyReLU(0.1),
            conv(16, 3),
            nn.PReLU,
            conv(18, 1, groups=2),
            nn.GELU,
            nn.ELU,
        ],
        (2, 3, 12, 12),
    ),
    "squeezed and excited": ([conv(20, 3), lambda: Excited(20), conv(4, 1)], (2, 3, 9, 8)),
    "more padding than reach": ([conv(8, 1, padding=2), conv(8, 1, strides=2)], (2, 8, 5, 6)),
    "signals": ([lambda: nn.Conv1D(6, 3), lambda: nn.Conv1D(4, 3, strides=2)], (2, 3, 20)),
}
EVERY_NET = pytest.mark.parametrize("name", NETS)


def made(name: str) -> tuple[Any, Any]:
    """A net with parameters of all sizes, and data for it."""
    layers, shape = NETS[name]
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(*[layer() for layer in layers])
    net.initialize(mx.init.Xavier())
    data = nd.array(normal(*shape))
    net(data)
    for number, parameter in enumerate(net.collect_params().values()):
        if parameter.data().ndim == 1:
            generator = np.random.default_rng(number)
            parameter.set_data(nd.array(generator.random(parameter.shape) + 0.5))
    return net, data


def assert_close(found: Any, expected: Any) -> None:
    """Up to the rounding of sums in another order."""
    largest = np.abs(expected.asnumpy()).max()
    np.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=1e-4, atol=2e-5 * largest)


@EVERY_NET
def test_hybridized_nets_compute_the_same(name: str) -> None:
    net, data = made(name)
    expected = net(data)
    net.hybridize()
    assert_close(net(data), expected)
    assert_close(net(data), expected)


def _gradients(net: Any, data: Any) -> list[Any]:
    data.attach_grad()
    with autograd.record(train_mode=False):
        output = net(data)
        loss = (output * output / 2 + output).sum()
    loss.backward()
    trained = [p for p in net.collect_params().values() if p.grad_req != "null"]
    return [data.grad, *(parameter.grad() for parameter in trained)]


@EVERY_NET
def test_hybridized_nets_have_the_same_gradients(name: str) -> None:
    net, data = made(name)
    expected = [gradient.copy() for gradient in _gradients(net, data)]
    net.hybridize()
    for found, wanted in zip(_gradients(net, data), expected, strict=True):
        assert_close(found, wanted)


@pytest.mark.parametrize("name", ["residual", "depthwise", "groups"])
def test_parameters_that_change_are_noticed(name: str) -> None:
    (net, data), (twin, _) = made(name), made(name)
    net.hybridize()
    mine, others = (list(n.collect_params().values()) for n in (net, twin))
    for one, other in zip(mine, others, strict=True):
        one.set_data(other.data())
    assert_close(net(data), twin(data))
    for one, other in zip(mine, others, strict=True):
        for parameter in (one, other):
            values = parameter.data()
            values[:] = values * 1.5
        assert_close(net(data), twin(data))


def _operators(net: Any, data: Any) -> list[str]:
    steps = net.explain(data).steps
    return [name.split()[0] for step in steps for name in step.operators]


@pytest.mark.parametrize("name", ["functions", "squeezed and excited"])
def test_activations_and_scales_keep_images_in_blocks(name: str) -> None:
    net, data = made(name)
    net.hybridize()
    net(data)
    assert _operators(net, data).count("_to_blocks") <= 1


def test_a_chain_stays_in_blocks_and_folds_what_follows() -> None:
    net, data = made("residual")
    net.hybridize()
    net(data)
    operators = _operators(net, data)
    assert operators.count("_convolve_blocks") == 5
    assert operators.count("_to_planes") == 1
    assert not {"_to_blocks", "BatchNorm", "Activation"} & set(operators)


@pytest.mark.parametrize("dtype", ["float64", "float16"])
def test_images_of_other_dtypes_are_not_put_into_blocks(dtype: str) -> None:
    net = nn.Conv2D(4, 3, in_channels=3)
    net.initialize()
    net.cast(dtype)
    data = nd.array(normal(2, 3, 6, 6), dtype=dtype)
    expected = net(data).asnumpy()
    net.hybridize()
    rounding = float(np.finfo(dtype).eps)
    np.testing.assert_allclose(net(data).asnumpy(), expected, rtol=2 * rounding, atol=rounding)


def test_another_batch_size_needs_no_other_code() -> None:
    net, data = made("depthwise")
    net.hybridize()
    net(data)
    first = net.explain(data).code
    larger = nd.concat(data, data, data, dim=0)
    found = net(larger)
    assert net.explain(larger).code is first
    net.hybridize(False)
    assert_close(found, net(larger))


class _Combined(gluon.HybridBlock):
    """A convolution whose images are combined with others before another one."""

    def __init__(self, how: str, layer: Any) -> None:
        super().__init__()
        self.how = how
        with self.name_scope():
            self.first, self.second = layer(20, 3, padding=1), layer(12, 3)

    def hybrid_forward(self, F: Any, x: Any, other: Any) -> Any:
        """Combine between the convolutions."""
        return self.second(getattr(F, self.how)(self.first(x), other))


def _assert_same_results(how: str, pairs: Sequence[Any], layer: Any = nn.Conv2D) -> None:
    """Call one hybridized net with all pairs of arrays."""
    net = _Combined(how, layer)
    net.initialize(mx.init.Xavier())
    expected = [net(*pair) for pair in pairs]
    net.hybridize()
    for pair, wanted in zip(pairs, expected, strict=True):
        assert_close(net(*pair), wanted)


SCALES = [(2, 20, 6, 7), (2, 1, 6, 7), (2, 20, 1, 1), (1, 20, 1, 1), (1, 1, 6, 1), (1, 1, 1, 1)]


@pytest.mark.parametrize("first", SCALES)
@pytest.mark.parametrize("how", ["broadcast_mul", "broadcast_add"])
@pytest.mark.parametrize("layer", [nn.Conv2D, nn.Conv2DTranspose])
def test_scales_of_any_shape_follow_each_other(
    first: tuple[int, ...], how: str, layer: Any
) -> None:
    data = nd.array(normal(2, 3, 6, 7))
    pairs = [(data, nd.array(normal(*shape))) for shape in (first, *SCALES)]
    _assert_same_results(how, pairs, layer)


@pytest.mark.parametrize("how", ["broadcast_mul", "broadcast_add"])
@pytest.mark.parametrize("other", [(20, 6, 7), (20, 1, 1)])
def test_one_image_is_combined_with_all_of_a_batch(how: str, other: tuple[int, ...]) -> None:
    sizes = [(1, 1), (3, 1), (1, 3), (3, 3), (2, 1), (5, 5), (1, 5)]
    arrays = [((batch, 3, 6, 7), (batches, *other)) for batch, batches in sizes]
    _assert_same_results(how, [tuple(nd.array(normal(*s)) for s in pair) for pair in arrays])


@pytest.mark.parametrize("how", ["broadcast_mul", "broadcast_add"])
@pytest.mark.parametrize("other", [(1,), (20,), (1, 1), (20, 20), (1, 1, 1), (20, 1, 1)])
def test_images_are_combined_with_arrays_of_fewer_axes(how: str, other: tuple[int, ...]) -> None:
    arrays = [((batch, 3, 20, 20), other) for batch in (1, 2, 20)]
    _assert_same_results(how, [tuple(nd.array(normal(*s)) for s in pair) for pair in arrays])
