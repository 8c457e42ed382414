"""Shared code of the rules that put images into blocks: the layouts of entries, and convolutions."""

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import asdict, replace
from functools import partial
from math import prod
from typing import Any

import numpy as np

from gluonic.codegen.convolution.depth_windows import depth_windows
from gluonic.codegen.convolution.filters import Filters, lanes_of
from gluonic.codegen.convolution.gradient_operators import pack_turned_filters
from gluonic.codegen.convolution.operators import (
    attributes_of,
    convolve_blocks,
    pack_filters,
    pad_images,
    subsample,
    to_blocks,
    to_channel_blocks,
    to_planes,
)
from gluonic.codegen.convolution.spatial_extents import spatial_extents
from gluonic.codegen.convolution.tiling import tiling_of
from gluonic.codegen.convolution.winograd import (
    products_of,
    winograd_filters,
    winograd_images,
    winograd_sums,
    winograd_tiling,
)
from gluonic.codegen.loops.inner_operators import apply
from gluonic.codegen.lowerings.entry import LayoutRules, Rule
from gluonic.codegen.machine.algorithms import may_use_winograd
from gluonic.codegen.machine.target import Target, host
from gluonic.codegen.rewriting.layout.image_layout import images_like
from gluonic.codegen.rewriting.layout.layout_rewriting import LayoutRewriting
from gluonic.codegen.rewriting.layout.pending_convolution import (
    PendingConvolution,
    filter_attributes,
)
from gluonic.codegen.rewriting.passes import PassContext
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph import Entry, Graph, Node
from gluonic.graph.attributes import Shape
from gluonic.graph.ops.windows import Windows, windows_of

Padding = tuple[int, int, int, int]
NO_PADDING: Padding = (0, 0, 0, 0)
_MOST_TAPS = 128
"""The most taps of a filter: where filters are rotated there is code for each tap."""


def _blocks_at_once(output: Entry, filters: Filters, target: Target, facts: Facts) -> int:
    """The number of filter blocks in a tile, the only property of it that packed filters depend on."""
    rows, columns = facts.shapes[output][2:]
    vary = facts.sizes_vary
    return tiling_of(filters, rows, columns, target, sizes_vary=vary).tile.blocks


class BlockedRewriting(LayoutRewriting):
    """One run of the pass.

    Parameters
    ----------
    graph, context : the graph that is rewritten, and its facts
    otherwise : the rule of operators that have no rule
    read_in_blocks : the entries that are read in blocks
    """

    def __init__(
        self,
        graph: Graph,
        context: PassContext,
        otherwise: Callable[["BlockedRewriting", Node], bool],
        *,
        read_in_blocks: Collection[Entry],
    ) -> None:
        super().__init__(graph, context.facts(graph), otherwise)
        self.train, self.unguarded = context.train, context.unguarded(graph)
        self.parameters = context.parameters
        self.target = host()
        self.lanes = lanes_of(self.target)
        self.blocks: dict[Entry, tuple[Entry, int]] = {}
        self.padded: dict[tuple[Entry, Padding, int], Entry] = {}
        self._spatial: dict[Entry, Entry] = {}
        self.subsampled: dict[tuple[Entry, Padding, int, Shape], Entry] = {}
        self.pending: dict[Entry, PendingConvolution] = {}
        self.uses = Counter(entry for node in graph.nodes for entry in node.inputs)
        self.uses.update(graph.outputs)
        self.named = {node.name: node for node in graph.nodes}
        self.read_in_blocks = read_in_blocks

    def may_take(self, node: Node) -> bool:
        """Whether all its inputs are float32."""
        return all(self.facts.dtypes[entry] == np.float32 for entry in node.inputs)

    def rule_in(self, rules: LayoutRules) -> Rule | None:
        """The rule of an operator for blocks."""
        return rules.blocked

    def restored(self, entry: Entry) -> Entry:
        """Convert images in blocks to planes."""
        blocks, groups = self.own_blocks(entry)
        channels = self.shape(entry)[1]
        return apply(to_planes, blocks, name=entry.node.name, channels=channels, groups=groups)

    def in_other_layouts(self, entry: Entry) -> list[Entry]:
        """The images in blocks, if they exist."""
        return [self.blocks[entry][0]] if entry in self.blocks else []

    # -- layouts ------------------------------------------------------------------------------

    def groups_of(self, channels: int, groups: int) -> int:
        """The number of groups that matters: 1, unless blocks would span several groups."""
        return 1 if channels // groups % self.lanes == 0 else groups

    def own_blocks(self, entry: Entry) -> tuple[Entry, int]:
        """An entry in blocks, with the number of its groups."""
        if entry not in self.blocks:
            made = self.pending[entry]
            groups = self.groups_of(self.shape(entry)[1], made.groups)
            self.blocks[entry] = self.finished(made), groups
            self.trace(self.blocks[entry][:1], self.named[made.name])
        return self.blocks[entry]

    def in_blocks(self, entry: Entry, groups: int | None = None) -> bool:
        """Whether an entry is in blocks (with this number of groups)."""
        if entry in self.blocks:
            return groups is None or self.blocks[entry][1] == groups
        if entry not in self.pending:
            return False
        own = self.groups_of(self.shape(entry)[1], self.pending[entry].groups)
        return groups is None or own == groups

    def block(self, entry: Entry, groups: int = 1, padding: Padding = NO_PADDING) -> Entry:
        """An entry in blocks, with padding."""
        if not any(padding) and self.in_blocks(entry, groups):
            return self.own_blocks(entry)[0]
        key = entry, padding, groups
        if key not in self.padded:
            if self.in_blocks(entry, groups):
                made = self._padded(entry, padding)
            else:
                made = apply(
                    to_blocks,
                    self.own(entry),
                    name=entry.node.name,
                    lanes=self.lanes,
                    groups=groups,
                    padding=padding,
                )
            self.padded[key] = made
        return self.padded[key]

    def _padded(self, entry: Entry, padding: Padding) -> Entry:
        """An entry that is in blocks, with padding; windows along the depth are made from padded images."""
        node = entry.node
        if node.application is not None and node.application.op is depth_windows:
            return node.with_inputs([self.block(node.inputs[0], 1, padding)]).entry()
        return apply(pad_images, self.own_blocks(entry)[0], name=node.name, padding=padding)

    def _padded_plane(self, entry: Entry, padding: Padding) -> Entry:
        """An entry in its own layout, with padding."""
        if not any(padding):
            return self.own(entry)
        key = entry, padding, 0
        if key not in self.padded:
            plane = self.own(entry)
            self.padded[key] = apply(pad_images, plane, name=entry.node.name, padding=padding)
        return self.padded[key]

    def spatial_extents(self, entry: Entry) -> Entry:
        """The spatial extents of images, for operators whose results have the same."""
        if entry not in self._spatial:
            node, own = entry.node, self.kept.get(entry)
            if node.application is not None and node.application.op is images_like:
                self._spatial[entry] = self.own(node.inputs[1])
            else:
                shaped = self.own_blocks(entry)[0] if own is None else own
                self._spatial[entry] = apply(spatial_extents, shaped, name=node.name)
        return self._spatial[entry]

    # -- convolutions -------------------------------------------------------------------------

    def convolution(self, node: Node) -> bool:
        """Rewrite a convolution of images."""
        data, weight, *bias = node.inputs
        found = self.image_filters(node, data, weight, node.entry())
        if found is None:
            return False
        output, (filters, windows) = node.entry(), found
        tiling = None
        if weight.node in self.parameters and may_use_winograd():
            tiling = self.facts.decide(partial(winograd_tiling, output, filters, self.target))
        if tiling is not None:
            (top, left), (down, across) = windows.pad, tiling.odd
            images = self.block(data, 1, (top, left, top + down, left + across))
            tile = tiling.blocks
        else:
            images, filters = self.images_of(data, *found)
            tile = self.facts.decide(partial(_blocks_at_once, output, filters, self.target))
        shift = self.own(bias[0]) if bias else None
        self.pending[output] = PendingConvolution(
            node.name,
            images,
            self.own(weight),
            filters,
            tile,
            shift,
            odd=None if tiling is None else tiling.odd,
        )
        return True

    def image_filters(
        self, node: Node, data: Entry, weight: Entry, output: Entry
    ) -> tuple[Filters, Windows] | None:
        """The filters and windows of a convolution of images; None for any other."""
        settings = node.applied.settings
        windows = windows_of(
            *(settings[n] for n in ("kernel", "stride", "pad", "dilate", "layout"))
        )
        if len(windows.kernel) != 2 or windows.channels_last:
            return None
        if prod(windows.kernel) > _MOST_TAPS:
            return None
        if 0 in self.shape(output) or 0 in self.shape(data):
            return None
        groups, channels, count = settings["num_group"], self.shape(data)[1], self.shape(weight)[0]
        return self._filters(channels, count, windows, groups, self.in_blocks(data)), windows

    def images_of(self, data: Entry, filters: Filters, windows: Windows) -> tuple[Entry, Filters]:
        """The padded images that a convolution reads, and the corresponding filters."""
        top, left = windows.pad
        padding = top, left, top, left
        if filters.planar:
            return self._padded_plane(data, padding), filters
        own = 1 if filters.depthwise else self.groups_of(self.shape(data)[1], filters.groups)
        if filters.depthwise or filters.taps > 1 or filters.stride == (1, 1):
            return self.block(data, own, padding), filters
        key = data, padding, own, filters.stride
        if key not in self.subsampled:
            images = self.block(data, own, padding)
            self.subsampled[key] = apply(
                subsample, images, name=data.node.name, steps=filters.stride
            )
        return self.subsampled[key], replace(filters, stride=(1, 1))

    def _filters(
        self, channels: int, count: int, windows: Windows, groups: int, in_blocks: bool
    ) -> Filters:
        (kernel, stride, dilate) = windows.kernel, windows.stride, windows.dilate
        depthwise = groups > 1 and groups == channels == count
        planar = groups == 1 and channels < self.lanes // 2 and not in_blocks
        if depthwise:
            channels, count, groups = 1, count, 1
        return Filters(
            channels // groups,
            count // groups,
            groups,
            kernel,
            stride,
            dilate,
            planar,
            depthwise,
        )

    def finished(self, made: PendingConvolution) -> Entry:
        """The nodes of a convolution."""
        filters, lanes, name = made.filters, self.lanes, made.name
        common = {**filter_attributes(filters, lanes), "tile": made.tile}
        packed = self._packed(made, common)
        shift = made.bias
        if shift is not None:
            shift = apply(
                to_channel_blocks, shift, name=f"{name}_shift", lanes=lanes, groups=filters.groups
            )
        epilogue = {
            "has_shift": shift is not None,
            "has_residual": made.residual is not None,
            **attributes_of(made.activation),
        }
        if made.odd is not None:
            sums, odd = self._winograd_products(made, packed), made.odd
            return apply(winograd_sums, sums, shift, made.residual, name=name, odd=odd, **epilogue)
        return apply(
            convolve_blocks,
            made.data,
            packed,
            shift,
            made.residual,
            made.spatial,
            name=name,
            stride=filters.stride,
            dilate=filters.dilate,
            first=made.first,
            remainder=made.remainder,
            apart=made.apart,
            **epilogue,
            **common,
        )

    def _winograd_products(self, made: PendingConvolution, packed: Entry) -> Entry:
        """The sums of products of transformed images and filters."""
        filters, lanes, name = made.filters, self.lanes, made.name
        common = {**filter_attributes(products_of(filters), lanes), "tile": made.tile}
        transformed = apply(
            winograd_filters,
            packed,
            name=f"{name}_transformed",
            channels=filters.channels,
            filters=filters.filters,
            tile=made.tile,
            lanes=lanes,
        )
        images = apply(winograd_images, made.data, name=f"{name}_tiles")
        return apply(
            convolve_blocks,
            images,
            transformed,
            name=f"{name}_products",
            stride=(1, 1),
            dilate=(1, 1),
            **common,
        )

    def _packed(self, made: PendingConvolution, common: dict[str, Any]) -> Entry:
        """A convolution's filters, packed in the order of access."""
        name = f"{made.name}_filters"
        if made.turned is not None:
            return apply(
                pack_turned_filters, made.weight, name=name, **common, **asdict(made.turned)
            )
        return apply(
            pack_filters,
            made.weight,
            made.scale,
            name=name,
            scaled=made.scale is not None,
            remembers=not self.train and made.odd is None,
            **common,
        )

    def open_convolution(self, entry: Entry) -> PendingConvolution | None:
        """An unfinished convolution whose only reader is the current node."""
        made = self.pending.get(entry)
        if made is None or not made.is_open or self.uses[entry] != 1 or entry in self.blocks:
            return None
        return made
