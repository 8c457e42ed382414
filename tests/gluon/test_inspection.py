"""What users can inspect of compiled code: tables, LLVM IR, assembly, and the number of versions kept."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gluonic import autograd, nd
from gluonic.codegen.inspection.explain import Explanation
from gluonic.gluon import HybridBlock, nn
from gluonic.gluon.traces import traces_of
from gluonic.graph.errors import CallError


class Mixed(HybridBlock):
    """Loops, a product, and an operator that Python runs."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.dense = nn.Dense(32, activation="relu")

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        y = F.tanh(self.dense(x)) * 2
        return F.broadcast_add(F.sigmoid(y), F.linalg.det(F.dot(y, y, transpose_a=True)))


class _OnlyHere(HybridBlock):
    """A loop that no other test compiles."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.tanh(F.cos(x) + 0.171875) * F.sinh(x)


def _ready(net: HybridBlock) -> HybridBlock:
    net.initialize()
    net.hybridize()
    return net


@pytest.fixture
def explanation() -> Explanation:
    explained: Explanation = _ready(Mixed()).explain(nd.ones((64, 16)))
    return explained


def test_the_code_of_every_kernel_can_be_read_separately(explanation: Explanation) -> None:
    assert explanation.kernels
    for step in explanation.kernels:
        for text in (
            explanation.llvm(step.number),
            explanation.llvm(step.number, optimised=True),
            explanation.assembly(step.number),
        ):
            assert step.function in text
            assert "@run0" not in text


def test_code_is_found_by_operator_node_and_function(explanation: Explanation) -> None:
    (step,) = (step for step in explanation.steps if step.answers_to("sigmoid"))
    code = explanation.llvm(step.number)
    operator, node = step.operators[0].split(" ", 1)
    for name in (node, step.function):
        assert explanation.llvm(name) == code
    assert code in explanation.llvm(operator)
    assert "sigmoid" in step.function


def test_the_code_of_a_step_holds_what_it_calls_and_no_other_step(explanation: Explanation) -> None:
    functions = {step.function for step in explanation.kernels}
    for step in explanation.kernels:
        code = explanation.llvm(step.number)
        assert {name for name in functions if f"@{name}(" in code} == {step.function}


def test_steps_that_compute_prepacked_values_are_marked() -> None:
    net = nn.HybridSequential()
    net.add(nn.Conv2D(8, 3), nn.BatchNorm(), nn.Activation("relu"))
    explanation = _ready(net).explain(nd.ones((1, 3, 8, 8)))
    kept = [step for step in explanation.kernels if step.reason]
    assert {step.reason for step in kept} == {"only when a parameter has changed"}
    assert any("pack" in step.operators[0] for step in kept)
    for step in explanation.kernels:
        assert step.operators[0].split(" ", 1)[0].strip("_") in step.function


def test_what_training_runs_is_explained_in_training_mode() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(4, in_units=3), nn.Dropout(0.5))
    x = nd.ones((2, 3))
    with autograd.predict_mode():
        inference = _ready(net).explain(x)
    with autograd.train_mode():
        training = net.explain(x)
    with autograd.record():
        recorded = net.explain(x)
    draws = ["_draw_kept" in str(each) for each in (inference, training, recorded)]
    assert draws == [False, True, True]


@pytest.mark.parametrize(
    ("which", "message"),
    [("_linalg_det", "runs in Python"), (99, "no step is 99"), ("tanhh", "no step is 'tanhh'")],
)
def test_a_step_without_code_is_refused_with_the_reason(
    explanation: Explanation, which: Any, message: str
) -> None:
    with pytest.raises(CallError, match=message):
        explanation.llvm(which)


def test_a_step_knows_the_block_and_line_of_layers_that_become_blocks_of_channels() -> None:
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(nn.Conv2D(16, 3), nn.BatchNorm(), nn.Activation("relu"), nn.MaxPool2D())
    table = _ready(net).explain(nd.ones((2, 16, 16, 16)))
    assert all(f"in {net.name}/{net.name}_" in step.location for step in table.steps)
    assert all(__file__ in step.location for step in table.steps)


def computed(net: HybridBlock, *inputs: nd.NDArray) -> dict[str, set[str]]:
    """For each operator of the net the operators that are computed with it."""
    found: dict[str, set[str]] = {}
    for step in _ready(net).explain(*inputs).steps:
        names = [computes.split(" ", 1)[0] for computes in step.computes]
        for name in names:
            found.setdefault(name, set()).update(names)
    return found


def test_a_step_names_the_operators_that_the_user_wrote() -> None:
    net = nn.HybridSequential()
    net.add(nn.Conv2D(8, 3, activation="relu"), nn.MaxPool2D(), nn.Dense(4, activation="relu"))
    found = computed(net, nd.ones((1, 3, 8, 8)))
    assert found["Activation"] >= {"Convolution", "FullyConnected"}
    assert "Pooling" not in found["Convolution"]


def test_every_operator_is_attributed_to_a_step() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(8, flatten=False), nn.LayerNorm(), nn.HybridLambda(lambda F, x: F.softmax(x)))
    net.add(nn.Conv1D(8, 3), nn.BatchNorm(), nn.Activation("relu"), nn.Flatten(), nn.Dense(2))
    explanation = _ready(net).explain(nd.ones((2, 4, 6)))
    trace = traces_of(net).latest
    assert trace is not None
    operators = {node for node in trace.graph.nodes if not node.is_variable}
    assert {node for nodes in explanation.origins for node in nodes} == operators


def test_reasons_are_sentences() -> None:
    class Sorted(HybridBlock):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return F.shuffle(F.tanh(x) + F.sigmoid(x))

    first, second = _ready(Sorted()).explain(nd.ones((4, 5))).steps
    assert first.why.startswith("3 operators share one loop over (4, 5)")
    assert second.why.startswith("Runs in Python: ")


def test_buffers_that_live_at_the_same_time_do_not_overlap() -> None:
    net = nn.HybridSequential()
    net.add(nn.Conv2D(8, 3), nn.MaxPool2D(), nn.Conv2D(8, 3), nn.Dense(5), nn.Dense(5))
    explanation = _ready(net).explain(nd.ones((2, 3, 16, 16)))
    assert explanation.memory
    for i, a in enumerate(explanation.memory):
        assert a.offset + a.size <= explanation.arena_bytes
        for b in explanation.memory[:i]:
            apart = a.offset + a.size <= b.offset or b.offset + b.size <= a.offset
            assert apart or a.first > b.last or b.first > a.last


def test_an_explanation_shows_itself_in_a_notebook_and_never_its_code() -> None:
    net = _ready(Mixed())
    explanation = net.explain(nd.ones((64, 16)))
    assert repr(explanation) == str(explanation)
    assert "define" not in repr(explanation)
    page = explanation._repr_html_()
    assert page is not None
    assert page.startswith("<iframe")


def test_times_are_those_of_steps_and_of_operators_called_eagerly() -> None:
    net = _ready(Mixed())
    explanation = net.explain(nd.ones((64, 16)))
    times = explanation.plot(runs=2).page.times
    assert times.runs == 2
    running = {step.number for step in explanation.steps if not step.reason.startswith("only")}
    assert set(times.steps) == running
    assert {node.operator_name for node in times.eager} >= {"FullyConnected", "_linalg_det", "tanh"}
    assert all(time > 0 for time in (*times.steps.values(), *times.eager.values()))


@pytest.mark.usefixtures("compiled_at_once")
def test_cache_info_counts_what_is_made_and_found() -> None:
    net = _ready(Mixed())
    assert net.cache_info().misses == 0
    x = nd.ones((64, 16))
    for _ in range(3):
        net(x)
    info = net.cache_info()
    assert (info.specializations, info.bindings, info.hits, info.misses) == (1, 1, 2, 1)
    assert info.code_bytes > 0
    net(nd.ones((65, 16)))
    again = net.cache_info()
    assert (again.specializations, again.bindings, again.hits, again.misses) == (1, 2, 2, 2)
    with autograd.record():
        net(x).backward()
    assert net.cache_info().specializations > again.specializations


@pytest.mark.usefixtures("compiled_at_once")
def test_code_from_the_disk_cache_is_counted(monkeypatch: Any, tmp_path: Path) -> None:
    monkeypatch.setenv("GLUONIC_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("GLUONIC_CACHE", "1")
    found = []
    for _ in range(2):
        net = _ready(_OnlyHere())  # what others have compiled would be found in memory
        net(nd.ones((64, 16)))
        found.append(net.cache_info().disk_hits)
    assert found == [0, 1]


_PROGRAM = """
import gluonic as mx
class Net(mx.gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        return F.tanh(x) * F.exp(x)
net = Net(prefix="named_")
net.hybridize()
net(mx.nd.ones((4, 4)))
"""


def test_the_environment_can_ask_for_a_dump_and_names_are_the_same_in_every_process(
    tmp_path: Path,
) -> None:
    texts = []
    for seed in "12":
        folder = tmp_path / seed
        environment = {**os.environ, "GLUONIC_DUMP": str(folder), "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", _PROGRAM], env=environment, check=True)
        files = {path.name.partition(".")[2]: path for path in folder.iterdir()}
        assert set(files) == {"txt", "passes.txt", "kernels.txt", "ll", "optimised.ll", "s"}
        assert all("named_" in path.name for path in files.values())
        assert "tanh" in files["s"].read_text()
        texts.append(files["ll"].read_text())
    assert texts[0] == texts[1]


@pytest.mark.usefixtures("compiled_at_once")
def test_dumping_does_not_change_results(monkeypatch: Any, tmp_path: Path) -> None:
    x = nd.random.normal(shape=(8, 16))
    net = _ready(Mixed())
    expected = net(x).asnumpy()
    monkeypatch.setenv("GLUONIC_DUMP", str(tmp_path))
    net.hybridize()
    assert np.array_equal(net(x).asnumpy(), expected)
    assert any(tmp_path.iterdir())


class Apart(HybridBlock):
    """Neighbours that cannot be one step, each for a reason of its own."""

    def __init__(self) -> None:
        super().__init__(prefix="")
        with self.name_scope():
            self.dense = nn.Dense(8, flatten=False, activation="relu")

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        y = F.tanh(x, name="tanh")
        turned = F.transpose(y, name="turned")
        normal = F.softmax(F.exp(turned), name="normal")
        again = F.softmax(F.sigmoid(self.dense(y), name="gate"), name="again")
        wider = F.broadcast_add(F.sum(y, axis=1, keepdims=True, name="total"), x, name="wider")
        return F.sum(normal, axis=0, name="sum"), F.shuffle(y, name="mixed"), again, wider


def _reasons(explanation: Explanation) -> dict[tuple[str, str], str]:
    """Why steps are apart, by the last of the user's operators that each computes."""
    last = [step.computes[-1].split(" ", 1)[1] for step in explanation.steps]
    return {
        (last[before], last[step.number]): why
        for step in explanation.steps
        for before, why in step.apart
    }


@pytest.mark.parametrize("batch", [1, 4])
def test_steps_give_the_reason_why_they_are_not_fused_with_their_sources(batch: int) -> None:
    explanation = _ready(Apart()).explain(nd.ones((batch, 6)))
    found = _reasons(explanation)
    begins = {
        ("wider", "turned"): "transpose 'turned' moves the last axis",
        ("wider", "mixed"): "Python runs _shuffle 'mixed'.",
        ("normal", "sum"): f"They reduce other axes of {(6, batch)}: 1, and 0.",
        ("wider", "gate"): "FullyConnected 'dense0_fwd' is no loop over elements: what it reads",
        ("gate", "again"): "FullyConnected 'dense0_fwd' could take in only what follows element by "
        "element; softmax 'again'",
    }
    assert {pair: found[pair][: len(start)] for pair, start in begins.items()} == begins


def test_operators_are_attributed_to_their_steps_whatever_their_names() -> None:
    steps = _ready(Apart()).explain(nd.ones((4, 6))).steps
    computed = [tuple(o.split(" ", 1)[1] for o in step.computes) for step in steps]
    assert ("sum",) in computed  # the compiler calls a part of softmax so as well
    assert ("dense0_fwd", "dense0_relu_fwd", "gate") in computed
    assert sorted(sum(computed, ())) == sorted(set(sum(computed, ())))


def test_every_step_that_reads_another_gives_a_reason(explanation: Explanation) -> None:
    assert any(step.apart for step in explanation.steps)
    for step in explanation.steps:
        for earlier, why in step.apart:
            assert earlier < step.number
            assert why.endswith(".")


def test_shapes_are_those_of_the_call_though_a_batch_of_one_is_compiled_as_a_larger_one() -> None:
    for batch in (1, 3):
        steps = _ready(Apart()).explain(nd.ones((batch, 6))).steps
        shapes = {step.computes[-1].split(" ", 1)[1]: step.shape for step in steps}
        assert shapes["turned"] == (6, batch)
        assert shapes["sum"] == (6, batch)


@pytest.mark.usefixtures("many_processors")
def test_a_step_says_how_threads_share_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for threads in (4, 1):
        monkeypatch.setenv("GLUONIC_NUM_THREADS", str(threads))
        explanation = _ready(nn.Conv2D(64, 3, padding=1)).explain(nd.ones((1, 64, 28, 28)))
        shared = [s.sharing for s in explanation.kernels if s.sharing and s.sharing.is_shared]
        assert bool(shared) == (threads > 1)
        assert ("units in" in str(explanation)) == (threads > 1)
        for sharing in shared:
            assert max(sharing.threads) <= threads
            assert 1 < sharing.speed_up <= threads
            assert sum(sharing.units) >= sum(sharing.chunks) >= sharing.waves
