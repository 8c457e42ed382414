"""Graphs that are compiled in pieces, between calls that the interpreter answers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.codegen.bound_graph import BoundGraph
from gluonic.codegen.eager_graph import EagerGraph
from gluonic.codegen.native import shared_kernels, stored_code
from gluonic.codegen.program import Program
from gluonic.gluon import nn
from gluonic.graph import Graph, Node
from gluonic.graph.builder import F
from gluonic.support.pieces import UnfinishedError
from tests.codegen.agreement import new_run
from tests.compile_budget import refill_budget


@pytest.fixture(autouse=True)
def mixed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let graphs run as they do for users."""
    monkeypatch.delenv("GLUONIC_EXECUTOR", raising=False)
    refill_budget()


def _convolutions() -> Any:
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(16, 3, padding=1, activation="relu"),
        nn.MaxPool2D(),
        nn.Conv2D(32, 3, padding=1),
        nn.BatchNorm(),
        nn.Dense(10),
    )
    return net


def _recurrent() -> Any:
    net = nn.HybridSequential()
    net.add(gluon.rnn.LSTM(16, layout="NTC"), nn.LayerNorm(), nn.Dense(3))
    return net


NETS: dict[str, tuple[Callable[[], Any], tuple[int, ...]]] = {
    "convolutions": (_convolutions, (8, 1, 16, 16)),
    "recurrent": (_recurrent, (4, 6, 5)),
    "mobilenet": (lambda: gluon.model_zoo.vision.mobilenet0_25(classes=4), (1, 3, 64, 64)),
}


def _outputs(name: str, calls: int, **flags: bool) -> tuple[Any, list[Any]]:
    """A net, and what its calls return."""
    refill_budget()
    mx.random.seed(1)
    make, shape = NETS[name]
    net = make()
    net.initialize(mx.init.Xavier())
    net.hybridize(**flags)
    x = nd.random.uniform(shape=shape)
    return net, [net(x).asnumpy() for _ in range(calls)]


def _calls_until_compiled(name: str) -> int:
    refill_budget()
    net, _ = _outputs(name, 1)
    x, count = nd.ones(NETS[name][1]), 1
    while not net.cache_info().misses:
        net(x)
        count += 1
    return count


@pytest.mark.parametrize("name", NETS)
def test_code_made_in_pieces_computes_the_same_bits_as_code_made_at_once(name: str) -> None:
    net, found = _outputs(name, 2 * _calls_until_compiled(name))
    at_once, expected = _outputs(name, 1, compile_at_once=True)
    assert net.cache_info().misses == at_once.cache_info().misses == 1
    np.testing.assert_array_equal(found[-1], expected[0])
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", NETS)
def test_every_piece_is_estimated_to_be_short(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    costs: list[int] = []

    def noting(cost: int) -> bool:
        costs.append(cost)
        return True

    def in_pieces(self: BoundGraph, arrays: Any, train: bool, *_: Any) -> Any:
        return one_by_one(self, arrays, train, noting)

    one_by_one = BoundGraph.binding_in_pieces
    monkeypatch.setattr(BoundGraph, "binding_in_pieces", in_pieces)
    _calls_until_compiled(name)
    assert len(costs) > 10
    assert max(costs) < 60_000_000


@pytest.fixture
def memory_is_empty(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[], None]:
    """Let code be found on disk alone, as by another process."""

    def forget() -> None:
        for table in ("LIVING", "LIBRARIES"):
            monkeypatch.setattr(shared_kernels, table, WeakValueDictionary())

    forget()
    monkeypatch.setenv("GLUONIC_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("GLUONIC_CACHE", "1")
    monkeypatch.setattr(stored_code, "living_library", lambda *_: None)
    return forget


@pytest.mark.parametrize("name", NETS)
def test_all_calls_give_the_same_bits_whether_the_code_is_on_disk(
    name: str, memory_is_empty: Callable[[], None]
) -> None:
    count = 2 * _calls_until_compiled(name)
    memory_is_empty()
    first, expected = _outputs(name, count)
    memory_is_empty()
    second, found = _outputs(name, count)
    assert first.cache_info().interpreted == second.cache_info().interpreted
    assert second.cache_info().disk_hits
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def _program() -> tuple[Program, Callable[[int], list[Any]]]:
    x, w = Node(None, "x"), Node(None, "w")
    rows = F.FullyConnected(x.entry(), w.entry(), num_hidden=8, no_bias=True)
    random = np.random.default_rng(0)
    weight = random.standard_normal((8, 5)).astype("f4")
    program = Program(Graph([F.softmax(F.tanh(rows))]), [x, w], [w])
    return program, lambda batch: [random.standard_normal((batch, 5)).astype("f4"), weight]


def test_calls_with_other_shapes_go_on_with_the_same_code() -> None:
    program, arrays = _program()
    count = 0
    while not program.cache_info().misses:
        count += 1
        (found,) = program(arrays(2 + count % 7), new_run())
        np.testing.assert_allclose(found.sum(1), 1, rtol=1e-5)
    program(arrays(40), new_run())
    info = program.cache_info()
    assert info.interpreted < count + 2
    assert info.specializations == 1


def test_a_compiled_net_waits_for_code_for_other_shapes_in_the_same_way() -> None:
    variable = Node(None, "x")
    program = Program(Graph([F.softmax(F.tanh(variable.entry()))]), [variable])
    first, second = np.ones((4, 5), np.float32), np.ones((2, 3, 4), np.float32)
    for array in (first, second):
        while True:
            before = program.cache_info().interpreted
            (found,) = program([array], new_run())
            np.testing.assert_allclose(found.sum(-1), 1, rtol=1e-5)
            if program.cache_info().interpreted == before:
                break
    assert program.cache_info().specializations == 2
    assert program.cache_info().interpreted > 2


def test_an_error_while_compiling_reaches_the_caller_and_the_next_call_begins_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program, arrays = _program()
    given = arrays(3)
    allowed = iter([True] * 5)

    def allows(_: int) -> bool:
        if next(allowed, None) is None:
            raise KeyboardInterrupt
        return True

    with pytest.raises(KeyboardInterrupt):
        program.compiled.binding_in_pieces(given, False, allows)
    with pytest.raises(UnfinishedError):
        program.compiled.binding_in_pieces(given, False, lambda _: False)
    assert program.binding(given, train=False) is program.compiled.binding(given)


def test_a_net_that_is_explained_in_the_middle_is_compiled_to_the_end() -> None:
    net, _ = _outputs("recurrent", 3)
    x = nd.ones(NETS["recurrent"][1])
    while not net.cache_info().seconds:
        net(x)
    before = net.cache_info().interpreted
    assert net.explain(x).steps
    net(x)
    assert net.cache_info().interpreted == before
    assert net.cache_info().hits == 1


def test_a_training_step_is_compiled_program_by_program() -> None:
    net, _ = _outputs("convolutions", 1)
    x = nd.ones(NETS["convolutions"][1])
    seen = set()
    for _ in range(400):
        with autograd.record():
            y = net(x)
        y.backward()
        seen.add(net.cache_info().misses)
        if net.cache_info().misses == 2:
            break
    assert seen == {0, 1, 2}


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The operators that ran as machine code."""
    names: list[str] = []

    def noted(graph: EagerGraph, *arguments: Any) -> Any:
        names.append(graph.name)
        return run(graph, *arguments)

    run = EagerGraph.run
    monkeypatch.setattr(EagerGraph, "run", noted)
    return names


def test_calls_that_wait_run_as_many_operators_as_machine_code_as_eager_calls(
    ran: list[str],
) -> None:
    counts: dict[bool, list[int]] = {}
    for hybridizes in (False, True):
        refill_budget()
        net, x = _convolutions(), nd.ones((16, 1, 48, 48))
        net.initialize(mx.init.Xavier())
        net.hybridize(hybridizes)
        found = counts[hybridizes] = []
        while len(found) < 60 and not (hybridizes and net.cache_info().misses):
            ran.clear()
            net(x)
            found.append(len(ran))
    eager, waiting = counts[False], counts[True][:-1]
    assert max(waiting) >= 2
    assert all(one >= other for one, other in zip(waiting, eager, strict=False))
