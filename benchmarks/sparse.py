"""Products with csr matrices and steps with row_sparse gradients, beside the real MXNet and SciPy.

    python -m benchmarks.sparse --mxnet PYTHON
    python -m benchmarks.sparse --scipy
    python -m benchmarks.sparse --memory

One thread; a step is forward, backward and a lazy update by Adam. With ``--scipy`` the products alone, by
turns with SciPy's in one process, in time of the processor, also of matrices that MXNet refuses; with
``--memory`` what steps of two tables take beyond parameters and states, at most.
"""

import os
import sys
import time
import tracemalloc
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

os.environ.update(OMP_NUM_THREADS="1", GLUONIC_NUM_THREADS="1")

import numpy as np

from benchmarks.in_turn import main

CASES = ("csr times dense", "csr transposed times dense", "factorization machine", "embedding")
ROWS, STORED, COLUMNS = 40_000, 250, 64  # MXNet refuses matrices of 2³¹ elements
SIZES = ((40_000, 250), (100_000, 100), (100_000, 10), (1_000_000, 5))
"""The numbers of rows, and of elements stored in each, for the comparison with SciPy."""
TURNS = 8
FEATURES, BATCH, FACTORS = 1_000_000, 1024, 16

Array = np.ndarray[Any, Any]


def rows(count: int, columns: int, each: int, dtype: str = "float32") -> tuple[Array, Array, Array]:
    """The values, the column indices and the row pointers of a csr matrix.

    `each` positions in every row are drawn at random; a few coincide.
    """
    draw, firsts = np.random.default_rng(0), columns * np.arange(count + 1)
    positions = np.unique(draw.integers(columns, size=(count, each)) + firsts[:-1, np.newaxis])
    values = draw.random(len(positions), np.float32).astype(dtype)
    return values, positions % columns, np.searchsorted(positions, firsts)


def one_product(mx: Any, transposed: bool) -> dict[str, Callable[[], Any]]:
    """A product with a dense matrix of 64 columns."""
    matrix = mx.nd.sparse.csr_matrix(rows(ROWS, ROWS, STORED), shape=(ROWS, ROWS))
    dense = mx.nd.ones((ROWS, COLUMNS))
    return {"forward": lambda: mx.nd.dot(matrix, dense, transpose_a=transposed).wait_to_read()}


def machine(mx: Any) -> dict[str, Callable[[], Any]]:
    """A factorization machine."""
    x = mx.nd.sparse.csr_matrix(rows(BATCH, FEATURES, 40), shape=(BATCH, FEATURES))
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


def embedding(mx: Any, count: int = FEATURES, width: int = 128) -> dict[str, Callable[[], Any]]:
    """An embedding with `count` rows of `width` numbers."""
    net = mx.gluon.nn.Embedding(count, width, sparse_grad=True)
    net.initialize(mx.init.Zero())
    trainer = mx.gluon.Trainer(net.collect_params(), "adam")
    words = mx.nd.array(np.random.default_rng(0).integers(count, size=(64, 64)))

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
        return one_product(mx, "transposed" in name)
    return machine(mx) if name.startswith("factor") else embedding(mx)


def compare_with_scipy() -> None:
    """Print the times of products, and of SciPy's."""
    from scipy import sparse  # not installed where MXNet is measured

    print(f"{'milliseconds':60}{'gluonic':>9}{'SciPy':>9}{'ratio':>7}")
    for (count, each), dtype in product(SIZES, ("float32", "float64")):
        matrix = sparse.csr_matrix(rows(count, count, each, dtype), (count, count))
        for name, calls in products_by_library(matrix, dtype).items():
            own, other = alternating_times(calls)
            title = f"{name}, {count:,} rows of {each}, {dtype}"
            print(f"{title:60}{own:9.1f}{other:9.1f}{own / other:7.2f}", flush=True)


def products_by_library(matrix: Any, dtype: str) -> dict[str, tuple[Callable[[], Any], ...]]:
    """The products of a matrix and of its transpose, by gluonic and by SciPy."""
    import gluonic

    stored, transpose = gluonic.nd.sparse.csr_matrix(matrix), matrix.T
    dense = np.ones((matrix.shape[0], COLUMNS), dtype)
    array, dot = gluonic.nd.array(dense, dtype=dtype), gluonic.nd.dot
    return {
        "csr times dense": (lambda: dot(stored, array).wait_to_read(), lambda: matrix @ dense),
        "csr transposed times dense": (
            lambda: dot(stored, array, transpose_a=True).wait_to_read(),
            lambda: transpose @ dense,
        ),
    }


def alternating_times(calls: Sequence[Callable[[], Any]]) -> list[float]:
    """The least processor time of each of some calls, which take turns."""
    best = [float("inf")] * len(calls)
    for _ in range(TURNS):
        for number, call in enumerate(calls):
            start = time.process_time()
            call()
            best[number] = min(best[number], 1e3 * (time.process_time() - start))
    return best


def memory() -> None:
    """Print the peak memory of a step beyond that before it."""
    import gluonic

    for count in (100_000, 10_000_000):
        step = embedding(gluonic, count, 8)["step"]
        step(), step()
        tracemalloc.start()
        step()
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        print(f"{count:>10,} rows of 8, 4,096 looked up: {most / 1e6:.2f} MB")


if __name__ == "__main__":
    if "--scipy" in sys.argv:
        compare_with_scipy()
    elif "--memory" in sys.argv:
        memory()
    else:
        main(__file__, __doc__ or "", CASES, calls)
