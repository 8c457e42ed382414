"""A variational autoencoder: random numbers in the middle of a net that is trained hybridized."""

from typing import Any

import numpy as np
import pytest

from gluonic import autograd, initializer, nd
from gluonic import random as random_numbers
from gluonic.codegen.inspection.explain import explain
from gluonic.gluon import HybridBlock, Trainer, loss, nn
from gluonic.gluon.traces import traces_of

pytestmark = pytest.mark.usefixtures("compiled_at_once")

BATCH, PIXELS, LATENT = 32, 36, 3


class Autoencoder(HybridBlock):
    """Encodes images as normal distributions, draws from these, and decodes; returns the loss of each image.

    Parameters
    ----------
    drawing : how random numbers are drawn: of the shape that is given, like an array, or from arrays
    """

    def __init__(self, drawing: str = "shape") -> None:
        super().__init__()
        self.drawing = drawing
        with self.name_scope():
            self.encoder = nn.HybridSequential(prefix="encoder_")
            self.encoder.add(nn.Dense(24, activation="tanh", in_units=PIXELS))
            self.encoder.add(nn.Dense(2 * LATENT, in_units=24))
            self.decoder = nn.HybridSequential(prefix="decoder_")
            self.decoder.add(nn.Dense(24, activation="tanh", in_units=LATENT), nn.Dropout(0.1))
            self.decoder.add(nn.Dense(PIXELS, in_units=24))
            self.reconstruction = loss.SigmoidBCELoss()

    def drawn(self, F: Any, mean: Any, deviation: Any) -> Any:
        if self.drawing == "arrays":
            return F.sample_normal(F.BlockGrad(mean), F.BlockGrad(deviation))
        if self.drawing == "like":
            noise = F.random.normal_like(mean)
        else:
            noise = F.random_normal(loc=0, scale=1, shape=(BATCH, LATENT))
        return mean + deviation * noise

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        mean, logarithm = F.split(self.encoder(x), num_outputs=2, axis=1)
        decoded = self.decoder(self.drawn(F, mean, F.exp(0.5 * logarithm)))
        divergence = -0.5 * F.sum(1 + logarithm - mean**2 - F.exp(logarithm), axis=1)
        return divergence + PIXELS * self.reconstruction(decoded, x)


def images(count: int) -> Any:
    """Bars, each of one of six columns, with a little noise."""
    random = np.random.default_rng(0)
    found = random.uniform(0, 0.1, (count, 6, 6))
    found[np.arange(count), :, random.integers(0, 6, count)] += 0.9
    return nd.array(found.reshape(count, PIXELS))


def trained(net: Autoencoder, steps: int, *, hybridize: bool) -> list[float]:
    """The loss of each step."""
    random_numbers.seed(3)
    net.initialize(initializer.Xavier(), force_reinit=True)
    net.hybridize(hybridize)
    trainer = Trainer(net.collect_params(), "adam", {"learning_rate": 0.02})
    batches = nd.split(images(4 * BATCH), num_outputs=4, axis=0)
    found = []
    for step in range(steps):
        with autograd.record():
            each = net(batches[step % 4])
        each.backward()
        trainer.step(BATCH)
        found.append(float(each.mean().asscalar()))
    return found


@pytest.mark.parametrize("drawing", ["shape", "like", "arrays"])
def test_training_is_the_same_eagerly_and_hybridized(drawing: str) -> None:
    net = Autoencoder(drawing)
    eager = trained(net, 4, hybridize=False)
    np.testing.assert_allclose(trained(net, 4, hybridize=True), eager, rtol=1e-4)


def test_training_succeeds() -> None:
    losses = trained(Autoencoder(), 160, hybridize=True)
    assert np.mean(losses[-8:]) < 0.6 * np.mean(losses[:8])


@pytest.mark.parametrize("drawing", ["shape", "like", "arrays"])
def test_nothing_of_it_runs_in_python(drawing: str) -> None:
    net = Autoencoder(drawing)
    trained(net, 1, hybridize=True)
    x = images(BATCH)
    with autograd.record():
        net(x)
        forward = net.explain(x)
    (trace,) = traces_of(net).known.values()
    assert trace.bound is not None
    (both,) = trace.bound.op.with_gradients.values()
    (backward,) = both.backward_program.compiled.bindings.values()
    for explanation in (forward, net.explain(x), explain(backward)):
        assert {step.kind for step in explanation.steps} <= {"kernel", "draw"}
