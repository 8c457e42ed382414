"""`mx.autograd`: scopes, gradients of gradients, functions with gradients of their own."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, nd


def variable(*values: float) -> nd.NDArray:
    x = nd.array(values)
    x.attach_grad()
    return x


@pytest.mark.parametrize(
    ("scope", "recording", "training"),
    [
        (autograd.record, True, True),
        (lambda: autograd.record(train_mode=False), True, False),
        (autograd.pause, False, False),
        (lambda: autograd.pause(train_mode=True), False, True),
        (autograd.train_mode, False, True),
        (autograd.predict_mode, False, False),
    ],
)
def test_scopes_set_the_flags_and_restore_them(
    scope: Callable[[], Any], recording: bool, training: bool
) -> None:
    with scope():
        assert (autograd.is_recording(), autograd.is_training()) == (recording, training)
    assert (autograd.is_recording(), autograd.is_training()) == (False, False)


def test_scopes_nest_and_survive_exceptions() -> None:
    with autograd.record():
        with pytest.raises(ZeroDivisionError), autograd.pause():
            1 / 0  # noqa: B018
        assert autograd.is_recording()
        with autograd.predict_mode():
            assert autograd.is_recording()
            assert not autograd.is_training()
    scope = autograd.record()
    for _ in range(2):
        with scope, scope:
            assert autograd.is_recording()
    assert not autograd.is_recording()


def test_setting_a_flag_returns_its_previous_value() -> None:
    assert autograd.set_recording(True) is False
    assert autograd.set_training(True) is False
    assert autograd.set_recording(False) is True
    assert autograd.set_training(False) is True


def test_dropout_drops_in_training_alone() -> None:
    x = nd.ones((100, 10))
    with autograd.record():
        assert nd.Dropout(x, p=0.5).asnumpy().min() == 0
        with autograd.pause():
            assert nd.Dropout(x, p=0.5).asnumpy().min() == 1
    with autograd.record(train_mode=False):
        assert nd.Dropout(x, p=0.5).asnumpy().min() == 1


def test_several_heads_with_and_without_gradients() -> None:
    x = nd.ones((3, 2))
    gradient = nd.zeros((3, 2))
    autograd.mark_variables([x], [gradient])
    with autograd.record():
        a, b, c = nd.split(x, axis=0, num_outputs=3, squeeze_axis=True)
        autograd.backward([a, b, c], [None, nd.array([2, 3]), nd.array([4, 5])])
    assert gradient.asnumpy().tolist() == [[1, 1], [2, 3], [4, 5]]


@pytest.mark.parametrize("hybridize", [False, True])
@pytest.mark.parametrize(
    ("shape", "of_gradient"),
    [((2, 3), (3, 2)), ((2, 3), (6,)), ((6,), (2, 3)), ((1,), (1, 1)), ((1, 1), (1,))],
)
def test_gradients_of_heads_of_any_shape_are_read_in_order(
    shape: tuple[int, ...], of_gradient: tuple[int, ...], hybridize: bool
) -> None:
    net, x = mx.gluon.nn.HybridLambda(lambda F, x: x * 2), nd.ones(shape)
    if hybridize:
        net.hybridize()
    x.attach_grad()
    count = x.size
    given = nd.arange(count).reshape(of_gradient)
    expected = 2 * np.arange(count).reshape(shape)
    for differentiate in (
        lambda y: y.backward(given),
        lambda y: autograd.backward([y], [given]),
        lambda y: x.grad.__setitem__(slice(None), autograd.grad([y], [x], [given])[0]),
    ):
        with autograd.record():
            y = net(x)
        differentiate(y)
        np.testing.assert_array_equal(x.grad.asnumpy(), expected)
        x.grad[:] = 7


def test_a_gradient_of_a_head_of_another_shape_can_be_differentiated() -> None:
    x, weight = nd.ones((2, 3)), nd.arange(6).reshape((3, 2))
    x.attach_grad()
    weight.attach_grad()
    with autograd.record():
        (gradient,) = autograd.grad([x * x], [x], [weight * 3], create_graph=True)
        total = (gradient * gradient).sum()
    total.backward()
    np.testing.assert_allclose(weight.grad.asnumpy(), 72 * np.arange(6).reshape(3, 2))


@pytest.mark.parametrize("shape", [(2, 2), (2, 4), (1, 3), ()])
def test_gradients_of_heads_have_as_many_elements(shape: tuple[int, ...]) -> None:
    x = nd.ones((2, 3))
    x.attach_grad()
    with autograd.record():
        y = x * 2
    with pytest.raises(ValueError, match=r"\(2, 3\) was given a gradient of shape"):
        y.backward(nd.array(np.ones(shape)))
    y.backward()
    assert (x.grad.asnumpy() == 2).all()


def test_marked_buffers_are_the_gradients() -> None:
    x, gradient = nd.array([3.0]), nd.zeros((1,))
    autograd.mark_variables(x, gradient, "add")
    for _ in range(2):
        with autograd.record():
            y = x * x
        y.backward()
    assert x.grad is gradient
    assert gradient.asscalar() == 12
    assert x._fresh_grad


@pytest.mark.parametrize(
    ("gradients", "requests"),
    [([nd.zeros((2,))], "write"), ([], "write"), ([nd.zeros((1,))], "never")],
)
def test_marks_that_do_not_fit_are_refused(gradients: Any, requests: str) -> None:
    with pytest.raises(mx.MXNetError):
        autograd.mark_variables([nd.zeros((1,))], gradients, requests)


def test_grad_returns_gradients_and_leaves_buffers_alone() -> None:
    x, y = variable(2.0), variable(5.0)
    with autograd.record():
        z = x * x * y
    dx, dy = autograd.grad(z, [x, y])
    assert (dx.asscalar(), dy.asscalar()) == (20, 4)
    assert x.grad.asscalar() == 0


def test_grad_of_a_single_variable_is_a_list_too() -> None:
    x = variable(2.0)
    with autograd.record():
        y = x * 3
    (dx,) = autograd.grad(y, x)
    assert dx.asscalar() == 3


def test_gradients_of_gradients_of_any_order() -> None:
    x = variable(2.0)
    expected = [16 * 2, 12 * 4 * 1.0, 24 * 2, 24.0]  # of x⁴ at 2: 32, 48, 48, 24
    with autograd.record():
        y = x * x * x * x
        for value in expected:
            (y,) = autograd.grad(y, [x], create_graph=True)
            assert y.asscalar() == value
    y.backward()
    assert x.grad.asscalar() == 0  # the fifth


def test_gradients_of_gradients_agree_with_finite_differences() -> None:
    x = nd.array([[0.3, -1.2, 0.7]], dtype="float64")
    x.attach_grad()

    def first(values: nd.NDArray) -> nd.NDArray:
        y = nd.tanh(values) * nd.exp(values)
        return autograd.grad(y, values, create_graph=True, retain_graph=True)[0]

    with autograd.record():
        dx = first(x)
    dx.backward()
    step = 1e-5
    ahead, behind = x + step, x - step
    for array in (ahead, behind):
        array.attach_grad()
    with autograd.record():
        difference = (first(ahead) - first(behind)) / (2 * step)
    np.testing.assert_allclose(x.grad.asnumpy(), difference.asnumpy(), rtol=1e-8)


def test_variables_that_heads_do_not_depend_on_have_zero_gradients() -> None:
    x, other = variable(1.0), variable(1.0, 2.0)
    with autograd.record():
        y = x * 2
    (gradient,) = autograd.grad(y, [other])
    assert gradient.asnumpy().tolist() == [0, 0]


def test_gradients_share_no_memory() -> None:
    x, y = variable(1.0), variable(1.0)
    head = nd.array([3.0])
    with autograd.record():
        z = x + y
    dx, dy = autograd.grad(z, [x, y], head_grads=head)
    dx[:] = 9
    assert (dy.asscalar(), head.asscalar()) == (3, 3)


def test_functions_that_cannot_be_differentiated_are_refused() -> None:
    x = variable(1.0)
    y = x * 2
    with pytest.raises(mx.MXNetError, match=r"autograd\.record"):
        y.backward()
    with autograd.record():
        y = x * 2
    with pytest.raises(mx.MXNetError, match="1-th variable"):
        autograd.grad(y, [nd.ones((1,))])
    with pytest.raises(mx.MXNetError, match="empty"):
        autograd.grad(y, [])
    frozen = nd.ones((1,))
    frozen.attach_grad(grad_req="null")
    with autograd.record():
        y = x * frozen
    with pytest.raises(mx.MXNetError, match="2-th variable because it does not require"):
        autograd.grad(y, [x, frozen])
    with pytest.raises(TypeError, match="heads"):
        autograd.backward([3])  # type: ignore[list-item]
    with pytest.raises(mx.MXNetError, match="2 heads"):
        autograd.backward([y, y], [None])


class Scaled(autograd.Function):
    """Two outputs, with gradients that are not theirs, so that the right ones are seen."""

    def forward(self, x: nd.NDArray, y: nd.NDArray) -> tuple[nd.NDArray, nd.NDArray]:
        self.save_for_backward(x, y)
        return x * 2, y * 3

    def backward(self, dx: nd.NDArray, dy: nd.NDArray) -> tuple[nd.NDArray, nd.NDArray]:
        x, y = self.saved_tensors
        return dx * x * 10, dy * y * 100


def test_a_function_has_its_own_gradient() -> None:
    x, y = variable(2.0), variable(5.0)
    with autograd.record():
        a, b = Scaled()(x, y)
        z = a * 1 + b * 7
    z.backward()
    assert (a.asscalar(), b.asscalar()) == (4, 15)
    assert (x.grad.asscalar(), y.grad.asscalar()) == (20, 3500)


def test_an_output_that_is_not_used_has_a_gradient_of_zeros() -> None:
    x, y = variable(2.0), variable(5.0)
    with autograd.record():
        a, _ = Scaled()(x, y)
    a.backward()
    assert (x.grad.asscalar(), y.grad.asscalar()) == (20, 0)


def test_functions_are_differentiated_twice() -> None:
    x, y = variable(2.0), variable(5.0)
    with autograd.record():
        a, _ = Scaled()(x, y)
        (dx,) = autograd.grad(a, [x], create_graph=True)
    dx.backward()
    assert x.grad.asscalar() == 10


def test_a_function_may_return_its_input() -> None:
    class Doubled(autograd.Function):
        def forward(self, x: nd.NDArray) -> nd.NDArray:
            return x

        def backward(self, dx: nd.NDArray) -> nd.NDArray:
            return dx * 2

    x = variable(1.0)
    with autograd.record():
        y = Doubled()(Doubled()(x))
    y.backward()
    assert x.grad.asscalar() == 4


def test_a_function_is_called_once() -> None:
    function = Scaled()
    function(nd.ones((1,)), nd.ones((1,)))
    with pytest.raises(AssertionError, match="once"):
        function(nd.ones((1,)), nd.ones((1,)))


@pytest.mark.parametrize(
    ("result", "kind"),
    [
        (lambda g: (g, g), mx.MXNetError),
        (lambda g: None, TypeError),
        (lambda g: g.asnumpy(), TypeError),
        (lambda g: nd.ones((3,)), mx.MXNetError),
        (lambda g: 1 / 0, ZeroDivisionError),
    ],
)
def test_wrong_gradients_of_a_function_are_refused_and_its_errors_are_raised(
    result: Callable[[nd.NDArray], Any], kind: type[Exception]
) -> None:
    class Wrong(autograd.Function):
        def forward(self, x: nd.NDArray) -> nd.NDArray:
            return x * 1

        def backward(self, gradient: nd.NDArray) -> Any:
            return result(gradient)

    x = variable(1.0)
    with autograd.record():
        y = Wrong()(x)
    with pytest.raises(kind):
        y.backward()
    assert not autograd.is_recording()


def test_recorded_computations_are_symbols() -> None:
    x, z = variable(1.0), variable(1.0)
    with autograd.record():
        y = x * x + 2 * z - nd.ones((1,))
    symbol = autograd.get_symbol(y)
    assert symbol.list_arguments() == ["var0", "var1", "null0"]
    (value,) = symbol.eval(var0=nd.array([3]), var1=nd.array([5]), null0=nd.array([1]))
    assert value.asscalar() == 18


def test_a_long_computation_is_a_symbol() -> None:
    x = variable(1.0)
    with autograd.record():
        y = x
        for _ in range(5_000):
            y = y + 1
    assert autograd.get_symbol(y).list_arguments() == ["var0"]


def test_symbols_of_hybridized_blocks_have_the_operators_that_were_called() -> None:
    block = mx.gluon.nn.Dropout(0.5)
    block.hybridize()
    x = variable(1.0)
    with autograd.record():
        y = block(block(x) * 2)
    symbol = autograd.get_symbol(y)
    assert symbol.list_arguments() == ["var0"]
    operators = [node["op"] for node in json.loads(symbol.tojson())["nodes"]]
    assert operators == ["null", "Dropout", "_mul_scalar", "Dropout"]


def test_contrib_autograd_differentiates_functions() -> None:
    from gluonic.contrib.autograd import grad_and_loss

    gradients, value = grad_and_loss(lambda x, y: x * y, argnum=1)(nd.array([2.0]), nd.array([3.0]))
    assert [g.asscalar() for g in gradients] == [2]
    assert value.asscalar() == 6


def test_sections_of_contrib_nest_and_restore_the_flags() -> None:
    from gluonic.contrib import autograd as contributed

    def state() -> tuple[bool, bool]:
        return autograd.is_recording(), autograd.is_training()

    seen = [state()]
    with contributed.train_section():
        seen.append(state())
        with contributed.test_section():
            seen.append(state())
        seen.append(state())
    with autograd.record(train_mode=False), contributed.TrainingStateScope(False):
        seen.append(state())
    assert seen == [(False, False), (True, True), (False, False), (True, True), (False, False)]
    with pytest.raises(ValueError, match="once"), contributed.train_section():
        raise ValueError("once")
    assert state() == (False, False)
