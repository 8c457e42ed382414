"""docs/leaving.md: a net that MXNet has exported computes MXNet's scores wherever the page moves it."""

import doctest
import platform
import re
import shlex
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.commands.conftest import Line

ROOT = Path(__file__).parent.parent.parent
MODEL = ROOT / "tests" / "measured" / "moved_model"
_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
PAGE = (ROOT / "docs" / "leaving.md").read_text()
SCORES = np.load(MODEL / "scores.npy")
"""Computed by MXNet 1.9.1."""


def section(title: str) -> str:
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def code(text: str, language: str) -> str:
    return "\n".join(re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL))


@pytest.fixture
def moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names of the page's program after its first section, in a folder with MXNet's files."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["gluonic"])
    for file in MODEL.iterdir():
        shutil.copy(file, tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(code(PAGE.split("\n## ")[0] + section("First, a proof"), "python"), names)
    return names


def type_lines(title: str, line: Line) -> None:
    """Type the commands of a section; they print what it says."""
    for example in code(section(title), "console").removeprefix("$ ").split("\n$ "):
        command, _, output = example.partition("\n")
        _, *arguments = shlex.split(command)
        ran = line(*arguments)
        assert ran.returncode == 0, ran.stderr
        if not doctest.OutputChecker().check_output(output, ran.stdout, _FLAGS):
            raise AssertionError(f"{command}\nprints\n{ran.stdout}\nthe page says\n{output}")


def assert_mxnets(scores: Any) -> None:
    assert np.allclose(scores, SCORES, rtol=1e-4, atol=1e-4)


def test_the_net_moves_to_onnx_runtime(moved: dict[str, Any], line: Line) -> None:
    pytest.importorskip("onnxruntime")
    assert_mxnets(moved["net"](moved["x"]).asnumpy())
    type_lines("ONNX Runtime", line)
    exec(code(section("ONNX Runtime"), "python"), moved)
    assert_mxnets(moved["scores"])


def test_the_net_moves_to_pytorch(moved: dict[str, Any], line: Line, tmp_path: Path) -> None:
    pytest.importorskip("safetensors")
    if find_spec("torch"):
        type_lines("PyTorch", line)
        exec(code(section("PyTorch"), "python"), moved)
        assert_mxnets(moved["scores"])
    else:
        ran = line("convert", "digits-symbol.json", "digits.py", "--shape", "data=1,1,8,8")
        assert "not compared: PyTorch is not installed" in ran.stdout
    assert code(section("PyTorch"), "text") in (tmp_path / "digits.py").read_text()


@pytest.mark.skipif(platform.machine() != "x86_64" or not shutil.which("cc"), reason="needs cc")
def test_the_net_moves_to_c(moved: dict[str, Any], line: Line, tmp_path: Path) -> None:
    type_lines("C", line)
    (tmp_path / "main.c").write_text(code(section("C"), "c"))
    (compile_line,) = re.findall(r"^    \$ (cc .*)$", section("C"), re.MULTILINE)
    subprocess.run(shlex.split(compile_line), check=True)
    given = moved["images"].tobytes()
    printed = subprocess.run(["./main"], input=given, capture_output=True, check=True).stdout
    assert_mxnets(np.loadtxt(printed.decode().splitlines()))


@pytest.mark.skipif(not shutil.which("node"), reason="needs Node.js")
def test_the_net_moves_to_the_browser(moved: dict[str, Any], line: Line, tmp_path: Path) -> None:
    type_lines("The browser", line)
    (tmp_path / "main.mjs").write_text(code(section("The browser"), "js"))
    moved["images"].tofile("images.raw")
    ran = subprocess.run(["node", "main.mjs"], capture_output=True, text=True, check=True)
    assert_mxnets(np.array(ran.stdout.split(), np.float32).reshape(SCORES.shape))
