"""Dtypes are read from names, NumPy's and Python's types and MXNet's numbers; all else is refused."""

from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluonic.graph.dtypes import CODE_OF, as_dtype
from gluonic.graph.errors import AttributeValueError


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("float32", "float32"), ("half", "float16"), ("double", "float64"), ("f4", "float32"),
        ("<i8", "int64"), ("?", "bool"), ("0", "float32"), ("7", "bool"),
        (3, "uint8"), (np.float16, "float16"), (float, "float64"), (int, "int64"), (bool, "bool"),
    ],
)  # fmt: skip
def test_a_dtype_has_many_names(given: Any, expected: str) -> None:
    assert as_dtype(given) == np.dtype(expected)
    assert as_dtype(given).isnative


@pytest.mark.parametrize(
    "text",
    [
        "",
        "(2,",
        "i4, (",
        "f4,f4",
        "(1,)f4",
        "a5",
        "S3",
        "M8[s]",
        "99",
        "-1",
        "²",
        "\ud800",
        "\0",
        "0x1",
    ],
)
def test_text_that_numpy_would_take_for_an_expression_is_no_dtype(text: str) -> None:
    with pytest.raises(AttributeValueError, match="is not a dtype of gluonic"):
        as_dtype(text)


@given(
    st.one_of(st.text(), st.from_regex(r"[(<>=|]?[\w,(){}\[\]]{1,8}"), st.binary(), st.integers())
)
def test_anything_else_is_refused_with_an_error_of_gluonic(value: Any) -> None:
    with suppress(AttributeValueError):
        assert as_dtype(value) in CODE_OF
