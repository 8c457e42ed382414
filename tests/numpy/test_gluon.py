"""Gluon where it works on arrays of `mx.np`: training, files, data, images, recurrent nets."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gluonic import autograd, gluon, image, init, metric, nd, optimizer, random, sym, util
from gluonic.gluon import nn, rnn
from gluonic.gluon.data import ArrayDataset, DataLoader
from gluonic.gluon.data.vision import transforms
from gluonic.gluon.model_zoo import vision
from gluonic.ndarray import cpu
from gluonic.ndarray.numpy.array import ndarray
from gluonic.ndarray.numpy.creation import array


@pytest.fixture(autouse=True)
def switched_on() -> Iterator[None]:
    util.set_np()
    yield
    util.reset_np()


def drawn(*shape: int) -> Any:
    return array(np.random.default_rng(0).normal(size=shape), dtype="float32")


def small_net() -> nn.HybridSequential:
    net = nn.HybridSequential()
    net.add(nn.Dense(4, activation="relu"), nn.BatchNorm(), nn.Dense(1))
    return net


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize("name", ["sgd", "nag", "adam", "rmsprop", "adagrad"])
def test_optimizers_train_arrays_of_numpy(name: str, hybridized: bool, tmp_path: Path) -> None:
    random.seed(1)
    net = small_net()
    net.initialize()
    if hybridized:
        net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), name, {"learning_rate": 0.05})
    x, y, loss_of = drawn(32, 8), drawn(32, 1), gluon.loss.L2Loss()
    losses = []
    for _ in range(8):
        with autograd.record():
            loss = loss_of(net(x), y)
        loss.backward()
        trainer.step(32)
        losses.append(float(loss.mean()))
    assert losses[-1] < losses[0]
    assert type(loss) is ndarray
    trainer.save_states(str(tmp_path / "states"))
    trainer.load_states(str(tmp_path / "states"))


class Own(optimizer.Optimizer):
    def create_state(self, index: Any, weight: Any) -> Any:
        return nd.zeros(weight.shape)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        state += grad
        weight -= self.lr * state


def test_an_optimizer_of_the_users_is_given_arrays_of_mx_nd() -> None:
    net = nn.Dense(1, in_units=2, use_bias=False)
    net.initialize()
    before = net.weight.data().asnumpy()
    trainer = gluon.Trainer(net.collect_params(), Own(learning_rate=0.5))
    with autograd.record():
        loss = net(drawn(1, 2)).sum()
    loss.backward()
    trainer.step(1)
    np.testing.assert_allclose(
        net.weight.data().asnumpy(), before - 0.5 * drawn(1, 2).asnumpy(), rtol=1e-6
    )


def test_files_of_parameters_and_exported_nets_are_read_as_arrays_of_numpy(tmp_path: Path) -> None:
    net, x = small_net(), drawn(3, 8)
    net.initialize()
    expected = net(x).asnumpy()
    net.save_parameters(str(tmp_path / "net.params"))
    again = small_net()
    again.load_parameters(str(tmp_path / "net.params"))
    assert type(again[0].weight.data()) is ndarray
    np.testing.assert_array_equal(again(x).asnumpy(), expected)
    net.hybridize()
    net(x)
    files = net.export(str(tmp_path / "net"))
    block = gluon.SymbolBlock.imports(files[0], ["data"], files[1])
    assert type(block(x)) is ndarray
    np.testing.assert_allclose(block(x).asnumpy(), expected, rtol=1e-6)
    util.reset_np()
    assert (
        type(gluon.SymbolBlock.imports(files[0], ["data"], files[1])(nd.ones((3, 8)))) is nd.NDArray
    )


@pytest.mark.parametrize(
    "settings", [{}, {"num_workers": 2}, {"num_workers": 2, "thread_pool": True}]
)
def test_loaders_give_arrays_of_numpy_with_any_kind_of_workers(settings: dict[str, Any]) -> None:
    x, labels = np.arange(12, dtype=np.float32).reshape(6, 2), np.arange(6)
    data = ArrayDataset(array(x), labels).transform_first(lambda one: one * 2)
    batches = list(DataLoader(data, 4, **settings))
    assert {type(part) for batch in batches for part in batch} == {ndarray}
    np.testing.assert_array_equal(np.concatenate([b[0].asnumpy() for b in batches]), x * 2)
    assert [b[1].dtype for b in batches] == [np.int64] * 2


def test_data_are_split_and_loaded_as_arrays_of_numpy() -> None:
    parts = gluon.utils.split_and_load(np.ones((4, 2)), [cpu(0)] * 2)
    assert [(type(p), p.shape) for p in parts] == [(ndarray, (2, 2))] * 2
    halves = gluon.utils.split_data(array(np.arange(4).reshape(1, 4)), 2, batch_axis=1)
    assert [half.tolist() for half in halves] == [[[0, 1]], [[2, 3]]]
    norm = gluon.utils.clip_global_norm([drawn(3)], 0.1, check_isfinite=False)
    assert type(norm) is ndarray


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize("layer", [rnn.LSTM(5), rnn.GRU(5, 2, bidirectional=True), rnn.RNN(5)])
def test_recurrent_layers_take_and_give_states_of_numpy(layer: Any, hybridized: bool) -> None:
    layer.initialize(force_reinit=True)
    layer.hybridize(hybridized)
    x = drawn(3, 2, 4)
    states = layer.begin_state(batch_size=2)
    output, after = layer(x, states)
    assert {type(one) for one in (output, layer(x), *states, *after)} == {ndarray}


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize("cell", [rnn.LSTMCell(5), rnn.GRUCell(5), rnn.RNNCell(5)])
def test_recurrent_cells_step_and_unroll(cell: Any, hybridized: bool) -> None:
    cell.initialize(force_reinit=True)
    cell.hybridize(hybridized)
    output, states = cell(drawn(2, 4), cell.begin_state(2))
    unrolled, after = cell.unroll(3, drawn(2, 3, 4), merge_outputs=True)
    assert {type(one) for one in (output, *states, unrolled, *after)} == {ndarray}


@pytest.mark.parametrize("name", ["resnet18_v1", "mobilenet0.25", "squeezenet1.0", "densenet121"])
def test_models_run(name: str) -> None:
    net = vision.get_model(name, classes=3)
    net.initialize()
    net.hybridize()
    output = net(array(np.ones((1, 3, 224, 224)), dtype="float32"))
    assert (type(output), output.shape) == (ndarray, (1, 3))


def test_metrics_read_arrays_of_numpy() -> None:
    predicted, labels = array([[0.2, 0.8], [0.6, 0.4], [0.3, 0.7]]), array([1, 0, 0])
    measured = metric.create(["acc", "ce", metric.TopKAccuracy(2)])
    measured.update([labels], [predicted])
    assert dict(measured.get_name_value())["accuracy"] == pytest.approx(2 / 3)


class OwnInitializer(init.Initializer):
    def _init_weight(self, name: str, arr: Any) -> None:
        assert type(arr) is ndarray
        arr[:] = array(np.arange(arr.size).reshape(arr.shape))


@pytest.mark.parametrize(
    "made", [OwnInitializer(), init.Xavier(), init.Orthogonal(), init.Constant(2), init.One()]
)
def test_initializers_fill_arrays_of_numpy(made: Any) -> None:
    layer = nn.Dense(2, in_units=3, weight_initializer=made)
    layer.initialize()
    assert type(layer.weight.data()) is ndarray
    if isinstance(made, OwnInitializer):
        assert layer.weight.data().tolist() == [[0, 1, 2], [3, 4, 5]]


def test_unknown_axes_of_parameters_are_minus_one() -> None:
    layer = nn.Dense(2)
    assert layer.weight.shape == (2, -1)
    layer.initialize()
    layer(drawn(3, 5))
    assert layer.weight.shape == (2, 5)
    util.reset_np()
    assert nn.Dense(2).weight.shape == (2, 0)


def test_constants_are_arrays_of_numpy() -> None:
    class WithConstant(gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.table = self.params.get_constant("table", [[1, 2], [3, 4]])

        def hybrid_forward(self, F: Any, x: Any, table: Any) -> Any:
            return x + table

    net = WithConstant()
    net.initialize()
    for _ in range(2):
        assert net(array([1, 0])).tolist() == [[2, 2], [4, 4]]
        net.hybridize()


PICTURE = np.random.default_rng(0).integers(0, 255, (32, 40, 3)).astype(np.uint8)


@pytest.mark.parametrize(
    "transform",
    [
        transforms.ToTensor(),
        transforms.Resize(16),
        transforms.CenterCrop(16),
        transforms.RandomResizedCrop(16),
        transforms.RandomFlipLeftRight(),
        transforms.RandomColorJitter(0.1, 0.1, 0.1, 0.1),
        transforms.RandomLighting(0.1),
        transforms.Compose([transforms.ToTensor(), transforms.Normalize([0.5] * 3, [0.2] * 3)]),
        transforms.Compose([transforms.ToTensor(), transforms.Rotate(30)]),
    ],
)
def test_transforms_of_pictures(transform: Any) -> None:
    assert type(transform(array(PICTURE))) is ndarray


def test_augmenters_of_pictures() -> None:
    made = image.CreateAugmenter(
        (3, 16, 16), rand_crop=True, mean=True, std=True, brightness=0.1, hue=0.1, pca_noise=0.1
    )
    picture = array(PICTURE)
    for augmenter in made:
        picture = augmenter(picture)
        assert type(picture) is ndarray
    assert picture.shape == (16, 16, 3)


def test_pictures_are_read_as_arrays_of_numpy() -> None:
    cv2 = pytest.importorskip("cv2")
    found = image.imdecode(cv2.imencode(".png", PICTURE[..., ::-1])[1].tobytes())
    assert type(found) is ndarray
    np.testing.assert_array_equal(found.asnumpy(), PICTURE)


def test_a_block_that_gives_an_array_of_mx_nd_is_refused() -> None:
    block = nn.HybridLambda(lambda F, x: x.as_nd_ndarray())
    with pytest.raises(TypeError, match="where Gluon works on arrays"):
        block(drawn(2))


def test_symbols_of_parameters_are_of_numpy() -> None:
    layer = nn.Dense(2)
    assert type(layer.weight.var()).__name__ == "_Symbol"
    assert isinstance(layer(sym.var("x").as_np_ndarray()), sym.Symbol)
