"""Products of small integers with packed factors, in the place of others."""

from collections.abc import Sequence
from typing import Any

from gluonic.codegen.loops.inner_operators import apply
from gluonic.codegen.machine.target import host
from gluonic.codegen.shapes.facts import Facts
from gluonic.codegen.small_integers.operators import (
    integer_convolution,
    integer_dense,
    layout_of,
    paired_convolution,
    paired_dense,
    paired_images,
    paired_rows,
)
from gluonic.codegen.small_integers.products import unit_columns
from gluonic.codegen.small_integers.tile import IntegerTile
from gluonic.codegen.small_integers.winograd import (
    PRODUCTS,
    image_settings,
    suits_winograd,
    tiled_convolution,
    transformed_filters,
)
from gluonic.graph import Entry, Graph, Node
from gluonic.graph.builder import F
from gluonic.graph.origin import give_origin


def with_packed_factors(graph: Graph, facts: Facts) -> Graph:
    """The graph in which factors are packed, those that several products read once."""
    rules = {integer_convolution: _convolution, integer_dense: _dense}
    packed: dict[Any, Entry] = {}

    def replace(node: Node, inputs: Sequence[Entry]) -> Sequence[Entry] | None:
        rule = rules.get(node.application.op) if node.application is not None else None
        if rule is None:
            return None
        found = [rule(node, inputs, facts, packed)]
        give_origin(found, node)
        return found

    return graph.rewrite(replace)


def _convolution(
    node: Node, inputs: Sequence[Entry], facts: Facts, packed: dict[Any, Entry]
) -> Entry:
    """A convolution of packed images, without the positions between rows."""
    data, weight = inputs
    settings: Any = node.applied.view([None] * 3)
    layout, images = layout_of(settings), facts.shapes[node.inputs[0]]
    count = facts.shapes[node.inputs[1]][0]
    if facts.decide(lambda facts: suits_winograd(settings, facts.shapes[node.inputs[0]], count)):
        return _by_tiles(node, inputs, facts, packed)
    rank = len(images) - 2
    names = ("kernel", "stride", "dilate", "pad")
    shape = {name: getattr(layout.windows, name)[3 - rank :] for name in names}
    shape["num_group"] = layout.groups
    key = data, *shape.values()
    if key not in packed:
        packed[key] = apply(paired_images, data, **shape)
    height = IntegerTile.of(host()).rows
    filters = apply(paired_rows, weight, num_group=layout.groups, height=height, leading=1)
    found = apply(paired_convolution, data, weight, packed[key], filters, **shape, height=height)
    for axis, count in layout.surplus(images):
        found = F.slice_axis(found, axis=2 + axis, begin=0, end=count)
    return found


def _by_tiles(node: Node, inputs: Sequence[Entry], facts: Facts, packed: dict[Any, Entry]) -> Entry:
    """A convolution by Winograd's algorithm, without the sums that no window has."""
    data, weight = inputs
    shape = image_settings(node.applied.settings["pad"] or (0, 0))
    key = data, *shape.values()
    if key not in packed:
        packed[key] = apply(paired_images, data, **shape)
    height = IntegerTile.of(host()).rows
    rows = transformed_filters(weight)
    filters = apply(paired_rows, rows, num_group=PRODUCTS, height=height, leading=1)
    found = tiled_convolution(data, weight, packed[key], filters, shape["pad"])
    for axis, extent in enumerate(facts.shapes[node.entry()][2:]):
        if extent % 2:
            found = F.slice_axis(found, axis=2 + axis, begin=0, end=extent)
    return found


def _dense(node: Node, inputs: Sequence[Entry], facts: Facts, packed: dict[Any, Entry]) -> Entry:
    """A dense layer of packed factors."""
    data, weight = inputs
    flatten, rank = node.applied.settings["flatten"], len(facts.shapes[node.inputs[0]])
    leading = 1 if flatten else rank - 1
    if flatten and rank > 2:
        data = F.Flatten(data)
    is_row = facts.decide(lambda facts: _rows(facts, node.inputs[0], leading) == 1)
    tile = IntegerTile.of(host(), is_row=is_row)
    rows = apply(paired_rows, data, num_group=1, height=tile.rows, leading=leading)
    columns = apply(paired_rows, weight, num_group=1, height=unit_columns(tile), leading=1)
    return apply(paired_dense, data, weight, columns, rows, flatten=flatten, height=tile.rows)


def _rows(facts: Facts, data: Entry, leading: int) -> int:
    rows = 1
    for extent in facts.shapes[data][:leading]:
        rows = rows * extent
    return rows
