"""Rules of the pass that puts images into blocks of channels: what follows a convolution.

Batch normalization by known statistics, an activation and a residual sum become part of it, or work on blocks.
"""

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gluonic.codegen.images.convolution_operators import apply, to_channel_blocks
from gluonic.codegen.images.scaling import scale_blocks, with_activation
from gluonic.codegen.loops.costs import why_no_code
from gluonic.codegen.loops.steps import loop_for
from gluonic.graph.builder import F
from gluonic.graph.node import Entry, Node
from gluonic.graph.operator import Application

if TYPE_CHECKING:
    from gluonic.codegen.images.convolution_layout import Rewriting

_SUMS = ("elemwise_add", "broadcast_add")


def normalization(images: "Rewriting", node: Node) -> bool:
    """Take a batch normalization by known statistics: a factor and a summand for each channel."""
    assert node.application is not None
    settings, data = node.application.settings, node.inputs[0]
    if images.train and not settings["use_global_stats"]:
        return False
    if settings["axis"] % len(images.shape(data)) != 1 or any(
        images.uses[node.entry(index)] for index in (1, 2)
    ):
        return False
    made = images.open_convolution(data)
    if made is not None and made.is_bare:
        scale, shift = _affine(images, node)
        if made.bias is not None:
            shift = shift + made.bias * scale
        images.pending[node.entry()] = replace(made, scale=scale, bias=shift)
        return True
    if not images.in_blocks(data, 1):
        return False
    scale, shift = (
        apply(to_channel_blocks, node.name, vector, lanes=images.lanes)
        for vector in _affine(images, node)
    )
    images.blocks[node.entry()] = (
        apply(scale_blocks, node.name, images.block(data), scale, shift),
        1,
    )
    return True


def _affine(images: "Rewriting", node: Node) -> tuple[Entry, Entry]:
    assert node.application is not None
    settings = node.application.settings
    gamma, beta, mean, variance = (images.plane(entry) for entry in node.inputs[1:])
    deviation = F.sqrt(variance + settings["eps"])
    scale = 1 / deviation if settings["fix_gamma"] else gamma / deviation
    return scale, beta - mean * scale


def elementwise(images: "Rewriting", node: Node) -> bool:
    """Take an operator that computes every element by itself."""
    application = node.application
    assert application is not None
    if application.op.scalar is None or node.output_count != 1 or not node.inputs:
        return False
    shape = images.shape(node.entry())
    if len(shape) != 4 or any(images.shape(entry) != shape for entry in node.inputs):
        return False
    if images.facts.dtypes[node.entry()] != np.float32:
        return False
    if len(node.inputs) == 1 and _activation(images, node, application):
        return True
    if node.operator_name in _SUMS and any(_residual(images, node, i) for i in (0, 1)):
        return True
    found = [entry for entry in node.inputs if images.in_blocks(entry)]
    if not found:
        return False
    groups = images.own_blocks(found[0])[1]
    if not all(images.in_blocks(entry, groups) for entry in found):
        return False
    blocks = [images.block(entry, groups) for entry in node.inputs]
    images.blocks[node.entry()] = node.with_inputs(blocks).entry(), groups
    return True


def _activation(images: "Rewriting", node: Node, application: Application) -> bool:
    """Make an activation part of what computes its data."""
    data, loop = node.inputs[0], loop_for(node, images.facts)
    if loop is None or why_no_code(application, loop, [images.facts.dtypes[data]]):
        return False
    try:
        json.dumps(application.settings)
    except TypeError:
        return False
    made, scaled = images.open_convolution(data), images.blocks.get(data)
    if made is not None:
        images.pending[node.entry()] = replace(made, activation=application)
        return True
    if scaled is None or images.uses[data] != 1:
        return False
    active = with_activation(scaled[0], application)
    if active is not None:
        images.blocks[node.entry()] = active, scaled[1]
    return active is not None


def _residual(images: "Rewriting", node: Node, position: int) -> bool:
    made, other = images.open_convolution(node.inputs[position]), node.inputs[1 - position]
    if made is None or made.residual is not None or other == node.inputs[position]:
        return False
    groups = images.groups_of(images.shape(other)[1], made.groups)
    images.pending[node.entry()] = replace(made, residual=images.block(other, groups))
    return True


def dropout(images: "Rewriting", node: Node) -> bool:
    """Take a dropout that drops nothing."""
    assert node.application is not None
    settings, data = node.application.settings, node.inputs[0]
    if images.train or settings["mode"] == "always" or images.uses[node.entry(1)]:
        return False
    if not images.in_blocks(data):
        return False
    images.blocks[node.entry()] = images.own_blocks(data)
    return True
