"""A folder with an exported net, and commands in this process: starting one takes most of a test's time."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import gluonic as mx
from gluonic.__main__ import main

Line = Callable[..., "subprocess.CompletedProcess[str]"]
"""A function that runs a command line, and returns what `subprocess.run` would."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with ``net-symbol.json`` and ``net-0000.params``: a net for images of 3x8x8 with 10 outputs."""
    mx.random.seed(1)
    net = mx.gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(mx.gluon.nn.Conv2D(4, 3), mx.gluon.nn.BatchNorm(), mx.gluon.nn.Dense(10))
    net.initialize(mx.init.Normal(0.1))
    net.hybridize()
    net(mx.nd.ones((1, 3, 8, 8)))
    net.export(str(tmp_path / "net"))
    return tmp_path


@pytest.fixture
def line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Line:
    """Run a command in the test's folder, in this process."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
        capsys.readouterr()
        try:
            status = main(arguments)
        except SystemExit as ended:
            status = int(ended.code or 0)
        return subprocess.CompletedProcess(arguments, status, *capsys.readouterr())

    return run
