"""Programs after a seed: initial weights, training with dropout and shuffling, what a generator draws."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

MODELS = "squeezenet1.1", "resnet18_v2", "mobilenetv2_0.25"
SHAPELESS = "uniform", "normal", "randn", "gamma", "exponential", "poisson", "randint"
INITIALIZERS: dict[str, dict[str, Any]] = {
    "Uniform": {},
    "Normal": {},
    "Xavier": {"rnd_type": "gaussian"},
    "MSRAPrelu": {},
}


def _seed(mx: Any, number: int) -> None:
    mx.random.seed(number)
    np.random.seed(number)


def _crc(array: Any) -> int:
    return zlib.crc32(np.ascontiguousarray(array.asnumpy()).tobytes())


def _weights(net: Any) -> list[int]:
    """Return what identifies the weights."""
    return [_crc(p.data()) for p in net.collect_params().values()]


def model(mx: Any, name: str) -> list[int]:
    """Return the initial weights of a model of the zoo."""
    _seed(mx, 3)
    net = mx.gluon.model_zoo.vision.get_model(name)
    net.initialize(mx.init.Xavier())
    net(mx.nd.zeros((1, 3, 224, 224)))
    return _weights(net)


def _classifier(mx: Any) -> Any:
    nn = mx.gluon.nn
    net = nn.HybridSequential()
    net.add(nn.Dense(32, activation="relu"), nn.Dropout(0.4), nn.Dense(16, in_units=32))
    net.add(nn.BatchNorm(), nn.Activation("tanh"), nn.Dropout(0.2), nn.Dense(3))
    return net


def initialized(mx: Any, name: str, settings: dict[str, Any]) -> list[int]:
    """Return the weights of a net of which some shapes are known and others are not."""
    _seed(mx, 4)
    net = _classifier(mx)
    net.initialize(getattr(mx.init, name)(**settings))
    net(mx.nd.zeros((2, 8)))
    return _weights(net)


def initialized_as_numpys(mx: Any, name: str, settings: dict[str, Any]) -> list[int]:
    """Return the weights of such a net whose arrays are of `mx.np`."""
    with mx.util.np_shape(True), mx.util.np_array(True):
        _seed(mx, 4)
        net = _classifier(mx)
        net.initialize(getattr(mx.init, name)(**settings))
        net(mx.np.zeros((2, 8)))
        return [*_weights(net), _crc(mx.np.random.choice(1000, 4))]


def recurrent(mx: Any) -> list[int]:
    """Return the weights of recurrent layers."""
    _seed(mx, 4)
    net = mx.gluon.nn.HybridSequential()
    net.add(mx.gluon.rnn.LSTM(5, 2, input_size=4), mx.gluon.nn.Dense(3))
    net.initialize(mx.init.Normal(0.1))
    net(mx.nd.zeros((3, 2, 4)))
    return _weights(net)


def trained(mx: Any, way: str) -> dict[str, Any]:
    """Return the losses of ten steps of training, and the weights after them."""
    _seed(mx, 7)
    x = np.random.uniform(-1, 1, (40, 8)).astype(np.float32)
    y = (x.sum(1) > 0) * 2.0
    net = _classifier(mx)
    net.initialize(mx.init.Xavier())
    if way != "eager":
        net.hybridize()
    loss_of = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.2})
    losses = []
    for batch, labels in _batches(mx, way, x, y.astype(np.float32)):
        noisy = batch + mx.nd.random.normal(0, 0.1, shape=batch.shape)
        with mx.autograd.record():
            loss = loss_of(net(noisy), labels)
        loss.backward()
        trainer.step(len(batch))
        losses.append(float(loss.mean().asscalar()))
    weights = [p.data().asnumpy().sum() for p in net.collect_params().values()]
    return {"losses": np.array(losses), "weights": np.array(weights)}


def _batches(mx: Any, way: str, x: Any, y: Any) -> Any:
    if way == "iterator":
        batches = mx.io.NDArrayIter(x, y, 8, shuffle=True)
        for _ in range(2):
            batches.reset()
            yield from ((batch.data[0], batch.label[0]) for batch in batches)
        return
    data = mx.gluon.data.DataLoader(mx.gluon.data.ArrayDataset(x, y), 8, shuffle=True)
    for _ in range(2):
        yield from data


def sampled(mx: Any, hybridize: bool) -> dict[str, Any]:
    """Return what a generator draws before and after some steps against a discriminator."""
    nn = mx.gluon.nn
    _seed(mx, 11)
    generator, judge = nn.HybridSequential(), nn.HybridSequential()
    generator.add(nn.Dense(16), nn.LeakyReLU(0.2), nn.Dense(2))
    judge.add(nn.Dense(16), nn.LeakyReLU(0.2), nn.Dropout(0.3), nn.Dense(1))
    for net in (generator, judge):
        net.initialize(mx.init.Normal(0.2))
        if hybridize:
            net.hybridize()
    loss_of = mx.gluon.loss.SigmoidBinaryCrossEntropyLoss()
    trainers = [
        mx.gluon.Trainer(n.collect_params(), "adam", {"learning_rate": 0.01})
        for n in (generator, judge)
    ]
    found = [generator(mx.nd.random.normal(shape=(4, 6))).asnumpy()]
    for _ in range(5):
        real = mx.nd.random.uniform(-1, 1, shape=(16, 2))
        noise = mx.nd.random.normal(shape=(16, 6))
        with mx.autograd.record():
            fake = generator(noise)
            loss = loss_of(judge(real), mx.nd.ones(16)) + loss_of(
                judge(fake.detach()), mx.nd.zeros(16)
            )
        loss.backward()
        trainers[1].step(16)
        with mx.autograd.record():
            loss = loss_of(judge(generator(noise)), mx.nd.ones(16))
        loss.backward()
        trainers[0].step(16)
    found.append(generator(mx.nd.random.normal(shape=(4, 6))).asnumpy())
    return {"before": found[0], "after": found[1]}


def dropped_between_layers(mx: Any, mode: str) -> dict[str, Any]:
    """Return the outputs of recurrent layers with dropout between.

    They are of float64: what MXNet computes by oneDNN, float32 that is, it does not drop at all.
    """
    _seed(mx, 5)
    layer = getattr(mx.gluon.rnn, mode)(6, 3, dropout=0.4, bidirectional=True, input_size=4)
    layer.initialize(mx.init.Uniform(0.5))
    layer.cast("float64")
    x = mx.nd.random.normal(shape=(5, 2, 4), dtype="float64")
    with mx.autograd.train_mode():
        found = [layer(x) for _ in range(2)]
    return {"outputs": found, "next": mx.nd.random.multinomial(mx.nd.ones(8) / 8, shape=6)}


def joined(mx: Any, hybridize: bool) -> dict[str, Any]:
    """Return what branches draw that are joined in another order than they are called in."""

    class Joined(mx.gluon.HybridBlock):  # type: ignore[misc]
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            first = F.Dropout(x, p=0.5)
            noise = F.random.normal(shape=(2, 5))
            last = F.Dropout(x * 2, p=0.3)
            return F.concat(last, noise, F.Dropout(first + noise, p=0.2), first, dim=0)

    net = Joined()
    if hybridize:
        net.hybridize()
    _seed(mx, 6)
    with mx.autograd.train_mode():
        return {"found": [net(mx.nd.ones((2, 5))) for _ in range(2)]}


def listed(mx: Any) -> dict[str, Any]:
    """Return what a symbol draws whose outputs are listed in another order than they were made in."""
    x = mx.sym.var("data")
    early, late = mx.sym.Dropout(x), mx.sym.Dropout(x)
    bound = mx.sym.Group([late, early]).bind(mx.cpu(), args={"data": mx.nd.ones((3, 4))})
    _seed(mx, 6)
    return {"found": bound.forward(is_train=True)}


def drawn_like_what_reads_it(mx: Any, name: str) -> Any:
    """Return what a symbol draws that states no shape, of which the half is added to an array."""
    draw = getattr(mx.sym.random, name)
    drawn = draw(low=0, high=9).astype("float32") if name == "randint" else draw()
    bound = (drawn * 0.5 + mx.sym.var("data")).bind(mx.cpu(), args={"data": mx.nd.ones((3, 4))})
    _seed(mx, 6)
    return bound.forward()[0]


def variational(mx: Any, hybridize: bool) -> dict[str, Any]:
    """Return what a variational autoencoder of `mx.np` arrays learns of patterns, and draws then."""

    class Autoencoder(mx.gluon.HybridBlock):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.encoder, self.decoder = (mx.gluon.nn.HybridSequential() for _ in range(2))
            self.encoder.add(mx.gluon.nn.Dense(16, activation="relu"), mx.gluon.nn.Dense(4))
            self.decoder.add(mx.gluon.nn.Dense(16, activation="tanh"), mx.gluon.nn.Dense(6))

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            mean, spread = F.np.split(self.encoder(x), 2, axis=1)
            code = mean + F.np.exp(spread / 2) * F.np.random.normal(size=(10, 2))
            drawn = F.npx.sigmoid(self.decoder(code))
            errors = F.np.sum(x * F.np.log(drawn) + (1 - x) * F.np.log(1 - drawn), axis=1)
            return F.np.sum(mean**2 + F.np.exp(spread) - spread - 1, axis=1) / 2 - errors

    with mx.util.np_shape(True), mx.util.np_array(True):
        _seed(mx, 3)
        net = Autoencoder()
        net.initialize(mx.init.Xavier())
        if hybridize:
            net.hybridize()
        trainer = mx.gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02})
        patterns, losses = mx.np.random.uniform(size=(3, 6)), []
        for _ in range(8):
            chances = patterns[mx.np.random.choice(3, size=(10,))]
            batch = mx.npx.random.bernoulli(prob=chances)
            with mx.autograd.record():
                loss = net(batch).mean()
            loss.backward()
            trainer.step(1)
            losses.append(float(loss.item()))
        drawn = mx.npx.sigmoid(net.decoder(mx.np.random.normal(size=(3, 2))))
        return {"losses": np.array(losses), "drawn": drawn}


def sampled_posterior(mx: Any) -> Any:
    """Return what Thompson's sampling learns of three arms, and a regression's posterior by Gibbs sampling."""
    with mx.util.np_shape(True), mx.util.np_array(True):
        np_, random = mx.np, mx.np.random
        _seed(mx, 8)
        won, lost, chances = np_.ones(3), np_.ones(3), random.uniform(size=(3,))
        for _ in range(30):
            arm = int(np_.argmax(random.beta(won, lost)))
            gain = float(random.uniform() < chances[arm])
            won[arm] += gain
            lost[arm] += 1 - gain
        x = random.normal(size=(40, 2))
        y = np_.dot(x, np_.array([1.0, -2.0])) + 0.5 * random.randn(40)
        noise, weights = np_.array(1.0), []
        for _ in range(5):
            precision = np_.dot(x.T, x) / noise + np_.eye(2)
            factor = np_.linalg.cholesky(precision)
            mean = np_.linalg.solve(precision, np_.dot(x.T, y) / noise)
            weights.append(mean + np_.linalg.solve(factor.T, random.normal(size=(2,))))
            errors = y - np_.dot(x, weights[-1])
            noise = 1 / random.gamma(np_.array([21.0]), 1 / (1 + (errors**2).sum() / 2))
        order = random.choice(40, 5, replace=False)
        return {"won": won, "lost": lost, "weights": np_.stack(weights), "order": order}


def programs(mx: Any) -> dict[str, Callable[[], Any]]:
    """Return what to run."""
    found: dict[str, Callable[[], Any]] = {
        f"weights of {name}": partial(model, mx, name) for name in MODELS
    }
    for name, settings in INITIALIZERS.items():
        found[f"weights by {name}"] = partial(initialized, mx, name, settings)
        found[f"weights by {name} of mx.np"] = partial(initialized_as_numpys, mx, name, settings)
    found["weights of recurrent layers"] = partial(recurrent, mx)
    for way in ("eager", "hybridized", "iterator"):
        found[f"training {way}"] = partial(trained, mx, way)
    for hybridize in (False, True):
        found[f"generator, hybridized {hybridize}"] = partial(sampled, mx, hybridize)
        found[f"branches, hybridized {hybridize}"] = partial(joined, mx, hybridize)
        found[f"autoencoder, hybridized {hybridize}"] = partial(variational, mx, hybridize)
    found["posterior"] = partial(sampled_posterior, mx)
    found["branches of a symbol"] = partial(listed, mx)
    for name in SHAPELESS:
        found[f"{name} without a shape"] = partial(drawn_like_what_reads_it, mx, name)
    for mode in ("LSTM", "GRU", "RNN"):
        found[f"dropout between layers, {mode}"] = partial(dropped_between_layers, mx, mode)
    return found


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    return programs(mx)
