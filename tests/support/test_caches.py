"""Ever new widths, attributes, shapes and names do not let a process grow."""

import gc
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd, sym
from gluonic.gluon import nn
from gluonic.support import caches
from gluonic.support.caches import Cache, Interned

_COUNT, _MOST_BYTES = 40, 600  # a layer counts its calls by shape, up to a bound of its own
"""How many widths come at once, and the bytes that one may keep: without bounds 1,100 to 17,000."""


def _train(k: int, *, hybridize: bool) -> None:
    net = nn.Dense(3, in_units=k)
    net.initialize()
    if hybridize:
        net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"momentum": 0.9})
    with autograd.record():
        loss = net(nd.ones((2, k))).sum()
    loss.backward()
    trainer.step(1)


def _numpy(k: int) -> None:
    x = mx.np.ones((k,))
    mx.np.reshape(mx.np.tanh(x) * k + mx.np.full((k,), k / 3), (1, k)).asnumpy()


def _parts(k: int) -> None:
    x = nd.ones((3, k))
    nd.concat(x[1:, k - 1 :], nd.slice_axis(x, axis=1, begin=0, end=k - 2)[:2], dim=1).asnumpy()


def _named(k: int) -> None:
    net = sym.FullyConnected(sym.var(f"x{k}"), num_hidden=k, name=f"f{k}")
    sym.load_json(net.tojson()).infer_shape(**{f"x{k}": (2, 3)})


def _resized(k: int) -> None:
    mx.image.imresize(nd.ones((4, 4, 3), dtype="float32"), k % 1000 + 1, 2, interp=2)


class _Copy(mx.operator.CustomOp):
    def forward(self, is_train: bool, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        self.assign(out_data[0], req[0], in_data[0])


@mx.operator.register("caches_copy")
class _CopyProp(mx.operator.CustomOpProp):
    def __init__(self, number: str) -> None:
        super().__init__()
        self.number = number

    def create_operator(self, ctx: Any, shapes: Any, dtypes: Any) -> _Copy:
        return _Copy()


_same = nn.Dense(3, in_units=3)
_same.initialize()
_same.hybridize()
_PROGRAMS: dict[str, Callable[[int], Any]] = {
    "layers": lambda k: _train(k, hybridize=False),
    "hybridized layers": lambda k: _train(k, hybridize=True),
    "shapes of one layer": lambda k: _same(nd.ones((k, 3))),
    "shapes": lambda k: (nd.ones((k,)) * 2 + 1).sum().asscalar(),
    "attributes": lambda k: nd.clip(nd.ones((3,)), -k, k / 7),
    "numbers": lambda k: nd.ones((3,)) * (k / 7) + k,
    "random numbers": lambda k: nd.random.uniform(0, k, shape=(k,)),
    "mx.np": _numpy,
    "parts": _parts,
    "names": _named,
    "resized images": _resized,
    "attributes of the user's operators": lambda k: nd.Custom(
        nd.ones((3,)), op_type="caches_copy", number=str(k)
    ),
    "shapes of the user's operators": lambda k: nd.Custom(
        nd.ones((k,)), op_type="caches_copy", number="1"
    ),
}


def _kept(program: Callable[[int], Any], first: int) -> int:
    """The bytes in use after a program has run with many numbers, and all caches have forgotten."""
    for k in range(first, first + _COUNT):
        program(k)
    caches.forget_all()
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


@pytest.mark.parametrize("program", _PROGRAMS.values(), ids=_PROGRAMS)
def test_nothing_is_kept_for_good_of_what_was_seen_once(program: Callable[[int], Any]) -> None:
    tracemalloc.start()
    try:
        kept = [_kept(program, first) for first in (1000, 1100, 1200, 1300)]
    finally:
        tracemalloc.stop()
    growth = [after - before for before, after in pairwise(kept)]
    assert min(growth) < _MOST_BYTES * _COUNT  # once, a table of all caches may grow


@pytest.fixture
def few() -> Iterator[None]:
    """All caches forget after ten entries."""
    caches.forget_all()
    before = caches.keep_at_most(10)
    yield
    caches.keep_at_most(before)


@pytest.mark.usefixtures("few")
def test_all_caches_together_are_bounded() -> None:
    first: Cache[int, int] = Cache()
    second: Cache[int, int] = Cache()
    for number in range(100):
        first.remember(number, number)
        second.remember(number, number)
        assert len(first) + len(second) <= 10
        assert second[number] == number


@pytest.mark.usefixtures("few")
def test_what_is_used_stays_the_only_one_of_its_kind() -> None:
    interned: Interned[int, Any] = Interned()
    used = interned.remember(-1, np.ones(1))
    for number in range(100):
        interned.remember(number, np.ones(1))
    assert interned[-1] is used
    assert len(interned) <= 11


@pytest.mark.usefixtures("few")
def test_operators_compute_the_same_while_caches_forget() -> None:
    net = nn.Dense(2, in_units=3)
    net.initialize()
    x = nd.ones((4, 3))
    expected = net(x).asnumpy()
    for number in range(50):
        assert (nd.clip(x, 0, number) * number).sum().asscalar() == 12 * min(number, 1) * number
        assert np.array_equal(net(x).asnumpy(), expected)
