"""MXNet's own files of small integers load, infer, draw and run, with MXNet's numbers."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import gluon, nd, sym
from gluonic.graph.ops import fused_weights
from gluonic.graph.quantized_numbers import INT8, rounded
from tests.measured import int8_models
from tests.measured.measure import found, read

MEASURED = read("int8_models")
_CLOSE = 1e-6

# The results of MXNet that are wrong; see docs/conformance.md, "Small integers".
WRONG = {
    ("conv clip", "no ranges"): "the clip is lost",
    **{(f"dense {word}", "no ranges"): "function of levels" for word in ("clip", "elu", "gelu")},
    **{("conv gelu", option): "gelu of levels" for option in int8_models.OPTIONS},
    ("conv plus", "auto"): "computed in the dtype of the summand",
    ("conv bn plus relu", "int8"): "computed in the dtype of the summand",
    ("groups of filters", "auto"): "filters have the scales of other ones",
    ("groups of filters", "int8"): "filters have the scales of other ones",
    ("residual", "auto"): "computed in the dtype of the summand",
    ("residual", "int8"): "computed in the dtype of the summand",
}
WRONG = {case: why for case, why in WRONG.items() if case in int8_models.CASES}
EXACT = [case for case in int8_models.CASES if case not in WRONG]


def _halved(weight: Any, scales: Any) -> Any:
    """The levels of weights on a processor without VNNI, for signed data: all are even."""
    shape = (-1, *[1] * (weight.ndim - 1))
    return 2 * rounded(weight * (scales * np.float32(0.5)).reshape(shape), INT8).astype(np.int16)


def _run(symbol: Any, args: dict[str, Any], aux: dict[str, Any]) -> Any:
    return symbol.bind(mx.cpu(), args, aux_states=aux).forward()[0].asnumpy()


@pytest.fixture
def as_measured(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Convolutions round weights as on the processor that MXNet was measured on."""
    net, option = request.node.callspec.params["case"]
    signed = option in ("int8", "no ranges") and not net.startswith(("groups", "dense"))
    if signed:
        monkeypatch.setattr(fused_weights, "weight_levels", _halved)


@pytest.mark.usefixtures("as_measured")
@pytest.mark.parametrize("case", EXACT, ids=", ".join)
def test_all_integers_are_mxnets(case: tuple[str, str]) -> None:
    ours = found(mx, lambda: int8_models.run(mx, *case))
    measured = MEASURED[", ".join(case)]
    assert ours.keys() == measured.keys()
    for name, (dtype, numbers) in measured.items():
        assert ours[name][0] == dtype, name
        if dtype == "float32":
            assert np.allclose(ours[name][1], numbers, rtol=_CLOSE, atol=_CLOSE), name
        else:
            assert ours[name][1] == numbers, name


@pytest.mark.parametrize("case", list(WRONG), ids=", ".join)
def test_where_mxnet_is_wrong_the_result_is_that_of_the_net(case: tuple[str, str]) -> None:
    plain, params, aux, inputs = int8_models.arrays(mx, *case)
    quantized, args, states, _ = int8_models.quantize(mx, *case)
    expected = _run(plain, {**params, **inputs}, aux)
    actual = _run(quantized, {**args, **inputs}, states)
    assert np.abs(actual - expected).max() < 0.06 * np.abs(expected).max(), WRONG[case]


@pytest.mark.parametrize(
    ("case", "bounds"),
    [(("conv plus", "auto"), (0, 255)), (("conv bn plus relu", "int8"), (-128, 127))],
)
@pytest.mark.usefixtures("as_measured")
def test_mxnets_sums_are_ours_in_the_dtype_of_the_summand(
    case: tuple[str, str], bounds: tuple[int, int]
) -> None:
    ours = found(mx, lambda: int8_models.run(mx, *case))
    (name,) = [name for name in ours if name.startswith("quantized_sg_mkldnn_conv")][:1]
    dtype, numbers = MEASURED[", ".join(case)][name]
    assert np.array_equal(np.clip(ours[name][1], *bounds), np.array(numbers).astype(dtype))


@pytest.fixture(params=int8_models.FILES, ids=", ".join)
def model(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str, str, str]:
    """A model that MXNet wrote: its net and option, and the paths of its files."""
    net, option = request.param
    files = MEASURED[f"{net}, {option}, files"]
    symbol, params = tmp_path / "net-symbol.json", tmp_path / "net-0000.params"
    symbol.write_text(files["symbol"])
    params.write_bytes(base64.b64decode(files["params"]))
    return net, option, str(symbol), str(params)


def test_a_model_runs_as_a_block_and_bound(model: tuple[str, str, str, str]) -> None:
    net, option, symbol, params = model
    _, _, _, inputs = int8_models.arrays(mx, net, option)
    args, aux = _parted(nd.load(params))
    expected = _run(sym.load(symbol), {**args, **inputs}, aux)
    block = gluon.SymbolBlock.imports(symbol, list(inputs), params)
    assert np.array_equal(block(*inputs.values()).asnumpy(), expected)
    block.hybridize()
    for _ in range(2):
        assert np.array_equal(block(*inputs.values()).asnumpy(), expected)


_COMPILED = [
    *(
        ("residual", option)
        for option in int8_models.OPTIONS
        if ("residual", option) in int8_models.CASES
    ),
    ("conv plus", "auto"),
    ("conv clip", "int8"),
    ("groups of filters", "int8"),
    ("dense gelu", "auto"),
    ("dense abs", "no ranges"),
    ("dense leaky", "by channel"),
]


@pytest.mark.parametrize("case", _COMPILED, ids=", ".join)
def test_machine_code_computes_the_interpreters_integers(
    case: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    symbol, args, states, inputs = int8_models.quantize(mx, *case)
    monkeypatch.setenv("GLUONIC_EXECUTOR", "interpret")
    expected = _run(symbol, {**args, **inputs}, states)
    monkeypatch.setenv("GLUONIC_EXECUTOR", "compile")
    block = gluon.SymbolBlock(symbol, [sym.var(name) for name in inputs])
    params, values = block.collect_params(), {**args, **states}
    for name, param in params.items():
        param.cast(values[name].dtype)
    params.load_dict({name: values[name] for name in params})
    block.hybridize()
    assert np.array_equal(block(*inputs.values()).asnumpy(), expected)
    assert "0 in Python" in str(block.explain(*inputs.values()))


def _parted(arrays: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arguments and auxiliary states, from a file."""
    args, aux = (
        {name[4:]: array for name, array in arrays.items() if name.startswith(kind)}
        for kind in ("arg:", "aux:")
    )
    return args, aux


def test_a_model_tells_shapes_and_dtypes(model: tuple[str, str, str, str]) -> None:
    net, option, symbol, params = model
    loaded = sym.load(symbol)
    _, _, _, inputs = int8_models.arrays(mx, net, option)
    shapes, outputs, states = loaded.infer_shape(
        **{name: array.shape for name, array in inputs.items()}
    )
    dtypes, _, _ = loaded.infer_type(**dict.fromkeys(inputs, "float32"))
    arrays = nd.load(params)
    assert shapes is not None
    assert states is not None
    assert dtypes is not None
    for names, kind, all_shapes in (
        (loaded.list_arguments(), "arg", shapes),
        (loaded.list_auxiliary_states(), "aux", states),
    ):
        for name, shape in zip(names, all_shapes, strict=True):
            assert name in inputs or arrays[f"{kind}:{name}"].shape == shape
    for name, dtype in zip(loaded.list_arguments(), dtypes, strict=True):
        assert name in inputs or arrays[f"arg:{name}"].dtype == dtype
    assert outputs is not None
    assert all(outputs)


def test_a_model_is_drawn_summarized_and_saved(
    model: tuple[str, str, str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    net, option, symbol, _ = model
    loaded = sym.load(symbol)
    _, _, _, inputs = int8_models.arrays(mx, net, option)
    shape = {name: array.shape for name, array in inputs.items()}
    picture = mx.viz.plot_network(loaded, shape=shape, node_attrs={"fixedsize": "false"})
    assert "quantized_sg_mkldnn" in picture.source
    mx.viz.print_summary(loaded, shape=shape)
    assert "(_sg_mkldnn_" in capsys.readouterr().out
    again = tmp_path / "again.json"
    loaded.save(str(again))
    assert int8_models.compact(sym.load(str(again))) == int8_models.compact(loaded)


def test_files_of_older_versions_have_other_names_of_attributes(tmp_path: Path) -> None:
    text = MEASURED["residual, auto, files"]["symbol"]
    older = text.replace("with_act", "with_relu").replace("with_postsum_act", "with_postsum_relu")
    assert older != text
    _, _, _, inputs = int8_models.arrays(mx, "residual", "auto")
    args, aux = _parted(
        _parameters(MEASURED["residual, auto, files"]["params"], tmp_path / "net.params")
    )
    one, other = (_run(sym.load_json(each), {**args, **inputs}, aux) for each in (text, older))
    assert np.array_equal(one, other)


@pytest.mark.parametrize("name", int8_models.PIPELINES)
def test_a_whole_quantization_gives_mxnets_model(name: str, tmp_path: Path) -> None:
    measured = MEASURED[name]
    ours = found(mx, lambda: int8_models.pipeline(mx, name))
    assert _without_numbers(ours["symbol"]) == _without_numbers(measured["symbol"])
    one, other = (
        _parameters(each["params"], tmp_path / f"{number}.params")
        for number, each in enumerate((ours, measured))
    )
    assert one.keys() == other.keys()
    for key, array in other.items():
        assert one[key].dtype == array.dtype
        assert np.array_equal(one[key].asnumpy(), array.asnumpy())
    mine, theirs = (_ranges(each["symbol"]) for each in (ours, measured))
    assert np.allclose(mine, theirs, rtol=0.01 if name == "entropy" else 1e-5, atol=1e-6)


def _parameters(text: str, path: Path) -> dict[str, Any]:
    path.write_bytes(base64.b64decode(text))
    loaded: dict[str, Any] = nd.load(str(path))
    return loaded


def _attributes(symbol: str) -> Iterator[tuple[str, str, str]]:
    for node, attributes in sym.load_json(symbol).attr_dict().items():
        for key, text in attributes.items():
            yield node, key, text


def _without_numbers(symbol: str) -> Any:
    loaded = sym.load_json(symbol)
    kept = [each for each in _attributes(symbol) if not each[1].endswith("_calib_range")]
    return loaded.get_internals().list_outputs(), kept


def _ranges(symbol: str) -> list[float]:
    return [float(text) for _, key, text in _attributes(symbol) if key.endswith("_calib_range")]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('"Convolution"', '"Unheard"'), "needs a graph of Convolution and at most one each of"),
        (
            ('"heads":[[3,0,0]]', '"heads":[[3,0,0],[3,0,0]]'),
            "needs a graph with one output, not 2",
        ),
    ],
)
def test_a_fused_node_with_another_graph_is_refused(change: tuple[str, str], message: str) -> None:
    fused = sym.Convolution(sym.var("x"), kernel=(1, 1), num_filter=2, name="conv")
    text = int8_models.compact(fused.get_backend_symbol("MKLDNN"))
    inner, outer = text.split('"subgraphs"')[1], text.split('"subgraphs"')[0]
    with pytest.raises(ValueError, match=message):
        sym.load_json(f'{outer}"subgraphs"{inner.replace(*change, 1)}')
