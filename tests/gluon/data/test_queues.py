"""Arrays are sent through queues between processes; loops make batches of them."""

import multiprocessing
import queue
import threading
from typing import Any

import numpy as np
import pytest

from gluonic import nd
from gluonic.gluon.data import dataloader
from gluonic.gluon.data.batchify import default_batchify_fn


@pytest.mark.parametrize("kind", ["Queue", "SimpleQueue"])
def test_arrays_travel_through_queues(kind: str) -> None:
    made = getattr(dataloader, kind)()
    child = multiprocessing.get_context("fork").Process(target=_answer, args=(made,))
    child.start()
    number, array = made.get()
    child.join()
    assert number == 3
    assert (array.asnumpy() == np.arange(4)).all()
    made.close()


def _answer(made: Any) -> None:
    made.put((3, nd.arange(4)))


def test_a_connection_transfers_what_it_is_given() -> None:
    ends = [dataloader.ConnectionWrapper(end) for end in multiprocessing.Pipe()]
    ends[0].send({"array": nd.ones((2,))})
    assert ends[1].recv()["array"].asnumpy().tolist() == [1, 1]
    ends[0].close()
    assert ends[0].closed


@pytest.mark.parametrize("lock", [None, threading.Lock()], ids=["no lock", "a lock"])
@pytest.mark.parametrize("pinned", [False, True])
def test_worker_loops_make_batches_and_put_them_into_their_queues(lock: Any, pinned: bool) -> None:
    keys: Any = queue.Queue()
    made: Any = queue.Queue()
    for key in ((0, [2, 1]), (1, [0]), (None, None)):
        keys.put(key)
    dataloader.worker_loop_v1(nd.arange(3), keys, made, default_batchify_fn)
    made.put((None, None))
    found: dict[int, Any] = {}
    dataloader.fetcher_loop_v1(made, found, pinned, 0, lock)
    assert {key: batch.asnumpy().ravel().tolist() for key, batch in found.items()} == {
        0: [2, 1],
        1: [0],
    }
    assert {batch.context.device_type for batch in found.values()} == {
        "cpu_pinned" if pinned else "cpu"
    }


@pytest.mark.parametrize("workers", [0, 2])
def test_the_first_loader_loads(workers: int) -> None:
    loader = dataloader.DataLoaderV1(range(5), 2, last_batch="discard", num_workers=workers)
    assert [batch.asnumpy().tolist() for batch in loader] == [[0, 1], [2, 3]]
