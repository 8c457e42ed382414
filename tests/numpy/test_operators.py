"""Python's operators on `mx.np` arrays and symbols, beside NumPy's."""

import operator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import mutually_broadcastable_shapes

from gluonic import autograd, nd, sym
from gluonic.ndarray.numpy.array import ndarray
from gluonic.symbol.numpy.symbols import _Symbol

ARITHMETIC = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.mod,
    operator.pow,
]
COMPARISONS = [operator.eq, operator.ne, operator.gt, operator.ge, operator.lt, operator.le]


def of(elements: Any) -> Any:
    return nd.array(elements, dtype=elements.dtype).as_np_ndarray()


def numbers(shape: tuple[int, ...], first: float = 1) -> Any:
    count = int(np.prod(shape))
    return (first + np.arange(count) % 5 / 2).astype(np.float32).reshape(shape)


@given(
    mutually_broadcastable_shapes(num_shapes=2, max_dims=3, min_side=0, max_side=3),
    st.sampled_from([*ARITHMETIC, *COMPARISONS]),
)
def test_operators_broadcast_as_numpys(shapes: Any, op: Any) -> None:
    x, y = (numbers(shape, 1 + i) for i, shape in enumerate(shapes.input_shapes))
    found, expected = op(of(x), of(y)), op(x, y)
    assert type(found) is ndarray
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("op", [*ARITHMETIC, *COMPARISONS])
@pytest.mark.parametrize("number", [2, 1.5, True, np.float32(2), np.int64(3)])
@pytest.mark.parametrize("shape", [(), (0, 2), (2, 3)])
def test_numbers_may_be_on_both_sides(op: Any, number: Any, shape: tuple[int, ...]) -> None:
    x = numbers(shape)
    for found, expected in [(op(of(x), number), op(x, number)), (op(number, of(x)), op(number, x))]:
        assert type(found) is ndarray
        assert found.shape == np.shape(expected)
        np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("op", COMPARISONS)
def test_comparisons_give_truth_values(op: Any) -> None:
    assert op(of(numbers((3,))), 1.5).dtype == np.bool_


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        (operator.iadd, [3, 3.5]),
        (operator.isub, [-1, -0.5]),
        (operator.imul, [2, 3]),
        (operator.itruediv, [0.5, 0.75]),
        (operator.imod, [1, 1.5]),
        (operator.ipow, [1, 2.25]),
    ],
)
def test_in_place_operators_write_into_the_array(op: Any, expected: list[float]) -> None:
    x = of(numbers((2,)))
    shared = x[:]
    assert op(x, 2) is x
    assert shared.asnumpy().tolist() == expected


def test_an_array_of_mx_nd_beside_one_of_mx_np_gives_one_of_mx_np() -> None:
    x, y = of(numbers((2,))), nd.ones(2)
    assert [type(one) for one in (x + y, y + x, x == y)] == [ndarray] * 3
    assert (x + y).tolist() == (y + x).tolist() == [2, 2.5]


@pytest.mark.parametrize("other", [None, "1", [1, 2]])
def test_what_is_neither_an_array_nor_a_number_is_refused(other: Any) -> None:
    x = of(numbers((2,)))
    for op in (operator.add, operator.eq):
        with pytest.raises(TypeError, match="not supported"):
            op(x, other)
        with pytest.raises(TypeError, match="not supported"):
            op(other, x)


def test_gradients_flow_through_operators() -> None:
    x, y = of(numbers((2, 1))), of(numbers((3,)))
    x.attach_grad()
    y.attach_grad()
    with autograd.record():
        z = (2 * x - y / x) ** 2
    z.backward()
    u, v = x.asnumpy(), y.asnumpy()
    np.testing.assert_allclose(
        x.grad.asnumpy(), (2 * (2 * u - v / u) * (2 + v / u**2)).sum(1, keepdims=True), rtol=1e-5
    )
    np.testing.assert_allclose(y.grad.asnumpy(), (2 * (2 * u - v / u) * -1 / u).sum(0), rtol=1e-5)


@pytest.mark.parametrize("op", [*ARITHMETIC, *COMPARISONS])
def test_symbols_have_the_same_operators(op: Any) -> None:
    x, y = sym.var("x").as_np_ndarray(), sym.var("y").as_np_ndarray()
    a, b = numbers((2, 1), 2), numbers((3,))
    for symbol, expected in [(op(x, y), op(a, b)), (op(x, 2), op(a, 2)), (op(2, y), op(2, b))]:
        assert type(symbol) is _Symbol
        known = {"x": nd.array(a), "y": nd.array(b)}
        found = symbol.eval(**{name: known[name] for name in symbol.list_arguments()})[0]
        np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-6)
        assert found.dtype == expected.dtype


@pytest.mark.parametrize("op", [operator.and_, operator.or_, operator.xor])
def test_integers_and_truth_values_are_combined_bit_by_bit(op: Any) -> None:
    x, y = np.array([1, 6, 12], np.int32), np.array([3, 5, 8], np.int32)
    np.testing.assert_array_equal(op(of(x), of(y)).asnumpy(), op(x, y))
    np.testing.assert_array_equal(op(of(x), 5).asnumpy(), op(x, 5))
    np.testing.assert_array_equal(op(of(x > 5), of(y > 4)).asnumpy(), op(x > 5, y > 4))
    np.testing.assert_array_equal((~of(x)).asnumpy(), ~x)


def test_matrices_are_multiplied_and_numbers_rounded() -> None:
    x = numbers((2, 3))
    np.testing.assert_allclose((of(x) @ of(x.T)).asnumpy(), x @ x.T)
    for shown, rounded in [
        (abs(of(-x)), abs(x)),
        (-of(x), -x),
        (round(of(x / 3), 1), np.round(x / 3, 1)),
    ]:
        np.testing.assert_allclose(shown.asnumpy(), rounded, rtol=1e-6)


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ({"min": 0}, [1, 0, 3]),
        ({"max": 1}, [1, -2, 1]),
        ({"min": -1, "max": 2}, [1, -1, 2]),
    ],
)
def test_clip_takes_one_limit_or_both(limits: dict[str, float], expected: list[float]) -> None:
    assert of(np.array([1.0, -2, 3])).clip(**limits).tolist() == expected
