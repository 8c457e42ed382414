"""Threads that share steps: the same bits for any number of threads, callers, and after a fork."""

import ctypes
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.codegen.compiled import CompiledGraph
from gluonic.codegen.machine import jit
from gluonic.codegen.machine.assembler import LLVMFunction, LLVMModule
from gluonic.codegen.machine.jit import assembly
from gluonic.codegen.machine.target import cross, host
from gluonic.codegen.machine.workers import workers
from gluonic.codegen.machine.workers_code import workers_text
from gluonic.gluon import nn
from gluonic.graph.errors import MXNetError
from gluonic.graph.node import Entry, Graph, Node, make_node
from gluonic.graph.operator import Run
from gluonic.graph.random_source import RandomSource
from gluonic.support.cpu_count import available_processors
from tests.codegen.native_functions import Array, normal
from tests.forking import forks, is_true_in_a_child

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="workers are POSIX threads"),
    pytest.mark.usefixtures("many_processors"),
]

Expression = Callable[..., Entry]


def apply(op: str, *inputs: Entry, **attributes: Any) -> Entry:
    """An operator of a graph."""
    return make_node(op, inputs, attributes).entry()


def chain(x: Entry) -> Entry:
    """A few element-wise operators."""
    y = apply("tanh", apply("_mul_scalar", x, scalar=0.5))
    return apply("broadcast_add", apply("sigmoid", y), x)


def normalized(x: Entry) -> Entry:
    """All elements between 0 and 1, and their mean taken off."""
    least, most = apply("min", x), apply("max", x)
    y = apply(
        "broadcast_div", apply("broadcast_sub", x, least), apply("broadcast_sub", most, least)
    )
    return apply("broadcast_sub", y, apply("mean", y))


CASES: dict[str, tuple[Expression, Sequence[tuple[int, ...]]]] = {
    "a long row": (chain, [(300_001,)]),
    "rows": (chain, [(517, 301)]),
    "softmax": (lambda x: apply("softmax", x), [(300, 500)]),
    "sums of rows": (lambda x: apply("sum", x, axis=1), [(500, 999)]),
    "sums of columns": (lambda x: apply("sum", x, axis=0), [(999, 700)]),
    "a sum of all": (lambda x: apply("sum", x), [(600, 700)]),
    "normalized": (normalized, [(600, 701)]),
    "a row added to rows": (lambda x, y: apply("broadcast_add", x, y), [(400, 900), (1, 900)]),
    "transposed": (lambda x: apply("transpose", x), [(700, 500)]),
    "joined": (lambda x, y: apply("Concat", x, y, dim=1), [(500, 400), (500, 300)]),
    "dense": (
        lambda x, w, b: apply("FullyConnected", x, w, b, num_hidden=300),
        [(64, 500), (300, 500), (300,)],
    ),
    "dense, twice with one weight": (
        lambda x, w: apply(
            "FullyConnected",
            apply("FullyConnected", x, w, num_hidden=300, no_bias=True),
            w,
            num_hidden=300,
            no_bias=True,
        ),
        [(700, 300), (300, 300)],
    ),
    "dense, few rows": (
        lambda x, w, b: apply("FullyConnected", x, w, b, num_hidden=1000),
        [(3, 900), (1000, 900), (1000,)],
    ),
    "dense, many inputs": (
        lambda x, w, b: apply("FullyConnected", x, w, b, num_hidden=300),
        [(8, 9000), (300, 9000), (300,)],
    ),
    "product": (lambda x, y: apply("dot", x, y), [(200, 300), (300, 210)]),
    "transposed product": (
        lambda x, y: apply("dot", x, y, transpose_a=True),
        [(300, 200), (300, 210)],
    ),
    "products": (
        lambda x, y: apply("batch_dot", x, y, transpose_b=True),
        [(12, 60, 64), (12, 50, 64)],
    ),
    "convolution": (
        lambda x, w, b: apply("Convolution", x, w, b, kernel=(3, 3), num_filter=40, pad=(1, 1)),
        [(2, 20, 30, 31), (40, 20, 3, 3), (40,)],
    ),
    "dropout": (
        lambda x, b: apply("Dropout", x, p=0.3, mode="always") + apply("Dropout", b, mode="always"),
        [(301, 4003), (301, 4003)],
    ),
    "pooling": (
        lambda x: apply("Pooling", x, kernel=(3, 3), stride=(2, 2), pool_type="max"),
        [(4, 32, 60, 61)],
    ),
}


def compiled(name: str) -> tuple[CompiledGraph, list[Array]]:
    """A graph and arrays for it."""
    expression, shapes = CASES[name]
    variables = [Node(None, f"x{i}") for i in range(len(shapes))]
    graph = Graph([expression(*[v.entry() for v in variables])])
    return CompiledGraph(graph, variables), [normal(*shape) for shape in shapes]


def run_of() -> Run:
    """A run for inference."""
    return Run(False, RandomSource(0))


def result(name: str) -> Array:
    """What the graph computes with the current number of threads in the environment."""
    graph, arrays = compiled(name)
    found = [graph(arrays, run_of())[0] for _ in range(3)]
    for again in found[1:]:
        np.testing.assert_array_equal(again, found[0])
    return found[0]


@pytest.mark.parametrize("name", CASES)
def test_any_number_of_threads_computes_the_same_bits(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLUONIC_NUM_THREADS", "1")
    expected = result(name)
    for threads in ("2", "4"):
        monkeypatch.setenv("GLUONIC_NUM_THREADS", threads)
        np.testing.assert_array_equal(result(name), expected)


def is_shared(graph: CompiledGraph, arrays: Sequence[Array]) -> bool:
    """Whether threads share a step of the graph."""
    return graph.binding(arrays).launch.is_shared


@pytest.mark.parametrize("name", CASES)
def test_large_steps_are_shared_and_small_ones_are_not(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLUONIC_NUM_THREADS", "2")
    graph, arrays = compiled(name)
    assert is_shared(graph, arrays)
    monkeypatch.setenv("GLUONIC_NUM_THREADS", "1")
    graph, arrays = compiled(name)
    assert not is_shared(graph, arrays)
    monkeypatch.setenv("GLUONIC_NUM_THREADS", "2")
    small = CompiledGraph(Graph([chain(graph.inputs[0].entry())]), graph.inputs)
    some = [np.ones((2, 3), np.float32)] * len(arrays)
    assert not is_shared(small, some)


def trained() -> list[Array]:
    """A net's results, gradients and parameters after two steps."""
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(
            nn.Conv2D(20, 5, activation="relu"),
            nn.MaxPool2D(2, 2),
            nn.Conv2D(17, 3),
            nn.BatchNorm(),
            nn.Activation("relu"),
            nn.Flatten(),
            nn.Dense(128, activation="relu"),
            nn.Dense(10),
        )
    net.initialize(mx.init.Constant(0.01))
    net.hybridize()
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    loss.hybridize()
    settings = {"learning_rate": 0.05, "momentum": 0.9}
    trainer = gluon.Trainer(net.collect_params(), "sgd", settings)
    data, labels = nd.array(normal(32, 1, 28, 28)), nd.array(np.arange(32) % 10)
    net(data)
    for number, parameter in enumerate(net.collect_params().values()):
        if parameter.grad_req != "null":
            parameter.set_data(nd.array(normal(*(parameter.shape or ())) * 0.1 + number % 2))
    found = []
    for _ in range(2):
        with autograd.record():
            value = loss(net(data), labels)
        value.backward()
        trainer.step(32)
        found.append(value.asnumpy())
    return found + [p.data().asnumpy() for p in net.collect_params().values()]


def test_training_computes_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLUONIC_NUM_THREADS", "1")
    expected = trained()
    for threads in ("2", "3"):
        monkeypatch.setenv("GLUONIC_NUM_THREADS", threads)
        for got, wanted in zip(trained(), expected, strict=True):
            np.testing.assert_array_equal(got, wanted)


def counting_step() -> Any:
    """A step that adds one to the first operand at each unit, by way of its workspace."""
    module = LLVMModule(host())
    f = LLVMFunction(module, "count", ["ptr %operands", "ptr %numbers", "i64 %begin", "i64 %end"])
    counts = f.op("load ptr, ptr %operands")
    workspace = f.op(f"load ptr, ptr {f.op('getelementptr ptr, ptr %operands, i64 1')}")
    with f.loop("%begin", "%end") as unit:
        address = f.op(f"getelementptr i64, ptr {counts}, i64 {unit}")
        f.do(f"store i64 {unit}, ptr {workspace}")
        f.do(f"atomicrmw add ptr {address}, i64 1 seq_cst")
        mine = f.op(f"load i64, ptr {workspace}")
        wrong = f.op(f"sub i64 {mine}, {unit}")
        f.do(f"atomicrmw add ptr {address}, i64 {wrong} seq_cst")
    f.finish()
    return jit.load(module.text(), ["count"], tuple(module.imports), symbols=module.symbols)


@settings(max_examples=200, deadline=None)
@given(units=st.integers(1, 5000), chunk=st.integers(1, 300), threads=st.integers(1, 8))
def test_each_unit_is_done_once_in_a_workspace_of_the_thread(
    units: int, chunk: int, threads: int
) -> None:
    step = counting_step()
    share = ctypes.CFUNCTYPE(None, *(ctypes.c_size_t,) * 8)(workers().share)
    counts, workspaces = np.zeros(units, np.int64), np.zeros((threads, 16), np.int64)
    operands = np.array([counts.ctypes.data, workspaces.ctypes.data], np.int64)
    stride = workspaces.strides[0]
    workers().allow(threads)  # more than there are processors, and also after threads had no cores
    share(step["count"], operands.ctypes.data, 0, units, chunk, threads, 2, stride)
    assert (counts == 1).all()


def test_python_threads_call_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["a long row", "softmax", "dense", "transposed product", "convolution"]
    monkeypatch.setenv("GLUONIC_NUM_THREADS", "1")
    expected = {name: result(name) for name in names}
    monkeypatch.setenv("GLUONIC_NUM_THREADS", "3")
    graphs = {name: compiled(name) for name in names}
    wrong: list[str] = []

    def call(first: int) -> None:
        for turn in range(12):
            name = names[(first + turn) % len(names)]
            graph, arrays = graphs[name]
            (found,) = graph(arrays, run_of())
            if not np.array_equal(found, expected[name]):
                wrong.append(name)

    callers = [threading.Thread(target=call, args=(i,)) for i in range(6)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not wrong


def native_threads() -> int:
    """How many threads this process has."""
    if not os.path.isdir("/proc/self/task"):
        pytest.skip("threads are counted where there is /proc")
    return len(os.listdir("/proc/self/task"))


@forks
def test_a_child_of_a_fork_starts_workers_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLUONIC_NUM_THREADS", "3")
    graph, arrays = compiled("rows")
    (expected,) = graph(arrays, run_of())

    def check() -> bool:
        before = native_threads()
        (found,) = graph(arrays, run_of())
        return np.array_equal(found, expected) and native_threads() == before + 2

    native_threads()
    assert is_true_in_a_child(check)
    assert is_true_in_a_child(lambda: is_true_in_a_child(check))
    np.testing.assert_array_equal(graph(arrays, run_of())[0], expected)


@forks
def test_forking_while_others_compute_leaves_the_child_able(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GLUONIC_NUM_THREADS", "2")
    graph, arrays = compiled("a long row")
    (expected,) = graph(arrays, run_of())
    going = threading.Event()

    def compute() -> None:
        while not going.is_set():
            graph(arrays, run_of())

    other = threading.Thread(target=compute)
    other.start()
    try:
        for _ in range(10):
            assert is_true_in_a_child(lambda: np.array_equal(graph(arrays, run_of())[0], expected))
    finally:
        going.set()
        other.join()


LIFE = """
import atexit, os
import numpy as np
import gluonic as mx
from gluonic import nd
from gluonic.gluon import nn

def threads():
    return len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else -1

net = nn.Dense(64)
net.initialize(mx.init.One())
net.hybridize()
atexit.register(lambda: print(float(net(nd.ones((3000, 100))).sum().asscalar())))
counts = [threads()]
net(nd.ones((2, 100)))
net(nd.ones((2, 100)))
counts.append(threads())
net(nd.ones((3000, 100)))
counts.append(threads())
print(counts)
"""


def outcome(threads: str) -> list[str]:
    """What a process prints that computes with so many threads, and while it ends."""
    environment = {**os.environ, "GLUONIC_NUM_THREADS": threads}
    done = subprocess.run(
        [sys.executable, "-c", LIFE], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout.splitlines()


def test_threads_start_with_the_first_large_graph_and_end_with_the_process() -> None:
    native_threads()
    for threads in (1, 3):
        counts, total = outcome(str(threads))
        before, small, large = map(int, counts.strip("[]").split(","))
        assert small == before
        assert large == before + min(threads, available_processors()) - 1
        assert float(total) == 3000 * 64 * 100


@pytest.mark.parametrize("text", ["0", "-1", "two", ""])
def test_an_invalid_number_of_threads_is_an_error(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph, arrays = compiled("rows")
    monkeypatch.setenv("GLUONIC_NUM_THREADS", text)
    with pytest.raises(MXNetError, match="GLUONIC_NUM_THREADS"):
        graph(arrays, run_of())


@pytest.mark.parametrize("triple", ["aarch64-unknown-linux-gnu", "x86_64-unknown-linux-gnu"])
def test_the_workers_compile_for_other_processors(triple: str) -> None:
    target = cross(triple)
    text = assembly(workers_text(target), target)
    assert "pthread_create" in text
    assert ("yield" if target.architecture == "aarch64" else "pause") in text
