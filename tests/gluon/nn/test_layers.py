"""The layers have MXNet's names, shapes and numbers, eagerly and hybridized."""

from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, nd
from gluonic.gluon import HybridBlock, contrib, nn
from tests.measured import layers
from tests.measured.measure import agrees, numbers, read

MEASURED = read("layers")


@pytest.mark.parametrize("hybridize", [False, True], ids=["eager", "hybrid"])
@pytest.mark.parametrize("case", layers.CASES)
def test_a_layer_is_that_of_mxnet(case: str, hybridize: bool) -> None:
    found = numbers(layers.run(mx, case, hybridize))
    for what, measured in MEASURED[case].items():
        assert agrees(found[what], measured, 1e-4), what


@pytest.mark.parametrize("hybridize", [False, True], ids=["eager", "hybrid"])
def test_selu_scales_the_exponential(hybridize: bool) -> None:
    layer = nn.SELU()
    layer.hybridize(hybridize)
    assert layer(nd.array([-1.0, 2.0])).asnumpy() == pytest.approx([-1.1113307, 2.101402])


def test_dropout_drops_in_training_only() -> None:
    x, layer = nd.ones((1000,)), nn.Dropout(0.25)
    assert (layer(x) == x).asnumpy().all()
    with autograd.record():
        kept = layer(x).asnumpy()
    assert set(np.unique(kept)) == {np.float32(0), np.float32(1 / 0.75)}
    assert 0.6 < (kept > 0).mean() < 0.9


def test_dropout_of_nothing_is_the_identity() -> None:
    layer = nn.Dropout(0)
    with autograd.record():
        assert layer(nd.ones((3,))).asnumpy().tolist() == [1, 1, 1]


def test_an_embedding_looks_rows_up_and_sums_up_their_gradients() -> None:
    layer = nn.Embedding(4, 2)
    layer.initialize()
    rows = nd.array([[1, 1, 3]])
    with autograd.record():
        out = layer(rows)
    out.backward()
    assert out.shape == (1, 3, 2)
    assert layer.weight.grad().asnumpy().tolist() == [[0, 0], [2, 2], [0, 0], [1, 1]]
    assert repr(layer) == "Embedding(4 -> 2, float32)"


@pytest.mark.parametrize("kind", [nn.Sequential, nn.HybridSequential])
def test_a_container_is_indexed_sliced_counted_and_walked(kind: Any) -> None:
    net = kind(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(4, in_units=3), nn.Activation("relu"), nn.Dense(2, in_units=4))
    assert len(net) == 3
    assert list(net) == [net[0], net[1], net[2]]
    assert net[-1] is net[2]
    part = net[1:]
    assert type(part) is kind
    assert part.prefix == "net_"
    assert list(part) == [net[1], net[2]]
    with pytest.raises(IndexError):
        net[3]
    assert sorted(net.collect_params()) == [
        "net_dense0_bias",
        "net_dense0_weight",
        "net_dense1_bias",
        "net_dense1_weight",
    ]


def test_a_container_shows_its_children_indented() -> None:
    net, inner = nn.HybridSequential(), nn.HybridSequential()
    inner.add(nn.Dense(3, in_units=2, activation="relu"))
    net.add(inner, nn.Flatten())
    assert repr(net) == (
        "HybridSequential(\n"
        "  (0): HybridSequential(\n"
        "    (0): Dense(2 -> 3, Activation(relu))\n"
        "  )\n"
        "  (1): Flatten\n"
        ")"
    )


def test_a_sequential_of_hybrid_blocks_recommends_the_hybrid_container() -> None:
    net = nn.Sequential()
    net.add(nn.Dense(2, in_units=2))
    net.initialize()
    with pytest.warns(UserWarning, match="HybridSequential"):
        net.hybridize()
    assert net(nd.ones((1, 2))).shape == (1, 2)


def test_containers_side_by_side_join_their_outputs() -> None:
    for kind in (contrib.nn.Concurrent, contrib.nn.HybridConcurrent):
        net = kind(axis=1)
        net.add(contrib.nn.Identity(), nn.HybridLambda("negative"))
        assert net(nd.array([[1.0, 2.0]])).asnumpy().tolist() == [[1, 2, -1, -2]]


@pytest.mark.parametrize("function", ["tanh", lambda F, x: F.tanh(x)], ids=["name", "function"])
def test_a_function_becomes_a_layer(function: Any) -> None:
    layer = nn.HybridLambda(function)
    x = nd.array([0.5])
    eager = layer(x)
    layer.hybridize()
    assert layer(x).asscalar() == pytest.approx(eager.asscalar()) == pytest.approx(np.tanh(0.5))


def test_a_function_of_arrays_becomes_a_layer() -> None:
    assert nn.Lambda(lambda x, y: x + y)(nd.ones((1,)), nd.ones((1,))).asscalar() == 2
    assert repr(nn.Lambda("tanh")) == "Lambda(tanh)"


def test_an_unknown_function_is_named_with_the_nearest_one() -> None:
    with pytest.raises(ValueError, match=r"no operator 'sigmod'; did you mean 'sigmoid'"):
        nn.HybridLambda("sigmod")
    with pytest.raises(ValueError, match="must be callable"):
        nn.Lambda(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: nn.Conv2D(4, (3, 3, 3)), r"kernel must be a number or 2 numbers"),
        (lambda: nn.Conv2D(4, 3, layout="NWHC"), r"layout must be NCHW or NHWC"),
        (lambda: nn.Conv2D(4, 3, groups=3), r"cannot be cut into 3 groups"),
        (lambda: nn.MaxPool1D(layout="NCHW"), r"layout must be NCW or NWC"),
        (lambda: nn.AvgPool2D((2, 2, 2)), r"pool_size must be a number or 2 numbers"),
        (lambda: nn.ReflectionPad2D((1, 1)), r"padding must be a number or 8 numbers"),
        (lambda: nn.LeakyReLU(-1), r"alpha=-1 must be a number of at least 0"),
    ],
)
def test_impossible_layers_are_refused_when_they_are_made(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("layer", [nn.Conv2D(4, 3, groups=2, in_channels=6), nn.Conv2D(4, 3)])
def test_convolution_weights_have_filters_first(layer: Any) -> None:
    layer.initialize()
    layer(nd.ones((1, 6, 5, 5)))
    assert layer.weight.shape == (4, 6 // layer._kwargs["num_group"], 3, 3)


def test_transposed_convolution_weights_have_inputs_first() -> None:
    layer = nn.Conv2DTranspose(4, 3, groups=2)
    layer.initialize()
    assert layer(nd.ones((1, 6, 5, 5))).shape == (1, 4, 7, 7)
    assert layer.weight.shape == (6, 2, 3, 3)


def test_statistics_stay_float32_when_a_net_is_cast_to_half() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(3, in_units=2), nn.BatchNorm(in_channels=3))
    net.cast("float16")
    assert np.dtype(net[0].weight.dtype) == np.float16
    assert np.dtype(net[1].running_mean.dtype) == np.float32


def test_pixel_shuffling_turns_channels_into_pixels() -> None:
    x = nd.arange(12).reshape((1, 12, 1, 1))
    out = contrib.nn.PixelShuffle2D((2, 3))(x)
    assert out.asnumpy().tolist() == [[[[0, 1, 2], [3, 4, 5]], [[6, 7, 8], [9, 10, 11]]]]
    line = contrib.nn.PixelShuffle1D(2)(nd.arange(8).reshape((1, 4, 2)))
    assert line.asnumpy().tolist() == [[[0, 2, 1, 3], [4, 6, 5, 7]]]
    cube = contrib.nn.PixelShuffle3D(2)(nd.arange(8).reshape((1, 8, 1, 1, 1)))
    assert cube.asnumpy().ravel().tolist() == list(range(8))


def test_synchronized_normalization_of_one_process_is_batch_normalization() -> None:
    x = nd.random.normal(shape=(4, 3, 2))
    outs = []
    for layer in (contrib.nn.SyncBatchNorm(), nn.BatchNorm()):
        layer.initialize()
        with autograd.record():
            outs.append(layer(x).asnumpy())
    assert outs[0] == pytest.approx(outs[1], abs=1e-6)


def test_every_layer_is_documented_and_refuses_unknown_keywords() -> None:
    for name in nn.__all__:
        layer = getattr(nn, name)
        assert layer.__doc__
        if issubclass(layer, HybridBlock) and name not in ("HybridBlock", "SymbolBlock"):
            with pytest.raises(TypeError):
                layer(unknown_keyword=1)
