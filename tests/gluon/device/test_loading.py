"""Loaders whose batches a GPU copies while it computes."""

from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import gluon, nd
from gluonic.device.devices import device
from gluonic.ndarray import Context

X = np.arange(24, dtype=np.float32).reshape(6, 4)


def test_pinned_batches_are_in_memory_that_the_gpu_gave(
    gpu: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, sizes = device(0), list[int]()
    host_array = there.host_array

    def counted(size: int) -> Any:
        sizes.append(size)
        return host_array(size)

    monkeypatch.setattr(there, "host_array", counted)
    data = gluon.data.ArrayDataset(X, np.arange(6, dtype=np.int32))
    batches = list(gluon.data.DataLoader(data, 3, pin_memory=True))
    assert sizes == [48, 12, 48, 12]
    for x, y in batches:
        assert {x.context, y.context} == {mx.cpu_pinned(0)}
        assert x.as_in_context(gpu).context == gpu
    np.testing.assert_array_equal(np.concatenate([x.asnumpy() for x, _ in batches]), X)
    there_and_back = nd.array(X, ctx=gpu).as_in_context(mx.cpu_pinned())
    assert there_and_back.context == nd.array(X, ctx=mx.cpu_pinned()).context == mx.cpu_pinned()
    np.testing.assert_array_equal(there_and_back.asnumpy(), X)
    assert sizes[4:] == [96, 96]


def test_pinned_memory_is_ordinary_where_the_cpu_serves_gpus(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GLUONIC_GPU", "cpu")
    x = nd.array(X, ctx=mx.cpu_pinned())
    assert x.context == mx.cpu_pinned()
    np.testing.assert_array_equal((x + 1).asnumpy(), X + 1)
