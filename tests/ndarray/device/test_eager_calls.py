"""Operators that are called again with arrays of the same forms give what the first call gives."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, nd
from gluonic.codegen import operator_on_device
from gluonic.device import DeviceArray
from gluonic.graph import REGISTRY, Run
from gluonic.graph.arithmetic import OPERATORS
from gluonic.graph.random_source import RandomSource
from gluonic.ndarray import Context, NDArray
from gluonic.support.caches import forget_all
from tests.device.conftest import DriverWithoutGpu, driver, driver_file

_ = driver, driver_file  # fixtures
VALUES = np.array([[1.5, 2, -3], [0.5, -5, 6], [7, 8, 9]], np.float32)
OTHERS = np.array([[2, 2, 2], [3, 3, 3], [1, 2, 3]], np.float32)
CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "plain": nd.broadcast_add,
    "operator": lambda x, y: x - y,
    "with a number": lambda x, y: x * 3,
    "number first": lambda x, y: 1 / y,
    "negated": lambda x, y: -x,
    "with an attribute": lambda x, y: nd.dot(x, y, transpose_b=True),
    "reduction": lambda x, y: x.sum(axis=1),
    "with a workspace": lambda x, y: nd.softmax(x, axis=0),
    "several outputs": lambda x, y: nd.topk(x, k=2, ret_typ="both")[1],
    "training": lambda x, y: nd.BatchNorm(x, y[0], y[0], y[0], y[0], axis=1),
}
IN_PLACE = [name for name in OPERATORS if hasattr(NDArray, f"__i{name}__")]
TARGETS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "apart": lambda x, y, z: z,
    "an input": lambda x, y, z: x,
    "a part that begins anywhere": lambda x, y, z: nd.concat(z, z, dim=0)[1:4],
    "another dtype": lambda x, y, z: z.astype("float64"),
}


def _arrays(context: Context) -> list[NDArray]:
    return [nd.array(values, ctx=context) for values in (VALUES, OTHERS, np.zeros_like(VALUES))]


@pytest.mark.parametrize("name", CALLS)
def test_a_call_is_repeated(gpu: Context, name: str) -> None:
    here, there = _arrays(mx.cpu()), _arrays(gpu)
    expected = CALLS[name](*here[:2])
    for _ in range(3):
        result = CALLS[name](*there[:2])
        assert result.context == gpu
        assert result.dtype == expected.dtype
        np.testing.assert_allclose(result.asnumpy(), expected.asnumpy(), rtol=1e-5)
        forget_all()


@pytest.mark.parametrize("name", CALLS)
def test_a_repeated_call_is_recorded(gpu: Context, name: str) -> None:
    gradients = []
    for context in (mx.cpu(), gpu, gpu):
        x, y, _ = _arrays(context)
        for array in (x, y):
            array.attach_grad()
        with autograd.record():
            CALLS[name](x, y).sum().backward()
        gradients.append([x.grad.asnumpy(), y.grad.asnumpy()])
    for found in gradients[1:]:
        np.testing.assert_allclose(found, gradients[0], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("sum_of", [lambda x, y: x + y, lambda x, y: x * 1 + y.reshape((3, 3))])
def test_variables_with_equal_gradients_do_not_share_memory(gpu: Context, sum_of: Any) -> None:
    x, y, _ = _arrays(gpu)
    for array in (x, y):
        array.attach_grad()
    for number in (5, 6):
        head = nd.full((3, 3), 2, ctx=gpu)
        with autograd.record():
            result = sum_of(x, y)
        result.backward(head)
        x.grad[:] = number
        assert y.grad.asnumpy().tolist() == head.asnumpy().tolist() == [[2] * 3] * 3


def test_a_part_of_a_gradient_shows_the_latest_one(gpu: Context) -> None:
    x, y, _ = _arrays(gpu)
    x.attach_grad()
    part = x.grad[0:2]
    for factor in (2, 3):
        with autograd.record():
            result = x * y * factor
        result.backward()
        np.testing.assert_array_equal(part.asnumpy(), OTHERS[:2] * factor)


def test_arrays_that_begin_anywhere_are_taken(gpu: Context) -> None:
    x, y, _ = _arrays(gpu)
    for start in (0, 1, 2, 1):
        total = x[start : start + 1] + y[2 - start : 3 - start]
        assert total.asnumpy().tolist() == [(VALUES[start] + OTHERS[2 - start]).tolist()]


def test_the_class_of_a_result_is_that_of_all_inputs(gpu: Context) -> None:
    x, y, _ = _arrays(gpu)
    for _ in range(3):
        assert type(nd.relu(x)) is type(x)
        assert isinstance(nd.relu(x.as_np_ndarray()), mx.np.ndarray)
        assert isinstance(nd.broadcast_add(x, y.as_np_ndarray()), mx.np.ndarray)
        assert isinstance(nd.broadcast_add(x.as_np_ndarray(), y), mx.np.ndarray)
        assert isinstance(x.as_np_ndarray() + y.as_np_ndarray(), mx.np.ndarray)


@pytest.mark.parametrize("call", [nd.broadcast_add, lambda x, y: x + y, lambda x, y: x.__iadd__(y)])
def test_arrays_elsewhere_are_refused_after_other_calls(gpu: Context, call: Any) -> None:
    x, y, _ = _arrays(gpu)
    for _ in range(2):
        call(x, y)
    for other in (mx.cpu(), mx.gpu(1)):
        elsewhere = re.escape(str(other))
        with pytest.raises(mx.MXNetError, match=rf"argument is on gpu\(0\) while .* {elsewhere}"):
            call(x, y.as_in_context(other))


# ----------------------------------------------------------------------------------------- in place


@pytest.mark.parametrize("dtype", ["float32", "int32", "float16"])
@pytest.mark.parametrize("name", IN_PLACE)
def test_arithmetic_in_place(gpu: Context, name: str, dtype: str) -> None:
    results = []
    for context in (mx.cpu(), gpu):
        x, y, _ = (array.astype(dtype) for array in _arrays(context))
        title = f"__i{name}__"
        for other in (y, 2, 3.0, y[:1], x.copy()):
            kept = x
            getattr(x, title)(other)
            getattr(x, title)(other)
            assert kept is x
        results.append(x.asnumpy())
    np.testing.assert_allclose(results[1], results[0], rtol=1e-2 if dtype == "float16" else 1e-5)


@pytest.mark.parametrize("size", [2047, 16_400])
def test_arrays_of_several_blocks_in_place(gpu: Context, size: int) -> None:
    x, values = nd.arange(size, ctx=gpu), np.arange(size, dtype=np.float32)
    for _ in range(2):
        x += nd.ones((size,), ctx=gpu)
        x *= 2
        values = (values + 1) * 2
    weight, gradient = nd.array(values), nd.array(values % 7)
    sgd = mx.optimizer.create("sgd", learning_rate=0.5, momentum=0.5)
    for w, g in ((weight, gradient), (x, gradient.as_in_context(gpu))):
        updater = mx.optimizer.get_updater(sgd)
        updater([0], [g], [w])
        updater([0], [g], [w])
    np.testing.assert_array_equal(x.asnumpy(), weight.asnumpy())


@pytest.mark.parametrize("shift", [-1, 0, 1])
def test_parts_of_one_array_in_place(gpu: Context, shift: int) -> None:
    results = []
    for context in (mx.cpu(), gpu):
        x = nd.arange(20_000, ctx=context).reshape((10, 2000))  # several blocks of threads
        for _ in range(2):
            part = x[2:6]
            part += x[2 + shift : 6 + shift]
        results.append(x.asnumpy())
    np.testing.assert_array_equal(results[1], results[0])


@pytest.mark.parametrize("name", ["plain", "with an attribute", "with a workspace"])
@pytest.mark.parametrize("target", TARGETS)
def test_results_are_written_to_arrays(gpu: Context, name: str, target: str) -> None:
    operators: dict[str, Any] = {
        "plain": nd.broadcast_add,
        "with an attribute": lambda x, y, out: nd.dot(x, y, transpose_b=True, out=out),
        "with a workspace": lambda x, y, out: nd.softmax(x, axis=0, out=out),
    }
    outcomes = []
    for context in (mx.cpu(), gpu):
        found: list[Any] = []
        for _ in range(2):
            arrays = _arrays(context)
            out = TARGETS[target](*arrays)
            try:
                assert operators[name](*arrays[:2], out=out) is out
            except mx.MXNetError:
                found.append("refused")
            found += [array.asnumpy() for array in (out, *arrays)]
        outcomes.append(found)
    for here, there in zip(*outcomes, strict=True):
        if isinstance(here, str):
            assert here == there
        else:
            np.testing.assert_allclose(there, here, rtol=1e-5)


# ------------------------------------------------------------------------------------ a real driver


def test_a_repeated_call_asks_the_driver_for_a_launch_alone(driver: DriverWithoutGpu) -> None:
    device, run = driver.device(), Run(train=False, random=RandomSource(0))
    arrays = [DeviceArray.of_host(device, VALUES) for _ in range(2)]
    add = operator_on_device(REGISTRY["broadcast_add"].apply({}))
    for _ in range(2):
        add(arrays, run)
    driver.forget()
    for _ in range(3):
        add(arrays, run)
        add(arrays, run, None, [arrays[0]])
    assert driver.calls() == ["cuLaunchKernel"] * 6
