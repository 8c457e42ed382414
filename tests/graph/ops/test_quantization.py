"""Small integers stand for floating-point numbers as in MXNet, and layers compute with them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gluonic as mx
from gluonic import nd, sym
from gluonic.graph.errors import MXNetError
from tests.measured import quantized_operators
from tests.measured.measure import agrees, numbers, read

MEASURED = read("quantized_operators")
contrib: Any = nd.contrib


@pytest.mark.parametrize("case", [*quantized_operators.CASES, *quantized_operators.SUMS_ONLY])
def test_an_operator_on_small_integers_is_that_of_mxnet(case: str) -> None:
    found = numbers(quantized_operators.run(mx, case))
    assert agrees(found, MEASURED[case], 1e-4 if "threshold" in case else 1e-6), case


def _random(shape: Sequence[int], seed: int) -> Any:
    return np.random.RandomState(seed).uniform(-2, 3, shape).astype(np.float32)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(["int8", "uint8"]), st.integers(0, 1000), st.floats(0.01, 100))
def test_quantized_numbers_are_half_a_level_away_at_most(kind: str, seed: int, size: float) -> None:
    data = _random((5, 7), seed) * np.float32(size)
    if kind == "uint8":
        data = np.abs(data)
    found = contrib.dequantize(*contrib.quantize_v2(nd.array(data), out_type=kind)).asnumpy()
    level = np.abs(data).max() / (127.5 if kind == "int8" else 255.5)
    assert np.abs(found - data).max() <= 0.501 * level


@pytest.mark.parametrize("kind", ["int8", "uint8"])
@pytest.mark.parametrize("op", ["conv", "fully_connected"])
def test_a_quantized_layer_is_near_the_layer(op: str, kind: str) -> None:
    data = np.abs(_random((2, 3, 6, 5), 0)) if kind == "uint8" else _random((2, 3, 6, 5), 0)
    plain: Any
    if op == "conv":
        attributes: dict[str, Any] = {"kernel": (3, 2), "num_filter": 4}
        plain, shape = nd.Convolution, [4, 3, 3, 2]
    else:
        plain, shape, attributes = nd.FullyConnected, [4, 90], {"num_hidden": 4}
    weight, bias = _random(shape, 1), _random((4,), 2) * 5
    arrays = [nd.array(a) for a in (data, weight, bias)]
    kinds = [kind, "int8", "int8"]
    small = [contrib.quantize_v2(a, out_type=k) for a, k in zip(arrays, kinds, strict=True)]
    inputs = [s[0] for s in small] + [end for s in small for end in s[1:]]
    wide = getattr(contrib, f"quantized_{op}")(*inputs, **attributes)
    found = contrib.dequantize(*contrib.requantize(*wide)).asnumpy()
    expected = plain(*arrays, **attributes).asnumpy()
    assert np.abs(found - expected).max() < 0.02 * np.abs(expected).max()


def test_sums_of_many_products_are_exact() -> None:
    data = nd.full((1, 60000), 255, dtype="uint8")
    weight = nd.full((1, 60000), 127, dtype="int8")
    ends = [nd.array([-1.0]), nd.array([1.0])]
    output, *_ = contrib.quantized_fully_connected(
        data, weight, *ends, *ends, num_hidden=1, no_bias=True
    )
    assert output.asscalar() == 60000 * 255 * 127


def test_unlike_small_integers_add_up_to_what_they_stand_for() -> None:
    first = nd.array([[-127, 0, 100]], dtype="int8")
    second = nd.array([[0, 10, 255]], dtype="uint8")
    ranges = [nd.array([x]) for x in (-1.0, 1.0, 0.0, 3.0)]
    found = contrib.quantized_elemwise_add(first, second, *ranges)
    values = found[0].asnumpy() * found[2].asscalar() / 2.0**31
    assert np.allclose(values, [[-127 / 127.5, 30 / 255.5, 100 / 127.5 + 765 / 255.5]], atol=1e-5)


def test_a_rectifier_keeps_naturals() -> None:
    data = nd.array([0, 1, 128, 255], dtype="uint8")
    found = contrib.quantized_act(data, nd.array([0.0]), nd.array([1.0]), act_type="relu")[0]
    assert found.dtype == np.uint8
    assert found.asnumpy().tolist() == [0, 1, 128, 255]


def test_products_of_small_integers() -> None:
    values = nd.array([-127, -64, 0, 1, 64, 127], dtype="int8")
    ranges = [nd.array([x]) for x in (-2.5, 3.0, -1.0, 2.0)]
    product, low, high = contrib.quantized_elemwise_mul(values, values, *ranges)
    assert product.asnumpy().tolist() == [16129, 4096, 0, 1, 4096, 16129]
    assert (low.asscalar(), high.asscalar()) == (-798865.5, 798865.5)
    scaled = contrib.quantized_elemwise_mul(
        values, values, *ranges, min_calib_range=-8.0, max_calib_range=4.0
    )[0]
    assert scaled.asnumpy().tolist() == [94, 24, 0, 0, 24, 94]
    (plain,) = [contrib.quantized_elemwise_mul(values, values, *ranges, enable_float_output=True)]
    expected = [5.953033, 1.511788, 0, 0.000369, 1.511788, 5.953033]
    assert np.allclose(plain.asnumpy(), expected, atol=1e-6)


@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("layers", [1, 2])
def test_a_quantized_lstm_is_near_the_lstm(bidirectional: bool, layers: int) -> None:
    settings = {"state_size": 8, "num_layers": layers, "mode": "lstm", "state_outputs": True}
    settings["bidirectional"] = bidirectional
    parts = layers * (1 + bidirectional)
    size = sum(
        32 * ((8 * (1 + bidirectional) if layer else 6) + 8 + 2) for layer in range(layers)
    ) * (1 + bidirectional)
    data = nd.array(_random((5, 2, 6), 0))
    others = [nd.array(_random(s, i) / 3) for i, s in enumerate([(size,), *[(parts, 2, 8)] * 2])]
    expected = nd.RNN(data, *others, **settings)  # type: ignore[arg-type]
    small = contrib.quantize_asym(data)
    found = contrib.quantized_rnn(small[0], *others, *small[1:], **settings)
    for one, other in zip(found, expected, strict=True):
        assert one.shape == other.shape
        assert 0 < np.abs(one.asnumpy() - other.asnumpy()).max() < 0.03


def test_names_are_those_of_mxnet() -> None:
    linear = sym.contrib.quantized_fully_connected(name="q", num_hidden=3, no_bias=True)
    ends = ["q_min_data", "q_max_data", "q_min_weight", "q_max_weight"]
    assert linear.list_arguments() == ["q_data", "q_weight", *ends]
    assert linear.list_outputs() == ["q_output", "q_min_output", "q_max_output"]
    joined = sym.contrib.quantized_concat(sym.var("a"), sym.var("b"), num_args=2, name="q")
    ends = ["q_arg0_min", "q_arg0_max", "q_arg1_min", "q_arg1_max"]
    assert joined.list_arguments() == ["a", "b", *ends]
    quantized = sym.contrib.quantize_v2(sym.var("a"), name="q")
    assert quantized.list_outputs() == ["q_output0", "q_output1", "q_output2"]
    norm = sym.contrib.quantized_batch_norm(name="q", min_calib_range=0, max_calib_range=1)
    assert norm.list_auxiliary_states() == ["q_moving_mean", "q_moving_var"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda a, e: contrib.quantized_act(a, *e, act_type="tanh"), "act_type must be 'relu'"),
        (
            lambda a, e: contrib.quantized_pooling(a, *e, kernel=(1, 1), pool_type="sum"),
            "pool_type must be 'max' or 'avg', not 'sum'",
        ),
        (lambda a, e: contrib.dequantize(a.astype("int32"), *e), "int8 or uint8, not int32"),
        (
            lambda a, e: contrib.quantized_batch_norm(a, *[nd.ones(2)] * 4, *e),
            "needs min_calib_range and max_calib_range",
        ),
        (
            lambda a, e: contrib.quantized_conv(
                *(a, a, *e, *e), kernel=(1, 1), num_filter=1, layout="NHWC", no_bias=True
            ),
            "layout must be NCHW or NCDHW, not NHWC",
        ),
        (
            lambda a, e: contrib.calibrate_entropy(nd.ones(4), nd.ones(5)),
            "odd number of bins",
        ),
    ],
)
def test_operators_that_cannot_be_quantized_are_named(call: Any, message: str) -> None:
    data = nd.ones((1, 2, 2, 2), dtype="int8")
    with pytest.raises(MXNetError, match=message):
        call(data, [nd.array([-1.0]), nd.array([1.0])])
