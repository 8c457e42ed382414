"""Where the two formats differ although the names are alike; each is compared in ONNX's runtime."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import nd
from gluonic import symbol as sym

onnx = pytest.importorskip("onnx")
from gluonic.contrib.onnx import import_model  # noqa: E402
from gluonic.onnx import export_model  # noqa: E402
from gluonic.onnx.comparison import difference, run_model  # noqa: E402
from gluonic.onnx.errors import OnnxExportError  # noqa: E402

RANDOM = np.random.RandomState(5)


def uniform(*shape: int) -> Any:
    return RANDOM.uniform(-1, 1, shape).astype(np.float32)


def exported(
    symbol: Any, folder: Path, x: Any, parameters: dict[str, Any] | None = None, **options: Any
) -> Any:
    """The model of a symbol of `x`, which agrees with it, also when it has come back."""
    parameters = parameters or {}
    arrays = {name: nd.array(array) for name, array in parameters.items()}
    states = symbol.list_auxiliary_states()
    args = {
        name: value for name, value in {**arrays, "x": nd.array(x)}.items() if name not in states
    }
    missing = [n for n in symbol.list_arguments() if n not in args]
    shapes = dict(zip(symbol.list_arguments(), symbol.infer_shape(x=x.shape)[0], strict=True))
    args |= {name: nd.zeros(shapes[name]) for name in missing}
    bound = symbol.bind(mx.cpu(), args, aux_states={n: arrays[n] for n in states})
    expected = [output.asnumpy() for output in bound.forward()]
    path = export_model(symbol, arrays, [x.shape], [x.dtype], str(folder / "x.onnx"), **options)
    model = onnx.load(path)
    for ours, theirs in zip(expected, run_model(model, {"x": x})[0], strict=True):
        assert ours.shape == np.asarray(theirs).shape
        assert difference(ours, np.asarray(theirs)) < 1e-5
    again, arguments, auxiliary = import_model(path)
    back = again.bind(mx.cpu(), {**arguments, "x": nd.array(x)}, aux_states=auxiliary)
    for ours, theirs in zip(expected, back.forward(), strict=True):
        assert difference(ours, theirs.asnumpy()) < 1e-5
    return model


def kinds(model: Any) -> list[str]:
    return [node.op_type for node in model.graph.node]


def statistics(channels: int) -> dict[str, Any]:
    return {
        "n_gamma": uniform(channels) + 2,
        "n_beta": uniform(channels),
        "n_moving_mean": uniform(channels),
        "n_moving_var": uniform(channels) + 1.5,
    }


@pytest.mark.parametrize("fix", [True, False])
@pytest.mark.parametrize("axis", [1, -1])
def test_a_fixed_gamma_counts_as_one(fix: bool, axis: int, tmp_path: Path) -> None:
    symbol = sym.BatchNorm(sym.var("x"), fix_gamma=fix, eps=0.1, axis=axis, name="n")
    exported(symbol, tmp_path, uniform(2, 3, 4, 3), statistics(3))


@pytest.mark.parametrize("eps", [1e-3, 0.5])
def test_eps_is_the_layers(eps: float, tmp_path: Path) -> None:
    x = sym.var("x")
    for symbol in (
        sym.BatchNorm(x, eps=eps, name="n", fix_gamma=False),
        sym.InstanceNorm(x, eps=eps, name="n"),
        sym.LayerNorm(x, eps=eps, axis=1, name="n"),
        sym.L2Normalization(x, eps=eps, mode="spatial"),
    ):
        names = {*symbol.list_arguments(), *symbol.list_auxiliary_states()}
        known = {name: array for name, array in statistics(3).items() if name in names}
        exported(symbol, tmp_path, uniform(2, 3, 5, 4), known)


@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 4), (2, 3, 4, 5)])
def test_slopes_of_prelu_belong_to_channels(shape: tuple[int, ...], tmp_path: Path) -> None:
    symbol = sym.LeakyReLU(sym.var("x"), sym.var("g"), act_type="prelu")
    exported(symbol, tmp_path, uniform(*shape), {"g": np.array([0.1, 0.5, 2], np.float32)})


@pytest.mark.parametrize("convention", ["valid", "full", "same"])
@pytest.mark.parametrize("kind", ["max", "avg", "sum"])
@pytest.mark.parametrize("counts", [True, False])
def test_pooling_has_as_many_windows_and_divides_by_as_much(
    convention: str, kind: str, counts: bool, tmp_path: Path
) -> None:
    for size, kernel, stride, pad in ((7, 3, 2, 1), (8, 3, 2, 1), (9, 2, 3, 0), (6, 4, 3, 2)):
        pads: dict[str, Any] = {} if convention == "same" else {"pad": (pad, pad)}
        symbol = sym.Pooling(
            sym.var("x"), kernel=(kernel, kernel), stride=(stride, stride), pool_type=kind,
            pooling_convention=convention, count_include_pad=counts, **pads,
        )  # fmt: skip
        exported(symbol, tmp_path, uniform(1, 2, size, size + 1))


@pytest.mark.parametrize("multi_output", [False, True])
def test_a_softmax_output_loses_its_label(multi_output: bool, tmp_path: Path) -> None:
    symbol = sym.SoftmaxOutput(sym.var("x"), name="softmax", multi_output=multi_output)
    model = exported(symbol, tmp_path, uniform(2, 3, 4))
    assert [value.name for value in model.graph.input] == ["x"]


def test_regression_outputs_lose_their_labels(tmp_path: Path) -> None:
    for head in (sym.LinearRegressionOutput, sym.LogisticRegressionOutput, sym.MAERegressionOutput):
        model = exported(head(sym.var("x"), sym.var("label")), tmp_path, uniform(2, 3))
        assert len(model.graph.input) == 1


@pytest.mark.parametrize(
    "options", [{"offset": (1, 2), "h_w": (3, 2)}, {"h_w": (2, 3), "center_crop": True}]
)
def test_crop_takes_its_window(options: dict[str, Any], tmp_path: Path) -> None:
    exported(sym.Crop(sym.var("x"), num_args=1, **options), tmp_path, uniform(1, 2, 6, 5))


CODES = [
    (0, -1),
    (-1, 0),
    (-3, 0),
    (-2,),
    (0, -3),
    (-4, 1, 2, -2),
    (0, -4, -1, 3, 0),
    (2, -1, 4),
    (-3, -1),
]


@pytest.mark.parametrize("codes", CODES)
@pytest.mark.parametrize("dynamic", [False, True])
def test_codes_of_reshape(codes: tuple[int, ...], dynamic: bool, tmp_path: Path) -> None:
    x = uniform(2, 3, 4)
    try:
        expected = nd.reshape(nd.array(x), shape=codes).shape
    except mx.MXNetError:
        pytest.skip("the codes do not fit the shape")
    symbol = sym.reshape(sym.var("x"), shape=codes)
    options: dict[str, Any] = {"dynamic": dynamic}
    if dynamic:
        options["dynamic_input_shapes"] = [("N", 3, 4)]
    try:
        model = exported(symbol, tmp_path, x, **options)
    except OnnxExportError:
        assert dynamic
        return
    assert expected
    assert set(kinds(model)) <= {"Reshape", "Identity", "Shape", "Gather", "Concat", "Mul", "Div"}


def test_codes_of_reshape_from_the_right(tmp_path: Path) -> None:
    exported(sym.reshape(sym.var("x"), shape=(-1, 0), reverse=True), tmp_path, uniform(2, 3, 4))


@pytest.mark.parametrize("mode", ["lstm", "gru", "rnn_tanh", "rnn_relu"])
@pytest.mark.parametrize("both_ways", [False, True])
def test_gates_are_in_the_other_order(mode: str, both_ways: bool, tmp_path: Path) -> None:
    gates = {"lstm": 4, "gru": 3}.get(mode, 1)
    size, features, directions = 3, 2, 2 if both_ways else 1
    count = directions * gates * size * (features + size + 2)
    states = [sym.zeros((directions, 0, size)) for _ in range(1 + (mode == "lstm"))]
    cell = {"state_cell": states[1]} if mode == "lstm" else {}
    symbol = sym.RNN(
        sym.var("x"), sym.var("w"), states[0], state_size=size, num_layers=1, mode=mode,
        bidirectional=both_ways, state_outputs=True, **cell,
    )  # fmt: skip
    exported(symbol, tmp_path, uniform(4, 2, features), {"w": uniform(count)})


@pytest.mark.parametrize("align", [True, False])
def test_corners_of_resized_images(align: bool, tmp_path: Path) -> None:
    for height, width in ((7, 9), (3, 2), (1, 5)):
        symbol = sym.contrib.BilinearResize2D(
            sym.var("x"), height=height, width=width, align_corners=align
        )
        exported(symbol, tmp_path, uniform(1, 2, 4, 5))


def test_indices_beyond_a_table_are_clipped(tmp_path: Path) -> None:
    symbol = sym.Embedding(sym.var("x"), sym.var("w"), input_dim=4, output_dim=2)
    path = export_model(
        symbol, {"w": nd.array(uniform(4, 2))}, [(3,)], onnx_file_path=str(tmp_path / "x")
    )
    found = run_model(onnx.load(path), {"x": np.array([-1, 2, 9], np.float32)})[0][0]
    again, arguments, _ = import_model(path)
    table = arguments["w"].asnumpy()
    assert np.array_equal(found, table[[0, 2, 3]])
    back = again.bind(mx.cpu(), {**arguments, "x": nd.array([-1, 2, 9])}).forward()[0]
    assert np.array_equal(back.asnumpy(), found)


def test_comparisons_are_numbers(tmp_path: Path) -> None:
    x = sym.var("x")
    exported((x > 0) + (x <= 0.25) * 2, tmp_path, uniform(3, 4))


def test_integers_divide_towards_zero(tmp_path: Path) -> None:
    x = np.array([-7, -1, 0, 5], np.int32)
    symbol = sym.broadcast_div(sym.var("x", dtype="int32"), sym.var("y", dtype="int32"))
    path = export_model(
        symbol, {"y": nd.array([2, 3, 4, -2], dtype="int32")}, [(4,)], np.int32, str(tmp_path / "x")
    )
    assert run_model(onnx.load(path), {"x": x})[0][0].tolist() == [-3, 0, 0, -2]


def test_a_slice_of_a_vector_has_an_axis_in_mxnet(tmp_path: Path) -> None:
    def body(number: Any, total: Any) -> Any:
        return sym.concat(number * 2, total, dim=0), total + number

    outputs, total = sym.contrib.foreach(body, sym.var("x"), sym.zeros((1,)))
    exported(sym.Group([outputs, total]), tmp_path, uniform(3))
