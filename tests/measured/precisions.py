"""``contrib.amp``: the lists of operators."""

from __future__ import annotations

import importlib
from math import inf, nan
from typing import Any


def lists(mx: Any, dtype: str) -> Any:
    """Return the lists for a dtype, but for what only sparse arrays have, and what is quantized."""
    name_of_module = f"{mx.__name__}.contrib.amp.lists.symbol_{dtype}"
    module = importlib.import_module(name_of_module)
    names = [
        name for name in dir(module) if name.endswith(("FUNCS", "CASTS", "FUNCTIONS", "PARAMS"))
    ]
    found = {}
    for name in sorted(names):
        listed = getattr(module, name)
        if isinstance(listed, list) and listed and isinstance(listed[0], str):
            listed = sorted(n for n in listed if "_sparse_" not in n and "quant" not in n)
        found[name] = listed
    return found


def scales(mx: Any) -> list[Any]:
    """Let gradients overflow now and then; return whether they did, and the scale."""
    module = importlib.import_module(f"{mx.__name__}.contrib.amp.loss_scaler")
    scaler = module.LossScaler()
    scaler._scale_seq_len = 3
    parameter = mx.gluon.Parameter("p", shape=(2,))
    parameter.initialize()
    found = []
    for values in [[1, 2], [1, inf], [nan, 0], *[[0, 0]] * 40]:
        parameter.grad()[:] = mx.nd.array(values)
        found.append([scaler.has_overflow([parameter]), scaler.loss_scale])
    return found


CASES: dict[str, Any] = {
    "scales": scales,
    "fp16": lambda mx: lists(mx, "fp16"),
    "bf16": lambda mx: lists(mx, "bf16"),
}


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    return {name: lambda run=run: run(mx) for name, run in CASES.items()}
