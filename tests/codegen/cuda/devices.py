"""The device that tests run on: an emulated GPU, which checks every access."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from gluonic.codegen import DeviceGraph
from gluonic.device import Device, DeviceArray
from gluonic.device.processors import Processor
from gluonic.graph import Entry, Graph, Node, Run
from gluonic.graph.dtypes import is_floating
from gluonic.graph.kernel_runs import run_node
from gluonic.graph.random_source import RandomSource

Array = npt.NDArray[Any]


@cache
def emulated() -> Device:
    """An emulated GPU with a few multiprocessors."""
    device = pytest.importorskip("gluonic.device.emulated.device")
    processor = Processor("sm_90a", (8, 0), multiprocessors=4, shared_bytes=227 << 10)
    made: Device = device.EmulatedDevice(0, processor=processor)
    return made


def moved(arrays: Sequence[Array]) -> list[DeviceArray]:
    """Copies of arrays on the device."""
    return [DeviceArray.of_host(emulated(), array) for array in arrays]


def computed(graph: Graph, arrays: Sequence[Array], run: Run) -> list[Array]:
    """What a graph computes there, back on the host."""
    program = DeviceGraph(graph, graph.variables)
    return [array.to_host() for array in program(moved(arrays), run, emulated())]


_ERRORS = {"bfloat16": 1e-2, "float16": 4e-3, "float32": 2e-5, "float64": 1e-9}


def assert_near(ours: Array, expected: Array, inputs: Sequence[Array] = ()) -> None:
    """Fail unless dtypes and shapes are equal, and numbers within the usual error of the coarsest dtype."""
    assert (ours.dtype, ours.shape) == (expected.dtype, expected.shape)
    dtypes = {array.dtype.name for array in (ours, *inputs)}
    most = max(_ERRORS.get(name, 0.0) for name in dtypes) if is_floating(ours.dtype) else 0.0
    wide, goal = ours.astype(np.float64), expected.astype(np.float64)
    largest = np.abs(goal[np.isfinite(goal)]).max(initial=1e-3)
    np.testing.assert_allclose(wide, goal, rtol=most, atol=most * largest)


def computes(make: Callable[..., Entry], *arrays: Array) -> Array:
    """What an operator computes on a device, compared with what the host computes."""
    nodes = [Node(None, f"x{number}") for number in range(len(arrays))]
    entry = make(*[node.entry() for node in nodes])
    run = Run(train=False, random=RandomSource(1))
    (ours,) = computed(Graph([entry]), arrays, run)
    (expected,) = run_node(entry.node.applied, arrays, run)
    assert_near(ours, np.asarray(expected).astype(ours.dtype))  # kernels of float16 return float32
    return ours


def numbers(*shape: int, dtype: Any = np.float32) -> Array:
    """The same numbers for the same shape."""
    generator = np.random.default_rng(shape)
    return generator.standard_normal(shape).astype(dtype)
