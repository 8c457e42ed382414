"""Rules of the pass that puts images into blocks of channels: operators after a convolution.

Batch normalization by running statistics, an activation and a residual sum are fused into it, or run on blocks.
"""

import json
from dataclasses import replace
from functools import partial

import numpy as np

from gluonic.codegen.convolution.affine_operators import channel_factor, channel_summand
from gluonic.codegen.convolution.operators import to_channel_blocks
from gluonic.codegen.convolution.scaling import scale_blocks, with_activation
from gluonic.codegen.loops.costs import why_no_code
from gluonic.codegen.loops.inner_operators import apply
from gluonic.codegen.loops.semantics import function_of
from gluonic.codegen.loops.steps import loop_for
from gluonic.codegen.lowerings.entry import lowering_at
from gluonic.codegen.rewriting.layout.blocked_rewriting import BlockedRewriting
from gluonic.codegen.shapes.facts import Facts
from gluonic.codegen.shapes.symbolic import is_one
from gluonic.graph import Application, Entry, Node
from gluonic.graph.builder import F


def normalization(images: BlockedRewriting, node: Node) -> bool:
    """Rewrite a batch normalization by running statistics: a factor and a summand per channel."""
    settings, data = node.applied.settings, node.inputs[0]
    if images.train and not settings["use_global_stats"]:
        return False
    if settings["axis"] % len(images.shape(data)) != 1 or any(
        images.uses[node.entry(index)] for index in (1, 2)
    ):
        return False
    made = images.open_convolution(data)
    if made is not None and made.is_bare:
        scale, shift = _affine(images, node, made.bias)
        images.pending[node.entry()] = replace(made, scale=scale, bias=shift)
        return True
    if not images.in_blocks(data, 1):
        return False
    scale, shift = (
        apply(to_channel_blocks, vector, name=node.name, lanes=images.lanes)
        for vector in _affine(images, node)
    )
    scaled = apply(scale_blocks, images.block(data), scale, shift, name=node.name, has_shift=True)
    images.blocks[node.entry()] = scaled, 1
    return True


def _affine(images: BlockedRewriting, node: Node, bias: Entry | None = None) -> tuple[Entry, Entry]:
    """The factors and summands of channels, if a bias was added before."""
    settings = node.applied.settings
    gamma: Entry | None
    gamma, beta, mean, variance = (images.own(entry) for entry in node.inputs[1:])
    if settings["fix_gamma"]:
        gamma = None
    has_gamma, has_bias = gamma is not None, bias is not None
    factor = apply(
        channel_factor, variance, gamma, name=node.name, eps=settings["eps"], has_gamma=has_gamma
    )
    summand = apply(channel_summand, factor, mean, beta, bias, name=node.name, has_bias=has_bias)
    return factor, summand


def elementwise(images: BlockedRewriting, node: Node) -> bool:
    """Rewrite an element-wise operator."""
    application = node.applied
    if function_of(application) is None or node.output_count != 1 or not node.inputs:
        return False
    shape = images.shape(node.entry())
    if len(shape) != 4 or any(len(images.shape(entry)) != 4 for entry in node.inputs):
        return False
    if images.facts.dtypes[node.entry()] != np.float32:
        return False
    if len(node.inputs) == 1 and _activation(images, node, application):
        return True
    if _is_sum(node) and any(_residual(images, node, i) for i in (0, 1)):
        return True
    return _on_blocks(images, node)


def _on_blocks(images: BlockedRewriting, node: Node) -> bool:
    """Compute on blocks if an input is in blocks whose images are no smaller than those of the result."""
    whole = [e for e in node.inputs if images.shape(e)[1:] == images.shape(node.entry())[1:]]
    found = [entry for entry in whole if images.in_blocks(entry)]
    if not found:
        return False
    groups, channels = images.own_blocks(found[0])[1], images.shape(node.entry())[1]
    of_all = [entry for entry in node.inputs if images.shape(entry)[1] == channels]
    if any(images.in_blocks(e) and not images.in_blocks(e, groups) for e in of_all):
        return False
    blocks = [
        images.block(e, groups) if e in of_all else F.expand_dims(images.own(e), axis=4)
        for e in node.inputs
    ]
    images.blocks[node.entry()] = node.with_inputs(blocks).entry(), groups
    return True


def _is_scale(data: Entry, scale: Entry, facts: Facts) -> bool:
    """Whether `scale` has a number per channel, and images have more than one pixel."""
    shape, own = facts.shapes[data], facts.shapes[scale]
    if not len(shape) == len(own) == 4 or own[1] != shape[1]:
        return False
    if not all(is_one(extent) for extent in own[2:]):
        return False
    return not all(extent == 1 for extent in shape[2:])


def scaling(images: BlockedRewriting, node: Node) -> bool:
    """Rewrite a product of images with a factor per channel and image, or any other product."""
    for data, scale in (node.inputs, node.inputs[::-1]):
        shape, own = images.shape(data), images.shape(scale)
        is_scale = images.facts.decide(partial(_is_scale, data, scale))
        if is_scale and images.in_blocks(data, 1) and shape[:1] == own[:1]:
            pair = images.block(data), images.block(scale)
            made = apply(scale_blocks, *pair, name=node.name, has_shift=False, of_each_image=True)
            images.blocks[node.entry()] = made, 1
            return True
    return elementwise(images, node)


def rectifier(images: BlockedRewriting, node: Node) -> bool:
    """Rewrite a rectifier: a function of each element, or one with a slope per channel."""
    if node.applied.settings["act_type"] != "prelu":
        return elementwise(images, node)
    data, gamma = node.inputs
    if len(images.shape(data)) != 4 or not images.in_blocks(data, 1):
        return False
    slopes = images.own(gamma)
    if images.shape(gamma) == images.shape(data)[1:2]:
        slopes = apply(to_channel_blocks, slopes, name=node.name, lanes=images.lanes)
    elif images.shape(gamma) == (1,):
        slopes = F.reshape(slopes, shape=(1,) * 5)
    else:
        return False
    blocks = images.block(data)
    images.blocks[node.entry()] = F.where(blocks > 0, blocks, F.broadcast_mul(blocks, slopes)), 1
    return True


def _activation(images: BlockedRewriting, node: Node, application: Application) -> bool:
    """Fuse an activation into the operator that computes its input."""
    data, loop = node.inputs[0], loop_for(node, images.unguarded)
    if loop is None or why_no_code(loop, [images.facts.dtypes[data]]):
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


def _is_sum(node: Node) -> bool:
    return lowering_at(node).signs == (1, 1) and len(node.inputs) == 2


def _residual(images: BlockedRewriting, node: Node, position: int) -> bool:
    made, other = images.open_convolution(node.inputs[position]), node.inputs[1 - position]
    if made is None or made.residual is not None or other == node.inputs[position]:
        return False
    if images.shape(node.inputs[0]) != images.shape(node.inputs[1]):
        return False
    groups = images.groups_of(images.shape(other)[1], made.groups)
    images.pending[node.entry()] = replace(made, residual=images.block(other, groups))
    return True


def dropout(images: BlockedRewriting, node: Node) -> bool:
    """Rewrite a dropout that drops nothing."""
    settings, data = node.applied.settings, node.inputs[0]
    if images.train or settings["mode"] == "always" or images.uses[node.entry(1)]:
        return False
    if not images.in_blocks(data):
        return False
    images.blocks[node.entry()] = images.own_blocks(data)
    return True
