import json
import math
import os
import re
from pathlib import Path

import numpy as np
import pytest

import gluonic as mx
from gluonic import symbol as sym
from gluonic.drawing.drawing import Drawing
from gluonic.graph.errors import InferenceError, MXNetError
from gluonic.symbol import NameManager, Symbol
from gluonic.visualization import plot_network, print_summary


def network() -> Symbol:
    with NameManager():
        x = sym.FullyConnected(sym.var("data"), num_hidden=32, name="fc1")
        x = sym.Activation(sym.BatchNorm(x, name="bn"), act_type="relu", name="relu1")
        x = sym.FullyConnected(x, num_hidden=10, name="fc2")
        net: Symbol = sym.SoftmaxOutput(x, name="softmax")
    return net


def counted(net: Symbol, **shapes: tuple[int, ...]) -> int:
    """The size of all arguments but the data and the labels."""
    found, _, _ = net.infer_shape(**shapes)
    assert found is not None
    sizes = dict(zip(net.list_arguments(), map(math.prod, found), strict=True))
    return sum(n for name, n in sizes.items() if name not in shapes and "label" not in name)


# ------------------------------------------------------------------------------ the table


def test_the_summary_counts_parameters_from_their_shapes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    net = network()
    print_summary(net, {"data": (4, 100)})
    text = capsys.readouterr().out
    assert f"Total params: {counted(net, data=(4, 100))}\n" in text
    assert "Total params: 3626\n" in text
    assert "Auxiliary states: 64\n" in text


def test_the_summary_has_a_row_for_each_layer(capsys: pytest.CaptureFixture[str]) -> None:
    print_summary(network(), {"data": (4, 100)}, line_length=100)
    lines = capsys.readouterr().out.splitlines()
    assert all(len(line) == 100 for line in lines if line.startswith(("_", "=")))
    rows = {line.split("(")[0]: line.split() for line in lines if "(" in line}
    assert rows["fc1"] == ["fc1(FullyConnected)", "32", "3232", "data"]
    assert rows["bn"] == ["bn(BatchNorm)", "32", "64", "fc1"]
    assert rows["data"] == ["data(null)", "100", "0"]


def test_a_wide_summary_counts_operations_and_bytes(capsys: pytest.CaptureFixture[str]) -> None:
    print_summary(network(), {"data": (4, 100)})
    text = capsys.readouterr().out
    rows = {line.split("(")[0]: line.split() for line in text.splitlines() if "(" in line}
    operations = 4 * 32 * 2 * 100
    assert rows["fc1"][1:] == ["32", "3232", f"{operations:,}", "512", "data"]
    found = [int(row[3].replace(",", "")) for row in rows.values() if len(row) == 6]
    assert f"Total FLOPs: {sum(found):,}\n" in text
    results = 4 * 4 * (32 + 32 + 32 + 10 + 10)
    assert f"Memory in bytes: parameters {4 * 3626:,}, results {results:,}\n" in text


def test_a_wide_summary_ends_with_the_sums_of_blocks(capsys: pytest.CaptureFixture[str]) -> None:
    shared = sym.var("net0_weight")
    x = sym.var("data")
    for stage in range(2):
        for part in range(2):
            x = sym.FullyConnected(
                x, shared, num_hidden=4, no_bias=True, name=f"net0_stage{stage}_fc{part}"
            )
        x = sym.tanh(x, name=f"net0_stage{stage}_tanh")
    net = sym.exp(x, name="last")
    print_summary(net, {"data": (2, 4)})
    text = capsys.readouterr().out
    rows = [line.split() for line in text[text.index("Block ") :].splitlines()]
    stage_operations = 2 * (2 * 4 * 7) + 8
    stage_row = ["16", str(stage_operations), "96"]
    assert [row[-3:] for row in rows if row[0].startswith("net0_stage")] == [stage_row] * 2
    whole = next(row for row in rows if row[0] == "net0_")
    assert whole[-3:] == ["16", str(2 * stage_operations), "192"]
    print_summary(net, {"data": (2, 4)}, line_length=100)
    assert "Block " not in capsys.readouterr().out


def test_a_summary_of_four_columns_is_as_mxnets(capsys: pytest.CaptureFixture[str]) -> None:
    print_summary(network(), {"data": (4, 100)}, 120, (0.4, 0.6, 0.7, 1.0))
    heading = capsys.readouterr().out.splitlines()[1]
    assert heading.split("  ")[0] == "Layer (type)"
    assert "FLOPs" not in heading


def test_shared_parameters_count_for_each_use_and_once(capsys: pytest.CaptureFixture[str]) -> None:
    weight = sym.var("w_weight")
    x = sym.FullyConnected(sym.var("data"), weight, num_hidden=4, no_bias=True)
    x = sym.FullyConnected(x, weight, num_hidden=4, no_bias=True)
    print_summary(x, {"data": (2, 4)})
    text = capsys.readouterr().out
    assert "Total params: 32\n" in text
    assert "Unique params: 16, shared: 16\n" in text


def test_parameters_of_unknown_shape_are_named_and_not_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_summary(network(), {"data": (4, 0)})
    text = capsys.readouterr().out
    assert "Not counted, for their shapes do not follow: fc1_weight" in text
    found = re.search(r"Total params: (\d+)\n", text)
    assert found is not None
    assert 42 <= int(found[1]) < counted(network(), data=(4, 100))


def test_previous_layers_take_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    x = sym.tanh(sym.var("data"), name="a")
    print_summary(sym.Concat(x, sym.tanh(x, name="b"), name="c"), {"data": (2, 3)})
    lines = capsys.readouterr().out.splitlines()
    index = next(i for i, line in enumerate(lines) if line.startswith("c(Concat)"))
    assert lines[index].split()[-1] == "a"
    assert lines[index + 1].split() == ["b"]


def test_long_numbers_widen_their_columns_and_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    x = sym.FullyConnected(sym.var("data"), num_hidden=50_000, name="fc1")
    print_summary(sym.FullyConnected(x, num_hidden=300_000, name="fc2"), {"data": (1, 20_000)})
    lines = capsys.readouterr().out.splitlines()
    rows = {line.split("(")[0]: line.split() for line in lines}
    assert rows["fc1"][1:] == ["50000", "1000050000", "2,000,000,000", "200,000", "data"]
    assert rows["fc2"][1:] == ["300000", "15000300000", "30,000,000,000", "1,200,000", "fc1"]
    table = lines[: lines.index(next(line for line in lines if line.startswith("Total")))]
    assert len({len(line) for line in table}) == 1
    assert table[5].index("200,000") == table[7].index("1,200,000") == table[1].index("Memory")


def test_long_names_lose_their_beginning_not_the_operator(
    capsys: pytest.CaptureFixture[str],
) -> None:
    first = sym.tanh(sym.var("data"), name="a" * 60 + "_first")
    print_summary(sym.exp(first, name="b" * 60 + "_second"), {"data": (1, 7)})
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    found = next(row for row in rows if row[0].endswith("_second(exp)"))
    assert found[0].startswith("…bbb")
    assert found[1] == "7"
    assert found[-1].startswith("…aaa")
    assert found[-1].endswith("_first")


@pytest.mark.parametrize("function", [print_summary, plot_network])
def test_only_symbols_are_taken(function: object) -> None:
    assert callable(function)
    with pytest.raises(TypeError, match="takes a Symbol, not int"):
        function(3)


@pytest.mark.parametrize("function", [print_summary, plot_network])
def test_wrong_shapes_are_refused(function: object) -> None:
    assert callable(function)
    with pytest.raises(MXNetError, match="no argument 'dada'; did you mean 'data'"):
        function(network(), shape={"dada": (1, 2)})
    with pytest.raises(InferenceError):
        function(network(), shape={"data": (1, 2), "fc1_weight": (3, 3)})


# ------------------------------------------------------------------------------ the picture


def test_the_source_is_as_mxnets() -> None:
    drawing = plot_network(
        network(), shape={"data": (4, 100)}, node_attrs={"fixedsize": "false", "penwidth": "2"}
    )
    assert drawing.source.startswith('digraph "plot" {\n')
    assert '\t"fc1" -> "data" [label="4×100" dir="back" arrowtail="open"]\n' in drawing.source
    assert 'fixedsize="false"' in drawing.source
    assert "fc1_weight" not in drawing.source
    assert "fc1_weight" in plot_network(network(), hide_weights=False).source


def test_labels_hold_shapes_and_dtypes() -> None:
    drawing = plot_network(network(), shape={"data": (4, 100)}, dtype={"data": np.float32})
    labels = [arrow.label for arrow in drawing.picture.arrows]
    assert labels[0] == "4×100 float32"
    assert not any(a.label for a in plot_network(network()).picture.arrows)


def test_repeated_names_warn_once() -> None:
    net = sym.tanh(sym.tanh(sym.var("x"), name="t"), name="t")
    with pytest.warns(
        RuntimeWarning, match="multiple variables with the same name in your graph.*: t"
    ) as caught:
        plot_network(net)
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("format", "start"),
    [("svg", b"<svg"), ("html", b"<!DOCTYPE html>"), ("pdf", b"%PDF"), ("dot", b"digraph")],
)
def test_rendering_writes_the_format_and_the_source(
    tmp_path: Path, format: str, start: bytes
) -> None:
    drawing = plot_network(network(), title="net", save_format=format)
    path = drawing.render("picture", directory=str(tmp_path))
    assert path == str(tmp_path / f"picture.{format}")
    assert Path(path).read_bytes().startswith(start)
    assert (tmp_path / "picture").read_text() == drawing.source
    drawing.render("again", directory=str(tmp_path), cleanup=True)
    assert sorted(os.listdir(tmp_path)) == [f"again.{format}", "picture", f"picture.{format}"]


def test_formats_of_graphviz_need_graphviz(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(MXNetError, match=r"'png' needs Graphviz(.|\n)*html, svg, pdf"):
        plot_network(network(), save_format="png").pipe()


def test_viewing_opens_a_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    path = plot_network(network(), title="net").view(directory=str(tmp_path))
    assert opened == [Path(path).as_uri()]
    assert Path(path).read_text().startswith("<!DOCTYPE html>")


def test_nodes_and_edges_can_be_added() -> None:
    drawing = plot_network(network())
    drawing.node("extra", label="Extra")
    drawing.edge("extra", "fc1")
    assert '\t"extra" [label="Extra"]\n\t"extra" -> "fc1"\n}' in drawing.source


def test_blocks_are_drawn_too() -> None:
    net = mx.gluon.nn.Dense(3, in_units=2, prefix="fc_")
    drawing = plot_network(net, shape={"data": (5, 2)})
    assert '"fc_fwd" -> "data" [label="5×2"' in drawing.source


def test_notebooks_show_arrays() -> None:
    page = mx.nd.array([[1, 2], [3, np.nan]])._repr_html_()
    assert "NDArray 2×2 float32 @cpu(0)" in page
    assert "1 not finite" in page
    assert "<svg" in page


def test_notebooks_show_the_drawing() -> None:
    drawing = plot_network(network())
    assert isinstance(drawing, Drawing)
    assert drawing._repr_html_().startswith("<iframe srcdoc=")
    assert drawing._repr_svg_().startswith("<svg")
    assert str(drawing) == drawing.source


def test_unknown_operators_are_drawn_with_the_shapes_around_them() -> None:
    document = json.loads(network().tojson())
    next(n for n in document["nodes"] if n["name"] == "relu1")["op"] = "FancyLayer"
    net = sym.load_json(json.dumps(document))
    drawing = plot_network(net, shape={"data": (4, 100)})
    assert "FancyLayer" in drawing.source
    assert '"bn" -> "fc1" [label="4×32"' in drawing.source
