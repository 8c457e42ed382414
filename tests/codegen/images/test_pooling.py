"""Pooling in blocks of channels and its gradients, against NumPy."""

from typing import Any

import numpy as np
import pytest

from gluonic.codegen.images.convolution import lanes_of
from gluonic.codegen.images.convolution_geometry import Strides
from gluonic.codegen.images.convolution_operators import to_blocks
from gluonic.codegen.images.pooling import PoolGeometry, Windows, emit_pool, emit_pool_gradient
from gluonic.codegen.images.pooling_operators import pool_blocks, scatter_blocks, spread_blocks
from gluonic.codegen.machine.assembler import Module
from tests.codegen.harness import LEVELS, target_named
from tests.codegen.native_functions import Array, filled, normal, run_native

WINDOWS = {
    "2x2": ((2, 2), (2, 2), (0, 0), (4, 5)),
    "overlapping, with a border": ((3, 3), (2, 2), (1, 1), (5, 6)),
    "beyond the end": ((3, 3), (2, 2), (0, 0), (5, 6)),
    "large": ((5, 7), (1, 2), (2, 3), (9, 6)),
    "whole": ((0, 0), (1, 1), (0, 0), (1, 1)),
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
    kernel, stride, pad, counts = form
    return {
        "kind": kind,
        "kernel": kernel,
        "stride": stride,
        "pad": pad,
        "counts": counts,
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
    windows = Windows(kind, form[0], form[1], form[2], counts_pad)
    units = int(np.prod(found.shape[:3]))

    def emit(module: Module, name: str) -> None:
        emit_pool(module, name, windows)

    run_native(target, emit, [data, found], _numbers(data, found), units)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@EVERY_LEVEL
@EVERY_KIND
@EVERY_WINDOW
def test_gradients_go_where_they_came_from(
    form: Any, kind: str, counts_pad: bool, level: str
) -> None:
    target = target_named(level)
    lanes = lanes_of(target)
    planes = np.round(normal(2, 19, 9, 11))  # so that maxima come several times
    data = to_blocks.kernel(planes, lanes=lanes)
    settings = _settings(form, kind, counts_pad)
    pooled = pool_blocks.kernel(data, **settings).astype(np.float32)
    grad = to_blocks.kernel(normal(2, 19, *pooled.shape[2:4]), lanes=lanes)
    found, windows = filled(*data.shape), Windows(kind, form[0], form[1], form[2], counts_pad)
    if kind == "max":
        arrays, expected = (
            [grad, data, pooled],
            scatter_blocks.kernel(grad, data, pooled, **settings),
        )
    else:
        arrays, expected = [grad], spread_blocks.kernel(grad, places=(9, 11), **settings)
    run_native(
        target,
        lambda m, name: emit_pool_gradient(m, name, windows),
        [*arrays, found],
        _numbers(data, pooled),
        data.shape[0] * data.shape[1],
    )
    real = to_blocks.kernel(np.ones((2, 19, 9, 11), np.float32), lanes=lanes) > 0
    np.testing.assert_allclose(found[real], expected[real], rtol=1e-5, atol=1e-5)


def test_not_a_number_wins_a_maximum() -> None:
    target = target_named("")
    planes = normal(1, 3, 4, 4)
    planes[0, 1, 1, 0] = np.nan
    data = to_blocks.kernel(planes, lanes=lanes_of(target))
    found = filled(1, 1, 2, 2, lanes_of(target))
    windows = Windows("max", (2, 2), (2, 2), (0, 0))
    numbers = _numbers(data, found)
    run_native(target, lambda m, n: emit_pool(m, n, windows), [data, found], numbers, 2)
    assert np.isnan(found[0, 0, 0, 0, 1])
    assert np.isnan(found).sum() == 1
