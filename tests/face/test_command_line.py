"""``python -m gluonic script.py``: an unmodified MXNet script runs as if it were started by Python itself."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import gluonic

SCRIPT = """
import sys
import mxnet as mx
from mxnet import gluon
import beside

def main():
    net = gluon.nn.Dense(2, in_units=2)
    net.initialize(mx.init.One())
    print(__name__, sys.argv[1:], beside.name, net(mx.nd.ones((1, 2))).asnumpy().tolist())
    print(sys.argv[0] == __file__, mx.__name__)

if __name__ == "__main__":
    main()
"""


def gluonic_command(
    *arguments: str, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gluonic", *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(gluonic.__file__).parent.parent)},
        check=False,
    )


@pytest.fixture
def script(tmp_path: Path) -> Path:
    (tmp_path / "beside.py").write_text("name = 'beside'\n")
    path = tmp_path / "train.py"
    path.write_text(SCRIPT)
    return path


def test_a_script_runs_with_its_arguments_and_neighbours(script: Path) -> None:
    found = gluonic_command(str(script), "--epochs", "3", "-m", "--help")
    assert found.stderr == ""
    assert found.stdout.splitlines() == [
        "__main__ ['--epochs', '3', '-m', '--help'] beside [[2.0, 2.0]]",
        "True gluonic",
    ]
    assert found.returncode == 0


def test_a_module_runs_by_its_name(script: Path) -> None:
    found = gluonic_command("-m", "train", "--lr", "0.1", folder=script.parent)
    assert found.stdout.splitlines()[0] == "__main__ ['--lr', '0.1'] beside [[2.0, 2.0]]"
    assert found.returncode == 0


def test_exit_statuses_and_tracebacks_are_the_scripts_own(tmp_path: Path) -> None:
    path = tmp_path / "fails.py"
    path.write_text("import sys\nsys.exit(7)\n")
    assert gluonic_command(str(path)).returncode == 7
    path.write_text("import mxnet as mx\n\nmx.nd.ones((2,)) + mx.nd.ones((3,))\n")
    found = gluonic_command(str(path))
    assert found.returncode == 1
    assert f'File "{path}", line 3, in <module>' in found.stderr
    assert "InferenceError" in found.stderr


def test_a_script_that_is_not_there_is_named(tmp_path: Path) -> None:
    found = gluonic_command(str(tmp_path / "nothing.py"))
    assert found.returncode == 2
    assert f"there is no file {tmp_path / 'nothing.py'}" in found.stderr


def test_help_and_version() -> None:
    assert gluonic_command("--version").stdout.strip() == f"gluonic {gluonic.__version__}"
    usage = gluonic_command("--help").stdout
    assert "Run an MXNet script on gluonic, unmodified" in usage
    assert gluonic_command().returncode == 2
