"""Vectors of words from the words around them (Mikolov et al., 2013), in a table with row_sparse gradients.

    python examples/sparse/word_vectors.py

Words of a made-up language come in topics. A step draws a batch of neighbours and of random pairs, and updates
the rows of the words in it and no others, however long the table is.
"""

from typing import Any

import numpy as np

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.gluon import nn

TOPICS, WORDS_EACH = 5, 20
WORDS = TOPICS * WORDS_EACH


class Pairs(gluon.Block):
    """How well two words go together: the product of their vectors.

    Parameters
    ----------
    words : how many words there are
    length : how long a vector is
    """

    def __init__(self, words: int, length: int) -> None:
        super().__init__()
        with self.name_scope():
            self.centre = nn.Embedding(words, length, sparse_grad=True)
            self.around = nn.Embedding(words, length, sparse_grad=True)

    def forward(self, centre: Any, around: Any) -> Any:
        """Of two vectors of words, (batch,), a score for each pair, (batch,)."""
        return (self.centre(centre) * self.around(around)).sum(axis=1)


def pairs(count: int, draw: np.random.Generator) -> tuple[Any, Any, Any]:
    """Neighbours, which are of one topic, and as many random pairs; a label for each."""
    topics = draw.integers(TOPICS, size=count)
    first, second = (topics * WORDS_EACH + draw.integers(WORDS_EACH, size=count) for _ in "ab")
    second[count // 2 :] = draw.integers(WORDS, size=count - count // 2)
    return nd.array(first), nd.array(second), nd.array(np.arange(count) < count // 2)


def main(steps: int = 400) -> float:
    """Train, and return the share of words whose nearest word is of their topic."""
    mx.random.seed(1)
    draw = np.random.default_rng(2)
    net = Pairs(WORDS, 16)
    net.initialize(mx.init.Normal(0.1))
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02})
    loss_of = gluon.loss.SigmoidBinaryCrossEntropyLoss()
    for step in range(steps):
        first, second, label = pairs(128, draw)
        with autograd.record():
            loss = loss_of(net(first, second), label)
        loss.backward()
        trainer.step(128)
        if step % 100 == 99:
            stored = len(net.centre.weight.grad().indices)
            print(
                f"step {step + 1}: loss {loss.mean().asscalar():.3f}, {stored} rows of {WORDS} updated"
            )
    vectors = net.centre.weight.data().asnumpy()
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    likeness = vectors @ vectors.T - 2 * np.eye(WORDS)
    nearest = likeness.argmax(axis=1)
    return float(np.mean(nearest // WORDS_EACH == np.arange(WORDS) // WORDS_EACH))


if __name__ == "__main__":
    print(f"nearest words of the same topic: {main():.1%}")
