"""Initializers fill parameters by their rules, by the parameters' names, or from saved values."""

import json
import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import nd
from gluonic.gluon import nn

# the JSON that MXNet 1.9.1 writes, and reads from the attributes of symbols
DUMPS = {
    '["zero", {}]': mx.init.Zero(),
    '["one", {}]': mx.init.One(),
    '["constant", {"value": 3}]': mx.init.Constant(3),
    '["uniform", {"scale": 0.1}]': mx.init.Uniform(0.1),
    '["normal", {"sigma": 0.2}]': mx.init.Normal(0.2),
    '["orthogonal", {"scale": 1.414, "rand_type": "uniform"}]': mx.init.Orthogonal(),
    '["xavier", {"rnd_type": "gaussian", "factor_type": "in", "magnitude": 2}]': mx.init.Xavier(
        "gaussian", "in", 2
    ),
    '["msraprelu", {"factor_type": "avg", "slope": 0.25}]': mx.init.MSRAPrelu(),
    '["bilinear", {}]': mx.init.Bilinear(),
    '["lstmbias", {"forget_bias": 2.0}]': mx.init.LSTMBias(2.0),
    '["fusedrnn", {"init": "[\\"zero\\", {}]", "num_hidden": 3, "num_layers": 2, "mode": "lstm", '
    '"bidirectional": true, "forget_bias": 1.0}]': mx.init.FusedRNN(
        mx.init.Zero(), 3, 2, "lstm", True
    ),
}


def filled(init: Any, name: str, shape: Any, attrs: Any = None) -> Any:
    array = nd.full(shape, -9.0)
    init(mx.init.InitDesc(name, attrs), array)
    return array.asnumpy()


@pytest.mark.parametrize("text", DUMPS)
def test_initializers_are_written_and_read_as_mxnet_writes_them(text: str) -> None:
    assert DUMPS[text].dumps() == text
    assert mx.init.create(text) == DUMPS[text]
    assert mx.init.create(text).dumps() == text


@pytest.mark.parametrize("value", [np.ones((2, 2)), nd.ones((2, 2))], ids=["numpy", "nd"])
def test_constant_arrays_are_written_as_lists(value: Any) -> None:
    init = mx.init.Constant(value)
    assert json.loads(init.dumps()) == ["constant", {"value": [[1, 1], [1, 1]]}]
    assert filled(init, "a_weight", (2, 2)).tolist() == [[1, 1], [1, 1]]


@pytest.mark.parametrize("given", ["zeros", "Zero", {"initializer": "zero"}, mx.init.Zero()])
def test_initializers_are_made_by_name(given: Any) -> None:
    assert mx.init.create(given) == mx.init.Zero()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a_bias", 0),
        ("a_beta", 0),
        ("a_gamma", 1),
        ("a_moving_mean", 0),
        ("a_moving_var", 1),
        ("a_min", 0),
        ("a_max", 1),
        ("a_weight", 5),
    ],
)
def test_the_suffix_of_a_name_selects_the_initializer(name: str, expected: float) -> None:
    assert filled(mx.init.Constant(5), name, (2,)).tolist() == [expected, expected]


def test_a_parameters_own_initializer_takes_precedence() -> None:
    own = {"__init__": '["constant", {"value": 7}]'}
    assert filled(mx.init.Uniform(), "a_gamma", (1,), own).tolist() == [7]


def test_a_name_that_selects_no_initializer_is_refused_with_advice() -> None:
    with pytest.raises(ValueError, match=r"a_thing: the name does not tell[\s\S]*init="):
        filled(mx.init.Uniform(), "a_thing", (1,))


def test_plain_names_still_work_with_a_warning() -> None:
    array = nd.zeros((6,))
    with pytest.warns(DeprecationWarning, match="InitDesc"):
        mx.init.Uniform()("stn_loc_bias", array)
    assert array.asnumpy().tolist() == [1, 0, 0, 0, 1, 0]


@pytest.mark.parametrize(
    ("init", "deviation"),
    [
        (mx.init.Uniform(0.3), 0.3 / np.sqrt(3)),
        (mx.init.Normal(0.3), 0.3),
        (mx.init.Xavier(magnitude=3), np.sqrt(1 / 500)),
        (mx.init.Xavier("gaussian", "in", 2), np.sqrt(2 / 600)),
        (mx.init.Xavier("gaussian", "out", 2), np.sqrt(2 / 400)),
        (mx.init.MSRAPrelu("in", 0.5), np.sqrt(2 / 1.25 / 600)),
    ],
)
def test_random_initializers_have_their_deviation(init: Any, deviation: float) -> None:
    mx.random.seed(5)
    drawn = filled(init, "a_weight", (400, 150, 2, 2))
    assert drawn.mean() == pytest.approx(0, abs=deviation / 50)
    assert drawn[:, :, 0, 0].shape == (400, 150)
    assert drawn.std() == pytest.approx(deviation, rel=0.02) or init._kwargs.get("factor_type")
    if init._kwargs.get("factor_type"):  # 150 · 4 inputs, 400 · 4 outputs of each unit
        fans = {"in": 600.0, "out": 1600.0, "avg": 1100.0}
        nominal = {"in": 600.0, "out": 400.0, "avg": 500.0}
        factor = init._kwargs["factor_type"]
        assert drawn.std() * np.sqrt(fans[factor] / nominal[factor]) == pytest.approx(
            deviation, rel=0.02
        )


def test_seeds_fix_what_is_drawn() -> None:
    draws = []
    for _ in range(2):
        mx.random.seed(11)
        draws.append(filled(mx.init.Xavier(), "a_weight", (3, 4)).tolist())
    assert draws[0] == draws[1]


@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (4, 2, 3)])
@pytest.mark.parametrize("kind", ["uniform", "normal"])
def test_orthogonal_rows_or_columns_have_one_length(kind: Any, shape: tuple[int, ...]) -> None:
    matrix = filled(mx.init.Orthogonal(2.0, kind), "a_weight", shape).reshape(shape[0], -1)
    square = matrix @ matrix.T if matrix.shape[0] <= matrix.shape[1] else matrix.T @ matrix
    assert square == pytest.approx(4 * np.eye(len(square)), abs=1e-5)


def test_bilinear_kernels_interpolate() -> None:
    line = np.array([0.25, 0.75, 0.75, 0.25])
    found = filled(mx.init.Bilinear(), "a_weight", (2, 1, 4, 4))
    assert found.tolist() == np.broadcast_to(np.outer(line, line), (2, 1, 4, 4)).tolist()


def test_forget_gates_begin_open() -> None:
    assert filled(mx.init.LSTMBias(2.0), "a_bias_weight", (8,)).tolist() == [0, 0, 2, 2, 0, 0, 0, 0]


@pytest.mark.parametrize("mode", ["rnn_tanh", "gru", "lstm"])
@pytest.mark.parametrize("bidirectional", [False, True])
def test_the_vector_of_a_fused_rnn_is_filled_piece_by_piece(mode: str, bidirectional: bool) -> None:
    hidden, ins, layers = 3, 5, 2
    gates = {"rnn_tanh": 1, "gru": 3, "lstm": 4}[mode]
    directions = 2 if bidirectional else 1
    sizes = [ins, hidden * directions]
    weights = sum(directions * gates * hidden * (size + hidden) for size in sizes)
    biases = layers * directions * gates * hidden * 2
    init = mx.init.FusedRNN(mx.init.Constant(5), hidden, layers, mode, bidirectional)
    vector = filled(mx.init.Zero(), "p", (weights + biases,), {"__init__": init})
    assert (vector[:weights] == 5).all()
    open_gates = layers * directions * 2 * hidden if mode == "lstm" else 0
    assert (vector[weights:] == 1).sum() == open_gates
    assert (vector[weights:] == 0).sum() == biases - open_gates


@pytest.mark.parametrize("name", ["a_weight", "a_bias", "c_weight"])
def test_patterns_choose_among_initializers(name: str) -> None:
    init = mx.init.Mixed([".*bias", "a", ".*"], [mx.init.One(), mx.init.One(), mx.init.Zero()])
    assert filled(init, name, (1,)).tolist() == [1.0 if name == "a_weight" else 0.0]


def test_a_net_is_initialized_by_patterns() -> None:
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(2, in_units=2), nn.BatchNorm(in_channels=2))
    net.initialize(mx.init.Mixed([".*dense", ".*"], [mx.init.Constant(3), mx.init.Zero()]))
    assert (net[0].weight.data().asnumpy() == 3).all()
    assert (net[0].bias.data().asnumpy() == 0).all()
    assert (net[1].running_var.data().asnumpy() == 1).all()


def test_a_name_without_a_pattern_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no pattern matches"):
        filled(mx.init.Mixed(["b"], [mx.init.Zero()]), "a_weight", (1,))


def test_saved_values_are_loaded_and_the_rest_is_initialized(tmp_path: Path) -> None:
    file = str(tmp_path / "saved.params")
    nd.save(file, {"arg:a": nd.ones((2,)), "aux:b": nd.ones((2,)) * 2})
    init = mx.init.Load(file, default_init=mx.init.Constant(3))
    found = [filled(init, name, (2,)).tolist() for name in ("a", "b", "c_weight")]
    assert found == [[1, 1], [2, 2], [3, 3]]
    with pytest.raises(mx.MXNetError, match=r"saved: \(2,\)"):
        filled(init, "a", (3,))
    with pytest.raises(mx.MXNetError, match="no saved value"):
        filled(mx.init.Load(file), "c_weight", (2,))


@pytest.mark.parametrize("init", [mx.init.Xavier(), mx.init.MSRAPrelu()])
def test_vectors_have_no_fan(init: Any) -> None:
    with pytest.raises(ValueError, match="at least two axes"):
        filled(init, "a_weight", (3,))


@pytest.mark.parametrize("settings", [{"rnd_type": "x"}, {"factor_type": "x"}])
def test_unknown_settings_are_refused(settings: Any) -> None:
    with pytest.raises(ValueError, match="must be"):
        filled(mx.init.Xavier(**settings), "a_weight", (3, 3))


def test_a_new_initializer_is_registered_by_its_name() -> None:
    @mx.init.register
    class Sevens(mx.init.Initializer):
        def _init_weight(self, name: str, arr: Any) -> None:
            arr[:] = 7

    assert filled(mx.init.create("sevens"), "a_weight", (1,)).tolist() == [7]
    layer = nn.Dense(1, in_units=1, weight_initializer="sevens")
    layer.initialize()
    assert layer.weight.data().asscalar() == 7


def test_unknown_initializers_are_named_with_the_nearest_one() -> None:
    with pytest.raises(ValueError, match=r"no initializer 'xavir' is registered; did you mean"):
        mx.init.create("xavir")


def test_verbose_initializers_log_what_they_did(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        filled(mx.init.One().set_verbosity(True), "a_weight", (4,))
    assert "Initialized a_weight as weight: 1.0" in caplog.text
