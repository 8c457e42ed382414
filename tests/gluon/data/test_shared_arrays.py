"""Arrays that processes share."""

import gc
import io
import multiprocessing
import os
import pickle
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gluonic import nd
from gluonic.gluon.data import dataloader


def _double(arguments: Any, results: Any) -> None:
    array = dataloader.rebuild_ndarray(*arguments)
    array *= 2
    results.put(array.asnumpy())


@pytest.mark.parametrize("dtype", ["float32", "uint8", "int64", "float16"])
@pytest.mark.parametrize("shape", [(2, 3), (5,), (0, 4)])
def test_another_process_has_the_array(shape: tuple[int, ...], dtype: str) -> None:
    array = nd.array(np.arange(np.prod(shape)).reshape(shape), dtype=dtype)
    rebuild, arguments = dataloader.reduce_ndarray(array)
    assert rebuild is dataloader.rebuild_ndarray
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    process = context.Process(target=_double, args=(arguments, results))
    process.start()
    found = results.get()
    process.join()
    assert found.dtype == array.dtype
    assert found.tolist() == (array * 2).asnumpy().tolist()


def test_picklers_can_serialize_arrays() -> None:
    file = io.BytesIO()
    pickler = ForkingPickler(file)
    known: Any = pickler.dispatch_table
    pickler.dispatch_table = {**known, nd.NDArray: dataloader.reduce_ndarray}
    pickler.dump([nd.array([1, 2, 3]), "label"])
    array, label = pickle.loads(file.getvalue())
    assert (array.asnumpy().tolist(), label) == ([1, 2, 3], "label")


def test_no_file_is_left_open() -> None:
    def open_files() -> int:
        return len(list(Path(f"/proc/{os.getpid()}/fd").iterdir()))

    def share() -> None:
        rebuild, arguments = dataloader.reduce_ndarray(nd.ones((100,)))
        assert rebuild(*arguments).sum().asscalar() == 100

    share()  # the first one starts what hands files over
    gc.collect()
    before = open_files()
    for _ in range(5):
        share()
    gc.collect()
    assert open_files() <= before
