"""Automatic mixed precision."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.contrib import amp
from gluonic.contrib.amp import loss_scaler, switching
from gluonic.graph.operator import REGISTRY
from tests.measured import precisions, reductions
from tests.measured.measure import agrees, found, numbers, read

PRECISIONS, REDUCTIONS = read("precisions"), read("reductions")


@pytest.fixture
def _float16() -> Iterator[None]:
    amp.init()
    yield
    switching.end()


def test_the_lists_put_operators_where_those_of_mxnet_do() -> None:
    for dtype in ("fp16", "bf16"):
        ours, theirs = precisions.lists(mx, dtype), PRECISIONS[dtype]
        assert ours.keys() == theirs.keys()
        listed = (
            [name for name in theirs if isinstance(theirs[name][0:1] or None, list)] if 0 else []
        )
        for name, measured in theirs.items():
            if isinstance(measured, list) and isinstance(measured[0], str):
                # MXNet lists these apart from the operators of which they are further names here.
                others = {"_add", "_grad_add", "Convolution_v1"}
                known = {one for one in measured if one in REGISTRY} - others
                assert known <= set(ours[name]), name
                listed.append(name)
            else:
                assert numbers(ours[name]) == measured, name
        assert len(listed) == 5


@pytest.mark.parametrize("case", reductions.CASES)
def test_casts_are_put_where_mxnet_puts_them(case: str) -> None:
    assert found(mx, lambda: reductions.summary(mx, case)) == REDUCTIONS[case]


def test_the_scale_of_a_loss_follows_overflows_as_in_mxnet() -> None:
    assert agrees(numbers(precisions.scales(mx)), PRECISIONS["scales"])


# Conversion


def images(count: int = 2) -> nd.NDArray:
    return nd.array(np.random.default_rng(0).normal(size=(count, 3, 8, 8)))


def convolutions() -> gluon.nn.HybridSequential:
    net = gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(
            gluon.nn.Conv2D(4, 3, activation="relu"),
            gluon.nn.BatchNorm(),
            gluon.nn.Conv2D(4, 1),
            gluon.nn.GlobalAvgPool2D(),
            gluon.nn.Dense(5),
        )
    mx.random.seed(1)
    net.initialize(mx.init.Xavier())
    return net


@pytest.mark.parametrize("casts", [False, True])
def test_a_converted_block_computes_nearly_the_same(casts: bool) -> None:
    net, x = convolutions(), images()
    net.hybridize()
    expected = net(x).asnumpy()
    converted = amp.convert_hybrid_block(net, cast_optional_params=casts)
    found = converted(x)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=2e-2, atol=2e-3)
    assert (found.asnumpy() != expected).any()
    dtypes = {p.name: np.dtype(p.dtype).name for p in converted.collect_params().values()}
    assert dtypes["net_conv0_weight"] == ("float16" if casts else "float32")
    assert dtypes["net_batchnorm0_gamma"] == "float32"
    assert np.dtype(net[0].weight.dtype) == np.float32


def test_a_converted_model_runs_in_a_module() -> None:
    net, x = convolutions(), images()
    symbol = net(mx.sym.var("data"))
    net(x)
    values = {name: p.data() for name, p in net.collect_params().items()}
    states = {name: values.pop(name) for name in symbol.list_auxiliary_states()}
    converted, arguments, kept = amp.convert_model(
        symbol, values, states, cast_optional_params=True
    )
    assert arguments["net_conv0_weight"].dtype == np.float16
    assert values["net_conv0_weight"].dtype == np.float32
    assert kept.keys() == states.keys()
    module = mx.mod.Module(converted, label_names=None)
    module.bind([("data", x.shape)], for_training=False)
    module.set_params(arguments, kept)
    module.forward(mx.io.DataBatch([x]))
    np.testing.assert_allclose(
        module.get_outputs()[0].asnumpy(), net(x).asnumpy(), rtol=2e-2, atol=2e-3
    )


def test_conversion_leaves_the_symbol_alone() -> None:
    symbol = convolutions()(mx.sym.var("data"))
    before = symbol.tojson()
    converted = amp.convert_symbol(symbol, data_names=["data"], cast_optional_params=True)
    assert symbol.tojson() == before
    assert "amp_cast" not in converted.tojson()
    assert "amp_cast" in converted.tojson(remove_amp_cast=False)


def test_a_converted_block_is_exported_with_and_without_casts(tmp_path: Any) -> None:
    net, x = convolutions(), images()
    net.hybridize()
    net(x)
    converted = amp.convert_hybrid_block(net)
    expected = converted(x).asnumpy()
    files = converted.export(str(tmp_path / "net"), remove_amp_cast=False)
    again = gluon.SymbolBlock.imports(files[0], ["data"], files[1])
    np.testing.assert_array_equal(again(x).asnumpy(), expected)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"fp32_ops": ["Convolution"]}, "Convolution is in target_dtype_ops and in fp32_ops"),
        ({"fp32_ops": ["elemwise_add"]}, "the precision of elemwise_add cannot be chosen"),
        ({"target_dtype_ops": ["Activation"]}, "Activation is in target_dtype_ops and in cond"),
        ({"target_dtype_ops": "Convolution"}, "target_dtype_ops must be a list"),
        ({"target_dtype": "float64"}, "must be float16 or bfloat16, not float64"),
    ],
)
def test_conversions_that_make_no_sense_are_refused(settings: Any, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        amp.convert_symbol(mx.sym.var("x") + 1, **settings)


def test_only_models_are_converted() -> None:
    with pytest.raises(AssertionError, match="takes a Symbol"):
        amp.convert_symbol(nd.ones(2))  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match="takes a HybridBlock"):
        amp.convert_hybrid_block(gluon.nn.Sequential())  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="no graph yet"):
        amp.convert_hybrid_block(convolutions())
    with pytest.raises(AssertionError, match="arg_params must be a dictionary"):
        amp.convert_model(mx.sym.var("x"), [], {})  # type: ignore[arg-type]


@pytest.mark.parametrize("dtype", ["bfloat16", np.dtype([("bfloat16", np.uint16)])])
def test_bfloat16_has_lists_of_its_own(dtype: Any) -> None:
    assert amp.list_lp16_ops(dtype) != amp.list_lp16_ops("float16")
    pytest.importorskip("ml_dtypes")
    product = mx.sym.FullyConnected(mx.sym.var("x"), num_hidden=2, name="product")
    casts = [n for n in amp.convert_symbol(product, dtype).attr_dict().values() if "dtype" in n]
    assert {cast["dtype"] for cast in casts} == {"bfloat16", "float32"}


# Calls


LOW, FULL = np.float16, np.float32


def of(dtype: Any, *shape: int) -> nd.NDArray:
    made: nd.NDArray = nd.ones(shape or (2, 2), dtype=dtype)
    return made


CALLS: dict[str, Any] = {
    "product": (lambda: nd.FullyConnected(of(FULL), of(FULL), num_hidden=2, no_bias=True), LOW),
    "product by keywords": (
        lambda: nd.FullyConnected(data=of(FULL), weight=of(LOW), num_hidden=2, no_bias=True), LOW
    ),
    "exponential": (lambda: nd.exp(of(LOW)), FULL),
    "method": (lambda: of(LOW).sum(), FULL),
    "power": (lambda: of(LOW) ** 2, FULL),
    "reciprocal": (lambda: 1 / of(LOW), FULL),
    "sum of one": (lambda: of(LOW) + of(LOW), LOW),
    "sum of both": (lambda: of(LOW) + of(FULL), FULL),
    "difference of both": (lambda: of(FULL) - of(LOW), FULL),
    "dot of both": (lambda: nd.dot(of(LOW), of(FULL)), FULL),
    "concat": (lambda: nd.concat(of(LOW), of(FULL), dim=0), FULL),
    "wide": (lambda: of("float64") + of("float64"), np.float64),
    "integers": (lambda: of("int32") + of("int32"), np.int32),
    "number": (lambda: of(LOW) + 1, LOW),
    "either": (lambda: nd.Activation(of(LOW), act_type="relu"), LOW),
    "condition": (lambda: nd.Activation(of(LOW), act_type="softrelu"), FULL),
    "activation": (lambda: nd.LeakyReLU(of(LOW), act_type="leaky"), LOW),
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.usefixtures("_float16")
def test_inputs_are_cast_according_to_the_lists(call: str) -> None:
    function, dtype = CALLS[call]
    assert function().dtype == dtype


@pytest.mark.parametrize(
    "call", ["product", "exponential", "method", "power", "reciprocal", "condition"]
)
def test_nothing_is_cast_once_mixed_precision_has_ended(call: str) -> None:
    function, _ = CALLS[call]
    before = function().dtype
    amp.init()
    assert function().dtype != before
    switching.end()
    assert function().dtype == before


@pytest.mark.usefixtures("_float16")
def test_symbols_have_the_casts_of_calls() -> None:
    x = mx.sym.var("x")
    dense = mx.sym.FullyConnected(x, num_hidden=3, name="fc")
    both = mx.sym.broadcast_add(dense, mx.sym.exp(dense), name="both")
    _, outputs, _ = both.infer_type(x="float32", fc_weight="float32", fc_bias="float32")
    assert outputs == [np.float32]
    names = both.get_internals().list_outputs()
    assert [name for name in names if "amp" in name] == [
        "amp_cast0_output", "amp_cast1_output", "amp_cast2_output", "amp_cast3_output",
        "amp_multicast0_output0", "amp_multicast0_output1",
    ]  # fmt: skip


@pytest.mark.usefixtures("_float16")
def test_eager_and_hybridized_nets_are_cast_alike() -> None:
    net, x = convolutions(), images()
    eager = net(x)
    net.hybridize()
    compiled = net(x)
    assert eager.dtype == compiled.dtype == np.float16
    np.testing.assert_allclose(eager.asnumpy(), compiled.asnumpy(), rtol=2e-3, atol=2e-3)


@pytest.mark.usefixtures("_float16")
def test_the_gradients_of_parameters_are_float32() -> None:
    net, x = convolutions(), images()
    with autograd.record():
        loss = net(x).sum()
    loss.backward()
    for parameter in net.collect_params().values():
        if parameter.grad_req != "null":
            assert parameter.grad().dtype == np.float32


@pytest.mark.usefixtures("_float16")
def test_a_second_call_has_no_effect() -> None:
    amp.init(target_precision_ops=["exp"], fp32_ops=[])
    assert nd.exp(of(FULL)).dtype == FULL


def test_operators_can_be_chosen() -> None:
    amp.init(target_precision_ops=["dot"], fp32_ops=["relu"], conditional_fp32_ops=[])
    try:
        assert nd.exp(of(LOW)).dtype == LOW
        assert nd.relu(of(LOW)).dtype == FULL
    finally:
        switching.end()
    with pytest.raises(AttributeError, match="there is no operator 'convolve'"):
        amp.init(target_precision_ops=["convolve"])
    assert not amp._amp_initialized


# Training


@pytest.mark.parametrize("hybridize", [False, True], ids=["eager", "hybrid"])
@pytest.mark.usefixtures("_float16")
def test_training_with_a_scaled_loss_is_training(hybridize: bool) -> None:
    x, labels = images(8), nd.array([0, 1, 2, 3, 4, 0, 1, 2])
    net, loss = convolutions(), gluon.loss.SoftmaxCrossEntropyLoss()
    if hybridize:
        net.hybridize()
    net(x)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02})
    amp.init_trainer(trainer)
    losses = []
    for _ in range(30):
        with autograd.record():
            found = loss(net(x), labels)
            with amp.scale_loss(found, trainer) as scaled:
                autograd.backward(scaled)
        trainer.step(8)
        losses.append(found.mean().asscalar())
    assert losses[-1] < losses[0] / 2
    assert np.isfinite(losses).all()


def trained(scale: bool, unscale: bool = False) -> Any:
    net = gluon.nn.Dense(2, in_units=3, weight_initializer="ones")
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    x = nd.array([[1, 2, 3], [4, 5, 6]]) / 8
    if scale:
        amp.init_trainer(trainer)
    for _ in range(3):
        with autograd.record():
            loss = (net(x) ** 2).sum()
            if scale:
                with amp.scale_loss([loss], trainer) as (scaled,):
                    scaled.backward()
        if not scale:
            loss.backward()
        elif unscale:
            amp.unscale(trainer)
        trainer.step(2)
    return net.weight.data().asnumpy()


@pytest.mark.parametrize("unscale", [False, True])
def test_a_scaled_loss_trains_as_one_that_is_not(unscale: bool) -> None:
    amp.init(target_precision_ops=[], fp32_ops=[], conditional_fp32_ops=[])
    try:
        np.testing.assert_allclose(trained(True, unscale), trained(False), rtol=1e-5)
    finally:
        switching.end()


@pytest.mark.usefixtures("_float16")
def test_a_step_whose_gradients_overflow_is_left_out() -> None:
    net = gluon.nn.Dense(2, in_units=3, weight_initializer="ones")
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "sgd")
    amp.init_trainer(trainer)
    scale = trainer._amp_loss_scaler.loss_scale
    for _ in range(2):
        with autograd.record():
            loss = net(nd.ones((1, 3))).sum()
            with amp.scale_loss(loss * 1000, trainer) as scaled:
                scaled.backward()
        trainer.step(1)
    assert (net.weight.data().asnumpy() == 1).all()
    assert trainer._amp_loss_scaler.loss_scale == scale / 2


@pytest.mark.usefixtures("_float16")
def test_the_gradient_of_an_output_layer_is_scaled(caplog: pytest.LogCaptureFixture) -> None:
    x = nd.array([[1.0, 2.0]])
    x.attach_grad()
    with autograd.record():
        out = nd.SoftmaxOutput(x, nd.array([0]))
    out.backward()
    p = out.asnumpy()
    np.testing.assert_allclose(x.grad.asnumpy(), 2**16 * (p - [[1, 0]]), rtol=1e-5)
    mx.sym.SoftmaxOutput(mx.sym.var("x"))
    assert "is not scaled dynamically" in caplog.text


@pytest.mark.usefixtures("_float16")
def test_each_trainer_has_a_scale_of_its_own() -> None:
    net = gluon.nn.Dense(1, in_units=1)
    net.initialize()
    trainers = [gluon.Trainer(net.collect_params(), "sgd") for _ in range(2)]
    for trainer in trainers:
        amp.init_trainer(trainer)
    first, second = (trainer._amp_loss_scaler for trainer in trainers)
    assert first is not second
    assert isinstance(first, loss_scaler.LossScaler)


def test_functions_called_before_init_raise_an_error_that_names_it() -> None:
    net = gluon.nn.Dense(1, in_units=1)
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "sgd")
    assert not amp._amp_initialized
    with pytest.raises(AssertionError, match=r"call amp.init\(\) first"):
        amp.init_trainer(trainer)
    with (
        pytest.raises(AssertionError, match="has no loss scaler"),
        amp.scale_loss(nd.ones(1), trainer),
    ):
        pass
    with pytest.raises(TypeError, match=r"takes a gluon\.Trainer, not a SGD"):
        amp.unscale(mx.optimizer.SGD())


def test_a_converted_module_of_buckets_computes_nearly_the_same() -> None:
    def network(length: int) -> Any:
        words = mx.sym.Embedding(mx.sym.var("data"), input_dim=9, output_dim=4, name="words")
        hidden = mx.sym.FullyConnected(mx.sym.mean(words, axis=1), num_hidden=8, name="hidden")
        return mx.sym.FullyConnected(mx.sym.tanh(hidden), num_hidden=3, name="out"), ("data",), None

    def batch(length: int) -> mx.io.DataBatch:
        words = nd.array(np.arange(2 * length).reshape(2, length) % 9)
        shapes = [("data", (2, length))]
        return mx.io.DataBatch([words], bucket_key=length, provide_data=shapes)

    module = mx.mod.BucketingModule(network, default_bucket_key=7)
    with pytest.raises(AssertionError, match="a BucketingModule with parameters"):
        amp.convert_bucketing_module(module)
    module.bind([("data", (2, 7))], for_training=False)
    module.init_params(mx.init.Uniform(1))
    expected = {}
    for length in (7, 4):
        module.forward(batch(length), is_train=False)
        expected[length] = module.get_outputs()[0].asnumpy()
    converted = amp.convert_bucketing_module(module)
    converted.bind([("data", (2, 7))], for_training=False)
    for length, before in expected.items():
        converted.forward(batch(length), is_train=False)
        assert "amp_cast" in converted.symbol.tojson(remove_amp_cast=False)
        found = converted.get_outputs()[0].asnumpy()
        np.testing.assert_allclose(found, before, rtol=1e-2, atol=2e-3)
        assert (found != before).any()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_batch_normalization_of_16_bits_keeps_float32_statistics(dtype: str) -> None:
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes")
    net, x = gluon.nn.BatchNorm(in_channels=3), nd.arange(12).reshape((4, 3))
    net.initialize()
    net.cast(dtype)
    with autograd.record():
        y = net(x.astype(dtype))
    assert nd.zeros((1,), dtype=dtype).dtype == y.dtype
    assert {p.dtype for p in net.collect_params().values()} <= {"float32", np.float32}
    np.testing.assert_allclose(
        y.astype("float32").asnumpy()[:, 0], [-1.34, -0.45, 0.45, 1.34], atol=0.01
    )
