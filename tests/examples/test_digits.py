"""The demo: what it says about eager and hybridized calls is what ran."""

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

import gluonic as mx
from gluonic.gluon import nn

DEMO = Path(__file__).parents[2] / "examples/digits/demo.py"


@pytest.fixture(scope="module")
def demo() -> dict[str, Any]:
    return runpy.run_path(str(DEMO))


def times_of(demo: dict[str, Any], net: nn.HybridSequential) -> Any:
    net.initialize()
    x = mx.nd.ones((4, 8))
    return demo["time_both"](lambda: net(x).asnumpy(), [net])


def net_of_two_layers() -> nn.HybridSequential:
    net = nn.HybridSequential()
    net.add(nn.Dense(16, activation="relu"), nn.Dense(4))
    return net


def test_the_first_calls_end_where_machine_code_runs(
    demo: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    net = net_of_two_layers()
    monkeypatch.setenv("GLUONIC_EXECUTOR", "mixed")
    times = times_of(demo, net)
    info = net.cache_info()
    assert info.specializations == 1
    assert times.first_count == info.interpreted
    assert times.compiling == pytest.approx(info.seconds * 1e3)


def test_where_nothing_is_compiled_nothing_is_said_to_be(
    demo: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLUONIC_EXECUTOR", "interpret")
    times = times_of(demo, net_of_two_layers())
    assert times.first_count >= demo["IN_A_ROW"]
    assert times.compiling == 0
    assert not times.is_from_disk


def test_the_demo_trains_a_net_and_draws_it_last(
    demo: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(demo["main"].__globals__, "CALLS", 3)
    demo["main"]()
    printed, told = capsys.readouterr()
    assert told == ""
    rows = {title for line in printed.splitlines() if (title := re.split(r"\s{2,}", line)[0])}
    assert rows >= {"eager", "hybridized, first calls", "hybridized, later calls"}
    label, picture = printed.splitlines()[-1].split()
    assert label == "picture:"
    assert Path(picture).read_text().startswith("<svg")
