"""Correlation of two images under displacements."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from gluonic.graph.all_gradients import or_zeros
from gluonic.graph.axes import require_rank
from gluonic.graph.errors import InferenceError, NotThereError
from gluonic.graph.operator import Array, operator
from gluonic.graph.ops.layer_rules import floating, wide
from gluonic.graph.ops.windows import padded
from gluonic.graph.view import NodeView, PartialShape, peek, put, title_of

Slices = tuple[slice, slice, slice, slice]


class PatchGrid(NamedTuple):
    """The geometry of patches and displacements.

    Attributes
    ----------
    kernel, reach, step, grid : the size of a patch, the largest displacement, the distances between
        patches and between displacements
    pad : number of zeros added around the images
    """

    kernel: int
    reach: int
    step: int
    grid: int
    pad: int

    def counts(self, spatial: PartialShape) -> tuple[int | None, ...]:
        """The number of patches along each axis."""
        border = 2 * (self.reach + (self.kernel - 1) // 2)
        return tuple(
            None if size is None else -(-(size + 2 * self.pad - border) // self.step)
            for size in spatial
        )

    @property
    def radius(self) -> int:
        """The number of displacements in each direction."""
        return self.reach // self.grid

    def regions(self, counts: Sequence[int]) -> Iterator[tuple[Slices, Slices]]:
        """For each displacement, the regions of both padded images that belong to patches."""
        lengths = [(count - 1) * self.step + self.kernel for count in counts]
        whole = slice(None)

        def region(down: int, across: int) -> Slices:
            top, left = self.reach + down * self.grid, self.reach + across * self.grid
            return (whole, whole, slice(top, top + lengths[0]), slice(left, left + lengths[1]))

        moves = range(-self.radius, self.radius + 1)
        for down in moves:
            for across in moves:
                yield region(0, 0), region(down, across)

    def taps(self, counts: Sequence[int]) -> Iterator[tuple[slice, slice, slice]]:
        """For each position in a patch, the index that selects it from all patches of a region."""
        down, across = ((count - 1) * self.step + 1 for count in counts)
        for i in range(self.kernel):
            for j in range(self.kernel):
                yield (
                    slice(None),
                    slice(i, i + down, self.step),
                    slice(j, j + across, self.step),
                )


@operator("Correlation", dtype=floating())
def correlation(
    data1: Array,
    data2: Array,
    *,
    kernel_size: int = 1,
    max_displacement: int = 1,
    stride1: int = 1,
    stride2: int = 1,
    pad_size: int = 0,
    is_multiply: bool = True,
) -> Any:
    """Compare patches of one image with displaced patches of another (arXiv:1504.06852).

    Parameters
    ----------
    data1, data2 : arrays of shape (batch, channels, height, width)
        The images.
    kernel_size : int, default 1
        The height and width of a patch; odd.
    max_displacement : int, default 1
        The largest displacement of a patch.
    stride1, stride2 : int, default 1
        The distance between patches, and between displacements.
    pad_size : int, default 0
        The number of zeros added around the images.
    is_multiply : bool, default True
        Whether to take the mean of products, or of absolute differences.

    Returns
    -------
    array of shape (batch, displacements, patches down, patches across)
    """
    layout = PatchGrid(kernel_size, max_displacement, stride1, stride2, pad_size)
    counts = [n or 0 for n in layout.counts(data1.shape[2:])]
    first, second = (padded(wide(x), (pad_size,) * 2, (pad_size,) * 2) for x in (data1, data2))
    results = []
    for here, there in layout.regions(counts):
        a, b = first[here], second[there]
        compared = np.einsum("bcyx,bcyx->byx", a, b) if is_multiply else np.abs(a - b).sum(axis=1)
        results.append(sum(compared[tap] for tap in layout.taps(counts)))
    return np.stack(results, axis=1) / (kernel_size**2 * data1.shape[1])


def _layout(n: NodeView) -> PatchGrid:
    return PatchGrid(n.kernel_size, n.max_displacement, n.stride1, n.stride2, n.pad_size)


@correlation.infer_shape
def _(n: NodeView) -> None:
    if n.kernel_size % 2 == 0 or n.stride1 < 1 or n.stride2 < 1:
        raise InferenceError(
            f"{title_of(n)}: kernel_size must be odd, stride1 and stride2 positive"
        )
    for source, target in (("data1", "data2"), ("data2", "data1")):
        if peek(n, source) is not None:
            put(n, target, getattr(n, source))
    require_rank(n.data1, (4,), f"{title_of(n)}: data1")
    counts = _layout(n).counts(n.data1[2:])
    if any(count is not None and count < 1 for count in counts):
        raise InferenceError(f"{title_of(n)}: patches and displacements do not fit into the image")
    n.output = (n.data1[0], (2 * _layout(n).radius + 1) ** 2, *counts)


_ATTRIBUTES = (
    "kernel_size", "max_displacement", "stride1", "stride2", "pad_size", "is_multiply",
)  # fmt: skip


def _backward(F: Any, n: NodeView, *arrays: Any) -> Any:
    return F._backward_Correlation(*arrays, **{name: getattr(n, name) for name in _ATTRIBUTES})


@correlation.all_gradients
def _(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
    return dict(zip(("data1", "data2"), _backward(F, n, heads[0], n.data1, n.data2), strict=True))


@operator("_backward_Correlation", outputs=("output1", "output2"))
def backward_correlation(
    grad: Array,
    data1: Array,
    data2: Array,
    *,
    kernel_size: int = 1,
    max_displacement: int = 1,
    stride1: int = 1,
    stride2: int = 1,
    pad_size: int = 0,
    is_multiply: bool = True,
) -> Any:
    """The gradients of both images of Correlation."""
    layout = PatchGrid(kernel_size, max_displacement, stride1, stride2, pad_size)
    counts = grad.shape[2:]
    first, second = (padded(wide(x), (pad_size,) * 2, (pad_size,) * 2) for x in (data1, data2))
    gradients = wide(grad) / (kernel_size**2 * data1.shape[1])
    found1, found2 = np.zeros_like(first), np.zeros_like(second)
    for number, (here, there) in enumerate(layout.regions(counts)):
        a, b = first[here], second[there]
        spread = np.zeros((len(a), *a.shape[2:]), a.dtype)
        for tap in layout.taps(counts):
            spread[tap] += gradients[:, number]
        spread = spread[:, None]
        if is_multiply:
            found1[here] += spread * b
            found2[there] += spread * a
        else:
            signed = spread * np.where(a >= b, 1, -1)
            found1[here] += signed
            found2[there] -= signed
    height, width = data1.shape[2:]
    middle = (slice(None), slice(None), slice(pad_size, pad_size + height))
    return tuple(f[(*middle, slice(pad_size, pad_size + width))] for f in (found1, found2))


def _like_inputs(n: NodeView) -> None:
    n.output1, n.output2 = n.data1, n.data2


backward_correlation.infer_shape(_like_inputs)
backward_correlation.infer_dtype(_like_inputs)


@backward_correlation.all_gradients
def _(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
    if not n.is_multiply:
        raise NotThereError("Correlation: second derivatives with is_multiply=False")
    h1, h2 = or_zeros(F, heads, (n.data1, n.data2))
    attributes = {name: getattr(n, name) for name in _ATTRIBUTES}
    towards1, towards2 = _backward(F, n, n.grad, h1, h2)
    return {
        "grad": F.Correlation(h1, n.data2, **attributes) + F.Correlation(n.data1, h2, **attributes),
        "data1": towards1,
        "data2": towards2,
    }
