"""Processes that a program under ``python -m gluonic`` starts import gluonic as mxnet, too."""

from pathlib import Path

import pytest

import gluonic.served
from tests.face.commands import HOME, command, gluonic_command

FOLDER = str(Path(gluonic.served.__file__).parent)
SPAWNING = """
import multiprocessing
import sys
from collections import Iterable
import mxnet as mx

class Sample:
    def __init__(self, value):
        self.value = mx.nd.array([value])

def double(sample):
    return __name__, Sample(2 * sample.value.asscalar()), mx.__version__, mx.cpu(1)

if __name__ == "__main__":
    with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:
        name, sample, version, context = pool.map(double, [Sample(3)])[0]
    print(name, sample.value.asscalar(), version, context)
"""
STARTING = """
import subprocess
import sys

child = "import mxnet; from mxnet import nd; print(mxnet.__version__, nd.ones((2,)).sum().asscalar())"
print(subprocess.run([sys.executable, "-c", child], text=True, capture_output=True).stdout)
"""
REAL = "def ones():\n    return 'the real one'\n"


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
@pytest.mark.parametrize("form", ["script", "module"])
def test_workers_run_the_program_again_however_they_start(
    method: str, form: str, tmp_path: Path
) -> None:
    (tmp_path / "program.py").write_text(SPAWNING)
    arguments = ["program.py"] if form == "script" else ["-m", "program"]
    found = gluonic_command(*arguments, method, folder=tmp_path)
    name = "__main__" if method == "fork" else "__mp_main__"
    assert (found.stderr, found.stdout) == ("", f"{name} 6.0 1.9.1 cpu(1)\n")


def test_children_of_children_import_gluonic_as_mxnet(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(STARTING)
    assert gluonic_command("program.py", folder=tmp_path).stdout.strip() == "1.9.1 2.0"
    grandchild = f"import mxnet, os; exec({STARTING!r})"
    program = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {grandchild!r}])"
    assert gluonic_command("-c", program).stdout.strip() == "1.9.1 2.0"


def test_the_path_of_children_keeps_what_was_on_it(tmp_path: Path) -> None:
    program = "import os; print(os.environ['PYTHONPATH'])"
    paths = f"{HOME}:{tmp_path}"
    assert gluonic_command("-c", program, PYTHONPATH=paths).stdout.strip() == f"{FOLDER}:{paths}"
    child = ["-m", "gluonic", "-c", program]
    again = f"import subprocess, sys; subprocess.run([sys.executable, *{child}])"
    assert gluonic_command("-c", again, PYTHONPATH=paths).stdout.strip() == f"{FOLDER}:{paths}"


def test_a_python_without_gluonic_finds_its_own_mxnet(tmp_path: Path) -> None:
    (tmp_path / "mxnet").mkdir()
    (tmp_path / "mxnet" / "__init__.py").write_text(REAL)
    program = "import mxnet; print(mxnet.ones(), mxnet.__file__)"
    found = command("-S", "-c", program, folder=tmp_path, PYTHONPATH=f"{FOLDER}:{tmp_path}")
    assert found.stdout.split("one ")[1].strip() == str(tmp_path / "mxnet" / "__init__.py")


def test_without_the_command_no_child_is_served() -> None:
    program = "import gluonic, os; gluonic.install_as_mxnet(); print(os.environ['PYTHONPATH'])"
    assert command("-c", program).stdout.strip() == HOME
