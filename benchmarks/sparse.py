"""Products with csr matrices and steps with row_sparse gradients, beside the real MXNet and SciPy.

    python -m benchmarks.sparse --mxnet PYTHON

One thread; a step is forward, backward and a lazy update by Adam.
"""

import os
from collections.abc import Callable
from typing import Any

os.environ.update(OMP_NUM_THREADS="1", GLUONIC_NUM_THREADS="1")

import numpy as np
from scipy import sparse

from benchmarks.in_turn import main

CASES = ("csr times dense", "csr transposed times dense", "factorization machine", "embedding")
ROWS, STORED, COLUMNS = 40_000, 250, 64  # MXNet refuses matrices of 2³¹ elements
FEATURES, BATCH, FACTORS = 1_000_000, 1024, 16


def rows(count: int, columns: int, each: int) -> Any:
    """A SciPy matrix with so many random elements in each row."""
    draw = np.random.default_rng(0)
    indices = np.sort(draw.integers(columns, size=(count, each)), axis=1).ravel()
    values = draw.random(count * each, np.float32)
    matrix = sparse.csr_matrix(
        (values, indices, np.arange(0, count * each + 1, each)), (count, columns)
    )
    matrix.sum_duplicates()
    return matrix


def product(mx: Any, transposed: bool) -> dict[str, Callable[[], Any]]:
    """A product with a dense matrix of 64 columns."""
    matrix = mx.nd.sparse.csr_matrix(rows(ROWS, ROWS, STORED))
    dense = mx.nd.ones((ROWS, COLUMNS))
    return {"forward": lambda: mx.nd.dot(matrix, dense, transpose_a=transposed).wait_to_read()}


def machine(mx: Any) -> dict[str, Callable[[], Any]]:
    """A factorization machine."""
    x = mx.nd.sparse.csr_matrix(rows(BATCH, FEATURES, 40))
    y = mx.nd.ones((BATCH, 1))
    parameters = mx.gluon.ParameterDict()
    table = {"grad_stype": "row_sparse", "init": mx.init.Normal(0.01)}
    vectors = parameters.get("vectors", shape=(FEATURES, FACTORS), **table)
    weight = parameters.get("weight", shape=(FEATURES, 1), **table)
    parameters.initialize()
    trainer = mx.gluon.Trainer(parameters, "adam")
    dot, square = mx.nd.sparse.dot, mx.nd.sparse.square

    def score() -> Any:
        v = vectors.data()
        pairs = mx.nd.square(dot(x, v)) - dot(square(x), mx.nd.square(v))
        return dot(x, weight.data()) + 0.5 * pairs.sum(axis=1, keepdims=True)

    def step() -> None:
        with mx.autograd.record():
            loss = mx.nd.square(score() - y)
        loss.backward()
        trainer.step(BATCH)
        mx.nd.waitall()

    return {"forward": lambda: score().wait_to_read(), "step": step}


def embedding(mx: Any) -> dict[str, Callable[[], Any]]:
    """A table of a million rows of 128 numbers."""
    net = mx.gluon.nn.Embedding(FEATURES, 128, sparse_grad=True)
    net.initialize(mx.init.Zero())
    trainer = mx.gluon.Trainer(net.collect_params(), "adam")
    words = mx.nd.array(np.random.default_rng(0).integers(FEATURES, size=(64, 64)))

    def step() -> None:
        with mx.autograd.record():
            loss = mx.nd.square(net(words) - 1)
        loss.backward()
        trainer.step(64)
        mx.nd.waitall()

    return {"forward": lambda: net(words).wait_to_read(), "step": step}


def calls(mx: Any, name: str) -> dict[str, Callable[[], Any]]:
    """A case."""
    if name.startswith("csr"):
        return product(mx, "transposed" in name)
    return machine(mx) if name.startswith("factor") else embedding(mx)


if __name__ == "__main__":
    main(__file__, __doc__ or "", CASES, calls)
