"""Training steps of modules, on gluonic and on MXNet in turn.

usage: python -m benchmarks.modules [--mxnet PYTHON] [--only LSTM] [--seconds 3] [--processor]

The LSTMs are language models as in MXNet's example of bucketing: two layers unrolled, batches of 32, 1,000
words. Buckets in turn are those of 10, 20, 30 and 40 words, one after the other, 4 steps.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.in_turn import main

WORDS, BATCH = 1000, 32
# name: hidden units, buckets, contexts
CASES: dict[str, tuple[int, Sequence[int], int]] = {
    "MLP": (256, (), 1),
    "MLP, two contexts": (256, (), 2),
    "LSTM of 64, 10 words": (64, (10,), 1),
    "LSTM of 200, 10 words": (200, (10,), 1),
    "LSTM of 200, 40 words": (200, (40,), 1),
    "LSTM of 64, buckets in turn": (64, (10, 20, 30, 40), 1),
    "LSTM of 200, buckets in turn": (200, (10, 20, 30, 40), 1),
}


def _language_model(mx: Any, hidden: int) -> Callable[[int], Any]:
    stack = mx.rnn.SequentialRNNCell()
    for layer in range(2):
        stack.add(mx.rnn.LSTMCell(hidden, prefix=f"lstm{layer}_"))

    def network(length: int) -> Any:
        stack.reset()
        words = mx.sym.Embedding(
            mx.sym.var("data"), input_dim=WORDS, output_dim=hidden, name="words"
        )
        states, _ = stack.unroll(length, words, merge_outputs=True)
        states = mx.sym.reshape(states, shape=(-1, hidden))
        scores = mx.sym.FullyConnected(states, num_hidden=WORDS, name="scores")
        labels = mx.sym.reshape(mx.sym.var("softmax_label"), shape=(-1,))
        head = mx.sym.SoftmaxOutput(scores, labels, name="softmax")
        return head, ("data",), ("softmax_label",)

    return network


def _batch(mx: Any, shape: tuple[int, ...], label: tuple[int, ...], key: Any = None) -> Any:
    random = np.random.default_rng(0)
    return mx.io.DataBatch(
        [mx.nd.array(random.integers(0, WORDS, shape) if key else random.random(shape))],
        [mx.nd.array(random.integers(0, 10, label))],
        bucket_key=key,
        provide_data=[mx.io.DataDesc("data", shape)],
        provide_label=[mx.io.DataDesc("softmax_label", label)],
    )


def _perceptron(mx: Any, hidden: int) -> Any:
    x = mx.sym.var("data")
    for layer in range(3):
        x = mx.sym.relu(mx.sym.FullyConnected(x, num_hidden=hidden, name=f"dense{layer}"))
    return mx.sym.SoftmaxOutput(
        mx.sym.FullyConnected(x, num_hidden=10, name="scores"), name="softmax"
    )


def calls(mx: Any, name: str) -> dict[str, Callable[[], Any]]:
    """Predictions for all batches of a case, and training steps with them."""
    hidden, buckets, count = CASES[name]
    contexts = [mx.cpu(i) for i in range(count)]
    if buckets:
        network = _language_model(mx, hidden)
        module = mx.mod.BucketingModule(network, max(buckets), context=contexts)
        batches = [_batch(mx, (BATCH, n), (BATCH, n), n) for n in buckets]
    else:
        module = mx.mod.Module(_perceptron(mx, hidden), context=contexts)
        batches = [_batch(mx, (BATCH, hidden), (BATCH,))]
    module.bind(batches[-1].provide_data, batches[-1].provide_label)
    module.init_params(mx.init.Xavier())
    module.init_optimizer(optimizer_params={"learning_rate": 0.01, "momentum": 0.9})

    def forward() -> None:
        for batch in batches:
            module.forward(batch, is_train=False)
            module.get_outputs()[0].wait_to_read()

    def step() -> None:
        for batch in batches:
            module.forward_backward(batch)
            module.update()
            mx.nd.waitall()

    return {"forward": forward, "step": step}


if __name__ == "__main__":
    main(__file__, __doc__, CASES, calls)
