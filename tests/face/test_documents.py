"""The code in the documents runs, word for word."""

import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from tests.face.commands import command

ROOT = Path(__file__).parent.parent.parent


def blocks(document: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / document).read_text(), re.DOTALL)


def run(document: str, codes: list[str]) -> dict[str, Any]:
    """Run code of a document, one block after the other; returns its names."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for code in codes:
        exec(compile(code, document, "exec"), names)
    return names


def test_the_tour_runs_and_shows_what_was_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _, *in_order = blocks("README.md")
    assert run("README.md", in_order)["features"]
    files = {"tour-symbol.json", "tour-0000.params", "net.html", "mine.html", "trace.json"}
    assert files <= {path.name for path in tmp_path.iterdir()}


def test_programs_that_import_mxnet_run_as_the_readme_describes() -> None:
    program = blocks("README.md")[0] + "\nassert mx is gluonic and Dense is gluonic.gluon.nn.Dense"
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)


def test_operators_in_the_manner_of_minpy_run_as_their_page_describes() -> None:
    names = run("docs/minpy.md", blocks("docs/minpy.md"))
    assert names["gradient"].shape == names["x"].shape


def test_a_net_is_trained_on_arrays_of_numpy_as_its_page_describes() -> None:
    names = run("docs/numpy.md", blocks("docs/numpy.md"))
    assert type(names["loss"]) is names["np"].ndarray


def test_nets_go_to_onnx_and_back_as_their_page_describes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("onnx")
    monkeypatch.chdir(tmp_path)
    run("docs/onnx.md", blocks("docs/onnx.md"))
    assert {path.name for path in tmp_path.iterdir()} == {"net.onnx", "again.onnx"}


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


def test_the_readme_lists_the_environment_variables_that_are_read() -> None:
    table = (ROOT / "README.md").read_text().split("## Environment variables")[1].split("##")[0]
    listed = set(re.findall(r"\b(?:GLUONIC|MXNET)_[A-Z_]+", table))
    sources = "\n".join(path.read_text() for path in (ROOT / "gluonic").rglob("*.py"))
    read = set(re.findall(r'"((?:GLUONIC|MXNET)_[A-Z_]+)"', sources))
    assert listed == read


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
