"""Modules with row_sparse parameters, whose rows are asked for batch by batch."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

FEATURES = 12


def machine(mx: Any) -> Any:
    """A factorization machine, as MXNet's example writes it."""
    sym = mx.sym
    x = sym.var("data", stype="csr")
    v = sym.var("v", shape=(FEATURES, 3), stype="row_sparse")
    w = sym.var("w", shape=(FEATURES, 1), stype="row_sparse")
    squares = sym._internal._square_sum(data=v, axis=1, keepdims=True)
    pairs = 0.5 * sym.square(sym.dot(x, v)).sum(axis=1, keepdims=True)
    score = sym.dot(x, w) + pairs - 0.5 * sym.dot(sym.square(x), squares)
    return sym.LogisticRegressionOutput(score, sym.var("softmax_label"))


def batches(mx: Any) -> list[Any]:
    """Batches of four rows, of which each stores a few elements."""
    random = np.random.RandomState(1)
    made = []
    for _ in range(4):
        x = random.uniform(0.5, 1, (4, FEATURES)) * (random.uniform(size=(4, FEATURES)) < 0.2)
        label = random.randint(0, 2, (4, 1)).astype("float32")
        made.append(mx.io.DataBatch([mx.nd.array(x).tostype("csr")], [mx.nd.array(label)], pad=0))
    return made


def trained(mx: Any, optimizer: str, by_rows: bool) -> dict[str, Any]:
    """Outputs of each batch, rows stored of gradients, and the parameters in the end."""
    module = mx.mod.Module(machine(mx))
    module.bind([("data", (4, FEATURES))], [("softmax_label", (4, 1))])
    random = np.random.RandomState(2)
    arguments = {
        "v": mx.nd.array(random.randn(FEATURES, 3)).tostype("row_sparse"),
        "w": mx.nd.array(random.randn(FEATURES, 1)).tostype("row_sparse"),
    }
    module.init_params(arg_params=arguments)
    store = mx.kv.create("local") if by_rows else None
    module.init_optimizer(store, optimizer, {"learning_rate": 0.1, "wd": 0.01})
    outputs, stored = [], []
    for batch in batches(mx):
        rows = batch.data[0].indices
        if by_rows:
            module.prepare(batch, sparse_row_id_fn=lambda _, rows=rows: {"w": rows, "v": rows})
        module.forward_backward(batch)
        outputs.append(module.get_outputs()[0].asnumpy())
        gradients = module._exec_group.grad_arrays
        stored.append([len(g[0].indices.asnumpy()) for g in gradients])
        module.update()
    return {
        "outputs": outputs,
        "stored": stored if by_rows else None,
        "found": module.get_params()[0],
    }


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""

    def run(optimizer: str, by_rows: bool) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return trained(mx, optimizer, by_rows)

    return {
        f"{optimizer}, {'rows' if by_rows else 'whole'}": lambda o=optimizer, r=by_rows: run(o, r)
        for optimizer in ("sgd", "adam", "adagrad")
        for by_rows in (True, False)
    }
