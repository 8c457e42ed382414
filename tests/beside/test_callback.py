"""Callbacks log and save the same as MXNet's."""

import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import callback, nd
from gluonic.model import BatchEndParam


@pytest.fixture(autouse=True)
def log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO)
    return caplog


def metric() -> Any:
    found = mx.metric.create("mae")
    found.update([nd.zeros((2,))], [nd.ones((2,)) * 3])
    return found


def batch(number: int, of: Any = None) -> BatchEndParam:
    return BatchEndParam(1, number, of, None)


def test_the_metric_is_logged_now_and_then_and_reset(log: pytest.LogCaptureFixture) -> None:
    mae = metric()
    call = callback.log_train_metric(2, auto_reset=True)
    call(batch(1, mae))
    assert log.messages == []
    call(batch(2, mae))
    assert log.messages == ["Iter[1] Batch[2] Train-mae=3.000000"]
    assert np.isnan(mae.get()[1])
    call(batch(4))
    assert len(log.messages) == 1


@pytest.mark.parametrize("auto_reset", [True, False])
def test_the_speed_is_logged_with_the_metric(
    log: pytest.LogCaptureFixture, auto_reset: bool
) -> None:
    speedometer = callback.Speedometer(32, frequent=2, auto_reset=auto_reset)
    mae = metric()
    for number in range(5):
        speedometer(batch(number, mae))
    first, second = log.messages
    assert first.startswith("Epoch[1] Batch [0-2]\tSpeed: ")
    assert first.endswith(" samples/sec\tmae=3.000000")
    assert f"[{2 if auto_reset else 0}-4]" in second
    assert np.isnan(mae.get()[1]) == auto_reset
    speedometer(batch(0))  # another epoch
    speedometer(batch(2))
    assert log.messages[-1].startswith("Iter[1] Batch [2]\tSpeed: ")


def test_progress_is_a_bar(log: pytest.LogCaptureFixture) -> None:
    callback.ProgressBar(4, length=8)(batch(1))
    assert log.messages == ["[==------] 25%\r"]


def test_validation_is_logged(log: pytest.LogCaptureFixture) -> None:
    call = callback.LogValidationMetricsCallback()
    call(batch(0, metric()))
    call(batch(0))
    assert log.messages == ["Epoch[1] Validation-mae=3.000000"]


def test_checkpoints_are_saved_every_few_epochs(tmp_path: Path) -> None:
    prefix = str(tmp_path / "net")
    call = callback.do_checkpoint(prefix, 2)
    x = mx.sym.var("x") * mx.sym.var("w")
    for epoch in range(4):
        call(epoch, x, {"w": nd.ones((1,)) * epoch}, {"s": nd.zeros((1,))})
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "net-0002.params",
        "net-0004.params",
        "net-symbol.json",
    ]
    symbol, arguments, states = mx.model.load_checkpoint(prefix, 4)
    assert symbol.list_arguments() == ["x", "w"]
    assert arguments["w"].asscalar() == 3
    assert list(states) == ["s"]


def test_modules_are_saved_every_few_epochs() -> None:
    saved: list[Any] = []
    module = SimpleNamespace(save_checkpoint=lambda *args: saved.append(args))
    call = callback.module_checkpoint(module, "m", 3, True)
    for epoch in range(7):
        call(epoch)
    assert saved == [("m", 3, True), ("m", 6, True)]


def test_parameters_without_a_kind_are_not_a_checkpoint(tmp_path: Path) -> None:
    for name, content in (("named", {"w": nd.ones((1,))}), ("plain", [nd.ones((1,))])):
        nd.save(str(tmp_path / f"{name}-0000.params"), content)
        with pytest.raises(mx.MXNetError, match="params"):
            mx.model.load_params(str(tmp_path / name), 0)


def test_an_empty_checkpoint_causes_a_warning(
    tmp_path: Path, log: pytest.LogCaptureFixture
) -> None:
    mx.model.save_checkpoint(str(tmp_path / "net"), 1, None, {}, {})
    assert mx.model.load_params(str(tmp_path / "net"), 1) == ({}, {})
    assert "holds no parameters" in log.text
