"""Random programs with states and random numbers, differentiated twice: eager and hybridized agree.

``python -m tests.gluon.second_orders --count 2000 --seed 1`` compares values, gradients, their gradients,
states, calls of the user's operators, and the random number that is drawn next.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.gluon import nn

_WIDTH, _ROWS = 4, 5
_calls: list[str] = []


class _Counting(mx.operator.CustomOp):
    """Scales its input by a number that counts, in an auxiliary state, how often it ran forward."""

    def forward(self, is_train: bool, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        _calls.append("forward")
        aux[0][:] = aux[0] + 1
        self.assign(out_data[0], req[0], in_data[0] * (1 + aux[0].asscalar() / 4))

    def backward(
        self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
    ) -> None:
        _calls.append("backward")
        self.assign(in_grad[0], req[0], out_grad[0] * (1 + aux[0].asscalar() / 4))


@mx.operator.register("second_orders_counting")
class _CountingProp(mx.operator.CustomOpProp):
    def list_auxiliary_states(self) -> list[str]:
        return ["count"]

    def infer_shape(self, in_shape: Any) -> Any:
        return in_shape, [in_shape[0]], [[1]]

    def create_operator(self, ctx: Any, shapes: Any, dtypes: Any) -> _Counting:
        return _Counting()


class _WithState(gluon.HybridBlock):
    """An operator with one auxiliary state."""

    def __init__(self, apply: Callable[..., Any], size: int) -> None:
        super().__init__()
        self._apply = apply
        with self.name_scope():
            self.state = self.params.get(
                "state", shape=(size,), init=mx.init.Constant(0.3), grad_req="null"
            )

    def hybrid_forward(self, F: Any, x: Any, *, state: Any) -> Any:
        return self._apply(F, x, state)


def _applied(apply: Callable[[Any, Any], Any]) -> gluon.HybridBlock:
    return nn.HybridLambda(lambda F, x: apply(F, x))


def _sparse(F: Any, x: Any, state: Any) -> Any:
    return F.IdentityAttachKLSparseReg(F.sigmoid(x), state, penalty=0.1)


LAYERS: dict[str, Callable[[], gluon.HybridBlock]] = {
    "dense": lambda: nn.Dense(_WIDTH, in_units=_WIDTH, activation="tanh"),
    "batch norm": lambda: nn.BatchNorm(in_channels=_WIDTH),
    "batch norm of global statistics": lambda: nn.BatchNorm(in_channels=_WIDTH, use_global_stats=True),
    "batch norm without scale": lambda: nn.BatchNorm(in_channels=_WIDTH, scale=False),
    "batch norm over ranks": lambda: gluon.contrib.nn.SyncBatchNorm(in_channels=_WIDTH),
    "dropout": lambda: nn.Dropout(0.4),
    "dropout by column": lambda: nn.Dropout(0.3, axes=(0,)),
    "rrelu": lambda: _applied(
        lambda F, x: F.LeakyReLU(x, act_type="rrelu", lower_bound=0.1, upper_bound=0.6)[0]),
    "noise": lambda: _applied(
        lambda F, x: F.broadcast_mul(x, F.random.uniform(0.5, 1.5, (1, _WIDTH), dtype="float64"))),
    "layer norm": lambda: nn.LayerNorm(in_channels=_WIDTH),
    "squares": lambda: _applied(lambda F, x: F.tanh(x * x)),
    "sparse": lambda: _WithState(_sparse, _WIDTH),
    "custom": lambda: _WithState(
        lambda F, x, state: F.Custom(x, state, op_type="second_orders_counting"), 1),
}  # fmt: skip
_ONCE = ("custom", "sparse")
"""Those whose gradients have none: they are the user's, or that of a loss, which flows whatever flows in."""


class Program:
    """A random net, and how it is differentiated.

    Parameters
    ----------
    seed : determines all of it

    Attributes
    ----------
    layers : the names of its layers
    trains, goes_back_in_training : the modes of the recording and of its gradients
    twice : whether the gradients are differentiated
    """

    def __init__(self, seed: int) -> None:
        self.seed, chosen = seed, random.Random(seed)
        self.layers = chosen.choices([*LAYERS], k=chosen.randint(1, 4))
        self.trains, self.goes_back_in_training = chosen.random() < 0.7, chosen.random() < 0.7
        self.twice = not any(name in _ONCE for name in self.layers)
        self.at_once = chosen.random() < 0.5

    def __str__(self) -> str:
        """Everything about it."""
        return f"{self.seed}: {vars(self)}"

    def outcome(self, *, hybridized: bool) -> list[np.ndarray[Any, Any]]:
        """All that a user could observe of two steps."""
        np.random.seed(self.seed)
        mx.random.seed(self.seed)
        net = nn.HybridSequential()
        for name in self.layers:
            net.add(LAYERS[name]())
        net.initialize(mx.init.Normal(0.5), force_reinit=True)
        net.cast("float64")
        if hybridized:
            net.hybridize(compile_at_once=self.at_once)
        x = nd.array(np.random.uniform(-1, 1, (_ROWS, _WIDTH)), dtype="float64")
        x.attach_grad()
        _calls.clear()
        found: list[Any] = []
        for _ in range(2):
            with autograd.record(train_mode=self.trains):
                y = net(x)
                (slope,) = autograd.grad(
                    (y * y).sum(), [x], create_graph=True, train_mode=self.goes_back_in_training
                )
                loss = (y.sum() + (slope**2).sum()) if self.twice else y.sum()
            found += [y.copy(), slope.copy()]
            loss.backward(train_mode=self.goes_back_in_training)
            parameters = net.collect_params().values()
            found += [x.grad.copy()]
            found += [p.grad().copy() for p in parameters if p.grad_req != "null"]
            found += [p.data().copy() for p in parameters]
        numbers = [a.asnumpy() for a in (*found, nd.random.uniform(shape=(3,)))]
        return [*numbers, np.array([_calls.count("forward"), _calls.count("backward")])]

    def fault(self) -> str:
        """Where the two differ; nothing if they agree."""
        eager, hybridized = (self.outcome(hybridized=h) for h in (False, True))
        for number, (a, b) in enumerate(zip(eager, hybridized, strict=True)):
            scale = max(1.0, float(np.abs(a).max(initial=0)))
            if not np.allclose(a, b, rtol=1e-7, atol=1e-9 * scale, equal_nan=True):
                return f"{self}, value {number}: eager {a}, hybridized {b}"
        return ""


def main() -> int:
    """Compare as many programs as the command line says; return how many differ."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    faults = 0
    for seed in range(chosen.seed, chosen.seed + chosen.count):
        if found := Program(seed).fault():
            faults += 1
            print(found, flush=True)
    print(f"{chosen.count} programs, {faults} differ")
    return faults


if __name__ == "__main__":
    sys.exit(bool(main()))
