"""What functions of `mx.sym.np` write into graphs: operators, their names and attributes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

CALLS: dict[str, Callable[..., Any]] = {
    "norm": lambda F, x, w: F.linalg.norm(x),
    "norm of any rank": lambda F, x, w: F.linalg.norm(x, 2.5),
    "norm of vectors": lambda F, x, w: F.linalg.norm(x, 3, 0, True),
    "nuclear norm": lambda F, x, w: F.linalg.norm(x, "nuc", (0, 1)),
    "average": lambda F, x, w: F.average(x),
    "average, second output": lambda F, x, w: F.average(x, returned=True)[1],
    "average with weights": lambda F, x, w: F.average(x, 1, w),
    "ediff1d": lambda F, x, w: F.ediff1d(x, 1.5, 2),
    "ediff1d of arrays": lambda F, x, w: F.ediff1d(x, w, w),
    "arithmetic": lambda F, x, w: F.tanh(F.exp(x) + w) * w,
}


def written(symbol: Any) -> list[Any]:
    """The operators of a graph: names, attributes and inputs."""
    nodes = json.loads(symbol.tojson())["nodes"]
    return [
        [node["op"], node["name"], node.get("attrs", {}), node["inputs"]]
        for node in nodes
        if node["op"] != "null"
    ]


def cases(mx: Any) -> dict[str, Any]:
    """Return the graphs of all cases by name."""
    mx.npx.set_np()
    x, w = (mx.sym.Variable(name).as_np_ndarray() for name in "xw")
    return {name: lambda call=call: written(call(mx.sym.np, x, w)) for name, call in CALLS.items()}
