"""`export_model`: its arguments, its errors, its files."""

import logging
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import gluon, nd
from gluonic import symbol as sym
from gluonic.gluon import nn

onnx = pytest.importorskip("onnx")
from gluonic.onnx import comparison, export_model, get_operator_support  # noqa: E402
from gluonic.onnx.comparison import ExportMismatchError, run_model  # noqa: E402
from gluonic.onnx.errors import OnnxExportError  # noqa: E402


def small() -> tuple[gluon.HybridBlock, nd.NDArray]:
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(4, activation="relu"), nn.BatchNorm(), nn.Dense(2))
    net.initialize()
    net.hybridize()
    x = nd.ones((2, 3))
    net(x)
    return net, x


def test_files_of_a_net_are_taken_by_their_paths(tmp_path: Path) -> None:
    net, x = small()
    files = net.export(str(tmp_path / "net"))
    path = export_model(*files, [(2, 3)], np.float32, str(tmp_path / "net.onnx"))
    assert np.allclose(run_model(onnx.load(path), {"data": x.asnumpy()})[0][0], net(x).asnumpy())


def test_parameters_may_be_two_dicts_or_have_the_prefixes_of_files(tmp_path: Path) -> None:
    net, _ = small()
    symbol, parameters = net(sym.var("data")), net.collect_params()
    states = set(symbol.list_auxiliary_states())
    arrays = {name: parameter.data() for name, parameter in parameters.items()}
    parts = [{k: v for k, v in arrays.items() if (k in states) is want} for want in (False, True)]
    prefixed = {f"{'aux' if k in states else 'arg'}:{k}": v for k, v in arrays.items()}
    written = [
        Path(
            export_model(symbol, params, [(2, 3)], onnx_file_path=str(tmp_path / "a"))
        ).read_bytes()
        for params in (arrays, parts, prefixed)
    ]
    assert written[0] == written[1] == written[2]


def test_all_that_cannot_be_written_is_listed_with_lines(tmp_path: Path) -> None:
    x = sym.var("x")
    y = sym.Group([sym.digamma(sym.digamma(x)), sym.contrib.fft(x)])
    with pytest.raises(OnnxExportError) as caught:
        export_model(y, {}, [(2, 4)], onnx_file_path=str(tmp_path / "x.onnx"))
    text = str(caught.value)
    assert "3 nodes cannot be written" in text
    assert "digamma ×2" in text
    assert "_contrib_fft ×1" in text
    assert "test_exporting.py" in text
    assert not os.listdir(tmp_path)


def test_nothing_is_written_where_the_numbers_differ(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run_wrongly(model: Any, feed: Any) -> Any:
        found, runner = run_model(model, feed)
        return [array + 1 for array in found], runner

    monkeypatch.setattr("gluonic.onnx.exporting.run_model", run_wrongly)
    net, x = small()
    path = tmp_path / "net.onnx"
    path.write_bytes(b"before")
    with pytest.raises(ExportMismatchError, match="differs from gluonic"):
        net.export_onnx(str(path), x)
    assert path.read_bytes() == b"before"
    net.export_onnx(str(path), x, check=False)
    assert onnx.load(str(path)).graph.node


def test_without_onnx_runtime_the_reference_evaluator_runs_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(comparison, "onnx_runtime", lambda: None)
    net, _ = small()
    parameters = {name: p.data() for name, p in net.collect_params().items()}
    with caplog.at_level(logging.INFO):
        export_model(
            net(sym.var("data")),
            parameters,
            [(2, 3)],
            onnx_file_path=str(tmp_path / "x"),
            verbose=True,
        )
    assert "reference evaluator agrees within" in caplog.text


def test_large_models_keep_their_parameters_in_a_file_beside(tmp_path: Path) -> None:
    weight = nd.array(np.random.RandomState(0).uniform(size=(64, 128)))
    symbol = sym.FullyConnected(sym.var("x"), sym.var("w"), num_hidden=64, no_bias=True)
    path = str(tmp_path / "large.onnx")
    export_model(symbol, {"w": weight}, [(2, 128)], onnx_file_path=path, large_model=True)
    assert sorted(os.listdir(tmp_path)) == ["large.onnx", "large.onnx.data"]
    assert os.path.getsize(path) < 2000
    again = mx.contrib.onnx.import_to_gluon(path)
    x = nd.ones((2, 128))
    assert np.allclose(again(x).asnumpy(), nd.dot(x, weight.T).asnumpy(), rtol=1e-5)


def test_sizes_that_the_graph_fixes_stay_fixed(tmp_path: Path) -> None:
    net, _ = small()
    parameters = {name: p.data() for name, p in net.collect_params().items()}
    path = export_model(
        net(sym.var("data")), parameters, [(2, 3)], onnx_file_path=str(tmp_path / "x"), dynamic=True
    )
    batch, features = onnx.load(path).graph.input[0].type.tensor_type.shape.dim
    assert batch.dim_param
    assert features.dim_value == 3


def test_wrong_counts_of_shapes_name_the_inputs(tmp_path: Path) -> None:
    symbol = sym.var("a") + sym.var("b")
    with pytest.raises(mx.MXNetError, match=r"1 shapes .* 2 inputs"):
        export_model(symbol, {}, [(2,)], onnx_file_path=str(tmp_path / "x"))


@pytest.mark.parametrize("version", [1, 12, 1000])
def test_versions_of_operators_are_checked(version: int, tmp_path: Path) -> None:
    net, x = small()
    with pytest.raises(ValueError, match="opset_version"):
        net.export_onnx(str(tmp_path / "x"), x, opset_version=version)


def test_support_lists_operators() -> None:
    assert {"Convolution", "_npi_add", "_contrib_box_nms", "_foreach"} <= set(
        get_operator_support()
    )
    assert "_contrib_fft" not in get_operator_support()


def test_an_input_may_be_an_output_too(tmp_path: Path) -> None:
    data = sym.var("data")
    both = sym.Group([data, sym.relu(data, name="positive"), data])
    path = export_model(both, {}, [(2, 3)], onnx_file_path=str(tmp_path / "net.onnx"))
    (data_in,) = onnx.load(path).graph.input
    outputs = [value.name for value in onnx.load(path).graph.output]
    assert data_in.name == "data"
    assert outputs == ["data_1", "positive_output", "data_2"]
