"""Pooling as in MXNet's first operator for it: padding takes part in maxima."""

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import Any, Literal

import numpy as np

from gluonic.graph.attributes import Shape
from gluonic.graph.operator import Array, operator
from gluonic.graph.ops.companions import companion
from gluonic.graph.ops.layer_rules import floating, wide
from gluonic.graph.ops.pooling import PartialPool, pool_of
from gluonic.graph.ops.pooling_kernels import Pool
from gluonic.graph.view import NodeView, PartialShape, settings_of, title_of

Slices = tuple[slice, ...]


@operator("Pooling_v1", dtype=floating())
def pooling_v1(
    data: Array,
    *,
    kernel: Shape = (),
    pool_type: Literal["max", "avg", "sum"] = "max",
    global_pool: bool = False,
    pooling_convention: Literal["valid", "full"] = "valid",
    stride: Shape = (),
    pad: Shape = (),
) -> Any:
    """Reduce windows of the data; superseded by Pooling, and kept for old files.

    Unlike Pooling, it also counts the padding's zeros in maxima, and divides sums by the size of the
    kernel even where a window reaches beyond the padding. A window entirely beyond it has the maximum
    minus infinity. The gradient of a maximum goes to all elements equal to it.

    Parameters
    ----------
    data : array of shape (batch, channels, spatial…)
    kernel, pool_type, global_pool, pooling_convention, stride, pad
        As for Pooling.
    """
    padded, pool = _padded(data, kernel, global_pool, pooling_convention, stride, pad)
    start = -np.inf if pool_type == "max" else 0.0
    output = np.full((*data.shape[:2], *pool.counts), start, padded.dtype)
    combine = np.maximum if pool_type == "max" else np.add
    for source, target in _tap_regions(padded.shape[2:], pool):
        combine(output[target], padded[source], out=output[target])
    return output / prod(pool.kernel) if pool_type == "avg" else output


def _padded(
    data: Array, kernel: Shape, is_global: bool, convention: Any, stride: Shape, pad: Shape
) -> tuple[Array, Pool]:
    """The padded data, and the windows."""
    pool = _pool(data.shape, "", kernel, is_global, convention, stride, pad).complete()
    widths = [(0, 0), (0, 0), *((p, p) for p in pool.pad)]
    return np.pad(wide(data), widths), pool


def _pool(
    shape: PartialShape, title: str, kernel: Shape, is_global: bool, convention: Any, stride: Shape, pad: Shape
) -> PartialPool:  # fmt: skip
    return pool_of(
        shape,
        title,
        kernel=kernel,
        global_pool=is_global,
        pooling_convention=convention,
        stride=stride,
        pad=pad,
        layout=None,
    )


def _tap_regions(spatial: tuple[int, ...], pool: Pool) -> Iterator[tuple[Slices, Slices]]:
    """For each tap of a window, its elements in the padded data, and the outputs that read them."""
    everything = (slice(None), slice(None))
    for offset in product(*map(range, pool.kernel)):
        counts = [
            min(count, -(-(size - first) // step))
            for count, size, first, step in zip(
                pool.counts, spatial, offset, pool.stride, strict=True
            )
        ]
        source = tuple(
            slice(first, first + count * step, step)
            for first, count, step in zip(offset, counts, pool.stride, strict=True)
        )
        yield (*everything, *source), (*everything, *map(slice, counts))


@pooling_v1.infer_shape
def _(n: NodeView) -> None:
    pool = _pool(
        n.data, title_of(n), n.kernel, n.global_pool, n.pooling_convention, n.stride, n.pad
    )
    n.output = (*n.data[:2], *pool.counts)
    n.data = (*n.output[:2], *n.data[2:])


def _backward(
    grad: Array,
    data: Array,
    pooled: Array,
    *,
    pool_type: str,
    kernel: Shape,
    global_pool: bool,
    pooling_convention: str,
    stride: Shape,
    pad: Shape,
) -> Array:
    padded, pool = _padded(data, kernel, global_pool, pooling_convention, stride, pad)
    gradients = np.zeros_like(padded)
    shares = wide(grad) / (prod(pool.kernel) if pool_type == "avg" else 1)
    maxima = wide(pooled)
    for source, target in _tap_regions(padded.shape[2:], pool):
        takes_part = padded[source] == maxima[target] if pool_type == "max" else True
        gradients[source] += np.where(takes_part, shares[target], 0)
    inside = [slice(p, size + p) for p, size in zip(pool.pad, data.shape[2:], strict=True)]
    return gradients[(slice(None), slice(None), *inside)]


companion(
    pooling_v1,
    "_backward_Pooling_v1",
    ("grad", "data", "pooled"),
    _backward,
    output_like="data",
    documentation="The gradient of Pooling_v1; that of a maximum goes to all elements equal to it.",
)
pooling_v1.gradient(
    data=lambda F, n, g: F._backward_Pooling_v1(g, n.data, n.output, **settings_of(n))
)
