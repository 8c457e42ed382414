"""Decompositions of quantized layers: into exact sums of products, or usual layers, and roundings."""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from gluonic.codegen.loops.inner_operators import apply
from gluonic.codegen.loops.site import RewriteContext
from gluonic.codegen.small_integers.operators import (
    MOST_TERMS,
    integer_convolution,
    integer_dense,
)
from gluonic.codegen.tracing.arrays import TracedArray
from gluonic.codegen.tracing.elements import NotTraced
from gluonic.codegen.tracing.pointwise import operand, result
from gluonic.graph import Entry, Operator
from gluonic.graph.builder import F
from gluonic.graph.ops.convolution import convolution as plain_convolution
from gluonic.graph.ops.dense import fully_connected as plain_dense
from gluonic.graph.ops.quantized_layers import linear_results
from gluonic.graph.ops.quantized_recurrent import rounded_weights
from gluonic.graph.ops.rnn_kernels import RNNSizes
from gluonic.graph.quantized_numbers import FLOAT32, INT32, rounded
from gluonic.graph.view import settings_of


def pooling(F: Any, site: RewriteContext) -> Sequence[Entry]:
    """Pooling of the integers as floating-point numbers, rounded again."""
    data, *ends = site.inputs
    pooled = F.Pooling(F.cast(data, dtype="float32"), **settings_of(site.n))
    numbers: Any = TracedArray(pooled, (1,) * site.rank, FLOAT32)
    return [rounded(numbers, site.dtype).entry, *map(F.identity, ends)]  # type: ignore[attr-defined]


def _with_ranges(layer: Callable[..., Entry]) -> Callable[..., Sequence[Entry]]:
    """The rule of a layer that only moves integers, whose range does not change."""

    def rule(F: Any, site: RewriteContext) -> Sequence[Entry]:
        *inputs, low, high = site.inputs
        moved = layer(F, *inputs, **settings_of(site.n))
        return [moved, F.identity(low), F.identity(high)]

    return rule


flatten = _with_ranges(lambda F, data, **settings: F.Flatten(data))
embedding = _with_ranges(
    lambda F, *inputs, **settings: F.Embedding(*inputs, **{**settings, "dtype": "int8"})
)


_SUMS: dict[Operator, tuple[Operator, tuple[str, ...]]] = {
    plain_convolution: (
        integer_convolution,
        ("kernel", "stride", "dilate", "pad", "num_filter", "num_group"),
    ),
    plain_dense: (integer_dense, ("num_hidden", "flatten")),
}
"""For each linear layer the operator of its sums, and the attributes that it takes."""


SumsRule = Callable[[Operator, Entry, Entry, dict[str, Any]], Entry]
"""The exact sums of products of a linear layer, from its data, its weights and its attributes."""


def sums_of(op: Operator, data: Entry, weight: Entry, settings: dict[str, Any]) -> Entry:
    """The sums by an operator of their own."""
    own, names = _SUMS[op]
    return apply(own, data, weight, **{name: settings[name] for name in names})


def sums_in_float(op: Operator, data: Entry, weight: Entry, settings: dict[str, Any]) -> Entry:
    """The sums by layers in float32, one for each half of the bits of the data: both are exact."""
    _, names = _SUMS[op]
    known = {**{name: settings[name] for name in names}, "no_bias": True}
    whole, filters = F.cast(data, dtype="float32"), F.cast(weight, dtype="float32")
    high = F.floor(whole * (1 / _HALF))
    parts = [apply(op, part, filters, **known) for part in (high, whole - high * _HALF)]
    high, low = (F.cast(part, dtype="int32") for part in parts)
    found: Entry = F.elemwise_add(F._mul_scalar(high, scalar=_HALF), low)
    return found


_HALF = 16
"""The numbers of half of eight bits."""
MOST_IN_FLOAT = 2**24 // (_HALF * 128)
"""The most products of half of a small integer and a small integer whose sum is exact in float32."""


def _linear(op: Operator, sums_rule: SumsRule, most: int) -> Callable[..., Sequence[Entry] | None]:
    """The rule of a linear layer.

    Parameters
    ----------
    sums_rule, most : what computes the sums, and of how many products at most
    """

    def rule(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
        n, node = site.n, site.node
        data, weight, *others = site.inputs
        shape = site.facts.shapes[node.inputs[1]]
        if site.is_empty or prod(shape[1:]) > most:
            return None
        settings = settings_of(n)
        sums = sums_rule(op, data, weight, settings)
        rank = len(site.facts.shapes[node.entry()])
        channels = 1 if op is plain_convolution else rank - 1
        extents = [shape[0] if axis == channels else 1 for axis in range(rank)]
        first = 2 if settings["no_bias"] else 3
        bias = None if first == 2 else operand(site, 2, others[0], (shape[0],))
        ranges = [
            operand(site, position, entry, (1,))
            for position, entry in enumerate(others, 2)
            if position >= first
        ]
        numbers: Any = TracedArray(sums, extents, INT32)
        try:
            found = linear_results(op, numbers, bias, ranges, site.dtype)
            return [
                result(site, each, dtype)
                for each, dtype in zip(found, (INT32, FLOAT32, FLOAT32), strict=True)
            ]
        except NotTraced:
            return None

    return rule


convolution, dense = (_linear(op, sums_of, MOST_TERMS) for op in _SUMS)
convolution_in_float, dense_in_float = (_linear(op, sums_in_float, MOST_IN_FLOAT) for op in _SUMS)


def recurrent(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """A recurrent network of the numbers that the data represent, with rounded weights."""
    n, facts, inputs = site.n, site.facts, site.node.inputs
    if site.is_empty:
        return None
    shapes = {0: (1,) * site.rank, 1: facts.shapes[inputs[1]], 4: (1,), 5: (1,)}
    numbers, parameters, scale, shift = (
        operand(site, position, site.inputs[position], shape) for position, shape in shapes.items()
    )
    network = RNNSizes(n.mode, n.state_size, n.num_layers, 2 if n.bidirectional else 1, None)
    try:
        values = (numbers.astype(FLOAT32) - shift) / scale
        rounded = rounded_weights(network, parameters, facts.shapes[inputs[0]][2])
    except NotTraced:
        return None
    names = ("state_size", "num_layers", "bidirectional", "mode", "state_outputs")
    settings = {name: getattr(n, name) for name in names}
    entries = [result(site, each, FLOAT32) for each in (values, rounded)]
    made = F.RNN(*entries, *site.inputs[2:4], **settings)
    node = (made if isinstance(made, Entry) else made[0]).node
    return [node.entry(k) for k in range(site.node.output_count)]
