"""Decompositions of composite operators, so that fusion sees loops: rules written over F."""

import math
from collections.abc import Callable, Container, Sequence
from typing import Any

from gluonic.codegen.loops.inner_operators import (
    EqualPiece,
    apply,
    average,
    concat_piece,
    cut_out,
    within,
)
from gluonic.codegen.loops.site import RewriteContext
from gluonic.codegen.rewriting.copies import repeated, repeated_back, tiled, tiled_back
from gluonic.codegen.rewriting.passes import Pass, PassContext
from gluonic.codegen.rewriting.replacing import Rewriting
from gluonic.graph import Entry, Graph, Node
from gluonic.graph.dtypes import is_floating
from gluonic.graph.ops.ctc_loss import ctc_losses
from gluonic.graph.over_ranks import spans_ranks
from gluonic.graph.view import settings_of

DecompositionRule = Callable[[Any, RewriteContext], Sequence[Entry] | None]


class Decompose(Pass):
    """Composite operators are decomposed, so that fusion sees loops.

    The new values of states that they update are further outputs.

    Parameters
    ----------
    leaves : the names of operators that are left

    Examples
    --------
    >>> from gluonic.graph.builder import F
    >>> x = Node(None, "x").entry()
    >>> print(Decompose().shown(F.softmax(x), x=(2, 3)))
    softmax = softmax(x)
    return softmax
    --------------------
    max = max(x, axis=-1, keepdims=True)
    broadcast_sub = broadcast_sub(x, max)
    minimum_scalar = _minimum_scalar(broadcast_sub, scalar=0.0)
    exp = exp(minimum_scalar)
    sum = sum(exp, axis=-1, keepdims=True)
    rdiv_scalar = _rdiv_scalar(sum)
    broadcast_mul = broadcast_mul(exp, rdiv_scalar)
    return broadcast_mul
    """

    name = "decompose"
    contract = "no operator is left that loops of simpler ones could compute as fast"

    def __init__(self, leaves: Container[str] = ()) -> None:
        self._leaves = leaves

    def apply(self, graph: Graph, context: PassContext) -> Graph:
        """Replace composite operators."""
        rewriting = Rewriting(graph, context.facts(graph), context.train, "decompose")

        def replace(node: Node, inputs: Sequence[Entry]) -> Sequence[Entry] | None:
            return None if node.operator_name in self._leaves else rewriting.replace(node, inputs)

        made, states = graph.rewrite(replace), rewriting.current
        context.states = tuple(states)
        return Graph([*made.outputs, *states.values()]) if states else made


# -- softmax ------------------------------------------------------------------------------------


def _softmax_of(F: Any, x: Entry, axis: int, *, log: bool = False) -> Entry:
    largest = F.max(x, axis=axis, keepdims=True)
    shifted = F.broadcast_sub(x, largest)
    shares = F.exp(F._minimum_scalar(shifted, scalar=0.0))  # the bounds: at most 1
    total = F.sum(shares, axis=axis, keepdims=True)
    if log:
        result: Entry = F.broadcast_sub(shifted, F.log(total))
        return result
    product: Entry = F.broadcast_mul(shares, 1 / total)  # one of the shares is 1: total > 0
    return product


def _softmax_within(F: Any, x: Entry, length: Entry, axis: int) -> Entry:
    """The softmax of the first elements along an axis; zero after them, and zero in empty rows."""
    largest = F.max(apply(within, x, length, axis=axis, value=-math.inf), axis=axis, keepdims=True)
    exponentials = F.exp(F.broadcast_sub(x, largest))
    shares = apply(within, exponentials, length, axis=axis, value=0.0)
    quotient = F.broadcast_div(shares, F.sum(shares, axis=axis, keepdims=True))
    return apply(within, quotient, length, axis=axis, value=0.0)


def _softmax_rule(*, log: bool = False, negated: bool = False) -> DecompositionRule:
    def rule(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
        n = site.n
        if n.dtype is not None:
            return None
        x = -n.data if negated else n.data
        if n.temperature not in (None, 1):
            x = x / n.temperature
        if n.use_length:
            return [_softmax_within(F, x, n.length, n.axis % site.rank)]
        return [_softmax_of(F, x, n.axis, log=log)]

    return rule


softmax = _softmax_rule()
log_softmax = _softmax_rule(log=True)
softmin = _softmax_rule(negated=True)


def softmax_activation(F: Any, site: RewriteContext) -> Sequence[Entry]:
    """Softmax over channels, or over all elements of an instance."""
    return [_softmax_of(F, site.n.data, 1 if site.n.mode == "channel" else -1)]


def softmax_output(F: Any, site: RewriteContext) -> Sequence[Entry]:
    """Softmax over classes."""
    n = site.n
    if n.multi_output or n.preserve_shape or site.rank == 2:
        return [_softmax_of(F, n.data, 1 if n.multi_output else -1)]
    rows = F.reshape(n.data, shape=(0, -1))
    return [F.reshape_like(_softmax_of(F, rows, 1), n.data)]


# -- normalization ------------------------------------------------------------------------------


def _standardized(F: Any, x: Entry, eps: float, **axes: Any) -> tuple[Entry, Entry, Entry]:
    """The input minus its mean, the mean, and the variance plus `eps`."""
    mean = apply(average, x, keepdims=True, **axes)
    centred = F.broadcast_sub(x, mean)
    variance = apply(average, F.square(centred), keepdims=True, **axes)
    return centred, mean, variance + eps


def _scaled(F: Any, centred: Entry, scale: Entry, shift: Entry) -> Entry:
    result: Entry = F.broadcast_add(F.broadcast_mul(centred, scale), shift)
    return result


def layer_norm(F: Any, site: RewriteContext) -> Sequence[Entry]:
    """Standardize along an axis, then scale and shift."""
    n = site.n
    gamma, beta = (F._channel_view_like(v, n.data, axis=n.axis) for v in (n.gamma, n.beta))
    centred, mean, variance = _standardized(F, n.data, n.eps, axis=n.axis)
    deviation = F.sqrt(variance)
    standardized = F.broadcast_mul(centred, 1 / deviation)
    return [_scaled(F, standardized, gamma, beta), mean, deviation]


def grouped_norm(F: Any, site: RewriteContext) -> Sequence[Entry]:
    """Standardize groups of channels of each instance, then scale and shift them."""
    n = site.n
    groups = settings_of(n).get("num_groups", 0)
    blocks = F.reshape(n.data, shape=(0, groups, -1))
    gamma, beta = (F.reshape(v, shape=(1, -1, 1)) for v in (n.gamma, n.beta))
    centred, mean, variance = _standardized(F, blocks, n.eps, axis=2)
    deviation = F.sqrt(variance)
    scale = F.broadcast_div(gamma, deviation)
    output = F.reshape_like(_scaled(F, centred, scale, beta), n.data)
    return [output, *(F.reshape(v, shape=(0, 0)) for v in (mean, deviation))]


def batch_norm(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """Standardize channels over a batch, or by running statistics, then scale and shift them."""
    return _batch_norm(F, site, shows_variance=False)


def batch_norm_v1(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """The same; one output is the variance, not the inverse of the standard deviation."""
    return _batch_norm(F, site, shows_variance=True)


def _batch_norm(F: Any, site: RewriteContext, *, shows_variance: bool) -> Sequence[Entry] | None:
    n = site.n
    if site.dtype.itemsize < 4 or not all(_is_own_state(site, s) for s in site.inputs[3:]):
        return None
    axis = settings_of(n).get("axis", 1)
    gamma, beta = (F._channel_view_like(v, n.data, axis=axis) for v in (n.gamma, n.beta))
    if site.train and not n.use_global_stats:
        centred, mean, variance = _standardized(F, n.data, n.eps, axis=axis, exclude=True)
        for name, statistic in (("moving_mean", mean), ("moving_var", variance - n.eps)):
            new = F.reshape_like(statistic, n.gamma) * (1 - n.momentum)
            site.update(name, site.state(name) * n.momentum + new)
    else:
        mean, moving = (
            F._channel_view_like(site.state(name), n.data, axis=axis)
            for name in ("moving_mean", "moving_var")
        )
        centred, variance = F.broadcast_sub(n.data, mean), moving + n.eps
    inverse = 1 / F.sqrt(variance)
    scale = inverse if n.fix_gamma else inverse * gamma
    shown = variance - n.eps if shows_variance else inverse
    statistics = (F.reshape_like(v, n.gamma) for v in (mean, shown))
    return [_scaled(F, centred, scale, beta), *statistics]


def sync_batch_norm(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """A batch normalization with the statistics of this process."""
    uses_batch = site.train and not site.n.use_global_stats
    return None if uses_batch and spans_ranks() else batch_norm_v1(F, site)


def batch_norm_with_relu(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """A batch normalization and a rectifier."""
    found = batch_norm(F, site)
    return None if found is None else [F.relu(found[0]), *found[1:]]


def _is_own_state(site: RewriteContext, entry: Entry) -> bool:
    """Whether a state is a variable, so that it can be overwritten."""
    return entry.node.is_variable


# -- joining and splitting ----------------------------------------------------------------------


def split(F: Any, site: RewriteContext) -> Sequence[Entry]:
    """Equal pieces along an axis."""
    n, axis = site.n, site.n.axis % site.rank
    return [
        cut_out(n.data, EqualPiece(axis, i, n.num_outputs, n.squeeze_axis))
        for i in range(n.num_outputs)
    ]


def concat_back(F: Any, site: RewriteContext) -> Sequence[Entry]:
    """The pieces of a gradient."""
    n, count = site.n, site.n.num_args
    dim = n.dim % site.rank
    return [
        apply(concat_piece, *site.inputs, num_args=count, dim=dim, index=i) for i in range(count)
    ]


def dropout(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """The input, where dropout drops nothing."""
    n = site.n
    if (site.train or n.mode == "always") and n.p > 0:
        return None
    if site.node.entry(1) in site.used:
        return None
    return [n.data, n.data]


def look_up(F: Any, site: RewriteContext) -> Sequence[Entry]:
    """The rows of a table whose gradient is row_sparse."""
    n, (data, weight) = site.n, site.inputs
    return [
        F.Embedding(data, weight, input_dim=n.input_dim, output_dim=n.output_dim, dtype=n.dtype)
    ]


def ones_at(F: Any, site: RewriteContext) -> Sequence[Entry]:
    """Rows of zeros with a one, as many columns as the second array."""
    like = site.node.inputs[1]
    columns, dtype = site.facts.shapes[like][1], site.facts.dtypes[like]
    if dtype.kind == "b":  # `one_hot` refuses it
        return [F.Cast(F.one_hot(site.n.lhs, depth=columns, dtype="uint8"), dtype="bool")]
    return [F.one_hot(site.n.lhs, depth=columns, dtype=dtype.name)]


def ctc_loss(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """The losses only, if nothing reads their gradient."""
    if site.node.entry(1) in site.used:
        return None
    losses = apply(ctc_losses, *site.inputs, **settings_of(site.n))
    return [losses, site.n.data]


def recurrent(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """A recurrent network without dropout, if its mask is not read."""
    n, node = site.n, site.node
    if site.train or n.p == 0 or node.entry(node.output_count - 1) in site.used:
        return None
    found = F.RNN(*site.inputs, **{**settings_of(n), "p": 0.0})
    return [*found, found[0]]


def leaky(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """A rectifier with learnt slopes, or with the mean of random ones."""
    n, node = site.n, site.node
    if n.act_type == "prelu":
        slopes = F._prelu_view_like(n.gamma, n.data)
        return [F.where(n.data > 0, n.data, F.broadcast_mul(n.data, slopes))]
    if n.act_type != "rrelu" or site.train or node.entry(1) in site.used:
        return None
    leaked = n.data * ((n.lower_bound + n.upper_bound) / 2)
    return [F.where(n.data > 0, n.data, leaked), n.data]


def arange_like(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """Evenly spaced numbers; integers have integer steps."""
    n = site.n
    start, step = math.trunc(n.start), math.trunc(n.step)
    if is_floating(site.dtype) or (start, step) == (n.start, n.step):
        return None
    return [F._contrib_arange_like(n.data, **{**settings_of(n), "start": start, "step": step})]


# -- copies -------------------------------------------------------------------------------------


def tile(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """Copies side by side."""
    n = site.n
    return [tiled(F, n.data, site.rank, n.reps)] if 0 not in n.reps else None


def tile_back(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """Sums over copies side by side."""
    gradient, data = site.inputs
    rank = len(site.facts.shapes[site.node.inputs[1]])
    if 0 in site.n.reps or not is_floating(site.dtype):
        return None
    return [tiled_back(F, gradient, data, rank, site.n.reps)]


def repeat(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """Each element several times."""
    n = site.n
    return [repeated(F, n.data, site.rank, n.repeats, n.axis)] if n.repeats else None


def repeat_back(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """Sums over repetitions."""
    (gradient, data), n = site.inputs, site.n
    rank = len(site.facts.shapes[site.node.inputs[1]])
    if not n.repeats or not is_floating(site.dtype):
        return None
    return [repeated_back(F, gradient, data, rank, n.repeats, n.axis)]


def _channels_around(F: Any, x: Entry, count: int) -> Entry:
    """The sums over `count` adjacent channels, by pooling along the channels."""
    images = F.reshape(x, shape=(0, -4, 1, -1, -3))
    kernel = {"kernel": (count, 1), "pad": (count // 2, 0), "pool_type": "sum"}
    sums: Entry = F.reshape_like(F.Pooling(images, **kernel), x)
    return sums


def local_response_norm(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """Divide by a power of the sums of adjacent channels' squares."""
    n = site.n
    if site.is_empty:
        return None
    base = _channels_around(F, F.square(n.data), n.nsize) * (n.alpha / n.nsize) + n.knorm
    return [n.data * F.exp(F.log(base) * -n.beta)]  # a power takes several times as long


def channel_window_sum(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """Sums over adjacent channels."""
    return None if site.is_empty else [_channels_around(F, site.n.data, site.n.nsize)]
