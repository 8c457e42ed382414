"""A language model over sentences of all lengths: an LSTM unrolled once for each bucket of like lengths.

``python examples/bucketing/language_model.py`` makes sentences by a grammar (`a cat sees the old dog .`),
trains on some for a few seconds, and says between how many words, in effect, the model hesitates in others.
"""

import logging
import random
from typing import Any

import gluonic as mx

NOUNS, VERBS = ["cat", "dog", "bird", "child"], {"sees": True, "hears": True, "sleeps": False}
BUCKETS, PAD = [6, 12, 18], 0


def thing(draw: random.Random, depth: int = 0) -> list[str]:
    """A noun with its article, sometimes with an adjective and a clause."""
    words = [draw.choice(["a", "the"]), *draw.choice([[], [], ["old"]]), draw.choice(NOUNS)]
    return [*words, "that", *doing(draw, depth + 1)] if depth < 2 and draw.random() < 0.3 else words


def doing(draw: random.Random, depth: int = 0) -> list[str]:
    """A verb, and an object if it takes one."""
    verb = draw.choice(list(VERBS))
    return [verb, *(thing(draw, depth) if VERBS[verb] else [])]


def sentences(count: int, seed: int) -> list[list[str]]:
    """So many sentences."""
    draw = random.Random(seed)
    return [[*thing(draw), *doing(draw), "."] for _ in range(count)]


def main(count: int = 1200, epochs: int = 4, hidden: int = 48) -> float:
    """Train on so many sentences; return the perplexity over a quarter as many others."""
    mx.random.seed(1)
    random.seed(1)
    encode = mx.rnn.encode_sentences
    encoded, vocabulary = encode(sentences(count, 1), invalid_label=PAD, start_label=1)
    others, _ = encode(sentences(count // 4, 2), vocabulary, PAD)
    train, test = (mx.rnn.BucketSentenceIter(one, 32, BUCKETS, PAD) for one in (encoded, others))
    cell, words = mx.rnn.LSTMCell(hidden, prefix="lstm_"), len(vocabulary)

    def network(length: int) -> Any:
        """The net for sentences of one length; those of all lengths share their parameters."""
        cell.reset()
        vectors = mx.sym.Embedding(mx.sym.var("data"), input_dim=words, output_dim=16, name="words")
        states, _ = cell.unroll(length, vectors, merge_outputs=True)
        states = mx.sym.reshape(states, shape=(-1, hidden))
        scores = mx.sym.FullyConnected(states, num_hidden=words, name="scores")
        labels = mx.sym.reshape(mx.sym.var("softmax_label"), shape=(-1,))
        head = mx.sym.SoftmaxOutput(
            scores, labels, use_ignore=True, ignore_label=PAD, name="softmax"
        )
        return head, ("data",), ("softmax_label",)

    model = mx.mod.BucketingModule(network, default_bucket_key=train.default_bucket_key)
    metric = mx.metric.Perplexity(PAD)
    model.fit(
        train,
        test,
        metric,
        optimizer="adam",
        optimizer_params={"learning_rate": 0.01},
        initializer=mx.init.Xavier(),
        num_epoch=epochs,
    )
    scores: dict[str, float] = dict(model.score(test, metric))
    return scores["perplexity"]


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    print(f"perplexity {main():.2f}")
