"""`topk` finds few elements one after the other, many by partitioning; both give the first in sorted order."""

from typing import Any

import hypothesis.extra.numpy as arrays
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from gluonic import nd

_NUMBERS = {
    "float32": st.sampled_from([0.0, -1.5, 2.5, np.inf, -np.inf, np.nan, 3.0]),
    "float64": st.sampled_from([0.0, -1e300, 2.5, np.inf, -np.inf, np.nan, 1e300]),
    "int32": st.sampled_from([0, -7, 7, 2**31 - 1, -(2**31)]),
    "int64": st.sampled_from([0, -7, 7, 2**63 - 1, -(2**63)]),
}


def _sorted(data: Any, axis: int, ascending: bool) -> Any:
    """Sorted; NaN comes last in ascending order and first in descending."""
    found = np.sort(data, axis)
    return found if ascending else np.flip(found, axis)


@pytest.mark.parametrize("dtype", _NUMBERS)
@given(draw=st.data(), ascending=st.booleans(), count=st.integers(1, 12), axis=st.integers(0, 1))
def test_the_first_elements_in_order_are_found_once_each(
    dtype: str, draw: st.DataObject, ascending: bool, count: int, axis: int
) -> None:
    shape = (3, 200) if axis else (200, 3)
    data = draw.draw(arrays.arrays(dtype, shape, elements=_NUMBERS[dtype]))
    values, indices = nd.topk(
        nd.array(data, dtype=dtype),
        axis=axis,
        k=count,
        ret_typ="both",
        is_ascend=ascending,
        dtype="int64",
    )
    expected = np.take(_sorted(data, axis, ascending), range(count), axis)
    np.testing.assert_array_equal(values.asnumpy(), expected)
    found = indices.asnumpy()
    np.testing.assert_array_equal(np.take_along_axis(data, found, axis), expected)
    lines = np.moveaxis(found, axis, -1).reshape(-1, count)
    assert all(len(set(line)) == count for line in lines.tolist())


@pytest.mark.parametrize("ascending", [False, True])
@pytest.mark.parametrize("number", [np.inf, -np.inf, np.nan])
def test_equal_elements_are_found_once_each(number: float, ascending: bool) -> None:
    data = nd.full((2, 100), number)
    found = nd.topk(data, k=5, is_ascend=ascending, dtype="int32").asnumpy()
    assert [sorted(set(line)) == sorted(line) for line in found.tolist()] == [True, True]
