"""What an NDArray is: its properties, conversions and printing."""

import copy
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import nd

DTYPES = ["float16", "float32", "float64", "uint8", "int8", "int32", "int64", "bool"]


def test_values_are_float32_unless_an_ndarray_or_a_dtype_is_given() -> None:
    assert nd.array([1, 2]).dtype is np.float32
    assert nd.array(np.arange(3)).dtype is np.float32
    assert nd.array([True]).dtype is np.float32
    assert nd.array(nd.array([1], dtype="int8")).dtype is np.int8
    assert nd.array([1], dtype=np.int64).dtype is np.int64


TEXT: list[tuple[Any, Any, Any]] = [
    (["1", "2.5"], "float32", [1, 2.5]),
    ([["1"], [b"2"]], "int32", [[1], [2]]),
    ("3", "float16", 3),
    (np.array(["1", "2"]), "float32", [1, 2]),
    (["1", 2], "float32", [1, 2]),
]


@pytest.mark.parametrize(("value", "dtype", "expected"), TEXT)
def test_text_is_read_as_numbers(value: Any, dtype: str, expected: Any) -> None:
    found = nd.array(value, dtype=dtype)
    assert found.dtype == np.dtype(dtype)
    assert found.asnumpy().tolist() == expected


@pytest.mark.parametrize("value", [["a"], "", ["1", [2]]])
def test_values_that_are_not_numbers_are_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="array like"):
        nd.array(value)


def test_text_must_be_of_the_dtypes_kind() -> None:
    with pytest.raises(TypeError, match="array like"):
        nd.array(["2.5"], dtype="int32")


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_survives_creation_and_copying(dtype: str) -> None:
    x = nd.array([[0, 1], [1, 0]], dtype=dtype)
    for y in (x, x.copy(), x.astype(dtype), copy.deepcopy(x), x.as_in_context(mx.cpu(1))):
        assert y.asnumpy().dtype == dtype
        assert y.asnumpy().tolist() == x.asnumpy().tolist()


@pytest.mark.parametrize("value", ["text", ["a"], [[1, 2], [3]], {"a": 1}, object()])
def test_values_other_than_arrays_are_refused(value: object) -> None:
    with pytest.raises(TypeError, match="array like"):
        nd.array(value)


def test_integers_out_of_range_wrap_around() -> None:
    assert nd.array([-1, 300], dtype="uint8").asnumpy().tolist() == [255, 44]
    assert nd.array([-1, 300.0]).astype("uint8").asnumpy().tolist() == [255, 44]


def test_asnumpy_and_array_copy_while_asarray_shares() -> None:
    x = nd.zeros((2,))
    x.asnumpy()[0] = 1
    np.array(x)[0] = 1
    assert x.asnumpy().tolist() == [0, 0]
    np.asarray(x)[0] = 1
    assert x.asnumpy().tolist() == [1, 0]
    with pytest.raises(ValueError, match="copy"):
        x.__array__("int32", copy=False)  # as NumPy 2 calls it


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (nd.ones((1, 2)), "\n[[1. 1.]]\n<NDArray 1x2 @cpu(0)>"),
        (nd.array(3), "\n3.0\n<NDArray  @cpu(0)>"),
        (nd.ones((2,), ctx=mx.cpu(2)), "\n[1. 1.]\n<NDArray 2 @cpu(2)>"),
        (nd.zeros((0, 3)), "\n[]\n<NDArray 0x3 @cpu(0)>"),
    ],
)
def test_arrays_print_as_in_mxnet(array: nd.NDArray, text: str) -> None:
    assert repr(array) == text


def test_an_array_of_one_element_is_a_number_and_a_truth_value() -> None:
    x = nd.array([[2.5]])
    assert float(x) == 2.5
    assert int(x) == 2
    assert x
    assert not nd.zeros((1,))
    assert type(nd.array([2.5]).asscalar()) is np.float32


def test_asscalar_of_several_axes_keeps_them_as_in_mxnet() -> None:
    x = nd.array([[2.5]])
    found = x.asscalar()
    assert (type(found), found.shape, found.item()) == (np.ndarray, (1, 1), 2.5)
    found[:] = 7  # it shares no memory
    assert x.asscalar() == 2.5


def test_an_array_of_several_elements_is_neither() -> None:
    x = nd.ones((2,))
    with pytest.raises(ValueError, match="ambiguous"):
        bool(x)
    with pytest.raises(TypeError):
        float(x)
    with pytest.raises(ValueError, match="not a scalar"):
        x.asscalar()


def test_iteration_goes_over_the_first_axis() -> None:
    rows = list(nd.array([[1, 2], [3, 4]]))
    assert [r.asnumpy().tolist() for r in rows] == [[1, 2], [3, 4]]
    assert len(nd.zeros((3, 2))) == 3
    assert any(row == 2 for row in nd.array([1, 2]))
    with pytest.raises(TypeError):
        iter(nd.array(1.0))


def test_unknown_attributes_cannot_be_set() -> None:
    with pytest.raises(AttributeError):
        nd.ones((1,)).gradient = 1  # type: ignore[attr-defined]


def test_reshape_takes_integers() -> None:
    with pytest.raises(TypeError):
        nd.zeros((4,)).reshape((2.0, 2))
    assert nd.zeros((4,)).reshape(np.int64(2), np.int32(-1)).shape == (2, 2)


@pytest.mark.parametrize("shape", [(-1, 2), (2.0,), "abc", (None,)])
def test_a_shape_that_is_none_is_refused(shape: object) -> None:
    with pytest.raises(mx.MXNetError, match="shape"):
        nd.zeros(shape)


def test_an_array_beyond_memory_is_refused_with_its_size() -> None:
    with pytest.raises(MemoryError, match="1,267,650,600,228,229,401,496,703,205,376 elements"):
        nd.zeros((2**50, 2**50))
    with pytest.raises(mx.MXNetError, match=r"4,294,967,296\.00 GiB"):
        nd.full((2**30, 2**30), 1)


def test_zero_size_arrays_are_arrays() -> None:
    x = nd.zeros((0, 3))
    assert (x + 1).shape == (0, 3)
    assert nd.concat(x, nd.ones((2, 3)), dim=0).shape == (2, 3)


def test_out_receives_a_constant() -> None:
    out = nd.zeros((2, 2))
    assert nd.ones((2, 2), out=out) is out
    assert out.asnumpy().tolist() == [[1, 1], [1, 1]]
    assert nd.full((2, 2), 3, out=out).asnumpy().sum() == 12
    with pytest.raises(mx.MXNetError, match="shape"):
        nd.ones((3,), out=out)


def test_copyto_converts_and_checks_the_shape() -> None:
    x = nd.array([1.5, 2.5])
    y = nd.zeros((2,), dtype="int32")
    assert x.copyto(y) is y
    assert y.asnumpy().tolist() == [1, 2]
    assert x.copyto(mx.cpu(1)).context == mx.cpu(1)
    with pytest.raises(mx.MXNetError, match=r"\(2,\)"):
        x.copyto(nd.zeros((3,)))
    with pytest.raises(TypeError):
        x.copyto("cpu")


def test_contexts_nest() -> None:
    with mx.cpu(1):
        with mx.cpu(2):
            assert nd.ones((1,)).context == mx.cpu(2)
        assert nd.array([1]).context == mx.cpu(1)
        assert nd.random.uniform(shape=(2,)).context == mx.cpu(1)
    assert nd.arange(3).context == mx.cpu(0)


@pytest.mark.parametrize(
    ("source", "destination", "shape"),
    [(0, -1, (3, 4, 2)), (-1, 0, (4, 2, 3)), ((0, 1), (1, 2), (4, 2, 3)), (1, 1, (2, 3, 4))],
)
def test_moveaxis_is_that_of_numpy(source: Any, destination: Any, shape: tuple[int, ...]) -> None:
    x = nd.array(np.arange(24).reshape(2, 3, 4))
    moved = nd.moveaxis(x, source, destination)
    assert moved.shape == shape
    expected = np.moveaxis(x.asnumpy(), source, destination)
    assert (moved.asnumpy() == expected).all()


@pytest.mark.parametrize(("source", "destination"), [(3, 0), (0, 5), ([0, 0], [0, 1]), (0, [0, 1])])
def test_moveaxis_refuses_missing_axes(source: object, destination: object) -> None:
    with pytest.raises(ValueError, match="moveaxis"):
        nd.moveaxis(nd.zeros((1, 2, 3)), source, destination)


@pytest.mark.parametrize(
    ("compute", "operator"),
    [
        (lambda: nd.ones((2**25, 1)) + nd.ones((1, 2**25)), "broadcast_add"),
        (lambda: nd.broadcast_to(nd.ones((1, 1)), shape=(2**30, 2**30)), "broadcast_to"),
        (lambda: nd.one_hot(nd.array([1]), depth=2**45), "one_hot"),
        (lambda: nd.random.uniform(shape=(2**40, 2**40)), "_random_uniform"),
    ],
)
def test_a_result_beyond_memory_is_refused_by_its_operator(compute: Any, operator: str) -> None:
    with pytest.raises(MemoryError, match=rf"{operator}: there is no memory") as caught:
        compute()
    assert isinstance(caught.value, mx.MXNetError)
    assert __file__ in str(caught.value)
