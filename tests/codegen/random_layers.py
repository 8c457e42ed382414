"""Rules by which random graphs grow: layers, products and losses, with weights of their own."""

from __future__ import annotations

from math import prod
from typing import Any

from hypothesis import strategies as st

from tests.codegen.growing import Draw, Growing, Value


def _weight(g: Growing, x: Value, *shape: int) -> Value:
    return g.variable(shape, x.dtype, listed=False)


def _filters(g: Growing, x: Value, *shape: int) -> Value:
    """Finite filters: on the way back, machine code multiplies them with zeros around images."""
    unusual, g.unusual = g.unusual, False
    made = _weight(g, x, *shape)
    g.unusual = unusual
    return made


def is_filled(x: Value, low: int, high: int = 9) -> bool:
    """Whether it is floating, has so many axes and some elements."""
    return x.is_floating and low <= len(x.shape) <= high and 0 not in x.shape


def dense(draw: Draw, g: Growing, x: Value) -> None:
    """A fully connected layer."""
    if not is_filled(x, 2):
        return
    width = draw(st.one_of(st.integers(1, 20), st.integers(30, 100)))
    flatten = draw(st.booleans())
    parts = [_weight(g, x, width, prod(x.shape[1:]) if flatten else x.shape[-1])]
    if bias := draw(st.booleans()):
        parts.append(_weight(g, x, width))
    g.add("FullyConnected", x, *parts, num_hidden=width, no_bias=not bias, flatten=flatten)


def dot(draw: Draw, g: Growing, x: Value) -> None:
    """A product, with a weight or with itself."""
    if not is_filled(x, 1):
        return
    first, second = draw(st.booleans()), draw(st.booleans())
    if len(x.shape) == 2 and draw(st.booleans()):
        g.add("dot", x, x, transpose_a=first, transpose_b=not first)
        return
    inner, width = x.shape[0] if first else x.shape[-1], draw(st.integers(1, 40))
    other = _weight(g, x, *((width, inner) if second else (inner, width)))
    g.add("dot", x, other, transpose_a=first, transpose_b=second)


def batch_dot(draw: Draw, g: Growing, x: Value) -> None:
    """A product for each member of a batch."""
    if not is_filled(x, 3):
        return
    first, second = draw(st.booleans()), draw(st.booleans())
    inner, width = x.shape[-2] if first else x.shape[-1], draw(st.integers(1, 20))
    own = (*x.shape[:-2], width, inner) if second else (*x.shape[:-2], inner, width)
    names = ["batch_dot", *(["_linalg_gemm2"] if x.dtype != "float16" else [])]
    name = draw(st.sampled_from(names))
    g.add(name, x, _weight(g, x, *own), transpose_a=first, transpose_b=second)


def normalized(draw: Draw, g: Growing, x: Value) -> None:
    """A normalization over anything but batches."""
    if not is_filled(x, 2):
        return
    name = draw(
        st.sampled_from(["LayerNorm", "InstanceNorm", "GroupNorm", "L2Normalization", "LRN"])
    )
    channels = x.shape[1]
    if name == "LayerNorm":
        axis = draw(st.integers(-1, len(x.shape) - 1))
        width = x.shape[axis]
        gamma, beta = _weight(g, x, width), _weight(g, x, width)
        g.add(name, x, gamma, beta, eps=0.1, axis=axis)
    elif name == "InstanceNorm" and len(x.shape) > 2:
        g.add(name, x, _weight(g, x, channels), _weight(g, x, channels), eps=0.1)
    elif name == "GroupNorm" and len(x.shape) > 2:
        groups = draw(st.sampled_from([n for n in (1, 2, 3) if channels % n == 0]))
        parts = _weight(g, x, groups), _weight(g, x, groups)
        g.add(name, x, *parts, num_groups=groups, eps=0.1)
    elif name == "L2Normalization":
        modes = ["instance", *(["channel", "spatial"] if len(x.shape) > 2 else [])]
        g.add(name, x, mode=draw(st.sampled_from(modes)), eps=0.1)
    elif name == "LRN" and len(x.shape) == 4:
        g.add(name, x, nsize=3, alpha=0.1)


def dropped(draw: Draw, g: Growing, x: Value) -> None:
    """Dropout of elements, or of what lies along axes."""
    if not is_filled(x, 1):
        return
    axes = draw(st.sets(st.integers(0, len(x.shape) - 1), max_size=len(x.shape)))
    mode = draw(st.sampled_from(["training", "always"]))
    p = draw(st.sampled_from([0.0, 0.1, 0.5]))
    g.add("Dropout", x, p=p, mode=mode, axes=tuple(axes) if draw(st.booleans()) else ())


def batch_norm(draw: Draw, g: Growing, x: Value) -> None:
    """A normalization over batches, which keeps states."""
    if not is_filled(x, 2):
        return
    axis = draw(st.sampled_from([1, -1]))
    width, dtype = (x.shape[axis],), "float32" if x.dtype == "float16" else x.dtype
    parts = g.positive(width, dtype), g.variable(width, dtype, listed=False)
    states = g.state(0.25, width, dtype), g.state(1.5, width, dtype)
    flags = {name: draw(st.booleans()) for name in ("fix_gamma", "use_global_stats")}
    made = g.add("BatchNorm", x, *parts, *states, axis=axis, eps=0.1, **flags)
    if made and draw(st.booleans()):
        g.add("Activation", made[0], act_type="relu")


def _each(draw: Draw, rank: int, low: int, high: int) -> tuple[int, ...]:
    return tuple(draw(st.lists(st.integers(low, high), min_size=rank, max_size=rank)))


def convolution(draw: Draw, g: Growing, x: Value) -> None:
    """A convolution of any kind that fits, with what often follows it."""
    if not is_filled(x, 3, 5):
        return
    rank, channels = len(x.shape) - 2, x.shape[1]
    groups = draw(st.sampled_from([n for n in {1, 2, 3, channels} if channels % n == 0]))
    filters = groups * draw(st.integers(1, max(1, 20 // groups)))
    kernel, stride = _each(draw, rank, 1, 4), _each(draw, rank, 1, 3)
    pad, dilate = _each(draw, rank, 0, 3), _each(draw, rank, 1, 2)
    sizes = zip(x.shape[2:], kernel, pad, dilate, strict=True)
    if any(n + 2 * p < d * (k - 1) + 1 for n, k, p, d in sizes):
        return
    bias = draw(st.booleans())
    parts = [_filters(g, x, filters, channels // groups, *kernel)]
    parts += [_weight(g, x, filters)] if bias else []
    made = g.add(
        "Convolution", x, *parts, kernel=kernel, stride=stride, pad=pad, dilate=dilate,
        num_filter=filters, num_group=groups, no_bias=not bias,
    )  # fmt: skip
    _followed(draw, g, made)


def deconvolution(draw: Draw, g: Growing, x: Value) -> None:
    """A transposed convolution."""
    if not is_filled(x, 4, 4):
        return
    channels, filters = x.shape[1], draw(st.integers(1, 9))
    kernel, stride = _each(draw, 2, 1, 4), _each(draw, 2, 1, 3)
    pad = tuple(draw(st.integers(0, k - 1)) for k in kernel)
    sizes = [
        (n - 1) * s + k - 2 * p for n, s, k, p in zip(x.shape[2:], stride, kernel, pad, strict=True)
    ]
    if min(sizes) < 1:
        return
    weight = _filters(g, x, channels, filters, *kernel)
    made = g.add(
        "Deconvolution", x, weight, kernel=kernel, stride=stride, pad=pad, num_filter=filters
    )
    _followed(draw, g, made)


def _followed(draw: Draw, g: Growing, made: list[Value]) -> None:
    for value in made:
        rule: Any = draw(st.sampled_from([None, None, batch_norm, pooling, convolution]))
        if rule is not None:
            rule(draw, g, value)
        elif draw(st.booleans()):
            g.add("Activation", value, act_type=draw(st.sampled_from(["relu", "tanh", "sigmoid"])))


def pooling(draw: Draw, g: Growing, x: Value) -> None:
    """A pooling of any kind that fits."""
    if not is_filled(x, 3, 5):
        return
    rank = len(x.shape) - 2
    kind = draw(st.sampled_from(["max", "avg", "sum", "lp"] if x.exact else ["max", "avg", "sum"]))
    more: dict[str, Any] = {"p_value": 2} if kind == "lp" else {}
    if draw(st.integers(0, 4)) == 0:
        g.add("Pooling", x, pool_type=kind, global_pool=True, kernel=(1,) * rank, **more)
        return
    kernel, stride = _each(draw, rank, 1, 4), _each(draw, rank, 1, 3)
    pad = tuple(draw(st.integers(0, k - 1)) for k in kernel)
    if any(n + 2 * p < k for n, k, p in zip(x.shape[2:], kernel, pad, strict=True)):
        return
    convention = draw(st.sampled_from(["valid", "full"]))
    inside = draw(st.booleans())
    g.add(
        "Pooling", x, pool_type=kind, kernel=kernel, stride=stride, pad=pad,
        pooling_convention=convention, count_include_pad=inside, **more,
    )  # fmt: skip


def upsampled(draw: Draw, g: Growing, x: Value) -> None:
    """Images enlarged."""
    if is_filled(x, 4, 4):
        g.add("UpSampling", x, scale=2, sample_type="nearest")


def loss(draw: Draw, g: Growing, x: Value) -> None:
    """An output whose gradient does not depend on what flows into it."""
    if not is_filled(x, 2, 2):
        return
    names = ["SoftmaxOutput", "LinearRegressionOutput", "MAERegressionOutput", "MakeLoss",
             "LogisticRegressionOutput", "softmax_cross_entropy"]  # fmt: skip
    name = draw(st.sampled_from(names))
    if name == "MakeLoss":
        g.add(name, x, grad_scale=0.5)
    elif name in ("SoftmaxOutput", "softmax_cross_entropy"):
        g.add(name, x, g.integers(x.shape[:1], x.shape[1], x.dtype))
    else:
        g.add(name, x, _weight(g, x, *x.shape), grad_scale=0.5)


def recurrent(draw: Draw, g: Growing, x: Value) -> None:
    """A recurrent layer over steps."""
    if not is_filled(x, 3, 3) or x.dtype == "float16":
        return
    mode, width = (
        draw(st.sampled_from(["lstm", "gru", "rnn_tanh", "rnn_relu"])),
        draw(st.integers(1, 5)),
    )
    directions = draw(st.integers(1, 2))
    gates = {"lstm": 4, "gru": 3}.get(mode, 1)
    count = directions * gates * width * (x.shape[2] + width + 2)
    states = [_weight(g, x, directions, x.shape[1], width) for _ in range(1 + (mode == "lstm"))]
    g.add(
        "RNN", x, _weight(g, x, count), *states, state_size=width, num_layers=1, mode=mode,
        bidirectional=directions == 2, state_outputs=draw(st.booleans()),
    )  # fmt: skip


def attention(draw: Draw, g: Growing, x: Value) -> None:
    """Scores of queries and keys, and what they choose."""
    if not is_filled(x, 3, 3):
        return
    heads, width = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    together = _weight(g, x, x.shape[0], x.shape[1], heads * width * 3)
    made = g.add("_contrib_interleaved_matmul_selfatt_qk", together, heads=heads)
    for scores in made:
        for weights in g.node("softmax", scores, axis=-1):
            g.add("_contrib_interleaved_matmul_selfatt_valatt", together, weights, heads=heads)


def heads(draw: Draw, g: Growing, x: Value) -> None:
    """Products of matrices by head, exchanged before, behind, or not at all."""
    if not is_filled(x, 3, 3) or x.dtype == "float16":
        return
    batch, count = x.shape[0], draw(st.integers(1, 3))
    turns = draw(st.booleans()), draw(st.booleans())
    held = draw(st.booleans()), draw(st.booleans())
    rows, inner, columns = (draw(st.integers(1, 9)) for _ in range(3))
    factors = []
    for is_turned, is_held, matrix in zip(
        turns, held, ((rows, inner), (inner, columns)), strict=True
    ):
        a, b = matrix[::-1] if is_turned else matrix
        made = _weight(g, x, *((batch, a, count, b) if is_held else (batch, count, a, b)))
        if is_held:
            made = _exchanged(draw, g, made)
        factors += g.node("Reshape", made, shape=(-3, 0, 0))
    for found in g.add("batch_dot", *factors, transpose_a=turns[0], transpose_b=turns[1]):
        (apart,) = g.node("Reshape", found, shape=(-4, -1, count, 0, 0))
        g.values.append(_exchanged(draw, g, apart))


def _exchanged(draw: Draw, g: Growing, x: Value) -> Value:
    """The array with its second and third axes exchanged, in one of two ways."""
    if draw(st.booleans()):
        (made,) = g.node("SwapAxis", x, dim1=-2, dim2=1)
    else:
        (made,) = g.node("transpose", x, axes=(0, 2, 1, 3))
    return made


RULES = (
    dense, dense, dropped, dot, batch_dot, normalized, batch_norm, convolution, convolution, deconvolution,
    pooling, upsampled, loss, recurrent, attention, heads,
)  # fmt: skip
