"""Metrics for TensorBoard."""

import sys
from types import ModuleType
from typing import Any

import pytest

import gluonic as mx
from gluonic.contrib.tensorboard import LogMetricsCallback
from gluonic.model import BatchEndParam


class Writer:
    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.written: list[Any] = []

    def add_scalar(self, tag: str, value: float, global_step: int) -> None:
        self.written.append((tag, value, global_step))


@pytest.fixture(params=["mxboard", "tensorboardX"])
def _writers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType(request.param)
    module.__dict__.update(SummaryWriter=Writer, __spec__=sys.__spec__)
    monkeypatch.setitem(sys.modules, request.param, module)


@pytest.mark.usefixtures("_writers")
@pytest.mark.parametrize(("prefix", "title"), [(None, "accuracy"), ("train", "train-accuracy")])
def test_values_of_metrics_are_written_with_the_epoch(prefix: str | None, title: str) -> None:
    metric = mx.metric.create(["acc", "loss"])
    metric.update([mx.nd.array([1, 0])], [mx.nd.array([[0, 1], [0, 1]])])
    log = LogMetricsCallback("logs", prefix)
    log(BatchEndParam(3, 7, metric, locals()))
    assert log.summary_writer.folder == "logs"
    assert log.summary_writer.written[0] == (title, 0.5, 3)
    assert len(log.summary_writer.written) == 2


@pytest.mark.usefixtures("_writers")
def test_nothing_is_written_without_a_metric() -> None:
    log = LogMetricsCallback("logs")
    log(BatchEndParam(3, 7, None, locals()))
    assert log.summary_writer.written == []


def test_what_writes_the_files_must_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gluonic.contrib.tensorboard.find_spec", lambda name: None)
    with pytest.raises(NotImplementedError, match="none of mxboard and tensorboardX is installed"):
        LogMetricsCallback("logs")
