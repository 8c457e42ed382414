"""What programs ask of keys."""

from typing import Any

import numpy as np
import pytest

from gluonic import nd
from gluonic.ndarray.index_keys import check_boolean_array_dimension


@pytest.mark.parametrize(
    ("key", "code"),
    [
        ((0, slice(2), None), 0),
        ((np.int64(1),), 0),
        (([0, 1],), 1),
        ((0, nd.array([0])), 1),
        ((range(2),), 1),
        (((),), 2),
    ],
)
def test_keys_are_basic_or_advanced(key: Any, code: int) -> None:
    assert nd.get_indexing_dispatch_code(key) == code


def test_keys_of_other_kinds_are_refused() -> None:
    with pytest.raises(ValueError, match="no key 'a' of the type str"):
        nd.get_indexing_dispatch_code(("a",))


@pytest.mark.parametrize(
    "key", [0, (0, ...), (..., 0), (slice(2), None, ..., 1), (1, 2, 3), (None,)]
)
def test_a_key_with_all_axes_means_the_same(key: Any) -> None:
    array = np.arange(60).reshape(3, 4, 5)
    expected = array[key]
    full, prepend = nd.indexing_key_expand_implicit_axes(key, array.shape)
    assert prepend == -1
    assert sum(part is not None for part in full) == 3
    assert np.array_equal(array[full], expected)


def test_two_ellipses_are_refused() -> None:
    with pytest.raises(IndexError, match="one ellipsis"):
        nd.indexing_key_expand_implicit_axes((..., ...), (2, 3))


def test_the_shape_of_gather_nd_can_be_computed_beforehand() -> None:
    data, indices = nd.ones((3, 4, 5)), nd.zeros((2, 7))
    found = nd.get_oshape_of_gather_nd_op(data.shape, indices.shape)
    assert found == nd.gather_nd(data, indices).shape


def test_masks_of_other_shapes_are_refused() -> None:
    check_boolean_array_dimension((2, 3, 4), 1, (3, 4))
    with pytest.raises(IndexError, match="5 elements does not match axis 2, which has 4"):
        check_boolean_array_dimension((2, 3, 4), 1, (3, 5))
