"""What ranks do together with Horovod's functions."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import gluonic as mx
import gluonic.horovod as hvd
from gluonic import nd
from gluonic.distributed import RanksDisagreeError
from tests.distributed.ranks import ranks


def mine(dtype: str = "float32", length: int = 5) -> Any:
    """Another array on each rank."""
    return (nd.arange(length) + 10 * hvd.rank()).astype(dtype)


def of_all(dtype: str = "float32", length: int = 5) -> Any:
    return np.stack([np.arange(length) + 10 * rank for rank in range(hvd.size())]).astype(dtype)


@ranks(3, together=True)
def test_arrays_are_reduced_in_all_ways() -> None:
    hvd.init()
    wanted: dict[int, Any] = {
        hvd.Sum: np.sum,
        hvd.Min: np.min,
        hvd.Max: np.max,
        hvd.Product: np.prod,
    }
    for dtype in ("float32", "float64", "int32", "int64", "float16"):
        for op, reduced in wanted.items():
            found = hvd.allreduce(mine(dtype), op=op, name="x")
            assert found.dtype == np.dtype(dtype)
            assert (found.asnumpy() == reduced(of_all(dtype), axis=0)).all()
        mean = of_all(dtype).mean(0).astype(dtype)
        for found in (hvd.allreduce(mine(dtype)), hvd.allreduce(mine(dtype), average=True)):
            np.testing.assert_allclose(found.asnumpy(), mean, rtol=1e-6)
        scaled = hvd.allreduce(mine(dtype), op=hvd.Sum, prescale_factor=2, postscale_factor=0.5)
        assert (scaled.asnumpy() == of_all(dtype).sum(0)).all()
    there = mine()
    assert hvd.allreduce_(there, average=False) is there
    several = hvd.grouped_allreduce([mine("float64"), mine("int32", 2000)], op=hvd.Sum)
    assert (there.asnumpy() == of_all().sum(0)).all()
    assert (several[1].asnumpy() == of_all("int32", 2000).sum(0)).all()
    with pytest.raises(NotImplementedError, match="Adasum"):
        hvd.allreduce(mine(), op=hvd.Adasum)


@ranks(3, together=True)
def test_arrays_are_gathered_sent_and_scattered() -> None:
    hvd.init()
    rank, size = hvd.rank(), hvd.size()
    lengths = np.concatenate([np.full((r, 2), r) for r in range(size)])
    assert (hvd.allgather(nd.ones((rank, 2)) * rank).asnumpy() == lengths).all()
    kept = mine()
    assert (hvd.broadcast(kept, 2).asnumpy() == of_all()[2]).all()
    assert (kept.asnumpy() == of_all()[rank]).all()
    hvd.broadcast_(kept, 1)
    assert (kept.asnumpy() == of_all()[1]).all()
    found, counts = hvd.alltoall(nd.arange(size * rank), splits=[rank] * size)
    parts = [np.arange(r * size)[r * rank : r * (rank + 1)] for r in range(size)]
    assert (found.asnumpy() == np.concatenate(parts)).all()
    assert counts.asnumpy().tolist() == list(range(size))
    whole = hvd.reducescatter(nd.ones((4, 2)), op=hvd.Sum)
    assert whole.shape == ((2, 2) if rank == 0 else (1, 2))
    assert (whole.asnumpy() == size).all()
    assert hvd.allgather_object({"rank": rank}) == [{"rank": r} for r in range(size)]
    assert hvd.broadcast_object(f"from {rank}", root_rank=2) == "from 2"
    hvd.barrier()


@ranks(3, together=True)
def test_operations_can_be_limited_to_some_ranks() -> None:
    hvd.init()
    outer, inner = hvd.add_process_set([0, 2]), hvd.add_process_set([1])
    this = inner if hvd.rank() == 1 else outer
    assert (outer.size(), outer.included()) == (2, hvd.rank() != 1)
    assert outer.rank() == {0: 0, 1: -1, 2: 1}[hvd.rank()]
    found = hvd.allreduce(mine(), op=hvd.Sum, process_set=this)
    assert (found.asnumpy() == of_all()[this.ranks].sum(0)).all()
    assert (
        hvd.broadcast(mine(), this.ranks[-1], process_set=this).asnumpy()
        == of_all()[this.ranks[-1]]
    ).all()
    with pytest.raises(ValueError, match="duplicate"):
        hvd.add_process_set([2, 0])
    with pytest.raises(ValueError, match="not among the 3"):
        hvd.add_process_set([3])
    if hvd.rank() == 1:
        with pytest.raises(mx.MXNetError, match="this rank is not in"):
            hvd.allreduce(mine(), process_set=outer)
    assert hvd.remove_process_set(outer)
    assert not hvd.remove_process_set(outer)
    assert not hvd.remove_process_set(hvd.global_process_set)
    with pytest.raises(mx.MXNetError, match="has not been added"):
        hvd.allreduce(mine(), process_set=outer)


@ranks(2)
def test_all_ranks_report_that_they_differ_and_continue() -> None:
    hvd.init()
    rank = hvd.rank()
    differing: list[Any] = [
        lambda: hvd.allreduce(nd.ones((2 + rank,))),
        lambda: hvd.allreduce(nd.ones(2, dtype=("float32", "int32")[rank])),
        lambda: hvd.allreduce(nd.ones(2), name=f"x{rank}"),
        lambda: hvd.allreduce(nd.ones(2), op=(hvd.Sum, hvd.Max)[rank]),
        lambda: hvd.allgather(nd.ones((2, 2 + rank))),
        lambda: hvd.broadcast(nd.ones(2), root_rank=rank),
        lambda: hvd.alltoall(nd.ones(2 + rank)),  # only rank 1 has too much
        lambda: hvd.barrier() if rank else hvd.allreduce(nd.ones(2)),
    ]
    for number, call in enumerate(differing):
        with pytest.raises(RanksDisagreeError) as error:
            call()
        assert "rank 0: " in str(error.value), number
        assert "rank 1: " in str(error.value), number
    for splits, message in (([1, 1], "do not fit"), (nd.ones(2), "32 bits")):
        with pytest.raises(ValueError, match=message):
            hvd.alltoall(nd.ones(1), splits=splits)
    assert hvd.allreduce(nd.ones(2), op=hvd.Sum).asnumpy().tolist() == [2, 2]


@ranks(2)
def test_a_rank_knows_its_machine() -> None:
    with pytest.raises(ValueError, match="not been initialized"):
        hvd.rank()
    hvd.init()
    assert hvd.is_initialized()
    assert (hvd.size(), hvd.local_size(), hvd.cross_size()) == (2, 2, 1)
    assert (hvd.local_rank(), hvd.cross_rank()) == (hvd.rank(), 0)
    assert hvd.is_homogeneous()
    hvd.shutdown()
    assert not hvd.is_initialized()


HOROVODS = """
    Adasum Average Compression DistributedOptimizer DistributedTrainer Max Min ProcessSet Product
    Sum add_process_set allgather allgather_object allreduce allreduce_ alltoall broadcast
    broadcast_ broadcast_object broadcast_parameters ccl_built cross_rank cross_size cuda_built
    ddl_built global_process_set gloo_built gloo_enabled grouped_allgather grouped_allreduce
    grouped_allreduce_ grouped_reducescatter init is_initialized local_rank local_size mpi_built
    mpi_enabled mpi_threads_supported nccl_built rank reducescatter remove_process_set rocm_built
    shutdown size start_timeline stop_timeline
"""


def test_it_has_the_names_of_horovod() -> None:
    assert {*HOROVODS.split()} <= {*hvd.__all__}
    assert all(hasattr(hvd, name) for name in hvd.__all__)


PROGRAM = """
import horovod, horovod.mxnet as hvd, gluonic.horovod
from horovod.mxnet.training import DistributedTrainer
assert hvd is horovod.mxnet is gluonic.horovod and hvd.DistributedTrainer is DistributedTrainer
hvd.init()
print(hvd.size(), hvd.allreduce(__import__("mxnet").nd.ones(2)).asnumpy())
"""


def test_a_program_imports_it_as_horovod() -> None:
    pytest.importorskip("mpi4py")
    command = [sys.executable, "-m", "gluonic", "-c", PROGRAM]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.stdout == "1 [1. 1.]\n", found.stderr
    assert "one rank alone" in found.stderr
