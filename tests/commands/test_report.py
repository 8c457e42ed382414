"""``gluonic report``: a page about a run of a program."""

from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.face.commands import gluonic_command

PROGRAM = """import sys
import mxnet as mx

class Half(mx.operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0] / 2)

@mx.operator.register("half")
class HalfProp(mx.operator.CustomOpProp):
    def create_operator(self, ctx, shapes, dtypes):
        return Half()

net = mx.gluon.nn.HybridSequential()
net.add(mx.gluon.nn.Dense(3, activation="relu"))
net.add(mx.gluon.nn.HybridLambda(lambda F, x: F.Custom(x, op_type="half")))
net.initialize()
net.hybridize(compile_at_once=True)
for _ in range(3):
    print(net(mx.nd.ones((2, 4))).shape)
if sys.argv[1:]:
    raise ValueError("<too many arguments>")
"""


class Text(HTMLParser):
    """The headings and the texts of a page, and what it loads."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.tags: list[str] = []
        self.loaded: list[str] = []
        self.frames: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.loaded += [value or "" for name, value in attributes if name in ("src", "href")]
        self.frames += [value or "" for name, value in attributes if name == "srcdoc"]

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(self.words)


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "predict.py"
    path.write_text(PROGRAM)
    return path


def test_the_page_tells_what_was_compiled_and_what_python_ran(script: Path) -> None:
    ran = gluonic_command("report", "--output", "run.html", "predict.py", folder=script.parent)
    assert (ran.returncode, ran.stdout) == (0, "(2, 3)\n" * 3)
    assert ran.stderr == f"gluonic: {script.parent / 'run.html'} tells of the run\n"
    page = Text((script.parent / "run.html").read_text())
    assert page.loaded == []
    assert "FullyConnected dense0_fwd → Activation dense0_relu_fwd" in page.text
    assert "a custom operator calls your code" in page.text
    assert "predict.py" in page.text
    assert "Compiled graphs, each call as a whole" in page.text
    (frame,) = page.frames
    assert frame.startswith("<!DOCTYPE html>")


def test_a_program_that_fails_leaves_a_page_with_the_reason(script: Path) -> None:
    ran = gluonic_command("report", "predict.py", "more", folder=script.parent)
    assert ran.returncode == 1
    assert "ValueError: <too many arguments>" in ran.stderr
    page = Text((script.parent / "report.html").read_text())
    assert "ValueError: <too many arguments>" in page.text
    assert "FullyConnected" in page.text


def test_a_program_that_compiles_nothing_is_told_how(tmp_path: Path) -> None:
    (tmp_path / "eager.py").write_text("import mxnet as mx\nmx.nd.ones((2,)) + 1\nexit(3)\n")
    ran = gluonic_command("report", "eager.py", folder=tmp_path)
    assert ran.returncode == 3
    page = Text((tmp_path / "report.html").read_text())
    assert "compile_at_once=True" in page.text
    assert "it ended with status 3" in page.text
    assert "_plus_scalar" in page.text


def test_a_page_that_cannot_be_written_is_refused_before_the_program_runs(script: Path) -> None:
    refused = gluonic_command(
        "report", "--output", "no/run.html", "predict.py", folder=script.parent
    )
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "there is no folder" in refused.stderr
    assert gluonic_command("report", "none.py", folder=script.parent).returncode == 2
