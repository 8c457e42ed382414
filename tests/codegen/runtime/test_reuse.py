"""The memory of values saved by a training step is reused by the next."""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from gluonic import autograd, nd
from gluonic.codegen.differentiable import DifferentiableProgram
from gluonic.codegen.runtime.reuse import ReusedMemory
from gluonic.gluon import nn
from gluonic.graph.node import Graph, Node, make_node
from gluonic.graph.operator import Array
from tests.codegen.agreement import new_run


def _arrays() -> list[Array]:
    return [np.zeros(1000), np.zeros(10)]


def test_released_results_are_reused_once_no_reference_is_left() -> None:
    memory, arrays = ReusedMemory(), _arrays()
    addresses = [array.ctypes.data for array in arrays]
    memory.leave("key", arrays)
    assert memory.take("key") is None
    held = arrays.pop()
    arrays.clear()
    assert memory.take("key") is None
    del held
    again = memory.take("key")
    assert again is not None
    assert [array.ctypes.data for array in again if array is not None] == addresses
    assert memory.take("key") is None


def test_results_referenced_by_a_view_are_not_reused() -> None:
    memory = ReusedMemory()
    looks: list[Callable[[Any], Any]] = [lambda a: a[1:], lambda a: a.reshape(2, -1).T, memoryview]
    for look in looks:
        arrays = _arrays()
        memory.leave("key", arrays)
        view = look(arrays[0])
        arrays.clear()
        assert memory.take("key") is None
        del view
        assert memory.take("key") is not None


def test_arrays_of_objects_are_not_reused() -> None:
    memory = ReusedMemory()
    memory.leave("key", [np.array([memory], object), np.zeros(3)])
    kept, reused = memory.take("key") or ()
    assert kept is None
    assert reused is not None


def test_results_of_calls_of_other_shapes_are_dropped() -> None:
    memory = ReusedMemory()
    memory.leave((4, 3), _arrays())
    assert memory.take((5, 3)) is None
    assert memory.take((4, 3)) is None


def _program() -> DifferentiableProgram:
    """Two exponentials, one of which is saved but not returned."""
    x = Node(None, "x")
    inner = make_node("exp", [x.entry()])
    graph = Graph([make_node("sin", [inner.entry()]).entry()])
    return DifferentiableProgram(graph, [x], wanted=[True], heads=[True], train=True)


def _slope(x: Array) -> Array:
    result: Array = np.cos(np.exp(x)) * np.exp(x)
    return result


def _assert_is_slope(found: Any, x: Array) -> None:
    """Compare with NumPy's; near zeros of the cosine, rounding the exponential moves it most."""
    np.testing.assert_allclose(found, _slope(x), rtol=1e-12, atol=1e-12)


def test_a_step_saves_where_the_one_before_did() -> None:
    program, found = _program(), []
    for seed in range(3):
        x = np.random.default_rng(seed).normal(size=(50, 40))
        outputs, saved = program.forward([x], new_run(train=True))
        (slope,) = program.backward(saved, [np.ones((50, 40))], new_run(train=True))
        np.testing.assert_allclose(outputs[0], np.sin(np.exp(x)), rtol=1e-12)
        _assert_is_slope(slope, x)
        found.append({a.ctypes.data for a in saved.arrays if a is not x})
        del saved
    assert found[0] == found[1] == found[2]


def test_two_steps_at_once_do_not_share_what_they_save() -> None:
    program = _program()
    xs = [np.random.default_rng(seed).normal(size=(50, 40)) for seed in range(8)]
    for _ in range(2):
        made = [program.forward([x], new_run(train=True)) for x in xs]
        for x, (outputs, saved) in zip(xs, made, strict=True):
            (slope,) = program.backward(saved, [np.ones((50, 40))], new_run(train=True))
            np.testing.assert_allclose(outputs[0], np.sin(np.exp(x)), rtol=1e-12)
            _assert_is_slope(slope, x)


def test_outputs_and_gradients_of_earlier_steps_stay() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(64, activation="tanh"), nn.Dense(64, activation="tanh"))
    net.initialize()
    net.hybridize(compile_at_once=True)
    x = nd.random.normal(shape=(32, 16))
    x.attach_grad()
    outputs, slopes = [], []
    for _ in range(4):
        with autograd.record():
            outputs.append(net(x))
        outputs[-1].backward()
        slopes.append(x.grad.copy())
    for y, slope in zip(outputs, slopes, strict=True):
        np.testing.assert_array_equal(y.asnumpy(), outputs[0].asnumpy())
        np.testing.assert_array_equal(slope.asnumpy(), slopes[0].asnumpy())


def test_threads_that_share_a_program_do_not_share_what_they_save() -> None:
    program, wrong = _program(), []

    def learn(seed: int) -> None:
        x = np.random.default_rng(seed).normal(size=(50, 40))
        for _ in range(50):
            _, saved = program.forward([x], new_run(train=True))
            (slope,) = program.backward(saved, [np.ones((50, 40))], new_run(train=True))
            if slope is None or not np.allclose(slope, _slope(x), rtol=1e-12):
                wrong.append(seed)

    threads = [threading.Thread(target=learn, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
