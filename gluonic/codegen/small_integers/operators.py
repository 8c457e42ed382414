"""Inner operators on small integers: exact sums of products, and the layouts in which these read factors."""

from math import prod
from typing import Any

from gluonic.codegen.convolution.windows import Windows3
from gluonic.codegen.loops.inner_operators import inner_operator
from gluonic.codegen.lowerings.entry import lower
from gluonic.codegen.small_integers.geometry import SLACK, PairedLayout
from gluonic.graph import Array
from gluonic.graph.attributes import Shape
from gluonic.graph.ops.convolution import convolution
from gluonic.graph.ops.dense import fully_connected
from gluonic.graph.ops.quantized_layers import integer_products
from gluonic.graph.ops.windows import windows_of
from gluonic.graph.rules import output_dtype
from gluonic.graph.view import NodeView, settings_of

MOST_TERMS = (2**31 - 1) // (255 * 128)
"""The most products of small integers whose sum fits int32."""


@inner_operator(
    "_integer_convolution",
    absent=lambda n: ("bias",),
    shape=convolution.shape,
    dtype=output_dtype("int32"),
)
def integer_convolution(
    data: Array,
    weight: Array,
    bias: Array | None = None,
    *,
    kernel: Shape,
    stride: Shape = (),
    dilate: Shape = (),
    pad: Shape = (),
    num_filter: int,
    num_group: int = 1,
    layout: str | None = None,
) -> Any:
    """The sums of a convolution of small integers, channels first."""
    settings = {"kernel": kernel, "stride": stride, "dilate": dilate, "pad": pad}
    more = {"num_filter": num_filter, "num_group": num_group}
    return integer_products(convolution, data, weight, {**settings, **more})


@inner_operator(
    "_integer_dense",
    absent=lambda n: ("bias",),
    shape=fully_connected.shape,
    dtype=output_dtype("int32"),
)
def integer_dense(
    data: Array,
    weight: Array,
    bias: Array | None = None,
    *,
    num_hidden: int,
    flatten: bool = True,
) -> Any:
    """The sums of a dense layer of small integers."""
    settings = {"num_hidden": num_hidden, "flatten": flatten}
    return integer_products(fully_connected, data, weight, settings)


def layout_of(n: Any) -> PairedLayout:
    """The layout in which a convolution reads images."""
    windows = windows_of(n.kernel, n.stride, n.pad, n.dilate)
    deep = Windows3.of(windows.kernel, windows.stride, windows.dilate, windows.pad)
    return PairedLayout(deep, n.num_group, settings_of(n).get("covers", False))


def packed(*factors: Array) -> Any:
    """The kernel of operators on these layouts, which NumPy does not compute."""
    raise AssertionError("this layout is for machine code")


@inner_operator("_paired_images", dtype=output_dtype("int16"))
def paired_images(
    data: Array,
    *,
    kernel: Shape,
    stride: Shape = (),
    dilate: Shape = (),
    pad: Shape = (),
    num_group: int = 1,
    covers: bool = False,
) -> Any:
    """Images in the layout of `small_integers.geometry`."""
    return packed(data)


@paired_images.infer_shape
def _(n: NodeView) -> None:
    n.output = (2 * (layout_of(n).size(n.data) + SLACK),)


@inner_operator("_paired_rows", dtype=output_dtype("int16"))
def paired_rows(data: Array, *, num_group: int, height: int, leading: int) -> Any:
    """Rows in tiles: two neighbours of each row of a tile, then the next two; zeros make rows and pairs whole.

    The first `leading` axes number the rows, the next the neighbours; what follows are taps, which are kept
    apart. The layout is [group][tile][pair][tap][row of the tile][2].
    """
    return packed(data)


def rows_of(n: Any, shape: Shape) -> tuple[int, int, int]:
    """The rows of a group, the neighbours in each, and the taps."""
    rows, (inner, *taps) = prod(shape[: n.leading]), shape[n.leading :]
    return rows // n.num_group, inner, prod(taps)


@paired_rows.infer_shape
def _(n: NodeView) -> None:
    rows, inner, taps = rows_of(n, n.data)
    n.output = (n.num_group * -(-rows // n.height) * n.height * 2 * -(-inner // 2) * taps,)


@inner_operator("_paired_convolution", dtype=output_dtype("int32"))
def paired_convolution(
    data: Array,
    weight: Array,
    images: Array,
    filters: Array,
    *,
    kernel: Shape,
    stride: Shape,
    dilate: Shape,
    pad: Shape,
    num_group: int,
    height: int,
) -> Any:
    """The sums of a convolution of packed images; of `data` and `weight`, only the shapes are read."""
    return packed(images, filters)


@paired_convolution.infer_shape
def _(n: NodeView) -> None:
    n.output = (n.data[0], n.weight[0], *layout_of(n).sums(n.data))


@inner_operator("_paired_dense", dtype=output_dtype("int32"))
def paired_dense(
    data: Array, weight: Array, columns: Array, rows: Array, *, flatten: bool, height: int
) -> Any:
    """The sums of a dense layer of packed factors; of `data` and `weight`, only the shapes are read."""
    return packed(columns, rows)


@paired_dense.infer_shape
def _(n: NodeView) -> None:
    kept = 1 if n.flatten else len(n.data) - 1
    n.output = (*n.data[:kept], n.weight[0])


lower(paired_images, step="small_integers.packing:ImagesStep")
lower(paired_rows, step="small_integers.packing:RowsStep")
lower(paired_convolution, step="small_integers.products:IntegerConvolutionStep")
lower(paired_dense, step="small_integers.products:IntegerDenseStep")
