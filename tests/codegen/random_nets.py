"""Random hybrid nets and random things done with them, compared with a twin that runs eagerly."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.gluon import nn
from gluonic.graph.json.reader import read_json
from tests.codegen.growing import Draw, RandomGraph

Array = np.ndarray[Any, Any]
Maker = Callable[[], Any]
Made = tuple[Sequence[Maker], tuple[int, ...], int]
ACTIVATIONS = ("relu", "tanh", "sigmoid", "softrelu", "softsign")


class Branches(gluon.HybridBlock):
    """Blocks that read the same input; their results are joined, or added to it."""

    def __init__(self, parts: Sequence[Any], way: str) -> None:
        super().__init__()
        self.way = way
        with self.name_scope():
            self.parts = nn.HybridSequential()
            self.parts.add(*parts)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Compute."""
        results = [part(x) for part in self.parts]
        if self.way == "join":
            return F.concat(*results, dim=1)
        total = results[0]
        for result in results[1:]:
            total = total + result
        return total


class Cell(gluon.HybridBlock):
    """A recurrent cell, unrolled over the second axis."""

    def __init__(self, cell: Any, steps: int, merge: bool) -> None:
        super().__init__()
        self.steps, self.merge = steps, merge
        with self.name_scope():
            self.cell = cell

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Compute all steps."""
        outputs, _ = self.cell.unroll(self.steps, x, layout="NTC", merge_outputs=self.merge)
        return outputs if self.merge else F.stack(*outputs, axis=1)


class Loop(gluon.HybridBlock):
    """A loop or a branch over graphs."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Compute."""
        if self.kind == "cond":
            return F.contrib.cond(F.sum(x) > 0.1, lambda: F.tanh(x), lambda: x * 0.5)
        if self.kind == "while":
            _, (_, last) = F.contrib.while_loop(
                lambda i, s: i < 3,
                lambda i, s: ([], [i + 1, F.sin(s) + 0.1]),
                [F.zeros((1,)), x],
                max_iterations=5,
            )
            return last
        steps = F.transpose(F.Flatten(x))
        outputs, _ = F.contrib.foreach(
            lambda row, total: (row * total, F.tanh(total + row)),
            steps,
            F.zeros_like(F.sum(steps, axis=0)),
        )
        return F.transpose(outputs)


class Rearranged(gluon.HybridBlock):
    """Codes of reshape, slices, pads, indices."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Compute."""
        ways: dict[str, Callable[[], Any]] = {
            "split": lambda: F.concat(*F.split(F.concat(x, x, dim=1), 2, axis=1)[::-1], dim=1),
            "slice": lambda: (
                F.slice_axis(x, axis=1, begin=0, end=-1)
                + F.slice_axis(x, axis=1, begin=1, end=None)
            ),
            "reversed": lambda: F.reverse(x, axis=1) * x,
            "normal": lambda: F.broadcast_div(
                x, F.sqrt(F.sum(F.square(x), axis=1, keepdims=True) + 0.1)
            ),
            "scores": lambda: F.softmax(x, axis=1) - F.log_softmax(x, axis=-1) * 0.1,
            "gelu": lambda: F.LeakyReLU(x, act_type="gelu"),
            "merged": lambda: F.reshape(F.reshape(x, shape=(0, -4, -1, 1, -2)), shape=(0, -3, -2)),
            "product": lambda: F.broadcast_mul(
                F.Flatten(F.batch_dot(F.reshape(x, (0, 1, -1)), F.reshape(x, (0, -1, 1)))),
                F.reshape(F.mean(x, axis=0), (1, -1)),
            ),
            "where": lambda: F.where(x > 0.2, x * 2, F.sin(x)),
            "likes": lambda: (
                x * F.ones_like(x) + F.broadcast_like(F.mean(x, axis=1, keepdims=True), x)
            ),
            "twice": lambda: F.elemwise_add(x, F.identity(x)) - F.BlockGrad(x),
        }
        return ways[self.kind]()


REARRANGED = ("split", "slice", "reversed", "normal", "scores", "gelu", "merged", "product", "where",
              "likes", "twice")  # fmt: skip


def _image_layer(draw: Draw) -> Maker:
    kernel, stride, pad = (draw(st.integers(low, high)) for low, high in ((1, 4), (1, 2), (1, 2)))
    pad = min(pad, kernel - 1)
    channels, bias = draw(st.integers(1, 20)), draw(st.booleans())
    activation = draw(st.sampled_from([None, *ACTIVATIONS]))
    made: Maker = draw(st.sampled_from([
        lambda: nn.Conv2D(channels, kernel, stride, pad, use_bias=bias, activation=activation),
        lambda: nn.Conv2D(channels, kernel, stride, pad, use_bias=bias),
        lambda: nn.Conv2DTranspose(channels, kernel, stride, pad, use_bias=bias, activation=activation),
        lambda: nn.MaxPool2D(kernel, stride, kernel // 2, ceil_mode=bias),
        lambda: nn.AvgPool2D(kernel, stride, kernel // 2, ceil_mode=bias),
        lambda: nn.BatchNorm(scale=bias, epsilon=1e-2),
        lambda: nn.InstanceNorm(epsilon=1e-2),
        lambda: nn.Activation(activation or "relu"),
    ]))  # fmt: skip
    return made


def _flat_layer(draw: Draw) -> Maker:
    width, bias = draw(st.sampled_from([1, 3, 8, 17, 40, 130])), draw(st.booleans())
    activation = draw(st.sampled_from([None, *ACTIVATIONS]))
    kind = draw(st.sampled_from(REARRANGED))
    loop = draw(st.sampled_from(["cond", "while", "foreach"]))
    made: Maker = draw(st.sampled_from([
        lambda: nn.Dense(width, use_bias=bias, activation=activation),
        lambda: nn.Dense(width, use_bias=bias, activation=activation, flatten=False),
        lambda: nn.LayerNorm(epsilon=1e-2),
        lambda: nn.BatchNorm(scale=bias, epsilon=1e-2),
        lambda: nn.Swish(), lambda: nn.ELU(), lambda: nn.PReLU(), lambda: nn.GELU(),
        lambda: nn.LeakyReLU(0.1),
        lambda: Rearranged(kind), lambda: Rearranged(kind), lambda: Loop(loop),
    ]))  # fmt: skip
    return made


def _sequence_layer(draw: Draw, steps: int) -> Maker:
    width, merge = draw(st.integers(1, 20)), draw(st.booleans())
    kind = draw(st.sampled_from([gluon.rnn.LSTMCell, gluon.rnn.GRUCell, gluon.rnn.RNNCell]))
    layer = draw(st.sampled_from([gluon.rnn.LSTM, gluon.rnn.GRU, gluon.rnn.RNN]))
    both = draw(st.booleans())
    made: Maker = draw(st.sampled_from([
        lambda: Cell(kind(width), steps, merge),
        lambda: layer(width, layout="NTC", bidirectional=both),
        lambda: nn.Dense(width, flatten=False, activation="tanh"),
        lambda: nn.LayerNorm(epsilon=1e-2),
    ]))  # fmt: skip
    return made


def _branches(inner: Maker, way: str) -> Maker:
    return lambda: Branches([inner(), inner()], way)


def _layers(draw: Draw, kind: str, steps: int) -> list[Maker]:
    made: list[Maker] = []
    count = draw(st.integers(1, 6))
    for _ in range(count):
        if kind == "images":
            made.append(_image_layer(draw))
        elif kind == "sequences":
            made.append(_sequence_layer(draw, steps))
        else:
            made.append(_flat_layer(draw))
        if kind != "sequences" and draw(st.integers(0, 4)) == 0:
            made.append(_branches(made.pop(), draw(st.sampled_from(["join", "add"]))))
    if kind == "images" and draw(st.booleans()):
        made += [nn.GlobalAvgPool2D, nn.Flatten] if draw(st.booleans()) else [nn.Flatten]
        made.append(_flat_layer(draw))
    return made


def _change(one: Array, other: Array) -> float:
    """How far numbers are apart at most; what is no number, or infinite, does not count."""
    finite = np.isfinite(one) & np.isfinite(other)
    return float(np.abs(one[finite] - other[finite]).max(initial=0))


class RandomNet:
    """A net, its eager twin with the same parameters, and what has been done with them."""

    def __init__(self, makers: Sequence[Maker], shape: tuple[int, ...], seed: int) -> None:
        self.shape, self.random = shape, np.random.default_rng(seed)
        self.nets = [self._built(makers) for _ in range(2)]
        data = nd.array(self._numbers(2))
        for net in self.nets:
            net.initialize(mx.init.Xavier())
            with autograd.predict_mode():
                net(data)
        for one, other in self._parameters():
            numbers = self.random.uniform(-0.5, 0.5, one.shape)
            if "gamma" in one.name or "var" in one.name:
                numbers = np.abs(numbers) + 0.5
            one.set_data(nd.array(numbers))
            other.set_data(nd.array(numbers))
        self.done: list[str] = [repr(self.nets[0])]
        self.nets[0].hybridize()

    @staticmethod
    def _built(makers: Sequence[Maker]) -> Any:
        net = nn.HybridSequential()
        with net.name_scope():
            net.add(*[make() for make in makers])
        return net

    def _numbers(self, batch: int) -> Array:
        return self.random.uniform(-1, 1, (batch, *self.shape)).astype(np.float32)

    def graph(self) -> tuple[RandomGraph, int]:
        """The graph of the net in predict mode, its arrays, and which of them is the input."""
        outputs = self.nets[1](mx.sym.var("data"))
        made = read_json(outputs.tojson())
        values = {p.name: p.data().asnumpy() for _, p in self._parameters()}
        values["data"] = self._numbers(2)
        variables = made.variables
        arrays = tuple(values[node.name] for node in variables)
        found = RandomGraph(made, variables, arrays, frozenset(made.states), train=False)
        return found, [node.name for node in variables].index("data")

    def _parameters(self) -> list[tuple[Any, Any]]:
        mine, others = (list(net.collect_params().values()) for net in self.nets)
        return list(zip(mine, others, strict=True))

    def call(self, batch: int, *, record: bool, train: bool, sliced: bool) -> None:
        """Call both nets, perhaps backward too; compare outputs, gradients and states."""
        self.done.append(f"call batch={batch} record={record} train={train} sliced={sliced}")
        numbers = self._numbers(batch)
        before = self._memory()
        expected = self._results(1, numbers, record, train)
        after = self._memory()
        slack = [0.0 for _ in expected]
        for _ in range(3):
            self._restore(before, nudged=True)
            moved = self._results(1, self._nudged(numbers), record, train)
            changes = [_change(m, e) for m, e in zip(moved, expected, strict=True)]
            slack = [max(pair) for pair in zip(slack, changes, strict=True)]
        self._restore(after)
        found = self._results(0, numbers, record, train, sliced)
        for number, (got, wanted, extra) in enumerate(zip(found, expected, slack, strict=True)):
            largest = np.abs(wanted[np.isfinite(wanted)]).max(initial=0)
            atol = 2e-5 * max(largest, 1e-3) + 20 * extra
            np.testing.assert_allclose(
                got, wanted, rtol=1e-4, atol=atol, err_msg=f"result {number}"
            )
        for one, other in self._parameters():
            if one.grad_req == "null":
                a, b = one.data().asnumpy(), other.data().asnumpy()
                np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4, err_msg=one.name)
                one.set_data(other.data())

    def _memory(self) -> list[tuple[Array, Array | None]]:
        """What the twin's parameters and their gradients are."""
        return [
            (p.data().asnumpy().copy(), p.grad().asnumpy().copy() if p.grad_req != "null" else None)
            for _, p in self._parameters()
        ]

    def _restore(self, memory: Sequence[tuple[Array, Array | None]], nudged: bool = False) -> None:
        """Give the twin its parameters and gradients back, changed by rounding errors perhaps."""
        for (_, p), (value, gradient) in zip(self._parameters(), memory, strict=True):
            p.set_data(nd.array(self._nudged(value) if nudged else value))
            if gradient is not None:
                p.grad()[:] = nd.array(gradient)

    def _nudged(self, array: Array) -> Array:
        signs = self.random.choice([-1, 1], array.shape)
        return np.asarray(array * (1 + 1.2e-7 * signs), array.dtype)

    def _results(
        self, which: int, numbers: Array, record: bool, train: bool, sliced: bool = False
    ) -> list[Array]:
        net = self.nets[which]
        data = nd.array(numbers)
        if sliced:
            data = nd.concat(data, data, dim=0)[: len(numbers)]
        if not record:
            with autograd.train_mode() if train else autograd.predict_mode():
                return [net(data).asnumpy()]
        data.attach_grad()
        with autograd.record(train_mode=train):
            output = net(data)
            loss = (output * output / 2 + output).mean()
        loss.backward()
        found = [output.asnumpy(), data.grad.asnumpy()]
        return found + [p.grad().asnumpy().copy() for p in self._trained(which)]

    def _trained(self, which: int) -> list[Any]:
        return [pair[which] for pair in self._parameters() if pair[which].grad_req != "null"]

    def change(self, way: str) -> None:
        """Change all weights in one of the ways that there are."""
        self.done.append(f"change {way}")
        for pair in self._parameters():
            number = float(self.random.uniform(0.8, 1.2))
            for p in pair:
                if way == "set_data":
                    p.set_data(p.data() * number)
                elif way == "in place":
                    p.data()[:] = p.data() * number
                elif way == "one element":
                    flat = p.data().reshape((-1,))
                    flat[-1:] = flat[-1:] * number

    def require(self, what: str) -> None:
        """Set what happens with gradients."""
        self.done.append(f"grad_req {what}")
        for index, pair in enumerate(self._parameters()):
            if "running" in pair[0].name or (what == "null" and index % 2):
                continue
            for p in pair:
                p.grad_req = what
                if what != "null":
                    p.zero_grad()

    def step(self) -> None:
        """Train both nets for one step."""
        self.done.append("step")
        if not self._trained(0):
            return
        numbers = self._numbers(3)
        for which in (1, 0):
            self._results(which, numbers, True, True)
        for one, other in self._parameters():
            if one.grad_req == "null":
                one.set_data(other.data())
            else:
                one.grad()[:] = other.grad()
        for net in self.nets:
            trainer = gluon.Trainer(
                net.collect_params(), "sgd", {"learning_rate": 0.05, "momentum": 0.9}
            )
            trainer.step(3, ignore_stale_grad=True)
        for one, other in self._parameters():
            a, b = one.data().asnumpy(), other.data().asnumpy()
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6, err_msg=one.name)

    def threads(self, batches: Sequence[int]) -> None:
        """Call the net from several threads at once."""
        self.done.append(f"threads {batches}")
        arrays = [self._numbers(batch) for batch in batches]
        with autograd.predict_mode():
            expected = [self.nets[0](nd.array(a)).asnumpy() for a in arrays]
        found: list[Any] = [None] * len(arrays)

        def work(index: int) -> None:
            for _ in range(5):
                found[index] = self.nets[0](nd.array(arrays[index])).asnumpy()

        workers = [threading.Thread(target=work, args=(i,)) for i in range(len(arrays))]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        for got, wanted in zip(found, expected, strict=True):
            np.testing.assert_array_equal(got, wanted, err_msg="threads")


@st.composite
def random_nets(draw: Draw) -> Made:
    """What a `RandomNet` is made of."""
    kind = draw(st.sampled_from(["images", "flat", "sequences"]))
    steps = draw(st.integers(1, 4))
    shapes = {
        "images": (draw(st.integers(1, 18)), draw(st.integers(6, 12)), draw(st.integers(6, 12))),
        "flat": (draw(st.integers(2, 40)),),
        "sequences": (steps, 5),
    }
    makers = _layers(draw, kind, steps)
    return makers, shapes[kind], draw(st.integers(0, 1000))


EVENTS = st.one_of(
    st.tuples(
        st.just("call"),
        st.sampled_from([1, 1, 2, 3, 7]),
        st.booleans(),
        st.booleans(),
        st.booleans(),
    ),
    st.tuples(
        st.just("call"),
        st.sampled_from([1, 2, 3, 7, 33]),
        st.booleans(),
        st.booleans(),
        st.booleans(),
    ),
    st.tuples(st.just("change"), st.sampled_from(["set_data", "in place", "one element"])),
    st.tuples(st.just("require"), st.sampled_from(["write", "add", "null"])),
    st.tuples(st.just("step")),
    st.tuples(st.just("threads"), st.lists(st.sampled_from([1, 2, 5]), min_size=2, max_size=3)),
)


def play(net: RandomNet, events: Sequence[Any]) -> None:
    """Do things with a net."""
    for name, *details in events:
        if name == "call":
            batch, record, train, sliced = details
            net.call(batch, record=record, train=train, sliced=sliced)
        else:
            getattr(net, name)(*details)
