"""``gluonic doctor``: what a program uses that gluonic lacks, without running it."""

import json
from pathlib import Path

import pytest

from tests.commands.conftest import Line
from tests.face.commands import gluonic_command

PROGRAM = """import collections
import numpy as np
import mxnet as mx
from mxnet import gluon, nd
from mxnet.gluon import nn
from mxnet.contrib import onnxx
raise SystemExit("it was run")
x = mx.nd.ones(shape=(2,), ctx=mx.gpu(0))
layers = nn
dense = layers.Dense(3, unit=4)
class Block(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        return F.relu(F.contrib.dgl_adjacency(x)) + F.tahn(x)
mx.rtc.CudaModule("")
nd.NDArray.no_method
x.whatever.that_is
np.float(3), collections.Iterable
"""
FINDINGS = [
    (6, "unknown", "mx.contrib.onnxx"),
    (8, "gpu", "gluonic --cpu"),
    (10, "argument", "mx.gluon.nn.Dense takes no 'unit'; did you mean 'units'"),
    (13, "missing", "gluonic has no graph sampling"),
    (13, "unknown", "has no 'tahn'"),
    (14, "missing", "mx.rtc is not there"),
    (15, "unknown", "no_method"),
    (17, "restored", "collections.Iterable"),
]


def test_each_problem_has_its_line_and_nothing_is_run(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    found = gluonic_command("doctor", "train.py", "--json", folder=tmp_path)
    assert (found.returncode, found.stderr) == (3, "")
    (report,) = json.loads(found.stdout)
    assert {"mx.nd.ones", "mx.gluon.nn.Dense", "F.relu"} <= set(report["names"])
    findings = report["findings"]
    for line, kind, said in FINDINGS:
        assert any(
            f["line"] == line and f["kind"] == kind and said in f["text"] for f in findings
        ), (line, kind, said)
    others = [f for f in findings if (f["line"], f["kind"]) not in {x[:2] for x in FINDINGS}]
    assert all("numpy.float" in f["text"] for f in others)


@pytest.mark.parametrize("package", ["mxnet", "gluonic"])
def test_nothing_is_in_the_way_of_a_program_that_runs(
    package: str, tmp_path: Path, line: Line
) -> None:
    (tmp_path / "beside.py").touch()
    (tmp_path / "train.py").write_text(
        f"import os.path, beside, {package} as mx\nfrom {package}.gluon import *\n"
        "net = mx.gluon.nn.Dense(3, in_units=2)\nnet.initialize(mx.init.Xavier(magnitude=2))\n"
        "trainer = mx.gluon.Trainer(net.collect_params(), 'sgd', optimizer_params={})\n"
        "y = mx.nd.FullyConnected(mx.nd.ones((1, 2)), num_hidden=1, no_bias=True)\n"
    )
    found = line("doctor", ".")
    assert found.returncode == 0
    assert "train.py: 6 names of MXNet, nothing in the way" in found.stdout


def test_a_package_that_is_not_installed_is_in_the_way(tmp_path: Path, line: Line) -> None:
    (tmp_path / "train.py").write_text("import mxnet, no_such_package.part\n")
    found = line("doctor", "train.py")
    assert found.returncode == 3
    assert "line 1, package: no_such_package is not installed" in found.stdout


def test_operators_of_a_loaded_library_are_not_known_here(tmp_path: Path, line: Line) -> None:
    (tmp_path / "a.py").write_text("import mxnet as mx\nmx.library.load('x.so')\nmx.nd.mine(1)\n")
    assert line("doctor", "a.py").returncode == 0


def test_what_a_program_does_without_or_sets_itself_is_not_in_the_way(
    tmp_path: Path, line: Line
) -> None:
    (tmp_path / "a.py").write_text(
        "import mxnet as mx\ntry:\n    import no_such_package\n    mx.nd.mine\nexcept ImportError:\n"
        "    mx.nd.mine = mx.nd.relu\n"
    )
    assert line("doctor", "a.py").returncode == 0


def test_what_is_no_program_is_refused(tmp_path: Path, line: Line) -> None:
    (tmp_path / "old.py").write_text("print 'Python 2'\n")
    failed = line("doctor", "old.py")
    assert failed.returncode == 1
    assert "old.py: this is no program for Python 3" in failed.stderr
    (tmp_path / "binary.py").write_bytes(b"\x00\xff")
    assert line("doctor", "binary.py").returncode == 1
    assert line("doctor", "none.py").returncode == 1
    (tmp_path / "empty").mkdir()
    assert line("doctor", "empty").returncode == 2


OF_ONE = """import mxnet as mx
class Block(mx.gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        return F.relu(x)
score = mx.metric.Accuracy()
net.initialize(ctx=mx.cpu())
net(x).asscalar()
"""
OF_TWO = """from mxnet.gluon import metric, probability
import mxnet as mx
net = mx.gluon.nn.Dense(3)
net.initialize(device=mx.cpu())
x = mx.np.ones((2, 3)).to_device(mx.cpu())
score = metric.Accuracy()
"""


@pytest.mark.parametrize(
    ("program", "dialect", "evidence"),
    [
        (
            OF_ONE,
            "1.x",
            {
                (4, "F.relu", "mx.npx.relu"),
                (5, "mx.metric.Accuracy", "mx.gluon.metric.Accuracy"),
                (6, "ctx=", "device="),
                (7, ".asscalar()", ".item()"),
            },
        ),
        (
            OF_TWO,
            "2.0",
            {
                (1, "mx.gluon.metric", "mx.metric"),
                (1, "mx.gluon.probability", ""),
                (4, "device=", "ctx="),
                (5, ".to_device()", ".as_in_context()"),
                (6, "mx.gluon.metric.Accuracy", "mx.metric.Accuracy"),
            },
        ),
        ("import mxnet as mx\nmx.nd.ones((2, 3)).sum()\n", "either", set()),
    ],
)
def test_the_mxnet_of_a_program_is_told_by_names_that_only_one_has(
    program: str, dialect: str, evidence: set[tuple[int, str, str]], tmp_path: Path, line: Line
) -> None:
    (tmp_path / "train.py").write_text(program)
    answered = line("doctor", "train.py", "--json")
    (report,) = json.loads(answered.stdout)
    assert answered.returncode == 0, report["findings"]
    assert report["mxnet"] == dialect
    assert {(e["line"], e["name"], e["other"]) for e in report["evidence"]} == evidence
    assert ("run it with gluonic --mxnet 2" in line("doctor", "train.py").stdout) == (
        dialect == "2.0"
    )


def test_a_program_for_both_is_told_what_is_in_the_way(tmp_path: Path, line: Line) -> None:
    (tmp_path / "train.py").write_text(OF_TWO + "mx.mod.Module\n")
    answered = line("doctor", "train.py")
    assert answered.returncode == 3
    assert (
        "speaks MXNet 1.x: line 7, mx.mod.Module (in 2.0: use gluon.HybridBlock" in answered.stdout
    )
    assert "mx.gluon has no 'metric'; MXNet 2.0 has it (in 1.x: mx.metric)" in answered.stdout
