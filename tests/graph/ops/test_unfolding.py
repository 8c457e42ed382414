"""Windows as columns, and back."""

import numpy as np
import pytest

from gluonic.graph.errors import InferenceError
from tests.graph.applying import apply, infer_shapes


def test_im2col_holds_the_windows_and_col2im_sums_them() -> None:
    image = np.arange(9.0).reshape(1, 1, 3, 3)
    columns = apply("im2col", image, kernel=(2, 2))
    np.testing.assert_array_equal(
        columns[0].T, [[0, 1, 3, 4], [1, 2, 4, 5], [3, 4, 6, 7], [4, 5, 7, 8]]
    )
    found = apply("col2im", columns, output_size=(3, 3), kernel=(2, 2))
    np.testing.assert_array_equal(found, image * [[1, 2, 1], [2, 4, 2], [1, 2, 1]])


def test_shapes_of_columns_are_inferred() -> None:
    assert infer_shapes("im2col", [(None, 3, 5, None)], kernel=(2, 2))[1] == (None, 12, None)
    assert infer_shapes("col2im", [(2, None, None)], output_size=(3, 3), kernel=(2, 2)) == [
        (2, None, 4),
        (2, None, 3, 3),
    ]
    with pytest.raises(InferenceError, match="has 4 windows"):
        apply("col2im", np.zeros((1, 4, 5)), output_size=(3, 3), kernel=(2, 2))
    with pytest.raises(InferenceError, match="not a multiple of 4"):
        apply("col2im", np.zeros((1, 5, 4)), output_size=(3, 3), kernel=(2, 2))
