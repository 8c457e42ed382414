"""Nets go to ONNX, give the same numbers there, come back, and go out again."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.contrib import onnx as onnx_io
from gluonic.gluon.model_zoo import vision
from tests.onnx.nets import NETS, uniform

onnx = pytest.importorskip("onnx")
from gluonic.onnx.comparison import difference, run_model  # noqa: E402

TOLERANCE = 1e-5
ZOO = ("squeezenet1.0", "mobilenetv2_0.25", "mobilenet0.25", "resnet18_v2", "densenet121")


def flat(outputs: Any) -> list[nd.NDArray]:
    if isinstance(outputs, nd.NDArray):
        return [outputs]
    return [each for output in outputs for each in flat(output)]


def assert_alike(ours: Any, theirs: Any) -> None:
    for one, other in zip(flat(ours), theirs, strict=True):
        assert difference(one.asnumpy(), np.asarray(other)) < TOLERANCE


def feed_of(model: Any, inputs: list[nd.NDArray]) -> dict[str, Any]:
    names = ["data"] if len(inputs) == 1 else [f"data{i}" for i in range(len(inputs))]
    known = {value.name for value in model.graph.input}
    return {n: x.asnumpy() for n, x in zip(names, inputs, strict=True) if n in known}


def both_ways(
    net: gluon.HybridBlock, inputs: list[nd.NDArray], dynamic: Any, folder: Path, **options: Any
) -> Any:
    """Export, run, import, run, export again, run; return the imported block."""
    expected = net(*inputs)
    path = net.export_onnx(
        str(folder / "net.onnx"), *inputs, dynamic_input_shapes=dynamic, **options
    )
    model = onnx.load(path)
    feed = feed_of(model, inputs)
    assert_alike(expected, run_model(model, feed)[0])
    again = onnx_io.import_to_gluon(path, mx.cpu())
    read = [nd.array(feed[value.name]) for value in model.graph.input]
    assert_alike(expected, [x.asnumpy() for x in flat(again(*read))])
    again.hybridize()
    second = again.export_onnx(str(folder / "again.onnx"), *read)
    assert_alike(expected, run_model(onnx.load(second), feed)[0])
    return again


@pytest.mark.parametrize("name", NETS)
def test_a_net_goes_out_and_comes_back(name: str, tmp_path: Path) -> None:
    mx.random.seed(1)
    net, inputs, dynamic = NETS[name]()
    net.initialize(mx.init.Xavier())
    both_ways(net, inputs, dynamic, tmp_path)


@pytest.mark.parametrize("name", ZOO)
def test_nets_of_the_model_zoo_go_out_and_come_back(name: str, tmp_path: Path) -> None:
    mx.random.seed(1)
    net = vision.get_model(name, classes=10)
    net.initialize(mx.init.Xavier())
    image = nd.array(np.random.RandomState(1).uniform(size=(1, 3, 224, 224)).astype(np.float32))
    both_ways(net, [image], [("N", 3, 224, 224)], tmp_path, check=False)


def test_quantized_operators_go_out_and_come_back(tmp_path: Path) -> None:
    x, w = mx.sym.var("x"), mx.sym.var("w")
    limits: dict[str, Any] = {"min_calib_range": -1.0, "max_calib_range": 1.0}
    data, weight = (mx.sym.contrib.quantize_v2(each, **limits) for each in (x, w))
    sums = mx.sym.contrib.quantized_conv(
        data=data[0], min_data=data[1], max_data=data[2],
        weight=weight[0], min_weight=weight[1], max_weight=weight[2],
        kernel=(3, 3), num_filter=2, no_bias=True,
    )  # fmt: skip
    small = mx.sym.contrib.requantize(*sums, **limits)
    symbol = mx.sym.contrib.dequantize(*small)
    inputs = {"x": uniform(2, 3, 6, 6), "w": uniform(2, 3, 3, 3)}
    expected = symbol.bind(mx.cpu(), inputs).forward()[0].asnumpy()
    path = mx.onnx.export_model(
        symbol, {"w": inputs["w"]}, [(2, 3, 6, 6)], onnx_file_path=str(tmp_path / "x.onnx")
    )
    kinds = {node.op_type for node in onnx.load(path).graph.node}
    assert {"QuantizeLinear", "DequantizeLinear"} <= kinds
    assert_alike(nd.array(expected), [onnx_io.import_to_gluon(path)(inputs["x"]).asnumpy()])


@pytest.mark.parametrize("granularity", ["tensor-wise", "channel-wise"])
def test_a_quantized_net_goes_out_and_comes_back(granularity: str, tmp_path: Path) -> None:
    mx.random.seed(1)
    body = gluon.nn.HybridSequential()
    for strides in (1, 2):
        body.add(gluon.nn.Conv2D(8, 3, strides, 1, use_bias=False), gluon.nn.BatchNorm())
        body.add(gluon.nn.Activation("relu"))
    net = gluon.nn.HybridSequential()
    net.add(body, gluon.nn.MaxPool2D(), gluon.nn.Dense(16, "relu"), gluon.nn.Dense(4))
    net.initialize(mx.init.Xavier())
    x = uniform(4, 3, 16, 16)
    net.hybridize()
    net(x)
    batches = gluon.data.DataLoader(gluon.data.ArrayDataset(x), batch_size=4)
    small = mx.contrib.quantization.quantize_net_v2(
        net,
        quantize_mode="full",
        calib_data=batches,
        calib_mode="naive",
        quantize_granularity=granularity,
    )
    path = small.export_onnx(str(tmp_path / "net.onnx"), x, dynamic_input_shapes=[("N", 3, 16, 16)])
    kinds = [node.op_type for node in onnx.load(path).graph.node]
    assert kinds.count("QuantizeLinear") >= 4
    assert_alike(small(x), [onnx_io.import_to_gluon(path)(x).asnumpy()])


@pytest.mark.parametrize("name", ["normal", "uniform"])
def test_random_numbers_are_drawn_in_the_model(name: str, tmp_path: Path) -> None:
    low, high = mx.sym.var("low"), mx.sym.var("high")
    symbol = getattr(mx.sym, f"sample_{name}")(low, high, shape=(1000,))
    path = mx.onnx.export_model(symbol, {}, [(2,), (2,)], onnx_file_path=str(tmp_path / "x"))
    feed = {"low": np.array([0, 10], np.float32), "high": np.array([1, 12], np.float32)}
    (drawn,), _ = run_model(onnx.load(path), feed)
    assert np.shape(drawn) == (2, 1000)
    middle = [0.5, 11] if name == "uniform" else [0, 10]
    assert np.allclose(np.mean(drawn, axis=1), middle, atol=1.5)


def test_an_imported_net_trains_and_draws(tmp_path: Path) -> None:
    net, inputs, dynamic = NETS["forecaster"]()
    net.initialize(mx.init.Xavier())
    again = both_ways(net, inputs, dynamic, tmp_path)
    trainer = gluon.Trainer(again.collect_params(), "sgd", {"learning_rate": 0.05})
    losses = []
    for _ in range(5):
        with autograd.record():
            loss = (again(*inputs) ** 2).mean()
        loss.backward()
        trainer.step(1)
        losses.append(loss.asscalar())
    assert losses[-1] < losses[0]
    assert "RNN" in str(again.plot(*inputs).source)


def test_open_sizes_may_differ_between_calls(tmp_path: Path) -> None:
    net, inputs, dynamic = NETS["bert"]()
    net.initialize(mx.init.Xavier())
    net(*inputs)
    path = net.export_onnx(str(tmp_path / "net.onnx"), *inputs, dynamic_input_shapes=dynamic)
    model, again = onnx.load(path), onnx_io.import_to_gluon(path)
    random = np.random.RandomState(3)
    for batch, length in ((1, 3), (5, 12)):
        words = random.randint(0, 50, (batch, length)).astype(np.float32)
        others = random.randint(0, 2, (batch, length)).astype(np.float32)
        lengths = random.randint(1, length + 1, batch).astype(np.float32)
        arrays = [nd.array(each) for each in (words, others, lengths)]
        expected = net(*arrays)
        assert_alike(expected, run_model(model, feed_of(model, arrays))[0])
        by_name = feed_of(model, arrays)
        read = [nd.array(by_name[value.name]) for value in model.graph.input]
        assert_alike(expected, [x.asnumpy() for x in flat(again(*read))])


@pytest.mark.parametrize("opset", [13, 15, 17, 20, 21])
def test_a_net_is_written_for_each_version_of_the_operators(opset: int, tmp_path: Path) -> None:
    for name in ("bert", "segmenter", "lstm"):
        net, inputs, dynamic = NETS[name]()
        net.initialize(mx.init.Xavier())
        both_ways(net, inputs, dynamic, tmp_path, opset_version=opset)
        assert onnx.load(str(tmp_path / "net.onnx")).opset_import[0].version == opset
