"""Data sets, samplers and loaders; workers survive any fault."""

import multiprocessing
import os
import signal
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import gluon, nd
from gluonic.gluon.data import (
    ArrayDataset,
    BatchSampler,
    DataLoader,
    Dataset,
    FilterSampler,
    RandomSampler,
    SequentialSampler,
    SimpleDataset,
)

WORKERS = pytest.mark.parametrize(
    "workers",
    [{}, {"num_workers": 2}, {"num_workers": 2, "thread_pool": True}],
    ids=["alone", "processes", "threads"],
)


def values(dataset: Any) -> list[Any]:
    return [dataset[i] for i in range(len(dataset))]


@pytest.mark.parametrize("lazy", [True, False])
def test_samples_are_transformed_whole_or_in_their_first_part(lazy: bool) -> None:
    pairs = ArrayDataset([1, 2], [3, 4])
    assert values(pairs.transform(lambda x, y: x + y, lazy)) == [4, 6]
    assert values(pairs.transform_first(lambda x: -x, lazy)) == [(-1, 3), (-2, 4)]
    assert values(SimpleDataset([1, 2]).transform_first(lambda x: -x, lazy)) == [-1, -2]


def test_lazy_transforms_run_when_samples_are_asked_for() -> None:
    calls: list[int] = []
    dataset = SimpleDataset([1, 2]).transform(calls.append)
    assert calls == []
    dataset[1]
    assert calls == [2]


def test_samples_are_filtered_taken_sharded_and_sampled() -> None:
    dataset = SimpleDataset(list(range(10)))
    assert values(dataset.filter(lambda x: x % 3 == 0)) == [0, 3, 6, 9]
    assert values(dataset.take(3)) == [0, 1, 2]
    assert len(dataset.take(None)) == len(dataset.take(99)) == 10
    assert values(dataset.sample(FilterSampler(lambda x: x > 7, dataset))) == [8, 9]
    assert values(dataset.transform(lambda x: -x).take(2)) == [0, -1]
    with pytest.raises(TypeError, match="Sampler"):
        dataset.sample([1, 2])  # type: ignore[arg-type]


@pytest.mark.parametrize("shards", [1, 3, 4, 12])
def test_shards_hold_every_sample_once_and_are_nearly_equal(shards: int) -> None:
    dataset = SimpleDataset(list(range(10)))
    parts = [values(dataset.shard(shards, i)) for i in range(shards)]
    assert [x for part in parts for x in part] == list(range(10))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    with pytest.raises(ValueError, match="count from 0"):
        dataset.shard(shards, shards)


def test_arrays_are_zipped_and_vectors_give_numbers() -> None:
    dataset = ArrayDataset(nd.ones((3, 2)), nd.array([4, 5, 6]))
    x, y = dataset[1]
    assert isinstance(x, nd.NDArray)
    assert (x.shape, float(y)) == ((2,), 5)
    assert isinstance(y, np.float32)
    with pytest.raises(ValueError, match=r"lengths: \[2, 3\]"):
        ArrayDataset([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="at least one"):
        ArrayDataset()


@pytest.mark.parametrize(
    ("last_batch", "epochs"),
    [
        ("keep", [[[0, 1, 2], [3, 4]], [[0, 1, 2], [3, 4]]]),
        ("discard", [[[0, 1, 2]], [[0, 1, 2]]]),
        ("rollover", [[[0, 1, 2]], [[3, 4, 0], [1, 2, 3]]]),
    ],
)
def test_a_small_last_batch_is_kept_discarded_or_rolled_over(
    last_batch: Any, epochs: list[Any]
) -> None:
    sampler = BatchSampler(SequentialSampler(5), 3, last_batch)
    for epoch in epochs:
        assert len(sampler) == len(epoch)
        assert list(sampler) == epoch


def test_random_samplers_shuffle_each_epoch_and_follow_numpys_seed() -> None:
    sampler = RandomSampler(50)
    first, second = list(sampler), list(sampler)
    assert first != second
    assert sorted(first) == sorted(second) == list(range(50))
    orders = []
    for _ in range(2):
        np.random.seed(3)
        orders.append(list(sampler))
    assert orders[0] == orders[1]


@pytest.mark.parametrize("settings", [{"last_batch": "drop"}, {"batch_size": 0}])
def test_impossible_batches_are_refused(settings: Any) -> None:
    with pytest.raises(ValueError, match="must be"):
        BatchSampler(SequentialSampler(5), **{"batch_size": 3, **settings})


@WORKERS
def test_batches_come_in_order_epoch_after_epoch(workers: Any) -> None:
    dataset = ArrayDataset(np.arange(20).reshape(10, 2), np.arange(10, dtype=np.int64))
    loader = DataLoader(dataset, 4, **workers)
    for _ in range(2):
        batches = list(loader)
        assert len(batches) == len(loader) == 3
        assert [labels.asnumpy().tolist() for _, labels in batches] == [
            [0, 1, 2, 3],
            [4, 5, 6, 7],
            [8, 9],
        ]
        assert [data.shape for data, _ in batches] == [(4, 2), (4, 2), (2, 2)]
        assert batches[0][1].dtype is np.int64


@WORKERS
def test_arrays_are_stacked_and_tuples_taken_apart(workers: Any) -> None:
    samples = [(nd.ones((2,)) * i, [i, i + 1], float(i)) for i in range(4)]
    ((arrays, lists, numbers),) = list(DataLoader(samples, 4, **workers))
    assert arrays.asnumpy()[3].tolist() == [3, 3]
    assert lists.shape == (4, 2)
    assert numbers.asnumpy().tolist() == [0, 1, 2, 3]


@WORKERS
def test_batches_are_made_by_a_user_defined_function(workers: Any) -> None:
    loader = DataLoader([1, 2, 3], 2, batchify_fn=lambda samples: sum(samples), **workers)
    assert list(loader) == [3, 3]


@WORKERS
def test_a_break_leaves_the_loader_ready_for_the_next_epoch(workers: Any) -> None:
    loader = DataLoader(list(range(40)), 2, **workers)
    for batch in loader:
        if batch.asnumpy()[0] == 4:
            break
    assert [b.asnumpy()[0] for b in loader] == list(range(0, 40, 2))


class Faulty(Dataset):
    def __init__(self, error: Exception) -> None:
        self.error = error

    def __len__(self) -> int:
        return 8

    def __getitem__(self, idx: int) -> int:
        if idx == 5:
            raise self.error
        return idx


class Unpicklable(Exception):
    def __init__(self, one: int, two: int) -> None:
        super().__init__("cannot be made again")


@WORKERS
def test_a_failing_sample_raises_its_own_exception_and_nothing_is_lost(workers: Any) -> None:
    loader = DataLoader(Faulty(KeyError("sample 5")), 2, **workers)
    for _ in range(2):
        batches = iter(loader)
        assert [next(batches).asnumpy().tolist() for _ in range(2)] == [[0, 1], [2, 3]]
        with pytest.raises(KeyError, match="sample 5") as caught:
            next(batches)
    if workers == {"num_workers": 2}:
        assert "samples [4, 5]" in str(caught.value.__notes__)
        assert "__getitem__" in str(caught.value.__cause__)  # the worker's traceback


UNEQUAL = {
    "NDArray": ([nd.ones((2, 3)), nd.ones((2, 3)), nd.ones((2, 4))], r"\(2, 3\)", r"\(2, 4\)"),
    "numpy": ([np.ones((2, 3)), np.ones((2, 3)), np.ones(2)], r"\(2, 3\)", r"\(2,\)"),
    "lists": ([[1, 2], [1, 2], [1, 2, 3]], r"\(2,\)", r"\(3,\)"),
    "ragged": ([[1, 2], [1, 2], [1, [2]]], r"\(2,\)", "list of unequal parts"),
    "parts": ([(1, np.ones(2))] * 2 + [(1, np.ones(3))], r"part 1: .*\(2,\)", r"part 1: .*\(3,\)"),
    "nested": ([(1, (2, [3]))] * 2 + [(1, (2, 3))], "part 1: part 1: list", "part 1: part 1: int"),
    "longer": ([(1, 2), (1, 2), (1, 2, 3)], "tuple of 2", "tuple of 3"),
    "dtypes": ([nd.ones(2), nd.ones(2), nd.ones(2, dtype="int32")], "float32", "int32"),
    "kinds": ([np.ones(2), np.ones(2), 3], "ndarray", "int"),
}


@WORKERS
@pytest.mark.parametrize("case", UNEQUAL)
def test_samples_of_different_shapes_are_named_with_their_shapes(workers: Any, case: str) -> None:
    samples, first, other = UNEQUAL[case]
    loader = DataLoader(samples[:2] + samples, 5, **workers)  # type: ignore[index]
    with pytest.raises(ValueError, match=rf"sample 0: .*{first}.*\n  sample 4: .*{other}"):
        list(loader)


@pytest.mark.parametrize("workers", [{}, {"num_workers": 1}])
def test_the_line_that_requested_a_batch_is_named(workers: Any) -> None:
    with pytest.raises(ValueError, match="no batch") as caught:
        list(DataLoader([np.ones(2), np.ones(3)], 2, **workers))
    assert f'File "{__file__}"' in str(caught.value)


def test_an_error_in_a_user_defined_function_names_its_samples() -> None:
    def refuse(samples: Any) -> Any:
        raise KeyError("of my own")

    with pytest.raises(KeyError, match="of my own") as caught:
        list(DataLoader([1, 2, 3], 2, batchify_fn=refuse))
    assert caught.value.__notes__ == ["in a DataLoader, making the batch of samples [0, 1]"]


def test_an_exception_that_cannot_be_pickled_is_reported_as_text() -> None:
    loader = DataLoader(Faulty(Unpicklable(1, 2)), 2, num_workers=1)
    with pytest.raises(mx.MXNetError, match=r"__getitem__[\s\S]*Unpicklable: cannot be made again"):
        list(loader)


def _die(samples: Sequence[int]) -> Sequence[int]:
    if samples[0] == 4:
        os.kill(os.getpid(), signal.SIGKILL)
    return samples


def test_a_killed_worker_is_reported_and_replaced() -> None:
    loader = DataLoader(list(range(8)), 2, num_workers=1, batchify_fn=_die)
    for _ in range(2):
        with pytest.raises(mx.MXNetError, match="worker process ended"):
            list(loader)


def test_workers_leave_control_c_to_the_parent() -> None:
    loader = DataLoader(list(range(8)), 2, num_workers=1)
    batches, before = iter(loader), set(multiprocessing.active_children())
    next(batches)
    (process,) = set(multiprocessing.active_children()) - before
    assert process.pid is not None
    os.kill(process.pid, signal.SIGINT)
    assert len(list(batches)) == 3
    assert process.is_alive()


def test_a_slow_batch_times_out_with_advice() -> None:
    blocked = multiprocessing.Event()
    loader = DataLoader([1], 1, num_workers=1, timeout=0.2, batchify_fn=lambda _: blocked.wait(60))
    with pytest.raises(multiprocessing.TimeoutError, match="larger timeout="):
        list(loader)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="workers must inherit a pipe")
def test_workers_that_hang_end_with_the_time_out() -> None:
    reading, writing = os.pipe()

    def hang(_: Any) -> Any:
        os.write(writing, b"x")
        while True:
            signal.pause()

    loader = DataLoader([1, 2], 1, num_workers=2, timeout=2, batchify_fn=hang)
    for _ in range(2):  # the second time, it starts new ones
        with pytest.raises(multiprocessing.TimeoutError):
            list(loader)
    os.close(writing)
    with open(reading, "rb") as pipe:
        assert pipe.read() in (b"xx", b"xxx", b"xxxx"), "it ends when all workers have ended"


def test_random_numbers_of_workers_follow_the_seed_and_differ_by_batch() -> None:
    class Noise(Dataset):
        def __len__(self) -> int:
            return 6

        def __getitem__(self, idx: int) -> Any:
            return nd.random.uniform(shape=(2,)), np.random.rand()

    runs = []
    for _ in range(2):
        mx.random.seed(7)
        batches = list(DataLoader(Noise(), 2, num_workers=2))
        runs.append([[part.asnumpy().tolist() for part in batch] for batch in batches])
    assert runs[0] == runs[1]
    assert len({str(batch) for batch in runs[0]}) == 3


def test_a_temporary_loader_lives_as_long_as_its_iterator() -> None:
    batches = iter(DataLoader(nd.ones((5,)), 2, num_workers=1, batchify_fn=list))
    assert [float(x.asscalar()) for x in next(batches)] == [1, 1]


def test_the_next_epoch_is_made_ahead_if_asked_for() -> None:
    loader = DataLoader(list(range(4)), 2, num_workers=1, auto_reload=True)
    assert loader._iter is not None
    for _ in range(2):
        assert [b.asnumpy().tolist() for b in loader] == [[0, 1], [2, 3]]
        assert loader._iter is not None
    loader.clean()
    assert loader._iter is None


def test_batches_are_pinned_if_asked_for() -> None:
    ((x, y),) = list(DataLoader(ArrayDataset([1], [2]), 1, pin_memory=True))
    assert x.context == y.context == mx.cpu_pinned(0)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"batch_size": 2, "timeout": 0},
        {"batch_size": 2, "shuffle": True, "sampler": SequentialSampler(3)},
        {"batch_size": 2, "batch_sampler": BatchSampler(SequentialSampler(3), 2)},
    ],
)
def test_contradicting_settings_are_refused(settings: Any) -> None:
    with pytest.raises(ValueError, match="DataLoader"):
        DataLoader([1, 2, 3], **settings)


def test_a_loader_shuffles_and_takes_samplers() -> None:
    np.random.seed(0)
    (batch,) = DataLoader(list(range(100)), 100, shuffle=True)
    assert batch.asnumpy().tolist() != list(range(100))
    assert sorted(batch.asnumpy().tolist()) == list(range(100))
    chosen = DataLoader(list(range(9)), 2, sampler=SequentialSampler(3, 4))
    assert [b.asnumpy().tolist() for b in chosen] == [[4, 5], [6]]


def test_public_namespaces_have_the_names_of_mxnets() -> None:
    names = {"DataLoader", "ArrayDataset", "SimpleDataset", "RecordFileDataset", "Sampler"}
    assert names <= set(dir(gluon.data))
