"""``gluonic modernize``: programs for MXNet 1.x with the names of 2.0, which compute the same."""

import json
import sys
from pathlib import Path

import pytest

from tests.commands.conftest import Line

pytest.importorskip("libcst")

from gluonic.tools.modernizing import modernized

BLOCK = '''import mxnet as mx
from mxnet import gluon, nd  # what we need
from mxnet.gluon.contrib.nn import HybridConcurrent


class Scaled(gluon.HybridBlock):
    """A layer."""

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            # the scale
            self.scale = self.params.get("scale", shape=(units,))
            self.bias = self.params.get("bias", shape=(units,)) if units > 1 else None
            self.dense = gluon.nn.Dense(units, prefix="dense_")

    def hybrid_forward(self, F, x, other=None, scale=None, bias=None):
        """Compute it."""
        y = F.broadcast_mul(self.dense(x),  scale)   # spaces stay
        return F.concat(y, bias.expand_dims(0), dim=0)


net = Scaled(3)
net.collect_params().initialize(mx.init.One(), ctx=mx.cpu())
'''
MODERN = '''import mxnet as mx
from mxnet import gluon, nd  # what we need
from mxnet.gluon.nn import HybridConcatenate as HybridConcurrent


class Scaled(gluon.HybridBlock):
    """A layer."""

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        # the scale
        self.scale = mx.gluon.Parameter("scale", shape=(units,))
        self.bias = mx.gluon.Parameter("bias", shape=(units,)) if units > 1 else None
        self.dense = gluon.nn.Dense(units)

    def forward(self, x, other=None):
        """Compute it."""
        scale = self.scale.data(x.device)
        bias = None if self.bias is None else self.bias.data(x.device)
        y = mx.np.multiply(self.dense(x),  scale)   # spaces stay
        return mx.np.concatenate([y, mx.np.expand_dims(bias, 0)], axis=0)


net = Scaled(3)
net.initialize(mx.init.One(), device=mx.cpu())
'''


def test_blocks_calls_and_imports_are_rewritten_and_all_else_stays() -> None:
    assert modernized(BLOCK).after == MODERN
    assert modernized(MODERN).after == MODERN


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("mx.nd.ones((2,), ctx)", "mx.np.ones((2,), device=ctx)"),
        ("mx.nd.array(x)", 'mx.np.array(x, dtype="float32")'),
        ("mx.nd.array([1, 2])", "mx.np.array([1, 2])"),
        ("mx.metric.Accuracy()", "mx.gluon.metric.Accuracy()"),
        ("mx.nd.argmax(x, axis=1)", 'mx.np.argmax(x, axis=1).astype("float32")'),
        ("x.reshape((0, -1))", "mx.npx.reshape(x, (-2, -1))"),
        ("x.reshape((2, -1))", "x.reshape((2, -1))"),
        ("x.reshape(shape=(2, 3))", "x.reshape((2, 3))"),
        ("x.as_in_context(c)", "x.to_device(c)"),
        ("x.softmax(axis=1)", "mx.npx.softmax(x, axis=1)"),
        ("self.softmax(x)", "self.softmax(x)"),
        ("net.relu(x)", "net.relu(x)"),
        ("x.exp().sum().asscalar()", "mx.np.exp(x).sum().item()"),
        ("numpy.exp(x)", "numpy.exp(x)"),
        ("net.collect_params().reset_ctx(c)", "net.reset_device(c)"),
    ],
)
def test_an_expression_is_rewritten(before: str, after: str) -> None:
    head = "import numpy\nimport mxnet as mx\n"
    result = modernized(f"{head}{before}\n")
    assert (result.after, result.marks) == (f"{head}{after}\n", [])


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("score = mx.metric.F1()", "it counts all updates together"),
        ("module = mx.mod.Module(net)", "use gluon.HybridBlock and gluon.Trainer"),
        ("y = mx.nd.sum(x, axis=0, exclude=True)", "its argument 'exclude'"),
        ("y = mx.nd.sum(x, **options)", "keywords that a dictionary holds"),
        ("y = mx.nd.reshape(x, shape)", "its shape, which is not written here"),
        ("x = mx.nd.random.normal(shape=(2,))", "other numbers of the same distribution"),
        ("best = x.argmax(axis=1)", "indices are int64"),
        ("from mxnet.metric import F1", "it counts all updates together"),
    ],
)
def test_what_is_left_to_decide_is_a_comment(line: str, told: str) -> None:
    program = f"import mxnet as mx\nif True:\n    {line}\n"
    result = modernized(program)
    mark, after = result.after.splitlines()[2:]
    assert mark.startswith("    # MXNet 2.0: ")
    assert told in mark
    assert [number for number, _ in result.marks] == [3]
    stays = line.replace("= mx.metric", "= mx.gluon.metric")  # it is there, with another meaning
    assert after.removesuffix(".as_np_ndarray()") == f"    {stays}"
    assert modernized(result.after).after.count(told) == 1


def test_a_program_without_a_name_for_mxnet_gets_one() -> None:
    result = modernized("from mxnet.ndarray import ones\n\nx = ones((2,))\n")
    assert result.after == (
        "from mxnet.ndarray import ones\nimport mxnet as mx\n\nx = mx.np.ones((2,))\n"
    )


def test_the_command_shows_writes_and_answers(tmp_path: Path, line: Line) -> None:
    (tmp_path / "old.py").write_text(BLOCK)
    shown = line("modernize", "old.py")
    assert (shown.returncode, shown.stdout) == (0, MODERN)
    assert (
        "+net.initialize(mx.init.One(), device=mx.cpu())"
        in line("modernize", "old.py", "--diff").stdout
    )
    assert line("modernize", "old.py", "--output", "new.py").returncode == 0
    assert (tmp_path / "new.py").read_text() == MODERN
    assert (tmp_path / "old.py").read_text() == BLOCK
    (tmp_path / "f1.py").write_text("import mxnet as mx\nmx.metric.F1()\n")
    answered = line("modernize", ".", "--in-place", "--json")
    assert answered.returncode == 3
    reports = {report["program"]: report for report in json.loads(answered.stdout)}
    assert len(reports["f1.py"]["marks"]) == 1
    assert not reports["new.py"]["changes"]
    assert (tmp_path / "old.py").read_text() == MODERN
    assert line("modernize", "old.py", "new.py", "--output", "x.py").returncode == 2


def test_what_is_no_program_is_refused(tmp_path: Path, line: Line) -> None:
    (tmp_path / "old.py").write_text("print 'Python 2'\n")
    failed = line("modernize", "old.py")
    assert failed.returncode == 1
    assert "old.py: this is no program for Python 3" in failed.stderr


def test_the_package_that_is_needed_is_named(
    tmp_path: Path, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "old.py").write_text(BLOCK)
    for name in [name for name in sys.modules if name.startswith("gluonic.tools.modernizing")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "libcst", None)
    failed = line("modernize", "old.py")
    assert failed.returncode == 2
    assert "pip install 'gluonic[modernize]'" in failed.stderr
