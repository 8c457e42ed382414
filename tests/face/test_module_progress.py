"""`Module.fit` and `score` show how far they are where a person watches."""

import io
import logging
import sys
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import gluonic as mx
from gluonic import sym


class Screen(io.StringIO):
    def __init__(self, is_terminal: bool) -> None:
        super().__init__()
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        return self.is_terminal


def _made() -> tuple[mx.mod.Module, mx.io.NDArrayIter]:
    net = sym.SoftmaxOutput(sym.FullyConnected(sym.var("data"), num_hidden=2), name="softmax")
    data = mx.io.NDArrayIter(np.ones((12, 3)), np.zeros(12), batch_size=4)
    return mx.mod.Module(net), data


@pytest.mark.parametrize("is_terminal", [False, True])
def test_training_and_scoring_show_batches(
    is_terminal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = Screen(is_terminal)
    module, data = _made()
    monkeypatch.setattr("sys.stderr", screen)
    module.fit(data, num_epoch=1)
    assert ("0batch" in screen.getvalue()) == is_terminal
    screen.truncate(0)
    module.score(data, "acc", num_batch=2)
    assert ("/2" in screen.getvalue()) == is_terminal


def test_lines_of_the_log_are_above_the_bar(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    screen = Screen(is_terminal=True)
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setattr(logging.getLogger(), "handlers", [logging.StreamHandler(screen)])
    caplog.set_level(logging.INFO)
    module, data = _made()
    module.fit(data, num_epoch=1, batch_end_callback=mx.callback.Speedometer(4, 1))
    written = screen.getvalue()
    for line in ("Epoch[0] Batch [0-1]", "Epoch[0] Train-accuracy"):
        assert f" \r{line}" in written  # the bar was wiped away before


def test_a_notebook_without_widgets_shows_text_and_warns_of_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kernel = SimpleNamespace(config={"IPKernelApp": {}})
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: kernel))
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    for name in ("auto", "autonotebook", "notebook"):  # they look for widgets when imported
        monkeypatch.delitem(sys.modules, f"tqdm.{name}", raising=False)
        monkeypatch.delattr(f"tqdm.{name}", raising=False)
    screen = Screen(is_terminal=False)
    module, data = _made()
    monkeypatch.setattr("sys.stderr", screen)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        module.fit(data, num_epoch=1)
    assert "0batch" in screen.getvalue()
    assert not caught
