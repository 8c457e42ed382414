"""Numbers take the dtype of the array that they meet, whatever NumPy makes of them: with axes and without."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gluonic import nd
from gluonic.graph.operator import REGISTRY
from tests.graph.registry_samples import SAMPLES, application_of, cast, over_operators, run

FLOATS = ("float16", "float32", "float64")
INTEGERS = ("int8", "uint8", "int32", "int64")
NUMBERS = (0.1, -2.5, 3, True, 300, 1e5, 1e40, float("inf"), np.float32(0.1), np.float64(0.1))
OPERATIONS = (operator.add, operator.sub, operator.mul, operator.truediv)
SHAPES = ((4,), (1,), (2, 2), ())


def elements(dtype: str, shape: tuple[int, ...]) -> Any:
    count = int(np.prod(shape))
    return np.array([1, 0.3, 7, 100])[:count].astype(dtype).reshape(shape)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_floats_keep_their_dtype_beside_any_number(
    dtype: str, shape: tuple[int, ...], operation: Callable[[Any, Any], Any]
) -> None:
    x = elements(dtype, shape)
    for number in NUMBERS:
        with np.errstate(all="ignore"):
            typed = np.array([number]).astype(dtype)  # an array: nothing is left to be decided
            expected = operation(x.reshape(-1), typed).reshape(shape)
            reflected = operation(typed, x.reshape(-1)).reshape(shape)
        for found, wanted in (
            (operation(nd.array(x, dtype=dtype), number), expected),
            (operation(float(number), nd.array(x, dtype=dtype)), reflected),
        ):
            assert found.dtype == np.dtype(dtype)
            np.testing.assert_array_equal(found.asnumpy(), wanted)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("number", [-1, 300, 70000, 2**31 - 1])
def test_whole_numbers_wrap_around_in_integers(dtype: str, number: int) -> None:
    wanted = np.array([number]).astype(dtype)
    written = nd.zeros((1,), dtype=dtype)
    written[:] = number
    for found in (nd.full((1,), number, dtype=dtype), written):
        assert found.dtype == np.dtype(dtype)
        np.testing.assert_array_equal(found.asnumpy(), wanted)


def _takes_elements(name: str) -> bool:
    """Whether an operator computes each element from those at its position, and draws nothing."""
    op = REGISTRY[name]
    other_shapes = "preloaded" in name or "_group_" in name
    return op.scalar is not None or ("_update" in name and not other_shapes)


def _without_axes(array: Any, original: Any) -> Any:
    """One number without axes; results that are always one number (a norm, for example) have one axis."""
    return array.copy() if original.shape == (1,) else array.reshape(()).copy()


@over_operators(filter(_takes_elements, SAMPLES))
def test_results_without_axes_are_those_of_one_element(name: str) -> None:
    samples = [s for s in SAMPLES[name] if all(np.size(a) for a in s.inputs)]
    assert samples
    for sample in samples:
        used = application_of(name, sample)
        for dtype in ("float16", "float32"):
            given = cast(sample, dtype)
            arrays = [a.ravel()[:1] for a in given]
            with_an_axis = run(used, [a.copy() for a in arrays], sample)
            without = run(used, [*map(_without_axes, arrays, given)], sample)
            for found, wanted in zip(without, with_an_axis, strict=True):
                assert found.dtype == wanted.dtype
                np.testing.assert_array_equal(found.reshape(-1), wanted)
