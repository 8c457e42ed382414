"""Functions of `mx.np`, `mx.npx` and `gluon` that MXNet 2.0 adds, compared with NumPy."""

import json
from typing import Any

import numpy
import pytest

import gluonic.mxnet2 as mx
from gluonic.mxnet2 import autograd, gluon, np, npx

A = numpy.array([[1.5, -2.0, numpy.nan], [0.0, 4.0, -7.5]], "float32")
B = numpy.array([[2.0, 3.0, 1.0], [numpy.nan, -1.5, 2.0]], "float32")
W = numpy.array([[6, 9], [15, 4]], "int32")
V = numpy.array([[4, 6], [10, 2]], "int32")
BINARY = {
    "fmax": (A, B), "fmin": (A, B), "fmod": (A, B), "floor_divide": (A, B), "logaddexp": (A, B),
    "logical_and": (A, B), "logical_or": (W, V), "logical_xor": (A, B), "gcd": (W, V),
    "bitwise_left_shift": (W, V), "bitwise_right_shift": (W, V), "kron": (W, V), "cross": (A, B),
    "pow": (V, W // 4),
}  # fmt: skip
NUMPYS = {"bitwise_left_shift": "left_shift", "bitwise_right_shift": "right_shift", "pow": "power"}


@pytest.mark.parametrize("name", BINARY)
def test_a_function_of_two_arrays_computes_what_numpy_does(name: str) -> None:
    first, second = BINARY[name]
    found = getattr(np, name)(*(np.array(x, dtype=x.dtype) for x in (first, second)))
    with numpy.errstate(all="ignore"):
        expected = getattr(numpy, NUMPYS.get(name, name))(first, second)
    numpy.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-6)
    numpy.testing.assert_array_equal(found.shape, expected.shape)


CALLS: dict[str, Any] = {
    "triu": lambda np, x: np.triu(x, 1),
    "tri": lambda np, x: np.tri(3, 4, 1),
    "median": lambda np, x: np.median(x, axis=0),
    "triu_indices": lambda np, x: np.triu_indices(3, 1),
    "std": lambda np, x: np.std(x, axis=1, ddof=1),
    "prod": lambda np, x: np.prod(x, axis=0),
    "argmax": lambda np, x: np.argmax(x, axis=1, keepdims=True),
    "svdvals": lambda np, x: np.linalg.svd(x, compute_uv=False) if np is numpy else np.linalg.svdvals(x),
    "trace": lambda np, x: np.trace(x) if np is numpy else np.linalg.trace(x),
    "vector_norm": lambda np, x: (
        np.sqrt((x * x).sum(axis=0)) if np is numpy else np.linalg.vector_norm(x, axis=0)
    ),
    "matrix_rank": lambda np, x: np.linalg.matrix_rank(x),
    "unique_values": lambda np, x: np.unique(x) if np is numpy else np.unique_values(x),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_a_function_of_an_array_computes_what_numpy_does(name: str) -> None:
    x = numpy.random.RandomState(1).rand(3, 3).astype("float32")
    found, expected = CALLS[name](np, np.array(x)), CALLS[name](numpy, x)
    for ours, theirs in zip(
        *([y] if not isinstance(y, tuple) else y for y in (found, expected)), strict=True
    ):
        numpy.testing.assert_allclose(ours.asnumpy(), theirs, rtol=1e-5)


def test_new_functions_have_gradients() -> None:
    x, y = np.array([1.0, -2.0]), np.array([3.0, 4.0])
    for array in (x, y):
        array.attach_grad()
    with autograd.record():
        total = (np.logaddexp(x, y) + np.fmax(x, y) + np.triu(np.outer(x, y)).sum()).sum()
    total.backward()
    share = numpy.exp([1.0, -2.0]) / (numpy.exp([1.0, -2.0]) + numpy.exp([3.0, 4.0]))
    numpy.testing.assert_allclose(x.grad.asnumpy(), share + 2 * numpy.array([7.0, 4.0]), rtol=1e-5)


def test_arrays_say_where_they_are_and_move() -> None:
    x = np.ones((2, 3), device=mx.cpu())
    assert x.device == mx.current_device() == mx.cpu()
    assert x.to_device(mx.cpu()) is x
    assert x.mT.shape == (3, 2)
    assert npx.num_gpus() == mx.device.num_gpus()


def test_masked_softmax_gives_nothing_to_what_is_hidden() -> None:
    x, mask = np.array([[1.0, 2.0, 3.0]]), np.array([[True, False, True]])
    found = npx.masked_softmax(x, mask).asnumpy()
    shown = numpy.exp([1.0, 3.0]) / numpy.exp([1.0, 3.0]).sum()
    numpy.testing.assert_allclose(found, [[shown[0], 0, shown[1]]], rtol=1e-6)
    assert npx.masked_log_softmax(x, mask).asnumpy()[0, 1] == -numpy.inf


def test_indices_may_repeat_in_index_add() -> None:
    found = npx.index_add(
        np.zeros((3,)), np.array([[0, 2, 0]], dtype="int32"), np.array([1.0, 2.0, 3.0])
    )
    assert found.tolist() == [4.0, 0.0, 2.0]
    found = npx.index_update(
        np.zeros((3,)), np.array([[0, 2]], dtype="int32"), np.array([1.0, 2.0])
    )
    assert found.tolist() == [1.0, 0.0, 2.0]


def test_files_of_numpy_are_written_and_read(tmp_path: Any) -> None:
    file = str(tmp_path / "arrays")
    npx.savez(file, np.ones(2), b=np.zeros((1, 2)))
    with open(file, "rb") as stream:
        assert set(numpy.load(stream)) == {"arr_0", "b"}
    found = npx.load(file)
    assert found["b"].shape == (1, 2)
    assert found["arr_0"].tolist() == [1.0, 1.0]


def test_samples_of_unequal_lengths_are_padded() -> None:
    batchify = gluon.data.batchify
    batch = batchify.Group(batchify.Pad(val=-1, round_to=4), batchify.Stack(), batchify.AsList())
    rows, labels, texts = batch([([1.0, 2.0], 0, "a"), ([3.0], 1, "b")])
    assert rows.tolist() == [[1.0, 2.0, -1.0, -1.0], [3.0, -1.0, -1.0, -1.0]]
    assert labels.tolist() == [0, 1]
    assert texts == ["a", "b"]
    assert [x.shape for x in batchify.Append()([[1.0, 2.0], [3.0]])] == [(1, 2), (1, 1)]


@pytest.mark.parametrize(
    ("metric", "labels", "preds", "value"),
    [
        (gluon.metric.F1(), [0, 1, 1], [[0.3, 0.7], [0.0, 1.0], [0.4, 0.6]], 0.8),
        (gluon.metric.Fbeta(beta=2), [0, 1, 1], [[0.3, 0.7], [0.0, 1.0], [0.4, 0.6]], 10 / 11),
        (gluon.metric.BinaryAccuracy(threshold=0.6), [0, 1, 0], [0.7, 1.0, 0.55], 2 / 3),
        (
            gluon.metric.MeanPairwiseDistance(),
            [[1.0, 2.0], [3.0, 4.0]],
            [[1.0, 2.0], [3.0, 1.0]],
            1.5,
        ),
        (gluon.metric.MeanCosineSimilarity(), [[1.0, 0.0]], [[1.0, 1.0]], 0.5**0.5),
    ],
)
def test_a_metric_measures_what_its_formula_says(
    metric: Any, labels: Any, preds: Any, value: float
) -> None:
    for _ in range(2):
        metric.update([np.array(labels)], [np.array(preds)])
    assert metric.get()[1] == pytest.approx(value)


@pytest.mark.parametrize("name", ["adabelief", "lans", "rmsprop", "adagrad", "adam", "sgd"])
def test_an_optimizer_decreases_a_loss(name: str) -> None:
    weight = gluon.Parameter("weight", shape=(3,), init="ones")
    weight.initialize()
    options = {"rmsprop": {"rho": 0.9}, "adagrad": {"epsilon": 1e-6}}.get(name, {})
    trainer = gluon.Trainer([weight], name, {"learning_rate": 0.05, **options})
    losses = []
    for _ in range(10):
        with autograd.record():
            loss = (weight.data() ** 2).sum()
        loss.backward()
        trainer.step(1)
        losses.append(loss.item())
    assert losses[-1] < 0.9 * losses[0]


def test_an_optimizer_of_a_program_writes_step() -> None:
    class Descends(mx.optimizer.Optimizer):  # type: ignore[misc]
        def create_state(self, index: Any, weight: Any) -> None:
            return None

        def step(self, indices: Any, weights: Any, grads: Any, states: Any) -> None:
            for weight, grad in zip(weights, grads, strict=True):
                weight[:] = weight - self.lr * grad

    weight = gluon.Parameter("weight", shape=(1,), init="ones")
    weight.initialize()
    trainer = gluon.Trainer([weight], Descends(learning_rate=0.5))
    with autograd.record():
        loss = weight.data() * 1.0
    loss.backward()
    trainer.step(1)
    assert weight.data().item() == 0.5


@pytest.mark.parametrize("projected", [None, 2])
def test_the_parts_of_a_recurrent_layers_parameters_fill_the_array(projected: int | None) -> None:
    sizes = {
        "mode": "lstm",
        "num_layers": 2,
        "input_size": 5,
        "hidden_size": 3,
        "bidirectional": True,
    }
    state = projected or 3
    weights = sum(2 * (12 * (n + state) + 3 * (projected or 0)) for n in (5, 2 * state))
    count = weights + 2 * 2 * 2 * 12
    parts = gluon.utils.split_rnn_params(np.arange(count), projection_size=projected, **sizes)
    assert sum(part.size for part in parts.values()) == count
    assert parts["l0_i2h_weight"].shape == (12, 5)
    assert parts["r1_h2h_bias"][-1].item() == count - 1


def adabelief(weight: Any, slopes: list[Any], rate: float, decay: float) -> Any:
    """The weight after steps by Zhuang and others' formulas."""
    mean = deviation = 0.0 * weight
    for t, slope in enumerate(slopes, 1):
        slope = slope + decay * weight
        mean = 0.9 * mean + 0.1 * slope
        deviation = 0.999 * deviation + 0.001 * (slope - mean) ** 2 + 1e-6
        corrected = rate * (1 - 0.999**t) ** 0.5 / (1 - 0.9**t)
        weight = weight - corrected * mean / (deviation**0.5 + 1e-6)
    return weight


def lans(weight: Any, slopes: list[Any], rate: float, decay: float) -> Any:
    """The weight after steps by Zheng and others' formulas."""
    norm = numpy.linalg.norm
    mean = square = 0.0 * weight
    for t, slope in enumerate(slopes, 1):
        slope = slope / norm(slope)
        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope**2
        root = (square / (1 - 0.999**t)) ** 0.5 + 1e-6
        steps = []
        for share, part in ((0.9, mean / (1 - 0.9**t)), (0.1, slope)):
            move = part / root + decay * weight
            steps.append(share * norm(weight) / norm(move) * move)
        weight = weight - rate * sum(steps)
    return weight


@pytest.mark.parametrize("formula", [adabelief, lans])
def test_an_optimizer_of_mxnet_2_follows_its_formula(formula: Any) -> None:
    numbers = numpy.random.RandomState(1)
    start = numbers.randn(300, 40).astype("float32")
    slopes = [numbers.randn(300, 40).astype("float32") for _ in range(4)]
    weight = gluon.Parameter("weight", shape=start.shape)
    weight.initialize()
    weight.set_data(np.array(start))
    trainer = gluon.Trainer([weight], formula.__name__, {"learning_rate": 0.05, "wd": 0.01})
    for slope in slopes:
        with autograd.record():
            loss = (weight.data() * np.array(slope)).sum()
        loss.backward()
        trainer.step(1)
    expected = formula(start.astype("float64"), slopes, 0.05, 0.01)
    numpy.testing.assert_allclose(weight.data().asnumpy(), expected, rtol=1e-4, atol=1e-5)


def test_losses_of_mxnet_2_are_one_number_for_a_sample() -> None:
    x = np.array([[1.0, 2.0], [3.0, 4.0]])
    label = np.array([1.0, -1.0])
    assert gluon.loss.PoissonNLLLoss()(x, x).shape == (2,)
    found = gluon.loss.CosineEmbeddingLoss()(x, x, label)
    numpy.testing.assert_allclose(found.asnumpy(), [0.0, 1.0], atol=1e-6)
    weighted = gluon.loss.TripletLoss()(x, x, x, np.array([0.5, 2.0]))
    assert weighted.tolist() == [0.5, 2.0]
    loss = gluon.loss.L2Loss()
    assert loss.forward(pred=x, label=x + 1, sample_weight=None).tolist() == [0.5, 0.5]


def test_metrics_of_probabilities_take_logits_and_ignore_labels() -> None:
    chances = numpy.array([[0.2, 0.3, 0.5], [0.6, 0.1, 0.3], [0.1, 0.8, 0.1]], "float32")
    labels = np.array([2, 1, 0])
    expected = -(numpy.log(0.5) + numpy.log(0.1)) / 2
    for is_logits in (False, True):
        metric = gluon.metric.create("ce", ignore_label=0, from_logits=is_logits)
        metric.update([labels], [np.array(numpy.log(chances) + 3 if is_logits else chances)])
        assert metric.get()[1] == pytest.approx(expected, rel=1e-5)
    metric = gluon.metric.create("perplexity", ignore_label=0)
    metric.update([labels], [np.array(chances)])
    assert metric.get()[1] == pytest.approx(numpy.exp(expected), rel=1e-5)


@pytest.mark.parametrize("name", ["f1", "mcc", "pearsonr", "ce", "perplexity", ["acc", "f1"]])
def test_a_metric_is_made_again_from_its_configuration(name: Any) -> None:
    metric = gluon.metric.create(name)
    again = gluon.metric.create(json.dumps(metric.get_config()))
    assert again.get_config() == metric.get_config()
    assert type(again) is type(metric)


def test_correlations_count_all_updates_together() -> None:
    numbers = numpy.random.RandomState(1).rand(2, 2, 5).astype("float32")
    metric = gluon.metric.PearsonCorrelation()
    for labels, preds in numbers:
        metric.update([np.array(labels)], [np.array(preds)])
    labels, preds = numbers[:, 0].ravel(), numbers[:, 1].ravel()
    assert metric.get()[1] == pytest.approx(numpy.corrcoef(labels, preds)[0, 1], rel=1e-4)


def test_one_array_is_written_and_read_as_npy(tmp_path: Any) -> None:
    file = str(tmp_path / "array.npy")
    npx.save(file, np.array([[1.5, 2.0]], dtype="float64"))
    assert numpy.load(file).tolist() == [[1.5, 2.0]]
    assert npx.load(file).dtype == "float64"
    with pytest.raises(ValueError, match=r"npx\.savez"):
        npx.save(file, [1.0])


def test_arrays_go_to_safetensors_and_back(tmp_path: Any) -> None:
    pytest.importorskip("safetensors")
    file = tmp_path / "arrays.safetensors"
    mx.safetensors.save_file({"a": np.ones((2, 3)), "b": np.array([1, 2], dtype="int16")}, file)
    found = mx.safetensors.load_file(file)
    assert found["a"].tolist() == [[1.0] * 3] * 2
    assert found["b"].dtype == "int16"


def test_arrays_are_shared_by_dlpack() -> None:
    x = np.array([1.0, 2.0, 3.0])
    shared = npx.from_dlpack(npx.to_dlpack_for_write(x))
    shared[1] = 9.0
    assert x.tolist() == [1.0, 9.0, 3.0]
    assert numpy.from_dlpack(x.asnumpy()).tolist() == [1.0, 9.0, 3.0]
    assert np.from_dlpack(numpy.arange(3.0)).tolist() == [0.0, 1.0, 2.0]


def test_a_net_becomes_onnx(tmp_path: Any) -> None:
    pytest.importorskip("onnx")
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Dense(3, activation="relu", in_units=2), gluon.nn.Dense(1))
    net.initialize()
    net.hybridize()
    x = np.array([[1.0, -2.0]])
    expected = net(x)
    symbol, parameters = net.export(str(tmp_path / "net"))
    file = mx.onnx.export_model(symbol, parameters, [(1, 2)], "float32", str(tmp_path / "net.onnx"))
    symbol, arguments, states = mx.contrib.onnx.import_model(file)
    feed = {**arguments, **states}
    (name,) = [name for name in symbol.list_inputs() if name not in feed]
    (found,) = symbol.eval(**{name: x.as_nd_ndarray(), **feed})
    numpy.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=1e-5)


def test_a_function_in_a_trace_selects_by_arrays_and_takes_numpys_functions() -> None:
    class Picks(gluon.HybridBlock):
        def forward(self, x: Any, i: Any) -> Any:
            return numpy.floor(x[i, i] / 2) + x[[0, 1], [-1, 0]].sum()

    net, x, i = Picks(), np.arange(12.0).reshape(3, 4), np.array([0, 2], dtype="int32")
    eager = net(x, i)
    net.hybridize()
    assert net(x, i).tolist() == eager.tolist() == [7.0, 12.0]


def test_more_methods_and_names() -> None:
    x = np.array([-2.0, 3.0])
    softplus = numpy.log1p(numpy.exp(x.asnumpy()))
    for array in (x, x.as_nd_ndarray()):
        numpy.testing.assert_allclose(
            array.mish().asnumpy(), x.asnumpy() * numpy.tanh(softplus), rtol=1e-5
        )
        numpy.testing.assert_allclose(
            array.log_sigmoid().asnumpy(), x.asnumpy() - softplus, rtol=1e-5
        )
    total = mx.sym.var("a") + mx.sym.var("b")
    assert total.get_inputs().list_outputs() == ["a", "b"]
    assert mx.sym.fromjson(total.tojson()).list_arguments() == ["a", "b"]
    grouped = mx.operator.get_all_registered_operators_grouped()
    assert "_npx_fully_connected" in grouped["FullyConnected"]
    with mx.attribute.AttrScope(mark="1") as scope:
        assert mx.attribute.current() is scope
    with mx.name.Prefix("p_") as manager:
        assert mx.name.current() is manager
    assert mx.nd.numpy.random.laplace(size=2, device=mx.cpu()).shape == (2,)
    with pytest.raises(ValueError, match="2020"):
        x.__array_namespace__("2020.09")
    child = gluon.nn.Dense(2)
    assert child() is child
