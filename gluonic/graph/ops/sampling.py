"""Sampling of images at arbitrary positions, and grids of such positions.

M. Jaderberg and others: Spatial transformer networks (2015). Positions are (x, y), with -1 and 1 at the first
and the last pixel.
"""

from itertools import product
from typing import Any, Literal

import numpy as np

from gluonic.graph.adjoint import adjoint
from gluonic.graph.attributes import Shape
from gluonic.graph.axes import require_rank
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, operator
from gluonic.graph.ops.layer_rules import floating, wide
from gluonic.graph.rules import like
from gluonic.graph.scalar_math import M
from gluonic.graph.view import NodeView, title_of

_BLOCK = 8192  # positions for which the intermediate arrays fit into the caches


def pixels_along(m: Any, position: Any, extent: Any, order: int) -> list[tuple[Any, Any]]:
    """Find the two pixels around positions along an axis, and their weights; outside, pixel 0 with weight 0.

    Parameters
    ----------
    m : NumPy's functions, or the compiler's
    position, extent : numbers of one floating dtype
    order : 1 gives the weights of the derivative by the position; beyond that all weights are zero
    """
    scale = (extent - 1) * 0.5
    pixel = (position + 1) * scale
    first = m.floor(pixel)
    share = pixel - first
    weights = [(1 - share, share), (-scale, scale), (share * 0, share * 0)][min(order, 2)]
    found = []
    for index, weight in zip((first, first + 1), weights, strict=True):
        inside = (index >= 0) & (index < extent)
        found.append((m.where(inside, index, 0.0), m.where(inside, weight, 0.0)))
    return found


def _along(position: Array, length: int, order: int) -> list[tuple[Array, Array]]:
    """The indices of the pixels around positions, and their weights."""
    found = pixels_along(M, position, position.dtype.type(length), order)
    return [(index.astype(np.intp), weight.astype(position.dtype)) for index, weight in found]


def _corners(size: tuple[int, ...], positions: Array, orders: tuple[int, int]) -> list[Any]:
    """The flat indices of the four pixels around each of the positions, (..., 2, count), and their weights."""
    height, width = size
    rows = [
        (row * width, weight) for row, weight in _along(positions[..., 1, :], height, orders[1])
    ]
    columns = _along(positions[..., 0, :], width, orders[0])
    return [
        (row + column, row_weight * column_weight)
        for (row, row_weight), (column, column_weight) in product(rows, columns)
    ]


def _positions(grid: Array) -> Array:
    return wide(grid).reshape(len(grid), 2, -1)


def _samples(data: Array, grid: Array, orders: tuple[int, int]) -> Array:
    """Samples of images, (batch, channels, positions), computed block by block."""
    images, positions = wide(data).reshape(*data.shape[:2], -1), _positions(grid)
    result = np.zeros((*data.shape[:2], positions.shape[2]), images.dtype)
    for first in range(0, positions.shape[2], _BLOCK):
        block = slice(first, first + _BLOCK)
        for image, its_positions, samples in zip(images, positions, result, strict=True):
            for numbers, weights in _corners(data.shape[2:], its_positions[:, block], orders):
                found = np.take(image, numbers, axis=1, mode="clip")
                found *= weights
                samples[:, block] += found
    return result


def _sampling_matrix(shape: tuple[int, ...], grid: Array, orders: tuple[int, int]) -> Any:
    """The sparse matrix from the pixels of all images, in order, to samples."""
    from scipy.sparse import csr_matrix

    batch, _, height, width = shape
    first, positions = np.arange(batch)[:, None] * (height * width), _positions(grid)
    corners = [(first + n, weight) for n, weight in _corners((height, width), positions, orders)]
    pixels, weights = (np.stack(parts, axis=-1).ravel() for parts in zip(*corners, strict=True))
    begins = np.arange(0, pixels.size + 1, len(corners))
    return csr_matrix((weights, pixels, begins), (positions[:, 0].size, batch * height * width))


def _by_pixels(images: Array) -> Array:
    """The channels of all pixels, one row per pixel."""
    return wide(images).transpose(0, 2, 3, 1).reshape(-1, images.shape[1])


def _by_channels(pixels: Array, shape: tuple[int, ...]) -> Array:
    """Images of a shape, from the channels of all pixels."""
    batch, channels, height, width = shape
    return pixels.reshape(batch, height, width, channels).transpose(0, 3, 1, 2)


def _sampled_shape(n: NodeView) -> None:
    require_rank(n.data, (4,), f"{title_of(n)}: data")
    require_rank(n.grid, (4,), f"{title_of(n)}: grid")
    n.grid = (n.data[0], 2, None, None)
    n.output = (n.grid[0], n.data[1], *n.grid[2:])
    n.data, n.grid = (*n.output[:2], None, None), (n.output[0], 2, *n.output[2:])


@operator("_bilinear_sample", shape=_sampled_shape, dtype=floating())
def bilinear_sample(data: Array, grid: Array, *, x_order: int = 0, y_order: int = 0) -> Any:
    """Sample images, or the derivatives of the samples by the positions.

    Parameters
    ----------
    data : (batch, channels, height, width)
    grid : positions, (batch, 2, rows, columns)
    x_order, y_order : orders of the derivatives by x and by y
    """
    shape = (*data.shape[:2], *grid.shape[2:])
    if not data.size:
        return np.zeros(shape, wide(data).dtype)
    return _samples(data, grid, (x_order, y_order)).reshape(shape)


@operator("_backward_bilinear_sample", dtype=floating())
def bilinear_sample_back(
    grad: Array, data: Array, grid: Array, *, x_order: int = 0, y_order: int = 0
) -> Any:
    """Distribute the gradients of the samples to the pixels by their weights."""
    samples = _by_pixels(grad)
    if not samples.size or not data.size:
        return np.zeros(data.shape, samples.dtype)
    matrix = _sampling_matrix(data.shape, grid, (x_order, y_order))
    return _by_channels(matrix.T @ samples, data.shape)


bilinear_sample_back.infer_shape(like("data"))


def _grid_gradient(F: Any, g: Any, data: Any, grid: Any, x_order: int, y_order: int) -> Any:
    """Sum, over the channels, gradients times the derivatives of the samples by the positions."""
    parts = [
        F.sum(g * F._bilinear_sample(data, grid, x_order=i, y_order=j), axis=1, keepdims=True)
        for i, j in ((x_order + 1, y_order), (x_order, y_order + 1))
    ]
    return F.Concat(*parts, dim=1)


def _orders(n: NodeView) -> dict[str, int]:
    return {"x_order": n.x_order, "y_order": n.y_order}


bilinear_sample.gradient(
    data=lambda F, n, g: F._backward_bilinear_sample(g, n.data, n.grid, **_orders(n)),
    grid=lambda F, n, g: _grid_gradient(F, g, n.data, n.grid, **_orders(n)),
)
bilinear_sample_back.gradient(
    grad=lambda F, n, g: F._bilinear_sample(g, n.grid, **_orders(n)),
    grid=lambda F, n, g: _grid_gradient(F, n.grad, g, n.grid, **_orders(n)),
)


@operator("BilinearSampler", shape=_sampled_shape, dtype=floating())
def bilinear_sampler(data: Array, grid: Array, *, cudnn_off: bool | None = None) -> Any:
    """Sample images at given positions, interpolating between four pixels; outside they are zero.

    Parameters
    ----------
    data : (batch, channels, height, width)
    grid : positions (x, y), (batch, 2, rows, columns); -1 and 1 are the first and the last pixel
    cudnn_off : accepted for compatibility

    Returns
    -------
    array
        (batch, channels, rows, columns)
    """
    return bilinear_sample.kernel(data, grid)


bilinear_sampler.gradient(
    data=lambda F, n, g: F._backward_bilinear_sample(g, n.data, n.grid),
    grid=lambda F, n, g: _grid_gradient(F, g, n.data, n.grid, 0, 0),
)


def _targets(size: Shape, dtype: np.dtype[Any]) -> Array:
    """List the positions of a grid as columns (x, y, 1)."""
    rows, columns = (np.linspace(-1, 1, length, dtype=dtype) for length in size)
    x, y = np.meshgrid(columns, rows)
    return np.stack([x.ravel(), y.ravel(), np.ones(x.size, dtype)])


@operator("GridGenerator", dtype=floating())
def grid_generator(
    data: Array, *, transform_type: Literal["affine", "warp"], target_shape: Shape = (0, 0)
) -> Any:
    """Make a grid of positions to sample.

    Parameters
    ----------
    data : ``affine``: matrices that map (x, y, 1) of the result to positions in the image, row by row,
        (batch, 6); ``warp``: the displacement of each position in pixels, (batch, 2, rows, columns)
    transform_type : ``affine`` or ``warp``
    target_shape : the number of rows and columns of an ``affine`` grid

    Returns
    -------
    array
        positions (x, y), (batch, 2, rows, columns)
    """
    if transform_type == "affine":
        positions = _targets(target_shape, wide(data).dtype)
        return (wide(data).reshape(-1, 3) @ positions).reshape(-1, 2, *target_shape)
    rows, columns = np.indices(data.shape[2:], data.dtype)
    return scale_flow.kernel(data + np.stack([columns, rows])) - 1


@grid_generator.infer_shape
def _(n: NodeView) -> None:
    if n.transform_type == "warp":
        like("data")(n)
        require_rank(n.data, (4,), f"{title_of(n)}: data")
        n.data = n.output = (None, 2, None, None)
        return
    _require_size(n)
    n.data = (None, 6)
    n.output = (n.data[0], 2, *n.target_shape)
    n.data = (n.output[0], 6)


def _require_size(n: NodeView) -> None:
    if len(n.target_shape) != 2 or min(n.target_shape) < 1:
        raise InferenceError(
            f"{title_of(n)}: target_shape {n.target_shape} must be two positive numbers"
        )


@operator("_scale_flow")
def scale_flow(data: Array) -> Any:
    """Convert distances in pixels, (batch, 2, rows, columns), to differences of positions."""
    factors = [2 / max(length - 1, 1) for length in data.shape[:1:-1]]
    return data * np.array(factors, data.dtype).reshape(2, 1, 1)


scale_flow.gradient(data=lambda F, n, g: F._scale_flow(g))


@operator("_affine_grid")
def affine_grid(data: Array, *, target_shape: Shape) -> Any:
    """Apply matrices, (batch, 6), to a grid of positions."""
    return grid_generator.kernel(data, transform_type="affine", target_shape=target_shape)


@affine_grid.infer_shape
def _(n: NodeView) -> None:
    require_rank(n.data, (2,), f"{title_of(n)}: data")
    n.data = (n.data[0], 6)
    n.output = (n.data[0], 2, *n.target_shape)


@adjoint(affine_grid)
def _(grad: Array, data: Array, *, target_shape: Shape) -> Any:
    """Sum the gradients of all positions, times their coordinates (x, y, 1) in the result."""
    positions = _targets(target_shape, wide(grad).dtype)
    return (wide(grad).reshape(2 * len(grad), -1) @ positions.T).reshape(data.shape)


def _generator_gradient(F: Any, n: NodeView, g: Any) -> Any:
    if n.transform_type == "warp":
        return F._scale_flow(g)
    return F._backward_affine_grid(g, n.data, target_shape=n.target_shape)


grid_generator.gradient(data=_generator_gradient)


@operator("SpatialTransformer", dtype=floating())
def spatial_transformer(
    data: Array,
    loc: Array,
    *,
    target_shape: Shape = (0, 0),
    transform_type: Literal["affine"],
    sampler_type: Literal["bilinear"],
    cudnn_off: bool | None = None,
) -> Any:
    """Transform images by matrices: `BilinearSampler` on the grids of `GridGenerator`.

    Parameters
    ----------
    data : (batch, channels, height, width)
    loc : matrices that map (x, y, 1) of the result to positions in the image, row by row, (batch, 6)
    target_shape : height and width of the result
    transform_type, sampler_type : each has only one value
    cudnn_off : accepted for compatibility
    """
    return bilinear_sample.kernel(data, affine_grid.kernel(loc, target_shape=target_shape))


@spatial_transformer.infer_shape
def _(n: NodeView) -> None:
    _require_size(n)
    require_rank(n.data, (4,), f"{title_of(n)}: data")
    n.loc = (n.data[0], 6)
    n.output = (n.loc[0], n.data[1], *n.target_shape)
    n.data, n.loc = (*n.output[:2], None, None), (n.output[0], 6)


def _transformer_loc(F: Any, n: NodeView, g: Any) -> Any:
    grid = F._affine_grid(n.loc, target_shape=n.target_shape)
    g_grid = _grid_gradient(F, g, n.data, grid, 0, 0)
    return F._backward_affine_grid(g_grid, n.loc, target_shape=n.target_shape)


spatial_transformer.gradient(
    data=lambda F, n, g: F._backward_bilinear_sample(
        g, n.data, F._affine_grid(n.loc, target_shape=n.target_shape)
    ),
    loc=_transformer_loc,
)
