"""`mx.np`'s functions: written once, they serve arrays at once and symbols in a graph."""

import inspect
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import gluon
from tests.measured.measure import agrees, numbers, read
from tests.measured.numpy_functions import CALLS, SQUARE, X, Y, answered

MEASURED = read("numpy_functions")

UNARY = ("exp", "sqrt", "tanh", "absolute", "negative", "logical_not")
BINARY = (
    "add",
    "subtract",
    "multiply",
    "true_divide",
    "power",
    "maximum",
    "less",
    "equal",
    "hypot",
)


def array(*shape: int) -> "mx.np.ndarray":
    values = np.random.default_rng(len(shape)).uniform(0.5, 2, shape).astype("float32")
    return mx.nd.array(values).as_np_ndarray()  # type: ignore[no-any-return]


class OfTwo(gluon.HybridBlock):
    """A net of one function of two arrays, called as users call it."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name_of_function = name

    def hybrid_forward(self, F: object, x: object, y: object) -> object:
        function = getattr(F.np, self.name_of_function)  # type: ignore[attr-defined]
        return function(x, y), function(x, 2), function(2, y)


@pytest.mark.parametrize("name", BINARY)
def test_a_function_of_two_is_numpys_eagerly_and_in_a_graph(name: str) -> None:
    x, y = array(2, 3), array(3)
    net, expected = OfTwo(name), getattr(np, name)
    eager = net(x, y)
    net.hybridize()
    for results in (eager, net(x, y)):
        for result, wanted in zip(
            results,
            (
                expected(x.asnumpy(), y.asnumpy()),
                expected(x.asnumpy(), 2),
                expected(2, y.asnumpy()),
            ),
            strict=True,
        ):
            assert type(result) is mx.np.ndarray
            np.testing.assert_allclose(result.asnumpy(), wanted, rtol=1e-5)


@pytest.mark.parametrize("name", UNARY)
def test_a_function_of_one_takes_numbers_and_an_output_array(name: str) -> None:
    x, function = array(2, 3), getattr(mx.np, name)
    expected = getattr(np, name)(x.asnumpy())
    np.testing.assert_allclose(function(x).asnumpy(), expected, rtol=1e-5)
    output = mx.nd.zeros((2, 3), dtype=expected.dtype).as_np_ndarray()
    assert function(x, out=output) is output
    np.testing.assert_allclose(output.asnumpy(), expected, rtol=1e-5)
    assert function(2.0) == pytest.approx(getattr(np, name)(2.0))


def test_what_universal_functions_of_numpy_take_besides_is_refused() -> None:
    x = array(2)
    with pytest.raises(NotImplementedError, match="where=False"):
        mx.np.add(x, x, where=False)
    with pytest.raises(TypeError, match="takes no axis="):
        mx.np.exp(x, axis=0)
    with pytest.raises(TypeError, match="type <class 'list'> not supported"):
        mx.np.add(x, [1, 2])


def test_a_function_has_the_signature_without_the_operators() -> None:
    assert [*inspect.signature(mx.np.sum).parameters] == [
        "a", "axis", "dtype", "keepdims", "initial", "out",
    ]  # fmt: skip
    assert mx.np.add.__name__ == "add"
    assert "broadcast together" in (mx.sym.np.add.__doc__ or "")


class OfThree(gluon.HybridBlock):
    """A net of one call, which knows `F.np` and `F.npx` alone."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.call = CALLS[name]

    def hybrid_forward(self, F: Any, x: Any, y: Any, s: Any) -> Any:
        return self.call(F.np, F.npx, x, y, s)


@pytest.mark.filterwarnings("ignore:.*no operator reads input")
@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize("name", CALLS)
def test_functions_give_what_mxnet_gives(name: str, hybridized: bool) -> None:
    with mx.util.np_shape(True), mx.util.np_array(True):
        arrays = [mx.np.array(each) for each in (X, Y, SQUARE)]
        net = OfThree(name)
        net.hybridize(hybridized)
        found = numbers(answered(net(*arrays)))
    assert agrees(found, MEASURED[name]), (found, MEASURED[name])
