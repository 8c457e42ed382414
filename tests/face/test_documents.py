"""The code in the documents runs, word for word."""

import doctest
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np
import pytest

from gluonic.tools.environment import names
from tests.face.commands import command, gluonic_command
from tests.face.environment_page import PAGE, page

ROOT = Path(__file__).parent.parent.parent


def blocks(document: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / document).read_text(), re.DOTALL)


def run(document: str, codes: list[str]) -> dict[str, Any]:
    """Run code of a document, one block after the other; returns its names."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for code in codes:
        exec(compile(code, document, "exec"), names)
    return names


def test_the_tour_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _, tour = blocks("README.md")
    assert run("README.md", [tour])["again"]
    files = {"tour-symbol.json", "tour-0000.params", "tour.html"}
    assert files == {path.name for path in tmp_path.iterdir()}


WITH_THEIR_OWN_TESTS = {"command_line", "extensions", "leaving", "library", "surgery"}
NEEDED = {"onnx": "onnx", "pytorch": "safetensors"}
"""The packages of pages that need one."""
PAGES = {
    path.stem: blocks(f"docs/{path.name}")
    for path in sorted((ROOT / "docs").glob("*.md"))
    if path.stem not in WITH_THEIR_OWN_TESTS
}


@pytest.mark.parametrize("page", [page for page, codes in PAGES.items() if codes])
def test_the_code_of_a_page_runs_as_one_program(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if page in NEEDED:
        pytest.importorskip(NEEDED[page])
    for name in [name for name in os.environ if name.startswith(("GLUONIC_", "MXNET_"))]:
        monkeypatch.delenv(name)
    ran = command("-c", "\n".join(PAGES[page]), folder=tmp_path)
    assert not ran.returncode, ran.stderr
    assert "Warning" not in ran.stderr


def test_the_messages_of_the_page_on_troubleshooting_are_those_of_the_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    page = str(ROOT / "docs" / "troubleshooting.md")
    failed, tried = doctest.testfile(page, module_relative=False, optionflags=flags)
    assert tried > 40
    assert not failed


RESTORED = re.findall(
    r"^\| `([^|]*)`[^|`]* \| `([^|]*)` \| ", (ROOT / "docs/troubleshooting.md").read_text(), re.M
)
ATTEMPT = """
import inspect, sys, time, warnings
warnings.simplefilter("ignore")
import numpy as np
for number, line in enumerate(sys.argv[1:]):
    try:
        exec(line)
    except Exception as error:
        print(number, str(error).replace("`", ""))
"""


def test_what_the_page_on_troubleshooting_calls_restored_works() -> None:
    lines = [line for _, line in RESTORED]
    assert len(lines) > 12
    ran = gluonic_command("-c", ATTEMPT, *lines)
    assert (ran.stdout, ran.stderr) == ("", "")
    without = subprocess.run(
        [sys.executable, "-c", ATTEMPT, *lines], capture_output=True, text=True, check=True
    )
    for raised in without.stdout.splitlines():
        number, _, message = raised.partition(" ")
        if not number.isdigit():  # a further line of a message
            continue
        assert message.startswith(RESTORED[int(number)][0]), message


def test_programs_that_import_mxnet_run_as_the_readme_describes() -> None:
    program = blocks("README.md")[0] + "\nassert mx is gluonic and Dense is gluonic.gluon.nn.Dense"
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)


@pytest.mark.skipif(platform.machine() != "x86_64" or not shutil.which("cc"), reason="needs cc")
def test_a_net_becomes_a_library_as_its_page_describes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = run("docs/library.md", blocks("docs/library.md"))
    page = (ROOT / "docs/library.md").read_text()
    (program,) = re.findall(r"```c\n(.*?)```", page, re.DOTALL)
    (tmp_path / "main.c").write_text(program)
    for line in re.findall(r"^\$ (.*)$", page, re.MULTILINE):
        ran = subprocess.run(line.split(), capture_output=True, text=True, check=True)
    images = names["nd"].array([float(i % 7) for i in range(128)]).reshape((2, 1, 8, 8))
    wanted = names["net"](images).asnumpy()
    assert np.allclose(np.loadtxt(ran.stdout.splitlines()), wanted, rtol=1e-4, atol=1e-5)


PROGRAMS = dict(enumerate(blocks("docs/surgery.md"), start=1))


@pytest.mark.parametrize("number", PROGRAMS)
def test_the_programs_on_surgery_run_as_users_run_them(number: int, tmp_path: Path) -> None:
    ran = command("-c", PROGRAMS[number], folder=tmp_path, GLUONIC_EXECUTOR="mixed")
    assert not ran.returncode, ran.stderr


UNCONNECTED = """import gluonic as mx
from gluonic import gluon

net = gluon.nn.HybridSequential(prefix="net_")
with net.name_scope():
    net.add(gluon.nn.Conv2D(8, 3))
net.initialize()
x = mx.nd.random.uniform(shape=(1, 3, 16, 16))
graph = net.network(x)
graph.remove_edge("net_conv0_bias", "net_conv0_fwd")
mx.sym.from_network(graph)
"""


def test_a_mistake_in_a_network_has_the_message_shown_on_its_page(tmp_path: Path) -> None:
    shown = (ROOT / "docs/surgery.md").read_text().split("what to try:\n\n")[1].split("\n\n")[0]
    (tmp_path / "model.py").write_text(UNCONNECTED)
    ran = command(str(tmp_path / "model.py"))
    message = ran.stderr.replace(f"{tmp_path}/", "").partition("MXNetError: ")[2]
    for line, expected in zip(message.splitlines()[:4], dedent(shown).splitlines(), strict=True):
        assert line.startswith(expected.rstrip("…"))


WRONG = """from gluonic import gluon, nd

class Bad(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        middle = F.mean(x)
        return x - middle

net = Bad(prefix="bad0_"); net.hybridize()
net(nd.ones((3, 4)))
"""


def test_an_error_has_the_message_shown_in_the_readme(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text()
    shown = text.split("many programs log only one of them:\n\n")[1].split("\n\n")[0]
    (tmp_path / "model.py").write_text(WRONG)
    ran = command(str(tmp_path / "model.py"), GLUONIC_EXECUTOR="mixed")  # the default
    message = ran.stderr.replace(f"{tmp_path}/", "").partition("InferenceError: ")[2]
    assert message.strip() == dedent(shown)


def test_the_table_of_environment_variables_has_those_that_are_read() -> None:
    files = [path for path in (ROOT / "gluonic").rglob("*.py") if path.stem != "environment"]
    sources = "\n".join(path.read_text() for path in files)
    read = set(re.findall(r'"((?:GLUONIC|MXNET)_[A-Z_0-9]+)"', sources))
    fusions = {name for name in names() if name.startswith("MXNET_DISABLE_MKLDNN_")}
    of_others = {"MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES"}
    of_others |= {"OMP_NUM_THREADS"}
    assert set(names()) - fusions == read | of_others
    for switch in {name.removeprefix("MXNET_DISABLE_MKLDNN_") for name in fusions}:
        operators, _, what = switch.partition("_")
        assert f'"{switch}"' in sources or (f'"{operators}"' in sources and f"_{what}" in sources)


def test_the_page_of_environment_variables_is_that_of_the_table() -> None:
    assert PAGE.read_text() == page(), "python -m tests.face.environment_page"


OPERATOR = """
import numpy as np
import gluonic as mx
from gluonic.graph.attributes import Axes
from gluonic.graph.families import reduction_shape
from gluonic.graph.operator import Array, operator
from gluonic.graph.rules import like

{code}

x = mx.nd.array([[1, 2], [3, 4]])
x.attach_grad()
with mx.autograd.record():
    y = mx.nd.scaled_sum(x, axis=1, scale=3)
y.backward()
assert y.asnumpy().tolist() == [9, 21] and x.grad.asnumpy().tolist() == [[3, 3], [3, 3]]
"""


def test_the_example_operator_in_contributing_works() -> None:
    ran = command("-c", OPERATOR.format(code=blocks("CONTRIBUTING.md")[0]))
    assert not ran.returncode, ran.stderr
