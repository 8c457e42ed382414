"""Shapes, slices, joins."""

from collections.abc import Sequence
from typing import Any

from gluonic.onnx.errors import NotExportable
from gluonic.pytorch.code import Several, call, number, sequence, torch_dtype
from gluonic.pytorch.operators.layers import padded
from gluonic.pytorch.table import emits

_END = 2**31 - 1
"""The end of a slice of all remaining elements."""


@emits("Reshape")
def _(n: Any) -> str:
    sizes = n.sizes(1)
    kept = [axis for axis, size in enumerate(sizes) if size == "0" and not n.get("allowzero", 0)]
    if len(kept) == 1 and "-1" not in sizes:
        sizes[kept[0]] = "-1"
    else:
        for axis in kept:
            sizes[axis] = f"{n.variable(0)}.shape[{axis}]"
    return f"{n.atom(0)}.reshape({', '.join(sizes) if sizes else '()'})"


@emits("Flatten")
def _(n: Any) -> str:
    axis = n.get("axis", 1)
    if axis == 0:
        return f"{n.atom(0)}.reshape(1, -1)"
    rows = "" if axis == 1 else f".flatten(0, {axis - 1})"
    return f"{n.atom(0)}{rows}.flatten(1)"


@emits("Transpose")
def _(n: Any) -> str:
    return f"{n.atom(0)}.permute({', '.join(map(str, n.get('perm')))})"


@emits("Squeeze")
def _(n: Any) -> str:
    axes = sorted(n.axes(1), reverse=True)
    return f"{n.atom(0)}" + "".join(f".squeeze({axis})" for axis in axes)


@emits("Unsqueeze")
def _(n: Any) -> str:
    return f"{n.atom(0)}" + "".join(f".unsqueeze({axis})" for axis in sorted(n.axes(1)))


@emits("Expand")
def _(n: Any) -> str:
    return f"{n.atom(0)}.expand({n.shape_text(1)})"


@emits("Tile")
def _(n: Any) -> str:
    return f"{n.atom(0)}.tile({sequence(n.sizes(1))})"


@emits("Concat")
def _(n: Any) -> str:
    return f"torch.cat({sequence(n.all())}, dim={n.get('axis')})"


@emits("Split")
def _(n: Any) -> str:
    lengths = ", ".join(n.sizes(1))
    return Several(f"torch.split({n[0]}, [{lengths}], dim={n.get('axis', 0)})")


@emits("Slice")
def _(n: Any) -> str:
    begins, ends, axes = n.sizes(1), n.sizes(2), n.axes(3)
    steps = n.axes(4) if n.has(4) else [1] * len(axes)
    rank = n.rank(0)
    if min(axes) < 0 and rank is not None:
        axes = [axis % rank for axis in axes]
    from_end = min(axes) < 0
    parts = dict.fromkeys(range(min(axes), 0) if from_end else range(max(axes) + 1), ":")
    turned = []
    for axis, begin, end, step in zip(axes, begins, ends, steps, strict=True):
        if step < 0:
            if (begin, step) != ("-1", -1) or int(end) > -_END:
                raise NotExportable("a part in reverse order")
            turned.append(axis)
        else:
            parts[axis] = _part(begin, end, step)
    index = ", ".join(["..."] * from_end + [*parts.values()])
    sliced = n.atom(0) if set(parts.values()) == {":"} else f"{n.atom(0)}[{index}]"
    return f"{sliced}.flip({', '.join(map(str, turned))})" if turned else sliced


def _part(begin: str, end: str, step: int) -> str:
    first = "" if begin == "0" else begin
    last = "" if end.isdigit() and int(end) >= _END else end
    return f"{first}:{last}" + (f":{step}" if step != 1 else "")


_MODES = {"edge": "replicate", "reflect": "reflect"}


@emits("Pad")
def _(n: Any) -> str:
    sizes = n.sizes(1)
    begin, end = sizes[: len(sizes) // 2], sizes[len(sizes) // 2 :]
    while len(begin) > 1 and begin[0] == end[0] == "0":
        begin, end = begin[1:], end[1:]
    mode = n.get("mode", "constant")
    if mode == "constant":
        value = number(n.constant(2)) if n.has(2) else "0"
        return padded(n[0], begin, end, "0" if value in ("0.0", "(-0.0)") else value)
    if not 1 <= len(begin) <= 3 or len(sizes) // 2 - len(begin) not in (1, 2):
        raise NotExportable(f"{mode} padding of the first axes")
    return f'{padded(n[0], begin, end, "0")[:-1]}, mode="{_MODES[mode]}")'


@emits("Shape")
def _(n: Any) -> str:
    part = _bounds(n.get("start", 0), n.get("end"))
    return f"torch.tensor({n.variable(0)}.shape{part}, device={n.device})"


def _bounds(start: int, end: int | None) -> str:
    return "" if not start and end is None else f"[{start}:{'' if end is None else end}]"


@emits("Size")
def _(n: Any) -> str:
    return f"torch.tensor({n.atom(0)}.numel(), device={n.device})"


@emits("Range")
def _(n: Any) -> str:
    limits: Sequence[str] = [n.sizes(index)[0] for index in range(3)]
    dtype = torch_dtype(n.result())
    begin, end, step = limits
    shown = [end] if (begin, step) == ("0", "1") else [begin, end, step]
    return call("torch.arange", *shown, dtype=(dtype, "torch.int64"), device=(n.device, None))


@emits("ConstantOfShape")
def _(n: Any) -> str:
    dtype = torch_dtype(n.result())
    return f"torch.zeros({sequence(n.sizes(0))}, dtype={dtype}, device={n.device})"


@emits("Trilu")
def _(n: Any) -> str:
    name = "torch.triu" if n.get("upper", 1) else "torch.tril"
    offset = n.sizes(1)[0] if n.has(1) else "0"
    return call(name, n[0], diagonal=(offset, "0"))
