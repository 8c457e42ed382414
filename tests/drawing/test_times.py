"""The times on a page: each step's counts once."""

import re
from typing import Any

import pytest

from gluonic import nd
from gluonic.drawing.drawing import Drawing
from gluonic.drawing.page.times import micro
from gluonic.gluon import nn
from tests.drawing.test_page import data_of


def convolutions() -> nn.HybridSequential:
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(8, 3, padding=1), nn.BatchNorm(), nn.Activation("relu"), nn.MaxPool2D(2))
        net.add(nn.Conv2D(8, 3, padding=1, activation="relu"), nn.Flatten(), nn.Dense(4))
    net.initialize()
    net.hybridize()
    return net


@pytest.fixture(scope="module")
def drawing() -> Drawing:
    drawn: Drawing = convolutions().explain(nd.ones((2, 3, 16, 16))).plot(runs=2)
    return drawn


@pytest.fixture(scope="module")
def data(drawing: Drawing) -> Any:
    return data_of(drawing)


def node_of(data: Any, name: str) -> int:
    return next(i for i, node in enumerate(data["nodes"]) if node["name"] == name)


def shared_step(data: Any) -> int:
    """The step that computes a convolution, its normalization and its activation."""
    conv = node_of(data, "net_conv0_fwd")
    steps = data["compiled"]["steps"]
    found = [n for n, s in enumerate(steps) if conv in s["nodes"] and "kept" not in s]
    return next(n for n in found if len(steps[n]["nodes"]) > 1)


def test_a_step_of_several_operators_belongs_to_the_one_with_weights(data: Any) -> None:
    step = data["compiled"]["steps"][shared_step(data)]
    assert {data["nodes"][n]["name"] for n in step["nodes"]} == {
        "net_conv0_fwd",
        "net_batchnorm0_fwd",
        "net_relu0_fwd",
    }
    assert step["owner"] == node_of(data, "net_conv0_fwd")


def test_every_step_has_at_most_one_owner_among_its_operators(data: Any) -> None:
    for step in data["compiled"]["steps"]:
        assert ("owner" in step) == bool(step["nodes"])
        assert not step["nodes"] or step["owner"] in step["nodes"]


def test_steps_are_ranked_the_slowest_first(data: Any) -> None:
    times = data["compiled"]["times"]
    ranked = [times["steps"][str(number)] for number in times["ranked"]]
    assert ranked == sorted(times["steps"].values(), reverse=True)


def test_boxes_show_the_time_of_a_shared_step_once(data: Any) -> None:
    step = shared_step(data)
    notes = {node["name"]: node.get("note", "") for node in data["nodes"]}
    assert re.fullmatch(rf"steps? .*\b{step}\b.*: [\d.]+ [µm]s", notes["net_conv0_fwd"])
    assert notes["net_batchnorm0_fwd"] == notes["net_relu0_fwd"] == f"in step {step}"
    assert notes["data"] == ""


def test_a_block_shows_the_sum_of_the_steps_of_its_operators(drawing: Drawing, data: Any) -> None:
    times = drawing.page.times
    assert times is not None
    (block,) = [block for block in data["blocks"] if block["title"] == "net_conv1_"]
    mine = sum(
        times.steps.get(number, 0.0)
        for number, step in enumerate(data["compiled"]["steps"])
        if step.get("owner") in block["members"]
    )
    assert mine > 0
    assert block["note"] == micro(mine)
    owned = [n for n, step in enumerate(data["compiled"]["steps"]) if "owner" in step]
    assert data["blocks"][0]["note"] == micro(sum(times.steps.get(n, 0.0) for n in owned))


def test_pictures_of_timed_nets_show_the_times(drawing: Drawing) -> None:
    texts = re.findall(r">(steps? [\d, ]+: [\d.]+ [µm]s)<", drawing.pipe("svg").decode())
    assert len(texts) >= 4


def test_pages_without_times_have_no_notes() -> None:
    data = data_of(convolutions().explain(nd.ones((2, 3, 16, 16))).plot())
    assert not any("note" in thing for thing in (*data["nodes"], *data["blocks"]))
