"""Sums in memory that the ranks of one machine share: the bits of sums by messages, and no trace left."""

import os
import resource
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import nd
from gluonic.distributed import RankFailedError, world
from gluonic.distributed.shared_sums import open_shared_sums
from tests.distributed.ranks import APART, output, ranks, start

pytestmark = pytest.mark.skipif(APART, reason="ranks on different machines share no memory")

SHAPES = ((), (1,), (7,), (0, 3), (63, 65), (128, 129), (300, 301), (2, 3, 50_021))
DTYPES = ("float16", "float32", "float64", "int32", "bfloat16")


def shared_mappings() -> list[str]:
    """The memory for sums that this process has mapped, as the system names it."""
    lines = Path("/proc/self/maps").read_text().splitlines()
    return [line for line in lines if "gluonic-sums" in line]


def brought(step: int, contexts: int) -> list[list[nd.NDArray]]:
    """What this rank brings: an array of each shape and dtype, on several contexts."""
    random = np.random.default_rng([world().group.rank, step])
    return [
        [
            nd.array(random.standard_normal(shape) * 30, dtype=dtype, ctx=mx.cpu(context))
            for context in range(contexts)
        ]
        for dtype in DTYPES
        for shape in SHAPES
    ]


def summed(contexts: Sequence[int]) -> tuple[list[bytes], list[str]]:
    """The bits of sums in some steps, which a store keeps or updates by; and the memory that was mapped."""
    found = []
    kept, updating = mx.kv.create("dist_sync"), mx.kv.create("dist_sync")
    updating._set_updater(lambda key, pushed, stored: nd.elemwise_add(stored, pushed, out=stored))
    keys = list(range(len(DTYPES) * len(SHAPES)))
    for store in (kept, updating):
        store.init(keys, [arrays[0].zeros_like() for arrays in brought(0, 1)])
    for step, count in enumerate(contexts):
        values = brought(step, count)
        for store in (kept, updating):
            outs = [arrays[0].zeros_like() for arrays in values]
            store.push(keys, values)
            store.pull(keys, outs)
            found += [out.asnumpy().tobytes() for out in outs]
        kept.sum_in_place(keys, values)
        found += [array.asnumpy().tobytes() for arrays in values for array in arrays]
    return found, shared_mappings()


def compare_ways() -> None:
    os.environ["GLUONIC_SHARED_SUMS"] = "0"
    expected, mapped = summed([1, 1, 2, 1])
    assert not mapped
    os.environ["GLUONIC_SHARED_SUMS"] = "1"
    found, mapped = summed([1, 1, 2, 1])
    assert found == expected
    assert len(mapped) == 2


@ranks(2)
def test_two_ranks_have_the_bits_of_sums_by_messages() -> None:
    compare_ways()


@ranks(3)
def test_three_ranks_have_the_bits_of_sums_by_messages() -> None:
    compare_ways()


@ranks(2, GLUONIC_SHARED_SUMS="1")
def test_memory_that_is_shared_has_no_name_and_goes_with_its_store() -> None:
    _, mapped = summed([1])
    for line in mapped:
        assert line.endswith("(deleted)")
        assert not Path(line.split()[5]).exists()
    assert mapped
    assert not shared_mappings()


@ranks(2)
def test_messages_serve_where_there_is_no_memory_to_share() -> None:
    os.environ["GLUONIC_SHARED_SUMS"] = "0"
    expected, _ = summed([1, 1])
    os.environ["GLUONIC_SHARED_SUMS"] = "1"
    if world().group.rank == 0:  # which makes it
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, resource.RLIM_INFINITY))
    assert summed([1, 1]) == (expected, [])


@ranks(2, GLUONIC_SHARED_SUMS="1")
def test_sums_of_other_ranks_change_no_weights_that_are_watched() -> None:
    from gluonic.graph.versions import Watch

    store = mx.kv.create("dist_sync")
    store.set_optimizer(mx.optimizer.SGD(learning_rate=0.1))
    store.init("w", nd.ones((200, 200)))
    frozen, out = nd.ones((50,)), nd.zeros((200, 200))
    watch = Watch([frozen.elements])
    version = watch.version
    for _ in range(3):
        store.push("w", nd.ones((200, 200)))
        store.pull("w", out)
    assert shared_mappings()
    assert watch.version == version
    np.testing.assert_allclose(out.asnumpy(), 1 - 3 * 2 * 0.1, rtol=1e-6)


@ranks(2)
def test_a_forked_child_leaves_the_sums_of_its_parent_alone() -> None:
    store = mx.kv.create("dist_sync")
    store.set_optimizer(mx.optimizer.SGD(learning_rate=1.0))
    store.init("w", nd.zeros((300, 300)))
    gradient, out = nd.ones((300, 300)), nd.zeros((300, 300))
    for step in range(3):
        child = os.fork()
        if not child:
            gradient[:] = 50
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        store.push("w", gradient)
        store.pull("w", out)
        assert (out.asnumpy() == -2 * (step + 1)).all()


class LateArrays(list[list[np.ndarray]]):
    """Arrays to sum up that keep a rank from coming, when it has met the others and reads them again."""

    def __init__(self, arrays: Sequence[list[np.ndarray]], until: Path) -> None:
        super().__init__(arrays)
        self.asked, self.until = 0, until

    def __getitem__(self, index: Any) -> Any:
        self.asked += 1
        while self.asked > 1 and not self.until.exists():
            os.sched_yield()
        return super().__getitem__(index)


@ranks(2)
def test_values_written_after_a_rank_has_given_up_are_not_summed(tmp_path: Path) -> None:
    group, caught = world().group, tmp_path / "caught"
    sums = open_shared_sums(group, ["w"], [((300, 300), np.dtype("f4"))])
    assert sums is not None
    slot = sums.slot(0)
    assert slot is not None
    slot[:] = 1
    assert (sums.sum_up([[slot]])[0] == 2).all()
    if group.rank == 0:
        os.environ["GLUONIC_RANK_TIMEOUT"] = "0.3"
        with pytest.raises(RankFailedError, match="rank 1 has not answered"):
            sums.sum_up([[slot]])
        slot[:] = 50
        caught.touch()
    else:
        with pytest.raises(RankFailedError, match="rank 0 gave up: rank 1 has not answered"):
            sums.sum_up(LateArrays([[slot]], until=caught))
    with pytest.raises(RankFailedError, match="this rank has given up, and takes no more part"):
        group.barrier()


_DIES = """
import os, signal
from gluonic import nd
import gluonic as mx
store = mx.kv.create("dist_sync")
store.init("w", nd.zeros((400, 400)))
for step in range(5):
    if step == 3 and store.rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    store.push("w", nd.ones((400, 400)))
"""


def test_a_rank_that_dies_between_sums_is_named() -> None:
    printed = output(start(2, "-c", _DIES))
    assert RankFailedError.__name__ in printed
    assert "rank 1 died" in printed
    assert "'w'" in printed


@ranks(2, GLUONIC_SHARED_SUMS="1")
def test_keys_that_are_pushed_one_by_one_take_few_file_descriptors() -> None:
    store, descriptors = mx.kv.create("dist_sync"), Path("/proc/self/fd")
    keys = list(range(100))
    store.init(keys, [nd.zeros((3,)) for _ in keys])
    before = len([*descriptors.iterdir()])
    for key in keys:
        out = nd.zeros((3,))
        store.push(key, nd.full((3,), key))
        store.pull(key, out)
        assert (out.asnumpy() == 2 * key).all()
    assert shared_mappings()
    assert len([*descriptors.iterdir()]) - before < len(keys) / 2
