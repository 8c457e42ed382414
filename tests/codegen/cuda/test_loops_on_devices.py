"""Fused loops on a GPU give the host's results whatever the sizes, and never leave their arrays."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gluonic import nd, sym
from gluonic.codegen import operator_on_device
from gluonic.codegen.cuda import loop_steps
from gluonic.codegen.cuda.device_graph import DeviceGraph
from gluonic.codegen.cuda.ptx import kernel_ptx
from gluonic.device.array import DeviceArray
from gluonic.device.processors import Processor
from gluonic.graph import Graph, Run
from gluonic.graph.attributes import Shape
from gluonic.graph.dtypes import as_dtype
from gluonic.graph.random_source import RandomSource
from gluonic.symbol import Symbol
from tests.cases import grouped
from tests.codegen.cuda.devices import Array, assert_near, computed, emulated, moved
from tests.graph.applying import application

PTXAS = shutil.which("ptxas")
X, GAMMA, BETA = sym.var("x"), sym.var("gamma"), sym.var("beta")
ROWS = {
    "softmax": sym.softmax(X),
    "layer norm": sym.LayerNorm(X, GAMMA, BETA),
    "tanh and bias": sym.broadcast_add(sym.tanh(X) * X, BETA),
    "logarithm of softmax": sym.log_softmax(X * 2),
}
ASSEMBLED = (
    *ROWS.values(),
    sym.relu(sym.FullyConnected(X, sym.var("weight"), BETA, num_hidden=1024)),
)
ROW_SHAPES = [(0, 3), (3, 1), (3, 10), (5, 33), (131, 7), (2, 1024), (2, 4097), (1, 40003), (9, 64)]
REDUCTIONS: dict[str, Callable[..., Symbol]] = {
    "sum": sym.sum,
    "max": sym.max,
    "mean": sym.mean,
    "distance": lambda x, axis: sym.broadcast_sub(x, sym.mean(x, axis=axis, keepdims=True)),
}
SHAPES = [
    (3000, 5),
    (3, 10, 8),
    (64, 32, 12),
    (1000, 4),
    (7, 5, 3, 2),
    (2, 3000),
    (1, 1),
    (0, 4),
    (5000,),
]


def _runs(symbol: Symbol, **arrays: Array) -> None:
    """Compare what a symbol computes on the host and on the device."""
    graph = Graph(symbol.entries)
    given = [arrays[node.name] for node in graph.variables]
    run = Run(train=False, random=RandomSource(1))
    expected = symbol.eval(**{name: nd.array(arrays[name]) for name in symbol.list_inputs()})
    for ours, theirs in zip(computed(graph, given, run), expected, strict=True):
        assert_near(ours, theirs.asnumpy())


def _numbers(shape: Shape) -> Array:
    return np.random.default_rng(len(shape)).normal(size=shape).astype(np.float32)


@grouped(
    ("name", "shape"),
    {name: {str(shape): (name, shape) for shape in ROW_SHAPES} for name in ROWS},
)
def test_kernels_of_rows_serve_all_lengths(name: str, shape: Shape) -> None:
    last = shape[-1:]
    _runs(ROWS[name], x=_numbers(shape), gamma=_numbers(last), beta=_numbers(last))


@grouped(
    ("name", "shape"),
    {name: {str(shape): (name, shape) for shape in SHAPES} for name in REDUCTIONS},
)
def test_reductions_serve_all_axes_and_sizes(name: str, shape: Shape) -> None:
    if name == "max" and 0 in shape:
        pytest.skip("there is no largest of no elements")
    for axis in {0, len(shape) - 1}:
        _runs(REDUCTIONS[name](X, axis=axis), x=_numbers(shape))
    _runs(REDUCTIONS[name](X, axis=tuple(range(len(shape)))), x=_numbers(shape))


@pytest.mark.parametrize("shape", [(3, 10), (131, 7), (1, 40003)])
def test_indices_of_64_bits_give_the_same_results(
    shape: Shape, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop_steps, "NARROW", 1)
    last = shape[-1:]
    for symbol in ROWS.values():
        _runs(symbol, x=_numbers(shape), gamma=_numbers(last), beta=_numbers(last))
    for reduction in REDUCTIONS.values():
        for axis in (0, 1, (0, 1)):
            _runs(reduction(X, axis=axis), x=_numbers(shape))


@pytest.mark.parametrize("offset", [1, 2, 3, 4, 5])
def test_inputs_may_begin_anywhere_in_their_memory(offset: int) -> None:
    numbers = _numbers((64,))
    (whole,) = moved([numbers])
    part = whole.part(offset, (32,))
    add = application("elemwise_add", 2, {})
    (found,) = operator_on_device(add)([part, part], Run(train=False, random=RandomSource(1)))
    assert_near(found.to_host(), 2 * numbers[offset : offset + 32])


def test_results_do_not_share_memory_with_inputs() -> None:
    (given,) = moved([_numbers((4, 6))])
    flatten = application("Reshape", 1, {"shape": (24,)})
    (found,) = operator_on_device(flatten)([given], Run(train=False, random=RandomSource(1)))
    assert found.address != given.address
    assert_near(found.to_host(), given.to_host().reshape(24))


def test_an_explanation_lists_kernels_with_their_code_and_what_the_host_computes() -> None:
    graph = Graph(sym.linalg.syevd(sym.softmax(X)).entries)
    explained = DeviceGraph(graph, graph.variables).explain(moved([_numbers((8, 8))]), train=False)
    (kernel,) = explained.kernels
    assert "exp" in kernel.operators
    assert ".visible .entry kernel" in explained.ptx()
    ((operator, reason),) = explained.fallbacks
    assert operator == "_linalg_syevd"
    assert "blocks of" in str(explained)
    assert reason in str(explained)


@pytest.mark.skipif(PTXAS is None, reason="ptxas is not installed")
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize(
    ("processor", "version"), [("sm_80", (7, 0)), ("sm_90a", (8, 0)), ("sm_120", (8, 7))]
)
def test_kernels_are_assembled_without_spills(
    processor: str, version: tuple[int, int], dtype: str, tmp_path: Path
) -> None:
    gpu = Processor(processor, version, multiprocessors=132, shared_bytes=99 << 10)
    assert PTXAS is not None
    for symbol in ASSEMBLED:
        graph = Graph(symbol.entries)
        shapes = {"x": (4096, 1024), "weight": (1024, 1024)}
        arrays = [
            DeviceArray.empty(emulated(), shapes.get(node.name, (1024,)), as_dtype(dtype))
            for node in graph.variables
        ]
        binding = DeviceGraph(graph, graph.variables).binding(emulated(), arrays, train=False)
        assert binding is not None
        for step, _ in binding.steps:
            for launch in step.launches(binding.facts, gpu):
                source = tmp_path / "kernel.ptx"
                source.write_text(kernel_ptx(launch.code, gpu))
                told = subprocess.run(
                    [PTXAS, f"-arch={processor}", "-v", source, "-o", tmp_path / "out"],
                    capture_output=True,
                    text=True,
                    check=True,
                ).stderr
                assert "0 bytes spill stores" in told
