"""``gluonic diff``: what differs between models and between files of arrays."""

import json
from pathlib import Path

import numpy as np
import pytest

import gluonic as mx
from gluonic.gluon.npz_files import write_npz
from gluonic.tools.array_differences import Tolerance, how_different
from tests.commands.conftest import Line
from tests.face.commands import gluonic_command


def export(folder: Path, prefix: str, kernel: int = 3, last: bool = False) -> None:
    """Export a small net; nets of the same structure have the same parameters."""
    net = mx.gluon.nn.HybridSequential(prefix=f"{prefix}_")
    with net.name_scope():
        net.add(mx.gluon.nn.Conv2D(2, kernel), mx.gluon.nn.Dense(3))
        if last:
            net.add(mx.gluon.nn.Activation("tanh"))
    net.initialize(mx.init.One())
    net.hybridize()
    net(mx.nd.ones((1, 1, 8, 8)))
    net.export(str(folder / prefix))


def test_models_that_differ_in_names_alone_are_equal(tmp_path: Path) -> None:
    export(tmp_path, "a")
    export(tmp_path, "b")
    found = gluonic_command("diff", "a-symbol.json", "b-symbol.json", "--json", folder=tmp_path)
    assert (found.returncode, found.stderr) == (0, "")
    facts = json.loads(found.stdout)
    assert not facts["differ"]
    assert facts["renamed"]["a_dense0_weight"] == "b_dense0_weight"
    assert len(facts["arrays"]["equal"]) == 4


def test_added_and_changed_operators_and_arrays_are_listed_and_drawn(
    tmp_path: Path, line: Line
) -> None:
    export(tmp_path, "a")
    export(tmp_path, "b", kernel=5, last=True)
    found = line("diff", "a-symbol.json", "b-symbol.json", "--output", "changes.html")
    assert found.returncode == 3
    assert "operators: 1 added, 0 removed, 1 changed" in found.stdout
    assert "  ~ Convolution b_conv0_fwd\n      kernel: (3, 3) → (5, 5)" in found.stdout
    assert "  + Activation " in found.stdout
    assert "  ~ b_conv0_weight: shape 2x1x3x3 → 2x1x5x5" in found.stdout
    assert "kernel: (3, 3)" in (tmp_path / "changes.html").read_text()
    graphs = line("diff", "a-symbol.json", "a-symbol.json", "--no-params")
    assert (graphs.returncode, "0 equal" in graphs.stdout) == (0, True)


def test_arrays_of_two_files_are_compared_by_name_and_value(tmp_path: Path, line: Line) -> None:
    arrays = {"w": np.ones(4, "f4"), "b": np.zeros(2, "f4"), "old": np.ones(1, "f4")}
    mx.nd.save(str(tmp_path / "a.params"), {f"arg:{n}": mx.nd.array(a) for n, a in arrays.items()})
    arrays["new"] = arrays.pop("old")
    arrays["w"] = arrays["w"] + np.array([0, 1e-6, 0, 0], "f4")
    write_npz(tmp_path / "b.npz", arrays)
    found = line("diff", "a.params", "b.npz")
    assert found.returncode == 3
    assert "arrays: 1 added, 1 removed, 1 changed, 1 equal" in found.stdout
    assert "  ~ w: 1 of 4 elements differ, by at most 9.54e-07" in found.stdout
    close = json.loads(line("diff", "a.params", "b.npz", "--rtol", "1e-5", "--json").stdout)
    assert close["arrays"] == {
        "added": ["new"], "removed": ["old"], "changed": {}, "equal": ["b", "w"],
    }  # fmt: skip


def test_a_network_is_not_compared_with_arrays(folder: Path, line: Line) -> None:
    refused = line("diff", "net-symbol.json", "net-0000.params")
    assert refused.returncode == 2
    assert "cannot be compared" in refused.stderr
    assert line("diff", "net-0000.params", "net-0000.params", "--output", "x.svg").returncode == 2
    assert line("diff", "net-symbol.json", "none.json").returncode == 1


@pytest.mark.parametrize(
    ("left", "right", "said"),
    [
        ([np.nan], [np.nan], None),
        ([np.inf, 1.0], [np.inf, 1.0], None),
        ([np.inf, 1], [-np.inf, 1], "1 of 2 elements differ, by at most inf"),
        ([np.nan], [0.0], "1 of 1 elements differ, by at most nan"),
        ([1.0], [1 + 1e-9], None),
        ([], [], None),
        ([0.0, 0.0], [0.0], "shape 2 → 1"),
    ],
)
def test_what_is_no_number_differs_from_what_is_one(
    left: list[float], right: list[float], said: str | None
) -> None:
    assert how_different(np.array(left), np.array(right), Tolerance(1e-6)) == said
