"""A factorization machine (Rendle, 2010) on a file of sparse rows: who likes which film.

    python examples/sparse/factorization_machine.py

writes such a file in the format of LIBSVM, reads it by `mx.io.LibSVMIter`, whose batches are csr arrays, and
learns a weight and a vector for each feature: users, films and kinds of films. Gradients are
row_sparse: a step updates the features of its batch.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import gluonic as mx
from gluonic import autograd, gluon, nd

USERS, FILMS, KINDS = 60, 50, 4
FEATURES = USERS + FILMS + KINDS


class FactorizationMachine(gluon.HybridBlock):
    """``b + x·w + ½ Σ ((x·V)² - x²·V²)``: what features say alone, and each two of them together.

    Parameters
    ----------
    features : how many there are
    factors : how long the vector of a feature is
    """

    def __init__(self, features: int, factors: int) -> None:
        super().__init__()
        table = {"grad_stype": "row_sparse", "init": mx.init.Normal(0.05)}
        self.vectors = self.params.get("vectors", shape=(features, factors), **table)
        self.weight = self.params.get("weight", shape=(features, 1), **table)
        self.bias = self.params.get("bias", shape=(1, 1), init="zeros")

    def hybrid_forward(self, F: Any, x: Any, vectors: Any, weight: Any, bias: Any) -> Any:
        """The score of each row: of `x`, (batch, features) csr, to (batch, 1)."""
        squared_sum = F.square(F.sparse.dot(x, vectors))
        sum_of_squares = F.sparse.dot(F.sparse.square(x), F.square(vectors))
        pairs = 0.5 * F.sum(squared_sum - sum_of_squares, axis=1, keepdims=True)
        return F.broadcast_add(F.sparse.dot(x, weight) + pairs, bias)


def write_rows(path: Path, count: int, draw: np.random.Generator, tastes: Any) -> None:
    """Write rows ``label user:1 film:1 kind:1``; a user likes a film whose tastes are like their own."""
    users, films = draw.integers(USERS, size=count), draw.integers(FILMS, size=count)
    liked = (tastes[0][users] * tastes[1][films]).sum(axis=1) > 0
    lines = [
        f"{int(label)} {user}:1 {USERS + film}:1 {USERS + FILMS + film % KINDS}:1"
        for label, user, film in zip(liked, users, films, strict=True)
    ]
    path.write_text("\n".join(lines))


def batches_of(path: Path, size: int) -> Iterator[Any]:
    """The batches of a file."""
    return iter(mx.io.LibSVMIter(str(path), (FEATURES,), size))


def main(rows: int = 6000, passes: int = 8) -> float:
    """Train, and return the share of other rows that are told rightly."""
    mx.random.seed(1)
    draw = np.random.default_rng(1)
    tastes = [draw.normal(size=(count, 2)) for count in (USERS, FILMS)]
    with tempfile.TemporaryDirectory() as folder:
        train, test = Path(folder, "train"), Path(folder, "test")
        write_rows(train, rows, draw, tastes)
        write_rows(test, 1000, draw, tastes)
        net = FactorizationMachine(FEATURES, 8)
        net.initialize()
        trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02})
        loss_of = gluon.loss.SigmoidBinaryCrossEntropyLoss()
        for number in range(passes):
            total = 0.0
            for batch in batches_of(train, 100):
                with autograd.record():
                    loss = loss_of(net(batch.data[0]), batch.label[0])
                loss.backward()
                trainer.step(100)
                total += float(loss.mean().asscalar())
            print(f"pass {number + 1}: loss {total / (rows / 100):.3f}")
        (batch,) = batches_of(test, 1000)
        right = (net(batch.data[0])[:, 0] > 0) == batch.label[0]
    return float(nd.mean(right).asscalar())


if __name__ == "__main__":
    print(f"right: {main():.1%}")
