"""Pooling in blocks of channels and its gradients, against NumPy."""

from typing import Any

import numpy as np
import pytest

from gluonic import autograd, nd
from gluonic.codegen.convolution.filters import lanes_of
from gluonic.codegen.convolution.geometry import Strides
from gluonic.codegen.convolution.operators import to_blocks
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.pooling.blocked import PoolGeometry, PoolingSpec, emit_pool, emit_pool_gradient
from gluonic.codegen.pooling.blocked_operators import pool_blocks, scatter_blocks, spread_blocks
from gluonic.gluon import nn
from gluonic.graph.ops.pooling_kernels import Pool, max_pool, scatter_to_maxima
from tests.codegen.harness import LEVELS, target_named
from tests.codegen.native_functions import Array, filled, normal, run_native

WINDOWS = {
    "2x2": ((2, 2), (2, 2), (0, 0), "valid"),
    "overlapping, padded": ((3, 3), (2, 2), (1, 1), "valid"),
    "beyond the end": ((3, 3), (2, 2), (0, 0), "same"),
    "large": ((5, 7), (1, 2), (2, 3), "valid"),
    "whole": ((0, 0), (1, 1), (0, 0), "valid"),
}
EVERY_KIND = pytest.mark.parametrize(
    ("kind", "counts_pad"), [("max", True), ("sum", True), ("avg", True), ("avg", False)]
)
EVERY_WINDOW = pytest.mark.parametrize("form", WINDOWS.values(), ids=WINDOWS)
EVERY_LEVEL = pytest.mark.parametrize("level", LEVELS)


def _numbers(data: Array, output: Array) -> list[int]:
    return PoolGeometry(
        rows=data.shape[2],
        columns=data.shape[3],
        rows_out=output.shape[2],
        columns_out=output.shape[3],
        blocks=data.shape[1],
        data=Strides.of(*data.shape[1:5]),
        output=Strides.of(*output.shape[1:5]),
    ).numbers()


def _settings(form: Any, kind: str, counts_pad: bool) -> dict[str, Any]:
    kernel, stride, pad, convention = form
    return {
        "kind": kind,
        "kernel": kernel,
        "stride": stride,
        "pad": pad,
        "convention": convention,
        "counts_pad": counts_pad,
    }


@EVERY_LEVEL
@EVERY_KIND
@EVERY_WINDOW
def test_windows_are_summarized(form: Any, kind: str, counts_pad: bool, level: str) -> None:
    target = target_named(level)
    data = to_blocks.kernel(normal(2, 19, 9, 11), lanes=lanes_of(target))
    expected = pool_blocks.kernel(data, **_settings(form, kind, counts_pad))
    found = filled(*expected.shape)
    windows = PoolingSpec(kind, form[0], form[1], form[2], counts_pad)
    units = int(np.prod(found.shape[:3]))

    def emit(module: LLVMModule, name: str) -> None:
        emit_pool(module, name, windows)

    run_native(target, emit, [data, found], _numbers(data, found), units)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@EVERY_LEVEL
@EVERY_KIND
@EVERY_WINDOW
def test_gradients_flow_back_to_the_elements_of_the_window(
    form: Any, kind: str, counts_pad: bool, level: str
) -> None:
    target = target_named(level)
    lanes = lanes_of(target)
    planes = np.round(normal(2, 19, 9, 11))  # so that maxima come several times
    data = to_blocks.kernel(planes, lanes=lanes)
    settings = _settings(form, kind, counts_pad)
    pooled = pool_blocks.kernel(data, **settings).astype(np.float32)
    grad = to_blocks.kernel(normal(2, 19, *pooled.shape[2:4]), lanes=lanes)
    found, windows = filled(*data.shape), PoolingSpec(kind, form[0], form[1], form[2], counts_pad)
    if kind == "max":
        arrays, expected = (
            [grad, data, pooled],
            scatter_blocks.kernel(grad, data, pooled, **settings),
        )
    else:
        spatial = np.empty((9, 11, 0), np.float32)
        arrays, expected = [grad], spread_blocks.kernel(grad, spatial, **settings)
    run_native(
        target,
        lambda m, name: emit_pool_gradient(m, name, windows),
        [*arrays, found],
        _numbers(data, pooled),
        data.shape[0] * data.shape[1],
    )
    real = to_blocks.kernel(np.ones((2, 19, 9, 11), np.float32), lanes=lanes) > 0
    np.testing.assert_allclose(found[real], expected[real], rtol=1e-5, atol=1e-5)


LOWEST = np.finfo(np.float32).min


def _unusual(*shape: int) -> Array:
    """Numbers of which so many are none, or infinite, that some windows have no other."""
    rng = np.random.default_rng(sum(shape))
    values = np.array([np.nan, -np.inf, np.nan, -np.inf, LOWEST, np.inf, 0, 1], np.float32)
    return rng.choice(values, shape, p=[0.35, 0.35, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05])


@EVERY_LEVEL
@EVERY_WINDOW
def test_maxima_ignore_nan(form: Any, level: str) -> None:
    target = target_named(level)
    lanes, settings = lanes_of(target), _settings(form, "max", True)
    data = to_blocks.kernel(_unusual(2, 19, 9, 11), lanes=lanes)
    expected = pool_blocks.kernel(data, **settings)
    grad = normal(*expected.shape)
    slopes = scatter_blocks.kernel(grad, data, expected, **settings)
    found, found_slopes = filled(*expected.shape), filled(*data.shape)
    windows, numbers = PoolingSpec("max", *form[:3]), _numbers(data, found)
    units = int(np.prod(found.shape[:3]))
    run_native(target, lambda m, n: emit_pool(m, n, windows), [data, found], numbers, units)
    run_native(
        target,
        lambda m, n: emit_pool_gradient(m, n, windows),
        [grad, data, expected, found_slopes],
        numbers,
        data.shape[0] * data.shape[1],
    )
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_allclose(found_slopes, slopes, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("length", [3, 200])
def test_a_window_without_numbers_passes_its_gradient_to_its_first_element(length: int) -> None:
    data = np.array([[[np.nan, -np.inf] * length]], np.float32)
    pool = Pool((2 * length,), (1,), (0,), (1,))
    pooled = max_pool(data, pool)
    np.testing.assert_array_equal(pooled, [[[LOWEST]]])
    slopes = scatter_to_maxima(np.full((1, 1, 1), 3.0), data, pooled, pool)
    np.testing.assert_array_equal(np.flatnonzero(slopes), [0])
    data[0, 0, 5] = LOWEST
    slopes = scatter_to_maxima(np.full((1, 1, 1), 3.0), data, pooled, pool)
    np.testing.assert_array_equal(np.flatnonzero(slopes), [5])


SIGNALS = {
    "signals": ((2, 3, 21), {"kernel": (3,), "stride": (2,), "pad": (1,)}),
    "images": ((2, 3, 9, 11), {"kernel": (3, 2), "pad": (1, 1)}),
    "volumes": ((1, 2, 4, 5, 6), {"kernel": (2, 2, 3), "stride": (2, 1, 2)}),
    "long windows": ((1, 2, 150), {"kernel": (75,), "stride": (9,)}),
    "whole images": ((2, 3, 4, 5), {"kernel": (1, 1), "global_pool": True}),
    "channels last": ((2, 9, 11, 3), {"kernel": (3, 2), "layout": "NHWC"}),
}


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("case", SIGNALS.values(), ids=SIGNALS)
def test_compiled_maxima_of_no_numbers_are_the_eager_ones(case: Any, dtype: str) -> None:
    shape, attributes = case
    net = nn.HybridLambda(lambda F, x: F.Pooling(x, **attributes))  # "max" is the default
    data = _unusual(*shape).astype(np.float64)
    data[data == LOWEST] = np.finfo(dtype).min
    found = []
    for active in (False, True):
        net.hybridize(active)
        x = nd.array(data, dtype=dtype)
        x.attach_grad()
        with autograd.record():
            y = net(x)
        y.backward(nd.array(normal(*y.shape), dtype=dtype))
        found.append((y.asnumpy(), x.grad.asnumpy()))
    (eager, eager_slopes), (compiled, slopes) = found
    assert np.isfinite(eager[eager < 1]).all()
    np.testing.assert_array_equal(compiled, eager)
    tolerance = max(1e-5, 2 * float(np.finfo(dtype).eps))
    np.testing.assert_allclose(slopes, eager_slopes, rtol=tolerance, atol=tolerance)


def _stays(net: Any, *shape: int) -> bool:
    """Whether images stay in planes all the way."""
    data = nd.array(normal(*shape))
    net.initialize()
    expected = net(data).asnumpy()
    net.hybridize(compile_at_once=True)
    np.testing.assert_allclose(net(data).asnumpy(), expected, rtol=1e-5, atol=1e-6)
    steps = net.explain(data).steps
    return not any("blocks" in operator for step in steps for operator in step.operators)


def test_images_that_nothing_has_or_reads_in_blocks_are_pooled_in_planes() -> None:
    wide = nn.HybridSequential()
    wide.add(nn.MaxPool2D(2), nn.Flatten())
    assert _stays(wide, 1, 16, 8, 8)
    assert not _stays(nn.MaxPool2D(3, 1, padding=1), 1, 16, 4, 4)
    read = nn.HybridSequential()
    read.add(nn.MaxPool2D(2), nn.Conv2D(16, 3))
    assert not _stays(read, 1, 16, 8, 8)
