"""Programs in the style of a textbook, written with `mx.np`: losses, gradients and what is learnt."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np


def spread(*shape: int, scale: float = 1.0, phase: float = 0.0) -> Any:
    """Numbers that look drawn and are the same everywhere."""
    numbers = np.sin(np.arange(int(np.prod(shape))) * 12.9898 + phase) * 43758.5453
    return ((numbers - np.floor(numbers) - 0.5) * 2 * scale).astype(np.float32).reshape(shape)


def settle(mx: Any, net: Any, hybridized: bool, *inputs: Any) -> Any:
    """Give the parameters of a net values that are the same everywhere."""
    net.initialize()
    net(*inputs)
    for index, parameter in enumerate(net.collect_params().values()):
        if parameter.grad_req != "null":
            value = spread(*parameter.shape, scale=0.4, phase=index)
            parameter.set_data(mx.np.array(value))
    if hybridized:
        net.hybridize()
    return net


def trained(
    mx: Any, net: Any, loss_of: Any, batches: Any, optimizer: str, steps: int, **settings: Any
) -> list[Any]:
    """Train a net; its losses, and at last the sums of its parameters."""
    trainer = mx.gluon.Trainer(net.collect_params(), optimizer, settings)
    losses = []
    for step in range(steps):
        *inputs, label = batches[step % len(batches)]
        with mx.autograd.record():
            loss = loss_of(net(*inputs), label).mean()
        loss.backward()
        trainer.step(1)
        losses.append(loss)
    return [*losses, *(p.data().sum() for p in net.collect_params().values())]


def linear_regression_from_scratch(mx: Any, hybridized: bool) -> Any:
    """Minibatches chosen by arrays of indices, and gradient descent in place."""
    np_, autograd = mx.np, mx.autograd
    x = np_.array(spread(64, 3))
    y = np_.dot(x, np_.array([2, -3.4, 1])) + 4.2
    w, b = np_.zeros((3, 1)), np_.zeros(1)
    for parameter in (w, b):
        parameter.attach_grad()
    losses = []
    for epoch in range(3):
        order = np.arange(64).reshape(8, 8).T.ravel()
        for start in range(0, 64, 16):
            chosen = np_.array(order[start : start + 16])
            with autograd.record():
                predicted = np_.dot(x[chosen], w) + b
                loss = (predicted - y[chosen].reshape(predicted.shape)) ** 2 / 2
            loss.backward()
            for parameter in (w, b):
                parameter[:] = parameter - 0.3 * parameter.grad / 16
        losses.append(float(((np_.dot(x, w) + b - y.reshape(-1, 1)) ** 2).mean()) + 0 * epoch)
    return [losses, w, b]


def softmax_regression(mx: Any, hybridized: bool) -> Any:
    """Softmax and cross entropy written out, accuracy by comparison."""
    np_, autograd = mx.np, mx.autograd
    x, labels = np_.array(spread(40, 6)), np_.array(np.arange(40) % 4)
    w, b = np_.array(spread(6, 4, scale=0.1)), np_.zeros(4)

    def softmax(z: Any) -> Any:
        exponentials = np_.exp(z - z.max(axis=1, keepdims=True))
        return exponentials / exponentials.sum(axis=1, keepdims=True)

    found = []
    for parameter in (w, b):
        parameter.attach_grad()
    for _ in range(5):
        with autograd.record():
            chances = softmax(np_.dot(x.reshape(-1, w.shape[0]), w) + b)
            loss = -np_.log(chances[np_.arange(40, dtype="int64"), labels])
        loss.backward()
        for parameter in (w, b):
            parameter -= 0.5 * parameter.grad / 40
        right = (chances.argmax(axis=1).astype(labels.dtype) == labels).astype("float32")
        found.append([float(loss.mean()), float(right.mean())])
    return [found, w, b]


def multilayer_perceptron(mx: Any, hybridized: bool) -> Any:
    """Layers of Gluon with weight decay and dropout that is off."""
    nn = mx.gluon.nn
    net = nn.HybridSequential()
    net.add(nn.Dense(8, activation="relu"), nn.Dropout(0.0), nn.Dense(4))
    x, labels = mx.np.array(spread(20, 2, 3)), mx.np.array(np.arange(20) % 4)
    settle(mx, net, hybridized, x)
    loss_of = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    return trained(mx, net, loss_of, [(x, labels)], "sgd", 4, learning_rate=0.3, wd=0.01)


def lenet(mx: Any, hybridized: bool) -> Any:
    """Convolutions, pooling and a batch normalization."""
    nn = mx.gluon.nn
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(4, kernel_size=5, padding=2, activation="sigmoid"),
        nn.AvgPool2D(pool_size=2, strides=2),
        nn.Conv2D(6, kernel_size=3),
        nn.BatchNorm(),
        nn.Activation("relu"),
        nn.MaxPool2D(pool_size=2, strides=2),
        nn.Dense(10, activation="tanh"),
        nn.Dense(3),
    )
    x, labels = mx.np.array(spread(6, 1, 14, 14)), mx.np.array(np.arange(6) % 3)
    settle(mx, net, hybridized, x)
    loss_of = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    return trained(mx, net, loss_of, [(x, labels)], "sgd", 3, learning_rate=0.1, momentum=0.9)


def recurrent_net_from_scratch(mx: Any, hybridized: bool) -> Any:
    """One-hot letters, a state carried along, gradients clipped by their norm."""
    np_, npx, autograd = mx.np, mx.npx, mx.autograd
    letters = np_.array((np.arange(30) * 7 % 11).reshape(5, 6))
    sizes = [(11, 8), (8, 8), (8,), (8, 11), (11,)]
    parameters = [np_.array(spread(*s, scale=0.3, phase=i)) for i, s in enumerate(sizes)]
    for parameter in parameters:
        parameter.attach_grad()
    found = []
    for _ in range(3):
        with autograd.record():
            w_xh, w_hh, b_h, w_hq, b_q = parameters
            state, outputs = np_.zeros((5, 8)), []
            for step in npx.one_hot(letters.T, 11):
                state = np_.tanh(np_.dot(step, w_xh) + np_.dot(state, w_hh) + b_h)
                outputs.append(np_.dot(state, w_hq) + b_q)
            logits = np_.concatenate(outputs, axis=0)
            targets = ((letters + 7) % 11).T.reshape(-1)
            loss = -npx.pick(npx.log_softmax(logits, axis=-1), targets, axis=-1).mean()
        loss.backward()
        norm = math.sqrt(sum(float((p.grad**2).sum()) for p in parameters))
        for parameter in parameters:
            if norm > 0.1:
                parameter.grad[:] *= 0.1 / norm
            parameter[:] = parameter - parameter.grad
        found.append([float(loss), norm])
    return [found, *(p.sum() for p in parameters)]


def recurrent_layer(mx: Any, hybridized: bool) -> Any:
    """A net with `rnn.RNN` and `rnn.LSTM`, whose state is given and returned."""
    gluon: Any = mx.gluon

    class Model(gluon.HybridBlock):  # type: ignore[misc]
        def __init__(self, layer: Any) -> None:
            super().__init__()
            self.layer, self.dense = layer, gluon.nn.Dense(11)

        def hybrid_forward(self, F: Any, letters: Any, *states: Any) -> Any:
            one_hot = F.npx.one_hot(letters.T, 11)
            output, after = self.layer(one_hot, list(states))
            return (self.dense(F.npx.reshape(output, (-1, 8))), *after)

    letters = mx.np.array((np.arange(30) * 7 % 11).reshape(5, 6))
    found = []
    for layer in (gluon.rnn.RNN(8), gluon.rnn.LSTM(8)):
        model = Model(layer)
        states = layer.begin_state(batch_size=5)
        settle(mx, model, hybridized, letters, *states)
        trainer = gluon.Trainer(model.collect_params(), "sgd", {"learning_rate": 0.5})
        for _ in range(2):
            states = [state.detach() for state in states]
            with mx.autograd.record():
                logits, *states = model(letters, *states)
                labels = ((letters + 7) % 11).T.reshape(-1)
                loss = gluon.loss.SoftmaxCrossEntropyLoss()(logits, labels).mean()
            loss.backward()
            trainer.step(1)
            found.append([float(loss), *(float(state.sum()) for state in states)])
    return found


def masked_softmax(mx: Any, scores: Any, valid: Any) -> Any:
    """Softmax over the first elements of each row."""
    rows = scores.reshape(-1, scores.shape[-1])
    lengths = valid.repeat(scores.shape[1])
    masked = mx.npx.sequence_mask(rows, lengths, use_sequence_length=True, value=-1e6, axis=1)
    return mx.npx.softmax(masked).reshape(scores.shape)


def attention(mx: Any, hybridized: bool) -> Any:
    """Additive and dot product attention over sequences of several lengths."""
    np_, npx = mx.np, mx.npx
    gluon: Any = mx.gluon

    class Additive(gluon.HybridBlock):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.query = gluon.nn.Dense(4, use_bias=False, flatten=False)
            self.key = gluon.nn.Dense(4, use_bias=False, flatten=False)
            self.value = gluon.nn.Dense(1, use_bias=False, flatten=False)

        def hybrid_forward(self, F: Any, query: Any, key: Any, value: Any) -> Any:
            query, key = self.query(query), self.key(key)
            features = F.np.tanh(F.np.expand_dims(query, axis=2) + F.np.expand_dims(key, axis=1))
            scores = F.np.squeeze(self.value(features), axis=-1)
            return F.npx.batch_dot(F.npx.softmax(scores), value)

    query, key = np_.array(spread(2, 3, 5)), np_.array(spread(2, 6, 4, phase=1))
    value = np_.array(spread(2, 6, 3, phase=2))
    net = settle(mx, Additive(), hybridized, query, key, value)
    for x in (query, key, value):
        x.attach_grad()
    with mx.autograd.record():
        output = net(query, key, value)
        loss = (output**2).sum()
    loss.backward()
    own = np_.array(spread(2, 6, 3, phase=3))
    scores = npx.batch_dot(own, own, transpose_b=True) / math.sqrt(3)
    weights = masked_softmax(mx, scores, np_.array([2, 5]))
    return [output, query.grad, key.grad, value.grad, npx.batch_dot(weights, own)]


def transformer(mx: Any, hybridized: bool) -> Any:
    """An encoder block: several heads, residual connections, layer normalization, positions."""
    gluon: Any = mx.gluon

    class Heads(gluon.HybridBlock):  # type: ignore[misc]
        def __init__(self, units: int, heads: int) -> None:
            super().__init__()
            self.units, self.heads = units, heads
            self.all = gluon.nn.Dense(3 * units, flatten=False, use_bias=False)
            self.out = gluon.nn.Dense(units, flatten=False)

        def split(self, F: Any, x: Any) -> Any:
            x = F.npx.reshape(x, (-2, -2, self.heads, -1))
            return F.npx.reshape(F.np.transpose(x, (0, 2, 1, 3)), (-5, -2, -2))

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            query, key, value = (self.split(F, one) for one in F.np.split(self.all(x), 3, axis=-1))
            scores = F.npx.batch_dot(query, key, transpose_b=True)
            chosen = F.npx.batch_dot(
                F.npx.softmax(scores / math.sqrt(self.units // self.heads)), value
            )
            chosen = F.np.transpose(
                F.npx.reshape(chosen, (-6, -1, self.heads, -2, -2)), (0, 2, 1, 3)
            )
            return self.out(F.npx.reshape(chosen, (-2, -2, -1)))

    class Encoder(gluon.HybridBlock):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.embedding = gluon.nn.Embedding(10, 8)
            self.positions = self.params.get_constant("positions", mx.np.array(spread(1, 5, 8)))
            self.heads = Heads(8, 2)
            self.norms = gluon.nn.HybridSequential()
            self.norms.add(gluon.nn.LayerNorm(), gluon.nn.LayerNorm())
            self.wide = gluon.nn.Dense(16, activation="relu", flatten=False)
            self.narrow = gluon.nn.Dense(8, flatten=False)

        def hybrid_forward(self, F: Any, words: Any, positions: Any) -> Any:
            x = self.embedding(words) * math.sqrt(8) + positions
            x = self.norms[0](x + self.heads(x))
            return self.norms[1](x + self.narrow(self.wide(x)))

    words = mx.np.array((np.arange(15) * 3 % 10).reshape(3, 5))
    net = settle(mx, Encoder(), hybridized, words)
    target = mx.np.array(spread(3, 5, 8, phase=5))
    batches = [(words, target)]
    return trained(mx, net, mx.gluon.loss.L2Loss(), batches, "adam", 3, learning_rate=0.01)


def word_embeddings(mx: Any, hybridized: bool) -> Any:
    """Skip-gram with negative samples, and the words nearest to one."""
    gluon: Any = mx.gluon
    np_ = mx.np

    class SkipGram(gluon.HybridBlock):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.centres, self.contexts = gluon.nn.Embedding(12, 4), gluon.nn.Embedding(12, 4)

        def hybrid_forward(self, F: Any, centre: Any, context: Any) -> Any:
            u = F.np.swapaxes(self.contexts(context), 1, 2)
            return F.npx.batch_dot(self.centres(centre), u)

    centre = np_.array(np.arange(4).reshape(4, 1))
    context = np_.array((np.arange(20) * 5 % 12).reshape(4, 5))
    label = np_.array((np.arange(20).reshape(4, 5) % 5 < 2).astype(np.float32))
    mask = np_.array((np.arange(20).reshape(4, 5) % 7 < 6).astype(np.float32))
    net = settle(mx, SkipGram(), hybridized, centre, context)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.1})
    loss_of = gluon.loss.SigmoidBinaryCrossEntropyLoss()
    losses = []
    for _ in range(3):
        with mx.autograd.record():
            predicted = net(centre, context)
            loss = loss_of(predicted.reshape(label.shape), label, mask)
            loss = loss * mask.shape[1] / mask.sum(axis=1)
        loss.backward()
        trainer.step(4)
        losses.append(loss)
    table = net.centres.weight.data()
    word = table[3]
    cosine = np_.dot(table, word) / np_.sqrt(
        np_.sum(table * table, axis=1) * np_.sum(word**2) + 1e-9
    )
    nearest = mx.npx.topk(cosine, k=3, ret_typ="indices").astype("int32")
    return [losses, cosine, nearest]


def optimizers(mx: Any, hybridized: bool) -> Any:
    """The way down of one function with optimizers of several kinds, one of them written out."""
    np_, autograd = mx.np, mx.autograd
    found: dict[str, Any] = {}
    settings: dict[str, dict[str, float]] = {
        "sgd": {"learning_rate": 0.1},
        "nag": {"learning_rate": 0.05, "momentum": 0.9},
        "adagrad": {"learning_rate": 0.4},
        "rmsprop": {"learning_rate": 0.1, "gamma1": 0.9},
        "adadelta": {"rho": 0.9},
        "adam": {"learning_rate": 0.1},
        "ftrl": {"learning_rate": 0.3},
    }
    for name, given in settings.items():
        net = settle(mx, mx.gluon.nn.Dense(2), hybridized, np_.array(spread(4, 3)))
        batches = [(np_.array(spread(4, 3)), np_.array(spread(4, 2, phase=7)))]
        loss_of = mx.gluon.loss.L2Loss()
        found[name] = trained(mx, net, loss_of, batches, name, 4, **given)
    x, velocity = np_.array([-5.0, -2.0]), np_.zeros(2)
    x.attach_grad()
    path = []
    for _ in range(4):
        with autograd.record():
            y = 0.1 * x[0] ** 2 + 2 * x[1] ** 2
        y.backward()
        velocity[:] = 0.5 * velocity + 0.4 * x.grad
        x[:] -= velocity
        path.append([float(one) for one in x])
    return [found, path]


def automatic_differentiation(mx: Any, hybridized: bool) -> Any:
    """Gradients through control flow, detached parts, vectors, and of gradients."""
    np_, autograd = mx.np, mx.autograd
    x = np_.arange(4.0) + 1
    x.attach_grad()
    found = []
    computations: list[Callable[[], Any]] = [
        lambda: 2 * np_.dot(x, x),
        lambda: x.sum(),
        lambda: x * x,
        lambda: (x * x).detach() * x,
        lambda: np_.where(x > 2, np_.sin(x), x**3),
        lambda: x.reshape(2, 2).T.dot(x.reshape(2, 2)).prod(axis=0),
        lambda: np_.concatenate([x[1:3], x[::-1]]) ** 2 / x.max(),
    ]
    for compute in computations:
        with autograd.record():
            y = compute()
        y.backward()
        found.append(x.grad.copy())

    def doubled(a: Any) -> Any:
        b = a * 2
        while np_.linalg.norm(b) < 1000:
            b = b * 2
        return b if b.sum() > 0 else 100 * b

    a = np_.array(0.7)
    a.attach_grad()
    with autograd.record():
        d = doubled(a)
    d.backward()
    with autograd.record():
        slope = autograd.grad(np_.exp(x), x, create_graph=True, retain_graph=True)[0]
        total = (slope * slope).sum()
    total.backward()
    return [found, a.grad, d, x.grad]


PROGRAMS: dict[str, Callable[[Any, bool], Any]] = {
    function.__name__: function
    for function in (
        linear_regression_from_scratch,
        softmax_regression,
        multilayer_perceptron,
        lenet,
        recurrent_net_from_scratch,
        recurrent_layer,
        attention,
        transformer,
        word_embeddings,
        optimizers,
        automatic_differentiation,
    )
}


def run(mx: Any, name: str, hybridized: bool) -> Any:
    """Run a program with NumPy's semantics on, and off again after it."""
    mx.npx.set_np()
    try:
        return PROGRAMS[name](mx, hybridized)
    finally:
        mx.npx.reset_np()


def cases(mx: Any) -> dict[str, Callable[[], Any]]:
    """The programs as MXNet runs them, hybridized."""
    return {name: lambda name=name: run(mx, name, True) for name in PROGRAMS}  # type: ignore[misc]
