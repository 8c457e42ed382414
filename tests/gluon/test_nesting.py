"""MXNet's private functions that take nested arrays apart; formats measured on MXNet 1.9.1."""

from typing import Any

import pytest

from gluonic import gluon, nd, sym
from gluonic.gluon.nesting import _flatten, _regroup

X = nd.ones((1,))
S = sym.var("s")
GROUP = sym.Group([S, S])


@pytest.mark.parametrize(
    ("nested", "count", "form"),
    [
        (X, 1, 0),
        (S, 1, 0),
        (GROUP, 1, 2),
        (None, 1, -1),
        ([X], 1, [0]),
        ((X, [None, [X]]), 3, [0, [-1, [0]]]),
        ([], 0, []),
    ],
)
def test_nested_arrays_are_taken_apart(nested: Any, count: int, form: Any) -> None:
    flat, found = _flatten(nested, "input")
    assert (len(flat), found) == (count, form)


def test_flattening_and_regrouping_is_the_identity() -> None:
    flat, form = _flatten((X, [None, [S]]), "input")
    first, (second, (third,)) = _regroup(flat, form)
    assert first is X
    assert second is None
    assert third is S
    assert _regroup([X, S, X], [2, 0]) == [[X, S], X]
    assert _regroup([X, S], 2) == [X, S]
    assert _regroup(X, 0) is X


@pytest.mark.parametrize("value", [3, [3], {"a": X}, "x"])
def test_values_other_than_arrays_are_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="the input of a block"):
        _flatten(value, "input")


@pytest.mark.parametrize(("flat", "form"), [([X], [-1]), ([X], -2), (X, [0]), ([], 0)])
def test_mismatched_shapes_are_refused(flat: Any, form: Any) -> None:
    with pytest.raises(ValueError, match="cannot be nested as"):
        _regroup(flat, form)


def test_programs_find_them_where_mxnet_has_them() -> None:
    assert gluon.block._flatten is _flatten
    assert gluon.block._regroup is _regroup
    assert gluon.tensor_types == (sym.Symbol, nd.NDArray)  # type: ignore[attr-defined]
