"""``python -m gluonic warm``: the first run of a program leaves all machine code on disk."""

from pathlib import Path
from typing import Any

import pytest

from tests.face.commands import gluonic_command

_SCRIPT = """
import sys
import mxnet as mx
net = mx.gluon.nn.Dense(2, in_units=3)
net.initialize()
net.hybridize()
with mx.autograd.record():
    y = net(mx.nd.ones((4, 3)))
y.backward()
print(sys.argv[1:], net.cache_info().specializations, net.cache_info().disk_hits)
sys.exit(3)
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "train.py"
    path.write_text(_SCRIPT)
    return path


def test_warming_up_compiles_what_first_calls_need_and_reports_how_much(script: Path) -> None:
    folder = script.parent / "cache"
    settings: dict[str, Any] = {"GLUONIC_CACHE_DIR": str(folder), "GLUONIC_EXECUTOR": "mixed"}
    found = gluonic_command("warm", str(script), "--epochs", "3", **settings)
    assert found.stdout == "['--epochs', '3'] 2 0\n"
    assert found.returncode == 3
    files = [*folder.glob("*.object")]
    assert f"{len(files)} new pieces of machine code" in found.stderr
    assert str(folder) in found.stderr
    again = gluonic_command("warm", str(script), **settings)
    assert again.stdout == "[] 2 2\n"
    assert again.stderr.startswith("gluonic: 0 new pieces of machine code, 0 KiB")


def test_first_calls_without_warming_up_compile_nothing(script: Path) -> None:
    settings: dict[str, Any] = {
        "GLUONIC_CACHE_DIR": str(script.parent / "cache"),
        "GLUONIC_EXECUTOR": "mixed",
    }
    assert gluonic_command(str(script), **settings).stdout == "[] 0 0\n"
    assert not (script.parent / "cache").exists()


def test_warming_up_is_refused_without_a_code_cache(script: Path) -> None:
    found = gluonic_command("warm", str(script), GLUONIC_CACHE="0")
    assert found.returncode == 2
    assert "GLUONIC_CACHE=0" in found.stderr.splitlines()[-1]
