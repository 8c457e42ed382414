"""Create arrays larger than memory in all possible ways; print the errors as JSON.

`test_memory` runs this in a process of its own, whose memory is limited. ``kept`` is larger than what the limit
leaves; the system has given memory for few of its zeros.
"""

from __future__ import annotations

import copy
import json
import resource
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import gluonic as mx
from gluonic import autograd, gluon, nd, sym
from gluonic.gluon import nn

_LEFT = 96 << 20  # bytes
_ROW = 1 << 20
_MANY = 10**9
_SHAPE = (64, _ROW)  # 256 MiB
_HALF = (20, _ROW)  # 80 MiB: one fits, two do not
_WIDE = np.broadcast_to(np.float32(1), _SHAPE)

ENTRANCES: dict[str, Callable[[], Any]] = {}
FOLDER = Path(tempfile.mkdtemp())


def entrance(work: Callable[[], Any]) -> Callable[[], Any]:
    ENTRANCES[work.__name__.strip("_")] = work
    return work


class Held:
    """What was made before memory was limited."""

    kept: Any
    half: Any
    net: Any


# ------------------------------------------------------------------------------------- making, copying

ENTRANCES.update(
    zeros=lambda: nd.zeros((_MANY,)),
    ones=lambda: nd.ones((_MANY,)),
    empty=lambda: nd.empty((_MANY,)),
    full=lambda: nd.full((_MANY,), 3),
    more_than_any_machine_has=lambda: nd.zeros((1 << 40, 1 << 40)),
    arange=lambda: nd.arange(_MANY),
    eye=lambda: nd.eye(10**5),
    uniform=lambda: nd.random.uniform(shape=(_MANY,)),
    normal=lambda: nd.random.normal(shape=(_MANY,)),
    array=lambda: nd.array(_WIDE),
    array_of_another_dtype=lambda: nd.array(_WIDE, dtype="float64"),
    from_numpy=lambda: nd.from_numpy(_WIDE, zero_copy=False),
    zeros_like=lambda: nd.ones_like(Held.kept),
    copy=lambda: Held.kept.copy(),
    copy_of_python=lambda: copy.deepcopy(Held.kept),
    astype=lambda: Held.kept.astype("float64"),
    as_in_context=lambda: Held.kept.as_in_context(mx.cpu(1)),
    copyto=lambda: Held.kept.copyto(mx.cpu(1)),
    asnumpy=lambda: Held.kept.asnumpy(),
    as_numpy_array=lambda: Held.kept.__array__("float64"),
    operator=lambda: Held.kept + 1,
    operator_that_moves=lambda: Held.kept.T,
    broadcasting=lambda: nd.broadcast_to(nd.ones((1,)), shape=(_MANY,)),
    taking=lambda: Held.kept[np.zeros(64, int)],
    slicing=lambda: Held.kept[:, 1:],
    assigning=lambda: Held.kept.__setitem__(slice(None), _WIDE.view("int32")),
    concat=lambda: nd.concat(Held.kept, Held.kept, dim=0),
    sum_of_random_numbers=lambda: mx.test_utils.rand_ndarray((_MANY,), "default"),
)


# ------------------------------------------------------------------------------------------- gradients

ENTRANCES["attach_grad"] = lambda: Held.kept.attach_grad()


@entrance
def backward() -> None:
    x = nd.ones((1,))
    x.attach_grad()
    with autograd.record():
        y = nd.broadcast_to(x, shape=_HALF)
    y.backward()


@entrance
def custom() -> None:
    class Filling(mx.operator.CustomOp):
        def forward(self, *arguments: Any) -> None:
            """Leave the outputs as they are."""

    @mx.operator.register("memory_entrance")
    class Prop(mx.operator.CustomOpProp):
        def infer_shape(self, shapes: Any) -> Any:
            return shapes, [(_MANY,)], []

        def create_operator(self, *arguments: Any) -> Any:
            return Filling()

    nd.Custom(nd.ones((1,)), op_type="memory_entrance")


# ------------------------------------------------------------------------------------------ parameters


def _parameter(shape: tuple[int, ...] = _SHAPE, **settings: Any) -> Any:
    made = gluon.Parameter("weight", shape=shape, **settings)
    made.initialize(mx.init.Zero())
    return made


def _dense(units: int, **settings: Any) -> Any:
    made = nn.Dense(units, **settings)
    made.initialize()
    return made


@entrance
def cast() -> None:
    _parameter(_HALF, grad_req="null").cast("float64")


@entrance
def gradient_later() -> None:
    _parameter(_HALF, grad_req="null").grad_req = "write"


@entrance
def other_contexts() -> None:
    _parameter(_HALF, grad_req="null").reset_ctx([mx.cpu(0), mx.cpu(1)])


ENTRANCES.update(
    parameter=lambda: _parameter(),
    parameter_with_gradient=lambda: _parameter(_HALF),
    constant=lambda: gluon.Constant("c", _WIDE),
    dense=lambda: _dense(_MANY, in_units=1),
    dense_deferred=lambda: _dense(_MANY)(nd.ones((1, 1))),
    state_of_cells=lambda: gluon.rnn.LSTM(10**5).begin_state(batch_size=10**5),
)


# -------------------------------------------------------------------------------------- compiled graphs


def _hybridized(compute: Callable[..., Any], *, train: bool = False) -> None:
    class Block(gluon.HybridBlock):  # type: ignore[misc, unused-ignore]
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return compute(F, F.broadcast_to(x, shape=(4, _MANY)))

    block, x = Block(), nd.ones((4, 1))
    block.hybridize()
    if not train:
        block(x)
        return
    x.attach_grad()
    with autograd.record():
        y = block(x)
    y.backward()


ENTRANCES.update(
    outputs_of_graphs=lambda: _hybridized(lambda F, x: F.tanh(x)),
    values_on_the_way=lambda: _hybridized(
        lambda F, x: F.dot(F.tanh(x), F.exp(x), transpose_b=True)
    ),
    operators_of_python=lambda: _hybridized(lambda F, x: F.topk(x, k=2)),
    what_backward_needs=lambda: _hybridized(lambda F, x: F.tanh(x).sum(), train=True),
    known_net=lambda: Held.net(nd.broadcast_to(nd.ones((1, 1)), shape=(20 * _ROW, 1))),
)


# -------------------------------------------------------------------------------------------- executors


def _bound(shape: tuple[int, ...], request: str = "null") -> Any:
    return (sym.var("x") * 2).simple_bind(mx.cpu(), x=shape, grad_req=request)


ENTRANCES.update(
    simple_bind=lambda: _bound(_SHAPE),
    gradients_of_executors=lambda: _bound(_HALF, "write"),
    outputs_of_executors=lambda: sym.broadcast_to(sym.var("x"), shape=_SHAPE).bind(
        mx.cpu(), {"x": nd.ones((1,))}
    ),
    reshape=lambda: _bound((2, 2)).reshape(x=(_MANY, 2), allow_up_sizing=True),
)


# ------------------------------------------------------------------------------------- files, optimizers


@entrance
def load() -> None:
    nd.load(str(FOLDER / "kept.params"))


@entrance
def load_parameters() -> None:
    net = gluon.ParameterDict()
    net.get("weight", shape=_SHAPE, grad_req="null")
    net.load(str(FOLDER / "kept.params"))


@entrance
def states() -> None:
    updater = mx.optimizer.get_updater(mx.optimizer.SGD())
    updater.states = {0: Held.kept}
    updater.get_states()


@entrance
def first_update() -> None:
    mx.optimizer.get_updater(mx.optimizer.Adam())(0, Held.kept, Held.kept)


@entrance
def first_push() -> None:
    store = mx.kv.create()
    store.init(3, Held.half)
    store.push(3, [Held.half] * 2)


# ------------------------------------------------------------------------------------------------ data

ENTRANCES.update(
    orders_of_samples=lambda: iter(gluon.data.RandomSampler(10**10)),
    batches=lambda: next(iter(gluon.data.DataLoader([_WIDE[0]] * 64, batch_size=64))),
    iterators=lambda: mx.io.NDArrayIter(_WIDE, batch_size=64),
    metrics=lambda: mx.metric.Accuracy().update([nd.zeros((64,))], [Held.kept]),
    norms=lambda: gluon.utils.clip_global_norm([Held.kept], 1.0),
    images=lambda: gluon.data.vision.transforms.ToTensor()(nd.zeros((_ROW, 9, 3), dtype="uint8")),
)


# -------------------------------------------------------------------------------------------------------


def _size() -> int:
    """How much of the address space the process uses."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def _prepare() -> None:
    Held.kept, Held.half = nd.zeros(_SHAPE), nd.zeros(_HALF)
    nd.save(str(FOLDER / "kept.params"), {"weight": Held.kept})
    Held.net = _dense(8, in_units=1)
    Held.net.hybridize()
    Held.net(nd.ones((3, 1)))
    for small in (
        lambda: _hybridized,
        lambda: _bound((2, 2)).forward(),
    ):  # what is imported on first use
        small()
    mx.metric.Accuracy()
    nd.ones((3, 3)).topk()
    x = nd.ones((2, 2))
    mx.optimizer.get_updater(mx.optimizer.Adam())(0, x, x)
    next(iter(gluon.data.DataLoader([1.0, 2.0], batch_size=2)))
    limit = _size() + _LEFT
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _outcome(work: Callable[[], Any]) -> tuple[str, str]:
    try:
        work()
    except Exception as error:
        return type(error).__name__, str(error)
    return "", "no error"


def main() -> None:
    warnings.simplefilter("ignore")
    _prepare()
    found = {name: _outcome(work) for name, work in ENTRANCES.items()}
    works_on = Held.net(nd.ones((3, 1))).shape == (3, 8) and _bound((2, 2)).forward()[0].shape == (
        2,
        2,
    )
    json.dump({"found": found, "works on": works_on}, sys.stdout)


if __name__ == "__main__":
    main()
