"""The profiler: what is recorded, how it is written, and the text of `dumps`."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, nd, profiler
from gluonic.gluon import HybridBlock, nn
from gluonic.graph.errors import AttributeValueError, MXNetError


@pytest.fixture(autouse=True)
def file(tmp_path: Path) -> Iterator[Path]:
    """Where the trace goes; the profiler is off and empty afterwards."""
    path = tmp_path / "profile.json"
    profiler.set_config(
        filename=str(path), profile_all=True, aggregate_stats=True, profile_symbolic=True
    )
    yield path
    profiler.set_state("run")
    profiler.resume()
    profiler.dump()
    profiler.set_config(filename="profile.json", profile_all=False, aggregate_stats=False)


class Net(HybridBlock):
    """A product, a loop and an operator that Python runs."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.dense = nn.Dense(32)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.topk(F.sigmoid(self.dense(x)) * 2, k=3, ret_typ="value")


def _events(file: Path) -> list[dict[str, Any]]:
    profiler.dump()
    found: list[dict[str, Any]] = json.loads(file.read_text())["traceEvents"]
    return found


def _operators(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [event for event in events if event.get("cat") == "operator"]


def _statistics(**options: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(profiler.dumps(format="json", **options))["Time"]
    return found


def test_eager_operators_are_recorded_with_block_line_and_shapes(file: Path) -> None:
    net = Net()
    net.initialize()
    x = nd.ones((4, 5))
    net(x)
    profiler.set_state("run")
    net(x)
    events = _events(file)
    found = {event["name"]: event for event in _operators(events)}
    assert {"FullyConnected", "sigmoid", "_mul_scalar", "topk"} <= set(found)
    assert found["FullyConnected"]["args"]["block"] == f"{net.name}/{net.dense.name}"
    assert found["FullyConnected"]["args"]["inputs"] == [[4, 5], [32, 5], [32]]
    assert found["sigmoid"]["args"]["block"] == net.name
    assert found["sigmoid"]["args"]["location"].startswith(__file__)
    assert all(event["dur"] >= 0 for event in events if event["ph"] == "X")


@pytest.mark.usefixtures("compiled_at_once")
def test_every_step_of_a_compiled_graph_is_recorded_inside_its_graph(file: Path) -> None:
    net = Net()
    net.initialize()
    net.hybridize()
    x = nd.random.normal(shape=(64, 16))
    expected = net(x).asnumpy()
    profiler.set_state("run")
    assert np.array_equal(net(x).asnumpy(), expected)
    events = _events(file)
    assert np.array_equal(net(x).asnumpy(), expected)
    steps = _operators(events)
    table = net.explain(x).steps
    assert len(steps) == sum(not step.reason.startswith("only when") for step in table)
    (graph,) = (event for event in events if event.get("cat") == "graph")
    end = graph["ts"] + graph["dur"]
    assert all(graph["ts"] <= s["ts"] and s["ts"] + s["dur"] <= end + 1 for s in steps)
    assert [s["ts"] for s in steps] == sorted(s["ts"] for s in steps)
    blocks = {s["args"]["block"] for s in steps}
    assert blocks <= {net.name, f"{net.name}/{net.dense.name}"}
    assert all(s["args"]["nodes"] and s["args"]["location"] and "shape" in s["args"] for s in steps)
    assert "topk" in {s["name"] for s in steps}


@pytest.mark.usefixtures("compiled_at_once")
def test_prepacking_is_recorded_when_it_happens(file: Path) -> None:
    net = Net()
    net.initialize()
    net.hybridize()
    x = nd.random.normal(shape=(64, 16))
    net(x)
    profiler.set_state("run")
    net.dense.weight.data()[:] = 1
    net(x)
    names = {event["name"] for event in _operators(_events(file))}
    assert "_packed" in names


def test_gradients_are_recorded_with_the_block_they_belong_to(file: Path) -> None:
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(nn.Dense(8, activation="tanh"), nn.Dense(4))
    net.initialize()
    net.hybridize()
    x = nd.random.normal(shape=(16, 8))
    with autograd.record():
        loss = net(x)
    profiler.set_state("run")
    loss.backward()
    blocks = {event["args"].get("block", "") for event in _operators(_events(file))}
    assert {f"{net.name}/{layer.name}" for layer in net} <= blocks


def test_interpreted_graphs_are_recorded_node_by_node(file: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("GLUONIC_EXECUTOR", "interpret")
    net = Net()
    net.initialize()
    net.hybridize()
    net(nd.ones((4, 5)))
    profiler.set_state("run")
    net(nd.ones((4, 5)))
    names = {event["name"] for event in _operators(_events(file))}
    assert {"FullyConnected", "sigmoid", "topk"} <= names


@pytest.mark.usefixtures("compiled_at_once")
def test_compiling_is_recorded(file: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("GLUONIC_CACHE", "0")
    net = Net()
    net.initialize()
    net.hybridize()
    profiler.set_state("run")
    net(nd.ones((64, 16)))
    compiling = {event["name"] for event in _events(file) if event.get("cat") == "compile"}
    assert compiling == {"compile", "optimise and assemble"}


def test_custom_operators_show_their_own_work_and_the_operators_they_call() -> None:
    class Shift(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):  # type: ignore[no-untyped-def]
            self.assign(out_data[0], req[0], in_data[0] + 1)

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):  # type: ignore[no-untyped-def]
            self.assign(in_grad[0], req[0], nd.sqrt(out_grad[0]))

    for name in ("ShiftOne", "ShiftTwo"):

        @mx.operator.register(name)
        class ShiftProp(mx.operator.CustomOpProp):
            def create_operator(self, *args: Any) -> Any:
                return Shift()

    x = nd.ones((10, 10))
    x.attach_grad()
    profiler.set_state("run")
    with autograd.record():
        y = nd.Custom(nd.Custom(x, op_type="ShiftOne"), op_type="ShiftTwo")
    y.backward()
    rows = _statistics()["Custom Operator"]
    for name in ("ShiftOne", "ShiftTwo"):
        assert {f"{name}::pure_python", f"{name}::_plus_scalar"} <= set(rows)
        assert {f"_backward_{name}::pure_python", f"_backward_{name}::sqrt"} <= set(rows)
    assert "_plus_scalar" not in _statistics().get("operator", {})


def test_nothing_is_recorded_before_during_a_pause_and_after(file: Path) -> None:
    x = nd.ones((2, 3))
    nd.exp(x)
    profiler.set_state("run")
    nd.sqrt(x)
    profiler.pause()
    nd.sin(x)
    with profiler.Task(profiler.Domain("d"), "unseen"):
        nd.cos(x)
    profiler.resume()
    nd.square(x)
    profiler.set_state("stop")
    nd.tanh(x)
    events = _events(file)
    assert [event["name"] for event in _operators(events)] == ["sqrt", "square"]
    assert "unseen" not in {event["name"] for event in events}


def test_running_again_ends_a_pause(file: Path) -> None:
    profiler.set_state("run")
    profiler.pause()
    profiler.set_state("stop")
    profiler.set_state("run")
    nd.sqrt(nd.ones((2, 3)))
    assert [event["name"] for event in _operators(_events(file))] == ["sqrt"]


def test_events_that_are_not_requested_are_not_recorded(file: Path) -> None:
    net = Net()
    net.initialize()
    net.hybridize()
    net(nd.ones((4, 5)))
    profiler.set_config(profile_all=False, profile_imperative=False)
    profiler.set_state("run")
    net(nd.ones((4, 5)))
    nd.cos(nd.ones((2,)))
    seen = {event["name"] for event in _operators(_events(file))}
    assert "topk" in seen
    assert "cos" not in seen
    profiler.set_config(profile_imperative=True)


def test_marks_are_recorded_in_order(file: Path) -> None:
    profiler.set_state("run")
    domain = profiler.Domain("domain")
    with domain.new_frame("frame"), domain.new_task("task"), profiler.Event("event"):
        counter = domain.new_counter("counter", 5)
        counter += 3
        counter -= 1
        domain.new_marker("marker").mark("process")
    profiler.Task(domain, "never started").stop()
    events = _events(file)
    kinds = {(e["name"], e["cat"], e["ph"]) for e in events if e["ph"] != "M"}
    assert kinds == {
        ("frame", "domain,frame", "X"),
        ("task", "domain", "X"),
        ("event", "event", "X"),
        ("counter", "domain", "C"),
        ("marker", "domain,instant_marker", "i"),
    }
    assert [e["args"]["counter"] for e in events if e["ph"] == "C"] == [5, 8, 7]
    assert [str(x) for x in (domain, counter)] == ["domain", "counter"]


def test_statistics_count_each_operator_until_reset() -> None:
    profiler.set_state("run")
    x = nd.zeros((100, 100))
    profiler.dumps(reset=True)
    y = nd.sqrt(x) + 1
    y = y + 1
    rows = _statistics()["operator"]
    assert rows["sqrt"]["Count"] == 1
    assert rows["_plus_scalar"]["Count"] == 2
    row = rows["_plus_scalar"]
    assert row["Total"] == pytest.approx(2 * row["Avg"], abs=1e-5)
    assert row["Min"] <= row["Avg"] <= row["Max"]
    _statistics(reset=True)
    assert "operator" not in _statistics()


@pytest.mark.parametrize("ascending", [False, True])
@pytest.mark.parametrize("sort_by", ["total", "avg", "min", "max", "count"])
def test_statistics_are_sorted_as_asked(sort_by: str, ascending: bool) -> None:
    profiler.set_state("run")
    for count in range(3):
        for _ in range(count):
            nd.exp(nd.zeros((10, 10)))
        nd.cos(nd.ones((3,)))
    for rows in _statistics(sort_by=sort_by, ascending=ascending).values():
        values = [row[sort_by.capitalize()] for row in rows.values()]
        assert values == sorted(values, reverse=not ascending)


def test_the_table_names_what_ran() -> None:
    profiler.set_state("run")
    nd.exp(nd.zeros((10, 10)))
    lines = profiler.dumps().splitlines()
    assert "Profile Statistics:" in lines
    assert any(line.split()[:2] == ["exp", "1"] for line in lines)
    profiler.set_config(aggregate_stats=False)
    assert profiler.dumps() == ""


def test_dumping_on_keeps_what_was_found_and_finishing_forgets_it(file: Path) -> None:
    profiler.set_state("run")
    sizes = []
    for _ in range(3):
        nd.exp(nd.zeros((2, 2)))
        profiler.dump(False)
        sizes.append(file.stat().st_size)
    assert sizes == sorted(set(sizes))
    profiler.dump()
    nd.exp(nd.zeros((2, 2)))
    with pytest.raises(MXNetError, match="hasn't been run"):
        profiler.dump()


@pytest.mark.parametrize(
    ("misuse", "message"),
    [
        (lambda: profiler.set_config(profile_al=True), "did you mean 'profile_all'"),
        (lambda: profiler.set_config(profile_memory="yes"), "must be True or False"),
        (lambda: profiler.set_state("go"), "'run', 'stop'"),
        (lambda: profiler.dumps(sort_by="x"), "'total'"),
        (lambda: profiler.dumps(format="x"), "'table'"),
        (lambda: profiler.pause("x"), "'worker'"),
        (lambda: profiler.Marker(profiler.Domain("d"), "m").mark("x"), "'process'"),
    ],
)
def test_misuse_is_explained(misuse: Any, message: str) -> None:
    with pytest.raises(AttributeValueError, match=message):
        misuse()


def test_the_old_functions_name_their_replacements(file: Path) -> None:
    with pytest.warns(DeprecationWarning, match="set_config"):
        profiler.profiler_set_config("all", str(file))
    with pytest.warns(DeprecationWarning, match="set_state"):
        profiler.profiler_set_state("run")
    with pytest.warns(DeprecationWarning, match="profiler.dump"):
        profiler.dump_profile()
    assert file.exists()


@pytest.mark.parametrize("variable", ["GLUONIC_PROFILE", "MXNET_PROFILER_AUTOSTART"])
def test_the_environment_can_ask_for_the_profile_of_a_program(
    variable: str, tmp_path: Path
) -> None:
    name = "profile.json"
    environment = {**os.environ, variable: name if variable.startswith("G") else "1"}
    environment["PYTHONPATH"] = str(Path(mx.__file__).parent.parent)
    program = "import gluonic as mx; mx.nd.exp(mx.nd.zeros((2, 2)))"
    subprocess.run([sys.executable, "-c", program], env=environment, cwd=tmp_path, check=True)
    events = json.loads((tmp_path / name).read_text())["traceEvents"]
    assert "exp" in {event["name"] for event in events}


def test_a_notebook_shows_the_statistics_as_tables() -> None:
    profiler.set_state("run")
    nd.tanh(nd.ones((2,))) * 3
    report: Any = profiler.dumps()
    page = report._repr_html_()
    assert ">tanh</td>" in page
    assert page.count("<table>") == len(report.found)
    assert report == str(report)
