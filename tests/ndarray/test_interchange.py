"""Arrays shared with NumPy and with DLPack."""

import numpy as np
import pytest

import gluonic as mx
from gluonic import nd

DTYPES = ["float16", "float32", "float64", "uint8", "int8", "int32", "int64", "bool"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_dlpack_shares_memory_both_ways(dtype: str) -> None:
    if dtype == "bool" and np.lib.NumpyVersion(np.__version__) < "1.25.0":
        pytest.skip("NumPy exports no booleans")
    x = nd.zeros((2, 3), dtype=dtype)
    exported = np.from_dlpack(x)
    assert np.shares_memory(exported, np.asarray(x))
    y = nd.from_dlpack(np.ones((2, 3), dtype))
    assert y.asnumpy().dtype == dtype
    y[0] = 0
    assert y.asnumpy().sum() == 3


def test_capsules_for_writing_are_written_through() -> None:
    x = nd.zeros((2,))
    y = nd.from_dlpack(x.to_dlpack_for_write())
    y[:] = 3
    assert x.asnumpy().tolist() == [3, 3]
    z = nd.from_dlpack(nd.to_dlpack_for_read(x))
    assert z.asnumpy().tolist() == [3, 3]


def test_arrays_exported_by_older_libraries_are_writable() -> None:
    class Exported:
        """An array of a library whose capsules do not record whether they are read-only."""

        array = np.ones((2,), np.float32)

        def __dlpack__(self, stream: None = None) -> object:
            return self.array.__dlpack__()

        def __dlpack_device__(self) -> tuple[int, int]:
            return self.array.__dlpack_device__()

    x = nd.from_dlpack(Exported())
    x[0] = 5
    assert Exported.array.tolist() == [5, 1]


def test_a_capsule_outlives_its_array_and_is_read_once() -> None:
    capsule = nd.array([1, 2]).to_dlpack_for_read()
    x = nd.from_dlpack(capsule)
    assert x.asnumpy().tolist() == [1, 2]
    with pytest.raises(mx.MXNetError):
        nd.from_dlpack(capsule)


@pytest.mark.parametrize("value", [3, "text", None])
def test_values_other_than_tensors_are_refused(value: object) -> None:
    with pytest.raises(mx.MXNetError, match="from_dlpack"):
        nd.from_dlpack(value)


def test_dtypes_that_mxnet_lacks_are_refused() -> None:
    with pytest.raises(mx.MXNetError, match="complex64"):
        nd.from_dlpack(np.ones(2, np.complex64))
    with pytest.raises(ValueError, match="complex64"):
        nd.from_numpy(np.ones(2, np.complex64))


def test_from_numpy_shares_memory_and_locks_the_original() -> None:
    original = np.zeros((2, 2), np.float32)
    x = nd.from_numpy(original)
    x[0] = 5
    assert original[0].tolist() == [5, 5]
    with pytest.raises(ValueError, match="read-only"):
        original[0] = 1
    copied = nd.from_numpy(original, zero_copy=False)
    copied[:] = 7
    assert original[0].tolist() == [5, 5]


def test_from_numpy_refuses_to_share_what_is_not_contiguous() -> None:
    with pytest.raises(ValueError, match="c-contiguous"):
        nd.from_numpy(np.zeros((2, 3)).T)


def test_the_array_interface_is_that_of_numpy() -> None:
    x = nd.zeros((2, 3))
    assert x.__array_interface__["shape"] == (2, 3)
    assert np.shares_memory(np.asarray(x), x.elements)


def test_from_numpy_makes_arrays_of_a_class() -> None:
    class Mine(nd.NDArray):
        pass

    assert type(nd.from_numpy(np.ones(2, np.float32), array_cls=Mine)) is Mine
    assert type(nd.from_numpy(np.ones(2, np.float32), zero_copy=False, array_cls=Mine)) is Mine
