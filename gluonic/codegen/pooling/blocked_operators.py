"""Pooling of images in blocks of channels, for graphs that the compiler rewrites: operators and their steps."""

from collections.abc import Sequence
from typing import Any

from gluonic.codegen.convolution.operators import to_blocks, to_planes
from gluonic.codegen.convolution.steps import BlockStep, strides_of_blocks
from gluonic.codegen.loops.inner_operators import inner_operator
from gluonic.codegen.lowerings.entry import lower
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.pooling.blocked import PoolGeometry, PoolingSpec, emit_pool, emit_pool_gradient
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph import Array, Node
from gluonic.graph.attributes import Shape
from gluonic.graph.ops.pooling import window_count
from gluonic.graph.ops.pooling_kernels import (
    Pool,
    counted,
    max_pool,
    scatter_to_maxima,
    spread,
    sum_pool,
)
from gluonic.graph.view import NodeView, complete


def _pool(kernel: Shape, stride: Shape, pad: Shape, counts: Shape, spatial: Shape) -> Pool:
    return Pool(kernel if any(kernel) else spatial, stride, pad, counts)


def _planes(data: Array) -> Array:
    planes: Array = to_planes.kernel(data, channels=data.shape[1] * data.shape[4])
    return planes


def _counts(spatial: Shape, kernel: Shape, stride: Shape, pad: Shape, convention: Any) -> Shape:
    """The numbers of windows of images with the given rows and columns."""
    if not any(kernel):
        return (1, 1)
    axes = zip(spatial, kernel, stride, pad, strict=True)
    return tuple([window_count(*axis, convention) or 0 for axis in axes])


@inner_operator("_pool_blocks")
def pool_blocks(
    data: Array,
    *,
    kind: str,
    kernel: Shape,
    stride: Shape,
    pad: Shape,
    convention: str,
    counts_pad: bool,
) -> Any:
    """Pool windows of images in blocks; a kernel of zeros is the whole image."""
    images = _planes(data)
    counts = _counts(images.shape[2:], kernel, stride, pad, convention)
    pool = _pool(kernel, stride, pad, counts, images.shape[2:])
    if kind == "max":
        return to_blocks.kernel(max_pool(images, pool), lanes=data.shape[4])
    result = sum_pool(images, pool)
    if kind == "avg":
        result = result / counted(images.shape[2:], pool, counts_pad).astype(data.dtype)
    return to_blocks.kernel(result, lanes=data.shape[4])


@pool_blocks.infer_shape
def _(n: NodeView) -> None:
    batch, blocks, rows, columns, lanes = complete(n.data)
    counts = _counts((rows, columns), n.kernel, n.stride, n.pad, n.convention)
    n.output = (batch, blocks, *counts, lanes)


@inner_operator("_spread_blocks")
def spread_blocks(
    grad: Array,
    spatial: Array,
    *,
    kind: str,
    kernel: Shape,
    stride: Shape,
    pad: Shape,
    convention: str,
    counts_pad: bool,
) -> Any:
    """The gradient of sums and means of windows; `spatial` has the rows and columns of the images."""
    gradients, extents = _planes(grad), spatial.shape[:2]
    pool = _pool(kernel, stride, pad, gradients.shape[2:], extents)
    if kind == "avg":
        gradients = gradients / counted(extents, pool, counts_pad).astype(grad.dtype)
    return to_blocks.kernel(spread(gradients, extents, pool), lanes=grad.shape[4])


@spread_blocks.infer_shape
def _(n: NodeView) -> None:
    batch, blocks, _, _, lanes = complete(n.grad)
    n.output = (batch, blocks, *complete(n.spatial)[:2], lanes)


@inner_operator("_scatter_blocks")
def scatter_blocks(
    grad: Array,
    data: Array,
    pooled: Array,
    *,
    kind: str,
    kernel: Shape,
    stride: Shape,
    pad: Shape,
    convention: str,
    counts_pad: bool,
) -> Any:
    """The gradient of maxima of windows."""
    gradients, images, maxima = (_planes(array) for array in (grad, data, pooled))
    pool = _pool(kernel, stride, pad, maxima.shape[2:], images.shape[2:])
    found = scatter_to_maxima(gradients, images, maxima, pool).astype(data.dtype)
    return to_blocks.kernel(found, lanes=data.shape[4])


@scatter_blocks.infer_shape
def _(n: NodeView) -> None:
    n.output = n.data


class _PoolStep(BlockStep):
    """The base of steps of pooling: `data_at` and `output_at` are the indices of operands of these sizes."""

    data_at, output_at = 0, 1

    def __init__(self, node: Node, facts: Facts) -> None:
        super().__init__(node, facts)
        n = self.n
        self.windows = PoolingSpec(n.kind, n.kernel, n.stride, n.pad, n.counts_pad)

    def numbers(self, facts: Facts) -> Sequence[int]:
        """Extents and strides."""
        data, output = self.shape(facts, self.data_at), self.shape(facts, self.output_at)
        return PoolGeometry(
            rows=data[2],
            columns=data[3],
            rows_out=output[2],
            columns_out=output[3],
            blocks=data[1],
            data=strides_of_blocks(data),
            output=strides_of_blocks(output),
        ).numbers()


class PoolStep(_PoolStep):
    """Pooling."""

    def emit(self, module: LLVMModule, name: str) -> None:
        """Write pooling."""
        emit_pool(module, name, self.windows)

    def units(self, facts: Facts) -> int:
        """One unit per row of windows."""
        output = self.shape(facts, 1)
        return output[0] * output[1] * output[2]


class _PoolGradientStep(_PoolStep):
    """The base of steps of gradients."""

    def emit(self, module: LLVMModule, name: str) -> None:
        """Write the gradient."""
        emit_pool_gradient(module, name, self.windows)

    def units(self, facts: Facts) -> int:
        """One unit per block of each image."""
        data = self.shape(facts, self.data_at)
        return data[0] * data[1]


class BlockedSpreadStep(_PoolGradientStep):
    """The gradient of sums and means."""

    data_at, output_at = 1, 0

    def __init__(self, node: Node, facts: Facts) -> None:
        super().__init__(node, facts)
        self.operands = (node.inputs[0], node.entry())


class BlockedScatterStep(_PoolGradientStep):
    """The gradient of maxima."""

    data_at, output_at = 3, 0


lower(pool_blocks, step=PoolStep)
lower(spread_blocks, step=BlockedSpreadStep)
lower(scatter_blocks, step=BlockedScatterStep)
