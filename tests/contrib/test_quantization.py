"""Nets of small integers: MXNet's graphs, parameters and ranges, and results near those of float32."""

import json
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gluonic as mx
from gluonic import gluon, nd, sym
from gluonic.contrib import quantization
from gluonic.gluon import nn
from gluonic.graph.errors import MXNetError
from gluonic.io import NDArrayIter
from tests.measured import quantized_graphs
from tests.measured.measure import agrees, found, read

MEASURED = read("quantized_graphs")


@pytest.mark.filterwarnings("ignore:uint8 makes 0 of the negative numbers")
@pytest.mark.parametrize(("net", "option"), quantized_graphs.CASES)
def test_a_quantized_graph_is_that_of_mxnet(net: str, option: str) -> None:
    ours = found(mx, lambda: quantized_graphs.run(mx, net, option))
    for part, measured in MEASURED[f"{net} {option}"].items():
        assert agrees(ours[part], measured), part


def _random(*shape: int, seed: int = 0) -> Any:
    return np.random.RandomState(sum(shape) + seed).uniform(-1, 1, shape).astype(np.float32)


def _distance(one: Any, other: Any) -> float:
    """The greatest difference, where the greatest number is 1."""
    return float(np.abs(one - other).max() / np.abs(other).max())


def _symbol() -> tuple[Any, dict[str, Any], dict[str, Any]]:
    net = sym.Convolution(sym.var("data"), kernel=(3, 3), num_filter=4, name="conv")
    net = sym.BatchNorm(net, fix_gamma=False, name="norm")
    net = sym.Activation(net, act_type="relu", name="relu")
    net = sym.FullyConnected(net, num_hidden=5, name="fc")
    shapes, _, _ = net.infer_shape(data=(1, 3, 8, 8))
    names = net.list_arguments()
    args = {n: nd.array(_random(*s)) for n, s in zip(names, shapes, strict=True) if n != "data"}  # type: ignore[arg-type]
    aux = {"norm_moving_mean": nd.array(_random(4)), "norm_moving_var": nd.array(_random(4) + 1.5)}
    return net, args, aux


def _run(net: Any, data: Any, args: dict[str, Any], aux: dict[str, Any]) -> Any:
    executor = net.bind(mx.cpu(), {"data": nd.array(data), **args}, aux_states=aux)
    return executor.forward()[0].asnumpy()


@pytest.mark.parametrize(
    ("mode", "dtype"),
    [("none", "int8"), ("naive", "int8"), ("naive", "auto"), ("entropy", "auto")],
)
@pytest.mark.parametrize("make", [quantization.quantize_model, quantization.quantize_model_mkldnn])
def test_a_quantized_model_is_near_the_model(make: Any, mode: str, dtype: str) -> None:
    net, args, aux = _symbol()
    data = _random(8, 3, 8, 8)
    expected = _run(net, data, args, aux)
    quantized, params, states = make(
        net,
        args,
        aux,
        calib_mode=mode,
        calib_data=NDArrayIter(data, batch_size=4),
        quantized_dtype=dtype,
        quantize_mode="full",
    )
    assert {value.dtype for value in params.values()} >= {np.dtype("int8").type}
    result = _run(quantized, data, params, states)
    assert _distance(result, expected) < 0.05


def _operators(symbol: Any) -> list[str]:
    return [node["op"] for node in json.loads(symbol.tojson())["nodes"] if node["op"] != "null"]


def test_a_normalization_is_fused_into_the_layer_before_it() -> None:
    net, args, aux = _symbol()
    quantized, params, states = quantization.quantize_model_mkldnn(
        net, args, aux, calib_mode="none"
    )
    assert _operators(quantized)[:2] == ["_contrib_quantize_v2", "_sg_mkldnn_conv"]
    assert "BatchNorm" not in _operators(quantized)
    assert states.keys() == aux.keys()
    assert "conv_weight" in params
    assert "fc_weight_quantize" in params


class _Residual(nn.HybridBlock):
    """Convolutions beside one another, with and without normalization, groups and biases."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.first = nn.Conv2D(8, 3, padding=1, use_bias=False)
            self.norm = nn.BatchNorm()
            self.second = nn.Conv2D(8, 3, padding=1, groups=4)
            self.third = nn.BatchNorm(scale=False)
            self.pool = nn.GlobalAvgPool2D()
            self.head = nn.Dense(5)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        left = F.relu(self.norm(self.first(x)))
        right = self.second(left)
        total = F.Activation(self.third(right + left), act_type="relu")
        return self.head(self.pool(F.concat(total, left, dim=1)))


def _net() -> Any:
    mx.random.seed(3)  # the error of rounding depends on the weights
    net = _Residual()
    net.initialize(mx.init.Xavier(), force_reinit=True)
    net(nd.array(_random(1, 3, 8, 8)))
    for seed, (name, param) in enumerate(sorted(net.collect_params().items())):
        if name.endswith(("gamma", "running_var")):
            param.set_data(nd.array(_random(len(param.data()), seed=seed) + 1.5))
        elif name.endswith(("beta", "running_mean", "bias")):
            param.set_data(nd.array(_random(len(param.data()), seed=seed)))
    return net


@pytest.mark.parametrize("mode", ["none", "naive"])
def test_a_quantized_net_is_near_the_net(mode: str) -> None:
    net, data = _net(), nd.array(_random(4, 3, 8, 8))
    expected = net(data).asnumpy()
    loader = gluon.data.DataLoader(gluon.data.ArrayDataset(data, nd.zeros(4)), batch_size=2)
    made = quantization.quantize_net_v2(net, calib_data=loader, calib_mode=mode)
    assert isinstance(made, gluon.SymbolBlock)
    assert _distance(made(data).asnumpy(), expected) < 0.05
    made.hybridize()
    assert _distance(made(data).asnumpy(), expected) < 0.05
    assert np.allclose(net(data).asnumpy(), expected)


def test_a_quantized_net_is_saved_and_loaded(tmp_path: Any) -> None:
    net, data = _net(), nd.array(_random(2, 3, 8, 8))
    made = quantization.quantize_net_v2(net, data_shapes=[("data", data.shape)])
    expected = made(data).asnumpy()
    made.hybridize()
    made(data)
    made.export(str(tmp_path / "net"))
    files = [str(tmp_path / name) for name in ("net-symbol.json", "net-0000.params")]
    again = gluon.SymbolBlock.imports(files[0], ["data"], files[1])
    assert np.array_equal(again(data).asnumpy(), expected)


def test_layers_stay_float32_where_that_is_asked_for(tmp_path: Any) -> None:
    net, data = _net(), nd.array(_random(2, 3, 8, 8))
    made = quantization.quantize_net_v2(
        net,
        data_shapes=[("data", data.shape)],
        exclude_layers=[net.head.name + "_fwd"],
        exclude_layers_match=["conv1"],
        exclude_operators=["Pooling"],
    )
    made.hybridize()
    assert _distance(made(data).asnumpy(), net(data).asnumpy()) < 0.05
    made.export(str(tmp_path / "net"))
    nodes = json.loads((tmp_path / "net-symbol.json").read_text())["nodes"]
    layers = [node for node in nodes if node["op"].startswith("_sg_mkldnn")]
    states = {
        "_".join(inner["name"].split("_")[-2:]): "quantized" in layer.get("attrs", {})
        for layer in layers
        for inner in layer["subgraphs"][0]["nodes"]
        if inner["op"] in ("Convolution", "FullyConnected")
    }
    assert states == {"conv0_fwd": True, "conv1_fwd": False, "dense0_fwd": False}
    assert "Pooling" in [node["op"] for node in nodes]


def test_user_defined_ranges_are_used() -> None:
    class Fixed:
        min_max_dict: dict[str, tuple[float, float]] = {}

        def collect(self, name: str, arr: nd.NDArray) -> None:
            self.min_max_dict[name] = (-4.0, 4.0)

    net, args, _ = _symbol()
    net = net.get_internals()["conv_output"]
    args = {name: args[name] for name in ("conv_weight", "conv_bias")}
    made, _, _, collector = quantization.quantize_graph(
        net, args, {}, calib_mode="customize", LayerOutputCollector=Fixed()
    )
    assert collector is not None
    collector.collect("data", nd.ones(1))
    made, _, _ = quantization.calib_graph(made, args, {}, collector, "customize")
    attributes = made.attr_dict()
    assert attributes["data_quantize"]["min_calib_range"] == "-4.000000"
    assert "min_calib_range" not in attributes["requantize_conv"]


@settings(max_examples=20, deadline=None)
@given(st.lists(st.floats(0.1, 20), min_size=1, max_size=5))
def test_histograms_hold_all_numbers(sizes: list[float]) -> None:
    collector = quantization._LayerHistogramCollector(num_bins=101, include_layer=["a"])
    values = [_random(50, seed=i) * np.float32(size) for i, size in enumerate(sizes)]
    for value in values:
        collector.collect("a", nd.array(value))
    counts, edges, low, high, end = collector.hist_dict["a"]
    everything = np.concatenate(values)
    assert counts.sum() == everything.size
    assert (low, high) == (everything.min(), everything.max())
    assert len(edges) == len(counts) + 1
    assert edges[-1] == pytest.approx(end)
    assert end >= np.abs(everything).max() * (1 - 1e-6)


def test_the_range_of_an_even_distribution_is_its_ends() -> None:
    values = np.linspace(-10, 11, 20001)
    counts, edges = np.histogram(values, 2001, (-11, 11))
    data = (counts, edges, -10.0, 11.0, 11.0)
    threshold = quantization._get_optimal_threshold(data, "int8")[2]
    assert threshold.item() == pytest.approx(11, rel=0.01)


def test_a_few_numbers_far_away_are_cut_off() -> None:
    values = np.append(np.random.RandomState(0).randn(100000), [60.0, -55.0])
    counts, edges = np.histogram(values, 4001, (-60, 60))
    threshold = quantization._get_optimal_threshold((counts, edges, -55.0, 60.0, 60.0), "int8")[2]
    assert 3 < threshold.item() < 20


def test_a_distribution_of_nothing_cannot_be_smoothed() -> None:
    with pytest.raises(ValueError, match="0 of 2 numbers other than zero"):
        quantization._smooth_distribution(np.zeros(2), eps=1e-3)
    smooth = quantization._smooth_distribution(np.array([0, 0, 1, 0, 0]), eps=1e-3)
    assert np.allclose(smooth, [0.001, 0.001, 0.996, 0.001, 0.001])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"quantized_dtype": "int4"}, "quantized_dtype must be one of .*'int4'"),
        ({"quantize_mode": "fully"}, "did you mean 'full'"),
        ({"calib_mode": "naiv"}, "did you mean 'naive'"),
        ({"excluded_sym_names": "conv"}, "excluded_sym_names must be a list of names, not str"),
        ({"calib_mode": "naive"}, "calib_mode='naive' needs calib_data="),
        ({"calib_mode": "naive", "calib_data": [1]}, "calib_data must be a DataIter, not list"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], message: str) -> None:
    net, args, aux = _symbol()
    with pytest.raises(MXNetError, match=message):
        quantization.quantize_model(net, args, aux, **options)


def test_the_older_function_names_the_newer_one() -> None:
    with pytest.warns(UserWarning, match="quantize_net is deprecated: use quantize_net_v2"):
        quantization.quantize_net(_net(), data_shapes=[("data", (1, 3, 8, 8))])
    with pytest.raises(MXNetError, match="needs data_shapes= or calib_data="):
        quantization.quantize_net_v2(_net())


def test_the_module_has_two_names() -> None:
    assert mx.contrib.quant is mx.contrib.quantization


class _Narrow:
    """Finds ranges; those of some layers are too narrow."""

    def __init__(self, layers: str) -> None:
        self.layers = layers
        self.min_max_dict: dict[str, tuple[float, float]] = {}

    def collect(self, name: str, array: nd.NDArray) -> None:
        largest = float(array.abs().max().asscalar()) * (0.2 if self.layers in name else 1)
        self.min_max_dict[name] = (-largest, largest)


@pytest.mark.parametrize("end", [None, "relu"])
def test_the_outputs_of_a_net_are_not_clipped(end: str | None) -> None:
    mx.random.seed(1)
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(16, activation="relu", in_units=12), nn.Dense(2, end, in_units=16))
    net.initialize(mx.init.Xavier())
    data = nd.random.uniform(-1, 1, (8, 12))
    errors = {}
    for narrow in ("none", "_0_output", "_1_output"):
        quantized = quantization.quantize_net_v2(
            net,
            calib_mode="customize",
            calib_data=mx.io.NDArrayIter(data, batch_size=8),
            LayerOutputCollector=_Narrow(narrow),
        )
        expected, actual = (one(data).asnumpy() for one in (net, quantized))
        errors[narrow] = float(np.abs(actual - expected).max() / np.abs(expected).max())
    assert errors["none"] == errors["_1_output"] < 0.05  # whose output is the net's
    assert errors["_0_output"] > 0.2


@pytest.mark.parametrize("dtype", ["auto", "int8", "uint8"])
def test_products_of_rectified_layers_can_be_computed(dtype: str) -> None:
    class Net(gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.value, self.gate = (nn.Dense(8, "relu", in_units=8) for _ in range(2))

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return self.value(x) * self.gate(x)

    mx.random.seed(1)
    net = Net()
    net.initialize(mx.init.Xavier())
    data = nd.random.uniform(0, 1, (16, 8))
    quantized = quantization.quantize_net_v2(net, dtype, data_shapes=[("data", (16, 8))])
    expected, actual = (one(data).asnumpy() for one in (net, quantized))
    assert np.abs(actual - expected).max() < 0.1 * np.abs(expected).max()


@pytest.mark.parametrize("mode", ["naive", "entropy"])
@pytest.mark.parametrize("low", [-1, 0])
def test_negative_numbers_in_uint8_are_warned_of(mode: str, low: int) -> None:
    """MXNet fails when such a net is called."""
    net = nn.Dense(4, in_units=8)
    net.initialize()
    data = mx.io.NDArrayIter(nd.random.uniform(low, 1, (16, 8)), batch_size=8)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        quantization.quantize_net_v2(net, "uint8", calib_mode=mode, calib_data=data)
    texts = [str(one.message) for one in caught if "uint8 makes 0" in str(one.message)]
    assert len(texts) == (low < 0)
    assert all("data (down to -" in text and "'auto'" in text for text in texts)
    assert all(one.filename == __file__ for one in caught if str(one.message) in texts)
