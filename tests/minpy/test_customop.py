"""Operators made with customop: eagerly, in nets, in symbols; their derivatives."""

from typing import Any

import numpy
import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd, sym
from gluonic.graph.errors import InferenceError, MXNetError
from gluonic.minpy import NoGradientFuncError, Primitive, customop, grad, grad_and_loss
from gluonic.minpy.definition import by_key

# What the MinPy documentation shows, word for word.

# fmt: off
# ruff: noqa: RET504
# mypy: disable-error-code="no-untyped-def"

@customop('numpy')
def my_softmax(x, y):
    probs = numpy.exp(x - numpy.max(x, axis=1, keepdims=True))
    probs /= numpy.sum(probs, axis=1, keepdims=True)
    N = x.shape[0]
    loss = -numpy.sum(numpy.log(probs[numpy.arange(N), y])) / N
    return loss


def my_softmax_grad(ans, x, y):
    def grad(g):
        N = x.shape[0]
        probs = numpy.exp(x - numpy.max(x, axis=1, keepdims=True))
        probs /= numpy.sum(probs, axis=1, keepdims=True)
        probs[numpy.arange(N), y] -= 1
        probs /= N
        return probs

    return grad

my_softmax.def_grad(my_softmax_grad)

# fmt: on
# Here it ends.

RNG = np.random.default_rng(0)
X = RNG.normal(size=(4, 3))
LABELS = nd.array([0, 2, 1, 1], dtype="int32")


def by_differences(function: Any, at: np.ndarray, step: float = 1e-6) -> np.ndarray:
    """Central differences of a scalar function."""
    found = np.zeros_like(at)
    for index in np.ndindex(at.shape):
        for sign in (1, -1):
            moved = at.copy()
            moved[index] += sign * step
            found[index] += sign * function(moved) / (2 * step)
    return found


def loss_at(values: np.ndarray) -> float:
    return float(my_softmax(nd.array(values, dtype="float64"), LABELS).asscalar())


@customop("numpy")
def scaled_product(a, b, scale=1.0, *, power=1):
    return scale * (a * b) ** power


def gradient_a(ans, a, b, scale=1.0, *, power=1):
    return lambda g: g * scale * power * (a * b) ** (power - 1) * b


def gradient_b(ans, a, b, scale=1.0, *, power=1):
    return lambda g: g * scale * power * (a * b) ** (power - 1) * a


scaled_product.def_grad(gradient_a).def_grad(gradient_b, argnum=1)


@customop("mxnet")
def swish(x):
    assert isinstance(x, nd.NDArray)
    return x * nd.sigmoid(x)


swish.def_grad(lambda ans, x: lambda g: g * (nd.sigmoid(x) + ans * (1 - nd.sigmoid(x))))


def test_the_documented_gradient_agrees_with_differences() -> None:
    x = nd.array(X, dtype="float64")
    x.attach_grad()
    with autograd.record():
        loss = my_softmax(x, LABELS)
    loss.backward()
    assert loss.shape == (1,)
    np.testing.assert_allclose(x.grad.asnumpy(), by_differences(loss_at, X), atol=1e-8)


def test_the_decorated_function_is_an_object_of_the_same_name() -> None:
    assert isinstance(my_softmax, Primitive)
    assert str(my_softmax) == my_softmax.__name__ == "my_softmax"
    assert my_softmax.def_grad(my_softmax_grad) is my_softmax


class SoftmaxLoss(gluon.HybridBlock):
    """A net that ends in the documented operator."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.dense = gluon.nn.Dense(3)

    def hybrid_forward(self, F, x, y):
        return my_softmax(self.dense(x), y)


def test_a_net_trains_the_same_hybridized() -> None:
    found = []
    for hybridized in (False, True):
        net = SoftmaxLoss()
        net.initialize(mx.init.One())
        if hybridized:
            net.hybridize()
        with autograd.record():
            loss = net(nd.array(X), LABELS)
        loss.backward()
        found.append((loss.asnumpy(), net.dense.weight.grad().asnumpy()))
        assert found[-1][1].any()
    for eager, compiled in zip(*found, strict=True):
        np.testing.assert_allclose(eager, compiled, rtol=1e-6)


def test_a_symbol_infers_binds_and_survives_json() -> None:
    symbol = my_softmax(sym.var("x"), sym.var("y"), name="loss") * 1
    symbol = sym.load_json(symbol.tojson())
    assert symbol.infer_shape(x=(4, 3), y=(4,))[1] == [(1,)]
    gradient = nd.zeros((4, 3))
    args = {"x": nd.array(X), "y": LABELS}
    executor = symbol.bind(mx.cpu(), args, args_grad={"x": gradient})
    executor.forward(is_train=True)
    executor.backward([nd.ones(1)])
    np.testing.assert_allclose(gradient.asnumpy(), by_differences(loss_at, X), atol=1e-6)


def test_dtypes_are_those_of_the_results() -> None:
    symbol = my_softmax(sym.var("x"), sym.var("y"))
    for dtype in ("float32", "float64"):
        x = nd.array(X, dtype=dtype)
        # NumPy 1 makes float64 of a float32 number divided by a Python number
        wanted = my_softmax(x.asnumpy(), LABELS.asnumpy()).dtype
        assert my_softmax(x, LABELS).dtype == wanted
        assert symbol.eval(x=x, y=LABELS)[0].dtype == wanted


@pytest.mark.parametrize("function", ["eager", "symbol"])
def test_constants_and_keywords_reach_the_function(function: str) -> None:
    a, b = nd.array([1.0, 2.0]), nd.array([3.0, 4.0])
    wanted = [5 * 9.0, 5 * 64.0]
    if function == "eager":
        assert scaled_product(a, b, 5, power=2).asnumpy().tolist() == wanted
        assert scaled_product(a, b=b, scale=5, power=2).asnumpy().tolist() == wanted
    else:
        u, v = sym.var("u"), sym.var("v")
        assert scaled_product(u, v, 5, power=2).eval(u=a, v=b)[0].asnumpy().tolist() == wanted
        made = scaled_product(u, b=v, scale=5, power=2, name="named")
        assert made.list_outputs() == ["named_output"]
        assert made.eval(u=a, v=b)[0].asnumpy().tolist() == wanted


def test_each_argument_has_its_gradient_and_the_upstream_one_flows_in() -> None:
    a, b = nd.array([1.0, 2.0]), nd.array([3.0, 4.0])
    a.attach_grad()
    b.attach_grad("add")
    for _ in range(2):
        with autograd.record():
            loss = scaled_product(a, b, 2.0) * nd.array([10.0, 100.0])
        loss.backward()
    assert a.grad.asnumpy().tolist() == [60, 800]
    assert b.grad.asnumpy().tolist() == [40, 800]


def test_functions_of_ndarrays_work_as_well() -> None:
    x = nd.array(X, dtype="float64")
    x.attach_grad()
    with autograd.record():
        y = swish(x)
    y.backward()

    def total(values: np.ndarray) -> float:
        return float(swish(nd.array(values, dtype="float64")).asnumpy().sum())

    np.testing.assert_allclose(x.grad.asnumpy(), by_differences(total, X), atol=1e-8)
    np.testing.assert_allclose(
        swish(sym.var("x")).eval(x=x)[0].asnumpy(), swish(x).asnumpy(), rtol=1e-12
    )


def test_the_function_may_change_what_it_is_given() -> None:
    @customop("numpy")
    def clobber(x):
        x[:] = 7
        return x

    x = nd.zeros(2)
    assert clobber(x).asnumpy().tolist() == [7, 7]
    assert x.asnumpy().tolist() == [0, 0]
    assert clobber(sym.var("x")).eval(x=x)[0].asnumpy().tolist() == [7, 7]
    assert x.asnumpy().tolist() == [0, 0]


def test_several_results_have_several_gradients() -> None:
    @customop("numpy", outputs=2)
    def both(x):
        return x * 2, x.sum()

    both.def_grad(lambda ans, x: lambda g: 2 * g[0] + g[1])
    x = nd.array([1.0, 2.0])
    for make in ("eager", "graph"):
        x.attach_grad()
        with autograd.record():
            if make == "eager":
                double, total = both(x)
            else:
                variable = sym.var("x")
                double, total = gluon.SymbolBlock(list(both(variable)), variable)(x)
            loss = double * 10 + total
        loss.backward()
        assert total.asscalar() == 3
        assert x.grad.asnumpy().tolist() == [22, 22]


def test_one_function_may_give_several_gradients_at_once() -> None:
    calls = []

    @customop("numpy")
    def product(a, b):
        return a * b

    def gradients(ans, a, b):
        def both(g):
            calls.append(g)
            return g * b, g * a

        return both

    product.def_multiple_grad(gradients, (0, 1))
    a, b = nd.array([2.0]), nd.array([3.0])
    a.attach_grad()
    b.attach_grad()
    with autograd.record():
        y = product(a, b)
    y.backward()
    assert (a.grad.asscalar(), b.grad.asscalar(), len(calls)) == (3, 2, 1)


def test_gradients_of_keywords_and_zero_gradients() -> None:
    @customop("numpy")
    def shifted(x, y, by):
        return x + y + by

    shifted.def_grad(lambda ans, x, y, by: lambda g: g)
    shifted.def_grad_zero(1)
    shifted.def_grad_kw(lambda ans, x, y, by: lambda g: 5 * g, "by")
    arrays = [nd.ones(2) for _ in range(3)]
    for array in arrays:
        array.attach_grad()
    with autograd.record():
        z = shifted(arrays[0], arrays[1], by=arrays[2])
    z.backward()
    assert [array.grad.asnumpy().tolist() for array in arrays] == [[1, 1], [0, 0], [5, 5]]


@pytest.mark.parametrize("hybridized", [False, True])
def test_a_missing_derivative_is_named_when_it_is_asked_for(hybridized: bool) -> None:
    @customop("numpy")
    def plain(x):
        return x + 1

    x = nd.ones(2)
    x.attach_grad()
    variable = sym.var("x")
    block = gluon.SymbolBlock(plain(variable), variable) if hybridized else plain
    with autograd.record():
        y = block(x)
    with pytest.raises(NoGradientFuncError, match="No partial derivative of customized op plain"):
        y.backward()


def test_a_gradient_of_the_wrong_shape_is_refused() -> None:
    @customop("numpy")
    def doubled(x):
        return x * 2

    doubled.def_grad(lambda ans, x: lambda g: np.ones(5))
    x = nd.ones(2)
    x.attach_grad()
    with autograd.record():
        y = doubled(x)
    with pytest.raises(MXNetError, match=r"shape \(5,\), the argument \(2,\)"):
        y.backward()


def test_other_kinds_are_refused() -> None:
    with pytest.raises(ValueError, match='must be "numpy" or "mxnet"'):
        customop("torch")


def test_a_function_that_returns_no_array_is_refused() -> None:
    @customop("numpy")
    def wrong(x):
        return {"no": "array"}

    with pytest.raises(MXNetError, match="returned dict, not an array"):
        wrong(nd.ones(1))


def test_more_results_than_declared_are_refused_in_a_graph() -> None:
    @customop("numpy")
    def pair(x):
        return x, x

    with pytest.raises(InferenceError, match="returned 2 results"):
        pair(sym.var("x")).infer_shape(x=(1,))


def test_constants_that_a_graph_cannot_keep_are_refused() -> None:
    with pytest.raises(MXNetError, match="cannot be kept in a graph"):
        scaled_product(sym.var("a"), sym.var("b"), object())


def test_functions_of_the_same_name_are_distinguished() -> None:
    def make(factor: float) -> Primitive:
        @customop("numpy")
        def times(x):
            return x * factor

        return times

    symbols = [make(factor)(sym.var("x")) for factor in (2.0, 3.0)]
    assert [s.eval(x=nd.ones(1))[0].asscalar() for s in symbols] == [2, 3]


def test_the_error_about_an_undefined_function_names_what_to_import() -> None:
    text = scaled_product(sym.var("a"), sym.var("b")).tojson()
    key = next(key for key in by_key if key.endswith("scaled_product"))
    symbol = sym.load_json(text.replace(key, "elsewhere.unknown"))
    with pytest.raises(MXNetError, match=r"no operator 'elsewhere\.unknown'"):
        symbol.eval(a=nd.ones(1), b=nd.ones(1))


def test_grad_and_loss_take_arrays_of_every_kind() -> None:
    wanted = by_differences(loss_at, X)
    for x in (X, nd.array(X, dtype="float64")):
        gradient, loss = grad_and_loss(my_softmax)(x, LABELS)
        np.testing.assert_allclose(gradient.asnumpy(), wanted, atol=1e-8)
        assert float(loss) == pytest.approx(loss_at(X))
        np.testing.assert_allclose(grad(my_softmax)(x, LABELS).asnumpy(), wanted, atol=1e-8)


def test_grad_with_respect_to_several_arguments_gives_a_list() -> None:
    found = grad(lambda a, b: a * a * b, argnum=[0, 1])(np.array([2.0]), np.array([5.0]))
    assert [float(g) for g in found] == [20, 4]
    assert float(grad(lambda a, b: a * b, argnum=1)(3.0, 4.0)) == 3


def test_grad_with_respect_to_anything_but_arrays_is_refused() -> None:
    with pytest.raises(MXNetError, match="argument 0 is no array"):
        grad(lambda n, x: x)(7, np.ones(2))


def test_numpy_arrays_are_constants_among_arrays() -> None:
    x = nd.array(X)
    x.attach_grad()
    with autograd.record():
        loss = my_softmax(x, LABELS.asnumpy())
    loss.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), by_differences(loss_at, X), atol=1e-6)
