"""Rules by which random graphs grow: operators that move, choose or repeat elements."""

from __future__ import annotations

from math import prod

from hypothesis import strategies as st

from tests.codegen.growing import Draw, Growing, Value


def axis_of(draw: Draw, x: Value) -> int:
    """One of its axes, counted from either end."""
    return int(draw(st.integers(-len(x.shape), len(x.shape) - 1)))


def transpose(draw: Draw, g: Growing, x: Value) -> None:
    """The axes in another order."""
    order = tuple(draw(st.permutations(range(len(x.shape)))))
    if draw(st.booleans()):
        g.add("transpose", x, axes=order, exact=True)
    elif x.shape:
        g.add("SwapAxis", x, dim1=axis_of(draw, x), dim2=axis_of(draw, x), exact=True)


def reshape(draw: Draw, g: Growing, x: Value) -> None:
    """The same elements under another shape, by codes."""
    rank, codes = len(x.shape), [(-1,), (-2,), (-2, 1), (1, -1)]
    if rank > 1:
        codes += [(0, -1), (-3, -2), (-1, 0), (0, 1, -1)]
    if rank and x.shape[0] > 1:
        by = next(n for n in range(2, x.shape[0] + 1) if x.shape[0] % n == 0)
        codes += [(-4, by, -1, -2), (-4, -1, by, -2)]
    if 0 not in x.shape:
        reverse = draw(st.booleans())
        code = draw(st.sampled_from(codes))
        if not reverse or code in ((-1,), (0, -1), (-1, 0)):
            g.add("Reshape", x, shape=code, reverse=reverse, exact=True)


def other_rank(draw: Draw, g: Growing, x: Value) -> None:
    """Axes of length one come and go."""
    name = draw(st.sampled_from(["expand_dims", "squeeze", "Flatten"]))
    if name == "expand_dims" and len(x.shape) < 5:
        g.add(name, x, axis=draw(st.integers(0, len(x.shape))), exact=True)
    elif (name == "squeeze" and 1 in x.shape) or (name == "Flatten" and x.shape):
        g.add(name, x, exact=True)


def sliced(draw: Draw, g: Growing, x: Value) -> None:
    """A part, backwards perhaps."""
    if not x.shape or 0 in x.shape:
        return
    begin, end, step = [], [], []
    for n in x.shape[: draw(st.integers(1, len(x.shape)))]:
        first, last = sorted(draw(st.tuples(st.integers(0, n - 1), st.integers(1, n))))
        stride = draw(st.sampled_from([1, 1, 2, -1, None]))
        last = max(last, first + 1)
        if stride == -1:
            first, last = last - 1, (first - 1 if first else None)
        begin.append(first)
        end.append(last)
        step.append(stride)
    g.add("slice", x, begin=tuple(begin), end=tuple(end), step=tuple(step), exact=True)


def slice_axis(draw: Draw, g: Growing, x: Value) -> None:
    """A part along one axis."""
    if x.shape and 0 not in x.shape:
        axis = axis_of(draw, x)
        begin = draw(st.integers(0, x.shape[axis] - 1))
        end = draw(st.integers(begin + 1, x.shape[axis]))
        g.add("slice_axis", x, axis=axis, begin=begin, end=end, exact=True)


def joined(draw: Draw, g: Growing, x: Value) -> None:
    """Several arrays as one."""
    if not x.shape or 0 in x.shape:
        return
    axis = axis_of(draw, x) % len(x.shape)
    if draw(st.booleans()):
        others = g.like(x, lambda shape: shape == x.shape)
        parts = draw(st.lists(st.sampled_from(others), max_size=2))
        g.add("stack", x, *parts, axis=axis, exact=True)
        return
    rest = (*x.shape[:axis], *x.shape[axis + 1 :])
    fits = [
        v
        for v in g.like(x, lambda shape: len(shape) == len(x.shape))
        if (*v.shape[:axis], *v.shape[axis + 1 :]) == rest
    ]
    parts = draw(st.lists(st.sampled_from(fits), max_size=3))
    g.add("Concat", x, *parts, dim=axis, exact=True)


def split(draw: Draw, g: Growing, x: Value) -> None:
    """Several parts of an array."""
    divisible = [(a, k) for a, n in enumerate(x.shape) for k in (1, 2, 3) if n and n % k == 0]
    if divisible:
        axis, count = draw(st.sampled_from(divisible))
        squeeze = x.shape[axis] == count and len(x.shape) > 1 and draw(st.booleans())
        g.add("SliceChannel", x, num_outputs=count, axis=axis, squeeze_axis=squeeze, exact=True)


def repeated(draw: Draw, g: Growing, x: Value) -> None:
    """Elements more than once, or in another order."""
    if not x.shape or 0 in x.shape:
        return
    name = draw(st.sampled_from(["tile", "repeat", "reverse", "diag", "broadcast_axis", "Pad"]))
    if name == "tile":
        reps = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
        if len(x.shape) < 5:
            g.add(name, x, reps=tuple(reps), exact=True)
    elif name == "repeat":
        axis = draw(st.one_of(st.none(), st.integers(0, len(x.shape) - 1)))
        g.add(name, x, repeats=draw(st.integers(1, 3)), axis=axis, exact=True)
    elif name == "reverse":
        g.add(name, x, axis=(axis_of(draw, x) % len(x.shape),), exact=True)
    elif name == "diag" and len(x.shape) == 2:
        if min(x.shape) > 1:
            g.add(name, x, k=draw(st.integers(-1, 1)), exact=True)
    elif name == "broadcast_axis" and 1 in x.shape:
        g.add(name, x, axis=(x.shape.index(1),), size=(draw(st.integers(1, 5)),), exact=True)
    elif name == "Pad" and len(x.shape) == 4 and x.is_floating:
        widths = tuple(draw(st.lists(st.integers(0, 2), min_size=4, max_size=4)))
        mode = draw(st.sampled_from(["constant", "edge"]))
        g.add(name, x, mode=mode, pad_width=(0, 0, 0, 0, *widths), constant_value=0.5, exact=True)


def indexed(draw: Draw, g: Growing, x: Value) -> None:
    """Elements by their numbers."""
    if not x.shape or 0 in x.shape or not x.is_floating:
        return
    name = draw(st.sampled_from(["take", "Embedding", "one_hot", "pick", "gather_nd"]))
    kind = draw(st.sampled_from(["float32", "int32", "int64"]))
    shape = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=2)))
    if name == "take":
        axis = draw(st.integers(0, len(x.shape) - 1))
        mode = draw(st.sampled_from(["clip", "wrap"]))
        numbers = g.integers(shape, x.shape[axis] + 2, kind)
        g.add(name, x, numbers, axis=axis, mode=mode, exact=True)
    elif name == "Embedding" and len(x.shape) == 2:
        rows, width = x.shape
        numbers = g.integers(shape, rows, kind)
        g.add(name, numbers, x, input_dim=rows, output_dim=width, exact=True)
    elif name == "one_hot":
        g.add(name, g.integers(shape, 6, kind), depth=5, dtype=x.dtype, exact=True)
    elif name == "pick":
        axis = draw(st.integers(0, len(x.shape) - 1))
        numbers = g.integers((*x.shape[:axis], *x.shape[axis + 1 :]), x.shape[axis], kind)
        if len(x.shape) > 1:
            g.add(name, x, numbers, axis=axis, keepdims=draw(st.booleans()), exact=True)
    elif name == "gather_nd":
        g.add(name, x, g.integers((1, *shape), x.shape[0], kind), exact=True)


def sequences(draw: Draw, g: Growing, x: Value) -> None:
    """Sequences of unequal lengths."""
    if len(x.shape) < 2 or 0 in x.shape or not x.is_floating:
        return
    axis = draw(st.integers(0, 1))
    name = draw(st.sampled_from(["SequenceMask", "SequenceLast", "SequenceReverse"]))
    if name == "SequenceReverse":
        axis = 0
    lengths = g.given(
        (g.random().integers(1, x.shape[axis] + 1, x.shape[1 - axis])).astype(x.dtype), listed=False
    )
    more = {"value": 0.25} if name == "SequenceMask" else {}
    g.add(name, x, lengths, use_sequence_length=True, axis=axis, exact=True, **more)


def ordered(draw: Draw, g: Growing, x: Value) -> None:
    """Elements in order, if no rounding can change it."""
    if x.exact and x.is_floating and x.shape and 0 not in x.shape and prod(x.shape) > 1:
        axis = draw(st.integers(-1, len(x.shape) - 1))
        if draw(st.booleans()):
            g.add("sort", x, axis=axis, is_ascend=draw(st.booleans()), exact=True)
        else:
            count = draw(st.integers(1, x.shape[axis]))
            kind = draw(st.sampled_from(["value", "both", "indices"]))
            g.add("topk", x, axis=axis, k=count, ret_typ=kind, exact=True)


RULES = (
    transpose, transpose, reshape, reshape, other_rank, sliced, sliced, slice_axis, joined, joined, split,
    repeated, indexed, sequences, ordered,
)  # fmt: skip
