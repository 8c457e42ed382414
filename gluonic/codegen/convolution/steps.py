"""Native steps for operators on images in blocks of channels."""

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from types import SimpleNamespace
from typing import Any, cast

from gluonic.codegen.convolution.division import bands_of, divided
from gluonic.codegen.convolution.filter_packing import (
    FilterForm,
    emit_pack_filters,
    filter_numbers,
    filter_units,
)
from gluonic.codegen.convolution.filters import Filters, blocks_of, blocks_with_last
from gluonic.codegen.convolution.form import ConvolutionForm, numbers_of
from gluonic.codegen.convolution.forward import emit_convolution
from gluonic.codegen.convolution.geometry import Geometry, Strides
from gluonic.codegen.convolution.operators import (
    convolve_blocks,
    epilogue_of,
    filters_of,
    pack_filters,
    pad_images,
    subsample,
    to_blocks,
    to_channel_blocks,
    to_planes,
)
from gluonic.codegen.convolution.phases import emit_subsample
from gluonic.codegen.convolution.reordering import Reordering, emit_pack, emit_padding, emit_unpack
from gluonic.codegen.convolution.tile import ConvolutionEpilogue
from gluonic.codegen.convolution.tiling import ConvolutionTiling, tiling_of
from gluonic.codegen.loops.costs import NANOSECONDS_A_BYTE, NANOSECONDS_A_PRODUCT
from gluonic.codegen.loops.steps import Step
from gluonic.codegen.lowerings.entry import lower
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.target import host
from gluonic.codegen.machine.workers import most_threads
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph import Node
from gluonic.graph.attributes import Shape


class BlockStep(Step):
    """The base of these steps.

    Attributes
    ----------
    n : the operator's attributes
    """

    def __init__(self, node: Node, facts: Facts) -> None:
        self.node = node
        self.n: Any = SimpleNamespace(**node.applied.settings)
        self.operands = (*node.inputs, node.entry())

    def shape(self, facts: Facts, position: int) -> Shape:
        """The shape of an operand."""
        return facts.shapes[self.operands[position]]


def strides_of_planes(shape: Shape) -> Strides:
    """The strides of an array (batch, channels, rows, columns)."""
    return Strides.of(shape[1], shape[2], shape[3], 1)


def strides_of_blocks(shape: Shape) -> Strides:
    """The strides of an array (batch, blocks, rows, columns, V)."""
    return Strides.of(shape[1], shape[2], shape[3], shape[4])


def _split(strides: Strides, batch: int, groups: int) -> Strides:
    """The strides if each group of channels is treated as an image."""
    return Strides(strides.image // groups, strides.block, strides.row)


class ImageStep(BlockStep):
    """The base of steps whose units are the blocks of each image.

    Attributes
    ----------
    counted : the index of the operand in these blocks
    """

    counted = 0

    def units(self, facts: Facts) -> int:
        """One unit per block of each image."""
        batch, blocks, *_ = self.shape(facts, self.counted)
        return batch * blocks


class BandStep(ImageStep):
    """The base of such steps whose units are bands of rows of a block if there are many threads."""

    def rows(self, facts: Facts) -> int:
        """The number of rows, or rows of tiles, that are divided."""
        return self.shape(facts, self.counted)[2]

    def bands(self, facts: Facts) -> int:
        """The number of bands of a block."""
        batch, blocks, *block = self.shape(facts, self.counted)
        time = 2 * 4 * prod(block) * NANOSECONDS_A_BYTE
        return cast(int, bands_of(batch, blocks, self.rows(facts), time, most_threads()))

    def units(self, facts: Facts) -> int:
        """One unit per band of each block of each image."""
        return super().units(facts) * self.bands(facts)


class ToBlocksStep(BandStep):
    """Planes to blocks."""

    counted = 1

    def __init__(self, node: Node, facts: Facts) -> None:
        super().__init__(node, facts)
        self.edge = tuple(self.n.padding)
        self.code = emit_pack, facts.decide(self._is_partial)

    def rows(self, facts: Facts) -> int:
        """The number of rows; without padding an image is one row."""
        return self.shape(facts, 0)[2] if any(self.edge) else 1

    def _channels(self, facts: Facts) -> int:
        return int(self.shape(facts, 0)[1] // self.n.groups)

    def _is_partial(self, facts: Facts) -> bool:
        """Whether the last block is not full."""
        return self._channels(facts) % int(self.n.lanes) != 0

    def numbers(self, facts: Facts) -> Sequence[int]:
        """Extents, strides and padding."""
        batch, _, rows, columns = source = self.shape(facts, 0)
        goal = self.shape(facts, 1)
        groups, extent = self.n.groups, blocks_with_last(self._channels(facts), self.n.lanes)
        here, there = (
            _split(s, batch, groups) for s in (strides_of_planes(source), strides_of_blocks(goal))
        )
        if not any(self.edge):
            rows, columns = 1, rows * columns
        whole = Reordering(*extent, rows, columns, here, there, *self.edge)
        return replace(whole, bands=self.bands(facts)).numbers()


class ToPlanesStep(ImageStep):
    """Blocks to planes."""

    def __init__(self, node: Node, facts: Facts) -> None:
        super().__init__(node, facts)
        self.channels, self.lanes = self.n.channels // self.n.groups, self.shape(facts, 0)[4]
        self.code = emit_unpack, self.channels % self.lanes != 0

    def numbers(self, facts: Facts) -> Sequence[int]:
        """Extents and strides; images are whole, so a plane is one row."""
        source, goal = self.shape(facts, 0), self.shape(facts, 1)
        batch, groups = source[0], self.n.groups
        here, there = (
            _split(s, batch, groups) for s in (strides_of_blocks(source), strides_of_planes(goal))
        )
        extent = blocks_with_last(self.channels, self.lanes)
        return Reordering(*extent, 1, source[2] * source[3], here, there).numbers()


class PadImagesStep(BandStep):
    """A copy with padding."""

    def __init__(self, node: Node, facts: Facts) -> None:
        super().__init__(node, facts)
        shape = self.shape(facts, 0)
        self.code = emit_padding, 4 * (shape[4] if len(shape) == 5 else 1)

    def numbers(self, facts: Facts) -> Sequence[int]:
        """Extents, strides and padding."""
        source, goal = self.shape(facts, 0), self.shape(facts, 1)
        lie = strides_of_blocks if len(source) == 5 else strides_of_planes
        _, blocks, rows, columns, *block = source
        last = block[0] if block else 1
        lies = lie(source), lie(goal)
        whole = Reordering(blocks, last, rows, columns, *lies, *self.n.padding)
        return replace(whole, bands=self.bands(facts)).numbers()


class SubsampleStep(ImageStep):
    """Every step-th position."""

    def __init__(self, node: Node, facts: Facts) -> None:
        super().__init__(node, facts)
        self.code = emit_subsample, self.n.steps

    def numbers(self, facts: Facts) -> Sequence[int]:
        """The rows and columns that are read."""
        return self.shape(facts, 0)[2:4]


class ChannelsStep(BlockStep):
    """A vector over channels, padded to whole blocks: an image of one pixel."""

    def __init__(self, node: Node, facts: Facts) -> None:
        super().__init__(node, facts)
        self.code = emit_pack, facts.decide(self._is_partial)

    def _channels(self, facts: Facts) -> int:
        return int(self.shape(facts, 0)[0] // self.n.groups)

    def _is_partial(self, facts: Facts) -> bool:
        """Whether the last block is not full."""
        return self._channels(facts) % int(self.n.lanes) != 0

    def numbers(self, facts: Facts) -> Sequence[int]:
        """Extents and strides."""
        channels, lanes = self._channels(facts), self.n.lanes
        here = Strides.of(channels, 1, 1, 1)
        there = Strides.of(blocks_of(channels, lanes), 1, 1, lanes)
        return Reordering(*blocks_with_last(channels, lanes), 1, 1, here, there).numbers()

    def units(self, facts: Facts) -> int:
        """One unit per block."""
        return self.shape(facts, 1)[1]


class FiltersStep(BlockStep):
    """The base of steps that reorder filters."""

    def __init__(self, node: Node, facts: Facts) -> None:
        super().__init__(node, facts)
        n = self.n
        self.filters = Filters(
            n.channels, n.filters, n.groups, n.kernel, planar=n.planar, depthwise=n.depthwise
        )

    def numbers(self, facts: Facts) -> Sequence[int]:
        """The numbers of channels and filters."""
        return filter_numbers(self.filters, getattr(self.n, "tile", 1), self.n.lanes)

    def units(self, facts: Facts) -> int:
        """One unit per block of filters."""
        return filter_units(self.filters, self.n.lanes)


class PackFiltersStep(FiltersStep):
    """Packs filters in the order of access; if it remembers them, only when they have changed."""

    def __init__(self, node: Node, facts: Facts) -> None:
        super().__init__(node, facts)
        self.keeps = self.n.remembers
        form = FilterForm.of_packing(self.filters, self.n.lanes)
        self.code = emit_pack_filters, form, self.n.scaled, self.n.remembers


def _emit_activated(
    module: LLVMModule,
    name: str,
    form: ConvolutionForm,
    activation: str,
    attributes: str,
    shifts: int,
    residuals: int,
) -> None:
    """Write a convolution with its residual, shift and activation."""
    expression = epilogue_of(activation, attributes)
    emit_convolution(module, name, form, ConvolutionEpilogue.of(expression, shifts, residuals))


def padding_rows(node: Node) -> tuple[int, int]:
    """The numbers of zero rows above and below the images of an operator's first input."""
    images = node.inputs[0].node
    if images.operator_name == "_depth_windows":  # has all rows of the images that it reads
        images = images.inputs[0].node
    made = images.application
    if made is None or made.op not in (to_blocks, pad_images):
        return 0, 0
    top, _, bottom, _ = made.settings["padding"]
    return top, bottom


class ConvolutionStep(BlockStep):
    """A convolution with its epilogue."""

    def __init__(self, node: Node, facts: Facts) -> None:
        super().__init__(node, facts)
        n = self.n
        data, packed, *others = node.inputs[:-1] if n.apart else node.inputs
        self.operands = (data, packed, node.entry(), *others)
        self.filters = filters_of(n)
        self.displaced = (0,) if n.apart else ()
        activation = n.activation, n.activation_attributes
        extra = int(n.has_shift), int(n.has_residual)
        self.code = _emit_activated, facts.decide(self._form), *activation, *extra

    def _tiling(self, facts: Facts) -> ConvolutionTiling:
        """The division of work, which depends on the output's rows and columns."""
        _, _, rows, columns, _ = self.shape(facts, 2)
        gaps, vary = bool(self.n.apart), facts.sizes_vary
        return tiling_of(self.filters, rows, columns, host(), gaps=gaps, sizes_vary=vary)

    def _form(self, facts: Facts) -> ConvolutionForm:
        """The properties that the innermost loops depend on."""
        padded = self._padding != (0, 0)
        return ConvolutionForm.of(self.filters, self._tiling(facts), self.n.lanes, padded=padded)

    @property
    def _padding(self) -> tuple[int, int]:
        return (0, 0) if self.n.apart else padding_rows(self.node)

    def _geometry(self, facts: Facts) -> Geometry:
        data, output = self.shape(facts, 0), self.shape(facts, 2)
        goal = strides_of_blocks(output)
        lie = strides_of_planes if self.filters.planar else strides_of_blocks
        others = (goal,) * int(self.n.has_residual)
        return Geometry(output[0], output[2], output[3], lie(data), goal, others)

    def displacements(self, facts: Facts) -> Sequence[int]:
        """The offset of the first window."""
        if not self.n.apart:
            return ()
        (top, left), data = self.n.first, self.shape(facts, 0)
        return [(top * data[3] + left) * data[4] * 4]

    def numbers(self, facts: Facts) -> Sequence[int]:
        """Extents and strides."""
        geometry = self._geometry(facts)
        tiling, _ = self._divided(facts, geometry)
        top, bottom = self._padding
        inside = top, self.shape(facts, 0)[2] - bottom
        return numbers_of(self.filters, tiling, geometry, self.n.lanes, inside)

    def units(self, facts: Facts) -> int:
        """One unit per band of lines of tiles."""
        return cast(int, self._divided(facts, self._geometry(facts))[1])

    def _divided(self, facts: Facts, geometry: Geometry) -> tuple[ConvolutionTiling, Any]:
        """The tiling for the threads that share the units, and the number of these."""
        tiling = self._tiling(facts)
        return divided(self.filters, tiling, geometry, self.n.lanes, most_threads())

    def nanoseconds(self, facts: Facts) -> float:
        """The time for memory and for products."""
        products = prod(self.shape(facts, 2)) * self.filters.depth
        return super().nanoseconds(facts) + products * NANOSECONDS_A_PRODUCT


lower(to_blocks, step=ToBlocksStep)
lower(to_planes, step=ToPlanesStep)
lower(pad_images, step=PadImagesStep)
lower(subsample, step=SubsampleStep)
lower(to_channel_blocks, step=ChannelsStep)
lower(pack_filters, step=PackFiltersStep)
lower(convolve_blocks, step=ConvolutionStep)
