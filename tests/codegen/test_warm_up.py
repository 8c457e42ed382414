"""The first calls of a graph run operator by operator; which ones follows from the program alone."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic.codegen.differentiable import DifferentiableProgram
from gluonic.codegen.program import Program
from gluonic.codegen.warm_up import MOST_CALLS, SEVERAL
from gluonic.graph.builder import F
from gluonic.graph.dtypes import BFLOAT16_CODE, CODES
from gluonic.graph.errors import MXNetError
from gluonic.graph.node import Entry, Graph, Node, make_node
from tests.codegen.agreement import new_run
from tests.compile_budget import refill_budget


@pytest.fixture(autouse=True)
def mixed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let graphs run as they do for users who do not use bfloat16: with it, nothing is inferred ahead."""
    monkeypatch.delenv("GLUONIC_EXECUTOR", raising=False)
    monkeypatch.delitem(CODES, BFLOAT16_CODE, raising=False)
    refill_budget()


def _layer(x: Entry, weight: Entry, units: int) -> Entry:
    settings = {"num_hidden": units, "no_bias": True}
    return make_node("tanh", [make_node("FullyConnected", [x, weight], settings).entry()]).entry()


def _perceptron(units: int = 4) -> tuple[Graph, list[Node]]:
    variables = [Node(None, name) for name in ("x", "first", "second")]
    x, first, second = [node.entry() for node in variables]
    return Graph([_layer(_layer(x, first, units), second, 2)]), variables


def _arrays(batch: int, width: int = 3, units: int = 4) -> list[Any]:
    random = np.random.default_rng(0)
    shapes = (batch, width), (units, width), (2, units)
    return [random.standard_normal(shape).astype(np.float32) for shape in shapes]


def _calls_before_compiling(program: Program, arrays: Sequence[Any]) -> int:
    refill_budget()
    for count in range(2 * MOST_CALLS):
        program(arrays, new_run())
        if program.cache_info().misses:
            return count
    raise AssertionError("it was never compiled")


def test_a_small_graph_is_compiled_after_many_calls() -> None:
    program = Program(*_perceptron())
    count = _calls_before_compiling(program, _arrays(5))
    assert MOST_CALLS / 2 < count < 1.2 * MOST_CALLS
    assert program.cache_info().interpreted == count


def test_the_more_a_call_computes_the_sooner_the_graph_is_compiled() -> None:
    counts = [
        _calls_before_compiling(Program(*_perceptron(512)), _arrays(batch, 512, 512))
        for batch in (64, 256, 1024)
    ]
    assert MOST_CALLS > counts[0] > counts[1] > counts[2]
    assert counts[2] < 6


def test_forward_and_backward_are_compiled_one_after_the_other() -> None:
    graph, variables = _perceptron(512)
    program = DifferentiableProgram(
        graph, variables, wanted=[True] * 3, heads=[True], train=True, at_once=False
    )
    arrays, head = _arrays(256, 512, 512), np.ones((256, 2), np.float32)
    counts = []
    while not program.backward_program.cache_info().misses:
        _, saved = program.forward(arrays, new_run())
        program.backward(saved, [head], new_run())
        both = program.forward_program, program.backward_program
        counts.append([one.cache_info().misses for one in both])
    assert 1 < len(counts) < 20


@pytest.mark.parametrize(("calls", "compiles"), [(1, False), (SEVERAL, True)])
def test_large_gradients_of_a_net_that_has_been_called_are_compiled_from_the_first_step(
    calls: int, compiles: bool
) -> None:
    net = mx.gluon.nn.HybridSequential()
    net.add(*[mx.gluon.nn.Dense(512, "tanh", use_bias=False, in_units=512) for _ in range(4)])
    net.initialize()
    net.hybridize()
    *earlier, last = (layer.weight for layer in net)
    for weight in earlier:
        weight.grad_req = "null"
    x = mx.nd.ones((96, 512))
    for _ in range(calls):
        _step(net, x)
    before = net.cache_info()
    assert before.misses == 0
    for weight in earlier:
        weight.grad_req = "write"
    refill_budget()
    _step(net, x)
    assert (net.cache_info().seconds > before.seconds) is compiles
    assert all(weight.grad().asnumpy().any() for weight in (*earlier, last))


def _step(net: Any, x: Any) -> None:
    with mx.autograd.record():
        y = net(x)
    y.backward()


def test_interpreted_and_compiled_calls_agree() -> None:
    program, arrays = Program(*_perceptron()), _arrays(5)
    (first,) = program(arrays, new_run())
    while not program.cache_info().misses:
        (found,) = program(arrays, new_run())
    np.testing.assert_allclose(found, first, rtol=1e-6, atol=1e-7)


def test_calls_of_all_shapes_count_together() -> None:
    program, count = Program(*_perceptron()), 0
    while not program.cache_info().misses:
        count += 1
        program(_arrays(count), new_run())
    expected = _calls_before_compiling(Program(*_perceptron()), _arrays(5)) + 1
    assert abs(count - expected) < expected // 4


def test_the_same_calls_give_the_same_bits_and_are_compiled_at_the_same_time() -> None:
    def run() -> list[bytes]:
        refill_budget()
        program, arrays = Program(*_perceptron(512)), _arrays(256, 512, 512)
        bits = []
        while not program.cache_info().misses:
            (found,) = program(arrays, new_run())
            bits.append(found.tobytes())
        return bits

    assert run() == run()


def test_static_graphs_are_compiled_by_the_first_call() -> None:
    program = Program(*_perceptron(), at_once=True)
    program(_arrays(5), new_run())
    assert program.cache_info().misses == 1
    assert program.cache_info().interpreted == 0


@pytest.mark.parametrize("variable", ["GLUONIC_EXECUTOR", "GLUONIC_DUMP"])
def test_the_environment_can_ask_for_the_first_call_to_compile(
    variable: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    value = {"GLUONIC_EXECUTOR": "compile", "GLUONIC_DUMP": str(tmp_path)}[variable]
    monkeypatch.setenv(variable, value)
    program = Program(*_perceptron())
    program(_arrays(5), new_run())
    assert program.cache_info().misses == 1


def test_an_unknown_executor_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLUONIC_EXECUTOR", "fast")
    with pytest.raises(MXNetError, match="mixed, compile, interpret"):
        Program(*_perceptron())


def test_forward_and_backward_agree_whichever_of_them_is_compiled() -> None:
    graph, variables = _perceptron()
    arrays, head = _arrays(5), np.ones((5, 2), np.float32)
    settings: dict[str, Any] = {"wanted": [True] * 3, "heads": [True], "train": True}

    def made(at_once: bool) -> DifferentiableProgram:
        return DifferentiableProgram(graph, variables, at_once=at_once, **settings)

    found = []
    for forward, backward in ((False, False), (False, True), (True, False), (True, True)):
        program = made(forward)
        program.backward_program = made(backward).backward_program
        _, saved = program.forward(arrays, new_run())
        found.append(program.backward(saved, [head], new_run()))
    for gradients in found[1:]:
        for gradient, expected in zip(gradients, found[0], strict=True):
            assert gradient is not None
            assert expected is not None
            np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "outputs",
    [
        lambda x: [x, x],
        lambda x: [make_node("identity", [x]).entry()],
        lambda x: [make_node("reshape", [x], {"shape": (-1,)}).entry()],
        lambda x: [make_node("transpose", [x]).entry()] * 2,
        lambda x: [make_node("split", [x], {"num_outputs": 2}).entry(i) for i in (0, 1)],
    ],
)
def test_results_of_interpreted_calls_belong_to_the_caller(
    outputs: Callable[[Entry], list[Entry]],
) -> None:
    variable, data = Node(None, "x"), np.arange(8, dtype=np.float32).reshape(2, 4)
    program = Program(Graph(outputs(variable.entry())), [variable])
    before = data.copy()
    found = program([data], new_run())
    expected = [array.copy() for array in found]
    for array, own in zip(found, expected, strict=True):
        assert array.flags.carray
        np.testing.assert_array_equal(array, own)
        array[...] = -1
    np.testing.assert_array_equal(data, before)


def test_what_a_graph_computes_several_times_is_interpreted_once(tmp_path: Path) -> None:
    x = Node(None, "x")
    total = x.entry()
    for _ in range(5):
        total = F.elemwise_add(F.tanh(x.entry()), total)
    program, seen = Program(Graph([total]), [x]), []
    data = np.linspace(0, 1, 4, dtype=np.float32)
    with mx.profiler.profile(str(tmp_path / "trace.json"), aggregate_stats=True):
        (found,) = program([data], new_run())
        table = mx.profiler.dumps()
    assert re.search(r"tanh +1 ", table)
    assert re.search(r"elemwise_add +5 ", table)
    np.testing.assert_allclose(found, data + 5 * np.tanh(data), rtol=1e-6)
    program.observer = lambda node, arrays, results: seen.append(node.operator_name)
    program([data], new_run())
    assert seen.count("tanh") == 5  # a monitor sees all operators
