"""The extrema of large arrays and numbers have the bits of NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gluonic.graph.extrema import with_numbers

UNUSUAL = (np.nan, -0.0, 0.0, np.inf, -np.inf, 1.5, -7)


@pytest.mark.parametrize("function", [np.maximum, np.minimum])
@pytest.mark.parametrize("number", [0, -0.0, 1.5, float("nan"), float("-inf")])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32"])
@pytest.mark.parametrize("shape", [(), (7, 3), (3, 128, 257), (2, 1 << 15)])
def test_a_number_and_an_array_of_any_size_give_numpys_bits(
    function: Any, number: float, dtype: str, shape: tuple[int, ...]
) -> None:
    elements = UNUSUAL if np.dtype(dtype).kind == "f" else (-2, 0, 5)
    array = np.resize(np.array(elements, dtype), shape)
    found, expected = with_numbers(function)(array, number), function(array, number)
    assert found.dtype == expected.dtype
    assert found.tobytes() == expected.tobytes()


def test_a_transposed_array_keeps_its_order() -> None:
    array = np.arange(1 << 16, dtype=np.float32).reshape(256, 256).T
    found = with_numbers(np.maximum)(array, 1000)
    np.testing.assert_array_equal(found, np.maximum(array, 1000))
