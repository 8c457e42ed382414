"""Look-ups, scatters, sequences."""

from typing import Any

from gluonic.onnx.errors import NotExportable
from gluonic.pytorch.code import number
from gluonic.pytorch.table import emits


@emits("Gather")
def _(n: Any) -> str:
    axis, index = n.get("axis", 0), n.array(1)
    before, behind = (":, " * axis, "") if axis >= 0 else ("..., ", ", :" * (-1 - axis))
    shown = number(index) if index is not None and index.ndim == 0 else n[1]
    return f"{n.atom(0)}[{before}{shown}{behind}]"


@emits("GatherElements")
def _(n: Any) -> str:
    return f"torch.gather({n[0]}, {n.get('axis', 0)}, {n[1]})"


@emits("GatherND")
def _(n: Any) -> str:
    if n.get("batch_dims", 0) == 1:
        return f"{n.helper('gather_in_each')}({n[0]}, {n[1]})"
    return f"{n.atom(0)}[{n.atom(1)}.unbind(-1)]"


@emits("ScatterND")
def _(n: Any) -> str:
    return f"{n.atom(0)}.index_put({n.atom(1)}.unbind(-1), {n[2]})"


@emits("ScatterElements")
def _(n: Any) -> str:
    if n.get("reduction", "none") != "none":
        raise NotExportable(f"scattering with {n.get('reduction')}")
    return f"torch.scatter({n[0]}, {n.get('axis', 0)}, {n[1]}, {n[2]})"


@emits("Compress")
def _(n: Any) -> str:
    if n.get("axis") is None:
        raise NotExportable("a mask without an axis")
    return f"{n.atom(0)}[{':, ' * n.get('axis')}{n[1]}]"


@emits("OneHot")
def _(n: Any) -> str:
    off, on = n.constant(2).tolist()
    steps = f"torch.arange({n.sizes(1)[0]}, device={n.device})"
    is_on = f"{n.atom(0)}.unsqueeze(-1) == {steps}"
    if (off, on) == (0, 1):
        return f"({is_on}).to(torch.float32)"
    return f"torch.where({is_on}, {float(on)}, {float(off)})"


@emits("ReverseSequence")
def _(n: Any) -> str:
    return f"{n.helper('reverse_sequence')}({n[0]}, {n[1]}, {n.get('time_axis', 0)})"


@emits("NonMaxSuppression")
def _(n: Any) -> str:
    most, (overlap, least) = n.sizes(2)[0], (number(n.constant(index)) for index in (3, 4))
    return f"{n.helper('non_max_suppression')}({n[0]}, {n[1]}, {most}, {overlap}, {least})"
