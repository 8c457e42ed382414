"""A ResNet and a language model on two ranks: the losses of one process with the whole batch."""

from collections.abc import Callable
from typing import Any

import numpy as np

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.distributed import world
from gluonic.gluon import nn, rnn
from gluonic.gluon.contrib.nn import SyncBatchNorm
from gluonic.gluon.model_zoo import vision
from tests.distributed.ranks import ranks

STEPS = 3


class LanguageModel(gluon.HybridBlock):
    """The next word: an embedding, an LSTM, scores."""

    def __init__(self) -> None:
        super().__init__(prefix="model_")
        with self.name_scope():
            self.words = nn.Embedding(30, 8)
            self.lstm = rnn.LSTM(12, layout="NTC", input_size=8)
            self.scores = nn.Dense(30, flatten=False)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Scores of all words at each position."""
        return self.scores(self.lstm(self.words(x)))


def language() -> tuple[Any, Any, Any]:
    words = np.random.default_rng(4).integers(0, 30, (6, 8)).astype("float64")
    return LanguageModel(), words[:, :-1], words[:, 1:]


def resnet() -> tuple[Any, Any, Any]:
    net = vision.resnet18_v1(classes=5, thumbnail=True, prefix="net_")
    images = np.random.default_rng(5).standard_normal((6, 3, 16, 16))
    return net, images, np.arange(6) % 5


def share_batches(block: Any) -> int:
    """Replace each BatchNorm by a SyncBatchNorm with its parameters; return their number."""
    count = 0
    for name, child in block._children.items():
        if type(child) is nn.BatchNorm:
            shared = SyncBatchNorm(prefix=child.prefix, params=child.params)
            block._children[name] = shared
            count += 1
        else:
            count += share_batches(child)
    return count


def losses(
    made: Callable[[], tuple[Any, Any, Any]], part: slice, store: str | None, norms: int
) -> Any:
    """The summed loss of each step of training on a part of the batch."""
    mx.random.seed(11)
    net, x, y = made()
    whole = len(x)
    if store is not None:
        assert share_batches(net) == norms
    net.initialize(mx.init.Xavier())
    net.cast("float64")
    net.hybridize()
    inputs, labels = (nd.array(values[part], dtype="float64") for values in (x, y))
    net(inputs)
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(
        net.collect_params(), "sgd", {"learning_rate": 0.05, "momentum": 0.9}, kvstore=store
    )
    found = []
    for _ in range(STEPS):
        with autograd.record():
            each = loss(net(inputs), labels)
        each.backward()
        trainer.step(whole)
        found.append(each.sum().asscalar())
    return np.array(found)


def compare(made: Callable[[], tuple[Any, Any, Any]], norms: int = 0) -> None:
    group = world().group
    expected = losses(made, slice(None), None, norms)
    share = losses(made, slice(group.rank, None, group.size), "dist_sync", norms)
    found = sum(group.gather(share, lambda: "losses"))
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    assert abs(expected[-1] - expected[0]) > 1e-3  # something was learned


@ranks(2)
def test_a_resnet_18_has_the_losses_of_one_process() -> None:
    compare(resnet, norms=19)


@ranks(2)
def test_a_language_model_has_the_losses_of_one_process() -> None:
    compare(language)
