"""What stores of one process keep of gradients that they compress."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

STEPS = 4


def gradient(step: int, context: int) -> Any:
    """Numbers of which a compressed one is 0, or plus or minus a threshold."""
    return np.random.RandomState(10 * step + context).randn(3, 5).astype(np.float32)


def kept(mx: Any, kind: str, contexts: int, threshold: float, optimizer: Any = None) -> Any:
    """What is pulled after each push; two keys have residuals of their own."""
    store = mx.kv.create(kind)
    store.set_gradient_compression({"type": "2bit", "threshold": threshold})
    if optimizer is not None:
        store.set_optimizer(mx.optimizer.create(optimizer))
    store.init(["a", "b"], [mx.nd.ones((3, 5))] * 2)
    found = []
    for step in range(STEPS):
        for number, key in enumerate("ab"):
            values = [
                mx.nd.array(gradient(step + number, device), ctx=mx.cpu(device))
                for device in range(contexts)
            ]
            out = mx.nd.zeros((3, 5))
            store.push(key, values)
            store.pull(key, out=out)
            found.append(out)
    return found


def cases(mx: Any) -> dict[str, Callable[[], Any]]:
    """All cases, by name."""
    found: dict[str, Callable[[], Any]] = {
        f"{kind}, {contexts} contexts, threshold {threshold}": partial(
            kept, mx, kind, contexts, threshold
        )
        for kind in ("device", "local_allreduce_device")
        for contexts in (1, 2, 3)
        for threshold in (0.5, 1.5)
    }
    found["updated"] = partial(kept, mx, "device", 2, 0.5, "sgd")
    return found
