"""Reductions, softmax, sorting."""

from functools import partial
from typing import Any

from gluonic.pytorch.code import Several, call, sequence, torch_dtype
from gluonic.pytorch.table import emits

_METHODS = {
    "ReduceSum": "{}.sum", "ReduceMean": "{}.mean", "ReduceMax": "{}.amax", "ReduceMin": "{}.amin",
    "ReduceSumSquare": "{}.square().sum", "ReduceL1": "{}.abs().sum",
}  # fmt: skip


def _reduced(method: str, n: Any) -> str:
    keeps = bool(n.get("keepdims", 1))
    exact = torch_dtype(n.result()) if "sum" in method and n.result().kind in "iu" else None
    return call(
        method.format(n.atom(0)),
        dim=(sequence(n.axes(1)), None),
        keepdim=(keeps, False),
        dtype=(exact, None),
    )


for _name, _method in _METHODS.items():
    emits(_name)(partial(_reduced, _method))


@emits("ReduceL2")
def _(n: Any) -> str:
    axes, keeps = sequence(n.axes(1)), bool(n.get("keepdims", 1))
    return call("torch.linalg.vector_norm", n[0], dim=(axes, None), keepdim=(keeps, False))


@emits("ReduceProd")
def _(n: Any) -> str:
    keeps = ", keepdim=True" if n.get("keepdims", 1) else ""
    axes = sorted(n.axes(1), reverse=True)
    dtype = f", dtype={torch_dtype(n.result())}" if n.result().kind in "iu" else ""
    return f"{n.atom(0)}" + "".join(f".prod({axis}{keeps}{dtype})" for axis in axes)


@emits("ArgMax", "ArgMin")
def _(n: Any) -> str:
    method, keeps = n.op_type.lower(), bool(n.get("keepdims", 1))
    return call(f"{n.atom(0)}.{method}", dim=(n.get("axis", 0), None), keepdim=(keeps, False))


@emits("Softmax", "LogSoftmax")
def _(n: Any) -> str:
    function = "torch.softmax" if n.op_type == "Softmax" else "torch.log_softmax"
    return f"{function}({n[0]}, dim={n.get('axis', -1)})"


@emits("TopK")
def _(n: Any) -> str:
    (count,) = n.sizes(1)
    largest = bool(n.get("largest", 1))
    return Several(call(n.helper("top_k"), n[0], count, n.get("axis", -1), largest))


@emits("CumSum")
def _(n: Any) -> str:
    dtype = torch_dtype(n.result()) if n.result().kind in "iu" else None
    (axis,) = n.sizes(1)
    return call("torch.cumsum", n[0], dim=(axis, None), dtype=(dtype, None))
