from typing import Any

import numpy as np
import pytest

from gluonic import nd
from gluonic import symbol as sym
from gluonic.graph.errors import InferenceError, MXNetError
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.context import cpu
from gluonic.symbol import Executor, Symbol


def array(values: object, dtype: str = "float32") -> NDArray:
    return NDArray(np.array(values, dtype))


X, Y = array([[1, 2], [3, 4]]), array([[5, 6], [7, 8]])


def product() -> Symbol:
    return sym.var("a") * sym.var("b")


def zeros() -> NDArray:
    return array(np.zeros((2, 2)))


def values(found: NDArray | None) -> object:
    assert found is not None
    return found.asnumpy().tolist()


def test_forward_computes_the_outputs() -> None:
    executor = product().bind(cpu(), {"a": X, "b": Y})
    assert values(executor.forward()[0]) == [[5, 12], [21, 32]]
    assert values(executor.output_dict["_mul0_output"]) == [[5, 12], [21, 32]]


def test_every_run_writes_into_the_same_outputs() -> None:
    executor = product().bind(cpu(), {"a": zeros(), "b": Y})
    output = executor.outputs[0]
    executor.forward(a=X)
    assert values(output) == [[5, 12], [21, 32]]


@pytest.mark.parametrize("train", [False, True])
def test_backward_gives_only_the_gradients_asked_for(train: bool) -> None:
    executor = product().bind(cpu(), [X, Y], args_grad={"a": zeros()})
    executor.forward(is_train=train)
    executor.backward(array([[1, 1], [1, 2]]))
    assert values(executor.grad_dict["a"]) == [[5, 6], [7, 16]]
    assert executor.grad_dict["b"] is None


def test_gradients_are_written_added_or_left_alone() -> None:
    buffers = [array(np.ones((2, 2))) for _ in range(3)]
    net = sym.var("a") * sym.var("b") * sym.var("c")
    executor = net.bind(cpu(), [X, Y, X], args_grad=buffers, grad_req=["write", "add", "null"])
    for _ in range(2):
        executor.forward(is_train=True)
        executor.backward(array(np.ones((2, 2))))
    x, y = X.asnumpy(), Y.asnumpy()
    assert values(buffers[0]) == (x * y).tolist()
    assert values(buffers[1]) == (1 + 2 * x * x).tolist()
    assert values(buffers[2]) == [[1, 1], [1, 1]]


def test_an_argument_that_does_not_matter_has_a_gradient_of_zeros() -> None:
    net = sym.BlockGrad(sym.var("a")) * sym.var("b")
    executor = net.bind(cpu(), [X, Y], args_grad=[array(np.ones((2, 2))), zeros()])
    executor.forward(is_train=True)
    executor.backward(X)
    assert values(executor.grad_arrays[0]) == [[0, 0], [0, 0]]


def test_losses_need_no_gradient_and_others_do() -> None:
    net = sym.SoftmaxOutput(sym.var("x"), name="softmax")
    executor = net.simple_bind(cpu(), x=(2, 3))
    executor.forward(is_train=True)
    executor.backward()
    np.testing.assert_allclose(
        executor.grad_dict["x"].asnumpy(), [[-2 / 3, 1 / 3, 1 / 3]] * 2, rtol=1e-6
    )
    other = product().bind(cpu(), [X, Y], args_grad=[zeros(), zeros()])
    other.forward(is_train=True)
    with pytest.raises(MXNetError, match="gradient of the output _mul0_output is needed"):
        other.backward()


def test_training_updates_auxiliary_states() -> None:
    executor = sym.BatchNorm(sym.var("x"), name="bn", momentum=0.5).simple_bind(cpu(), x=(2, 1))
    executor.aux_dict["bn_moving_var"].elements[...] = 1
    executor.forward(x=array([[1], [3]]))
    assert values(executor.aux_dict["bn_moving_mean"]) == [0]
    executor.forward(is_train=True)
    assert values(executor.aux_dict["bn_moving_mean"]) == [1]


def test_simple_bind_makes_arrays_of_inferred_shapes_and_dtypes() -> None:
    net = sym.FullyConnected(sym.var("x"), num_hidden=3, name="fc")
    executor = net.simple_bind(
        cpu(), grad_req={"fc_weight": "write"}, type_dict={"x": "float64"}, x=(2, 5), unknown=(1,)
    )
    assert {k: (v.shape, v.dtype) for k, v in executor.arg_dict.items()} == {
        "x": ((2, 5), np.float64),
        "fc_weight": ((3, 5), np.float64),
        "fc_bias": ((3,), np.float64),
    }
    assert [g is None for g in executor.grad_arrays] == [True, False, True]


def test_simple_bind_names_the_shapes_that_cannot_be_inferred() -> None:
    with pytest.raises(MXNetError, match=r"a \(\), b \(\)"):
        product().simple_bind(cpu())


def test_bound_arrays_must_fit_each_other() -> None:
    with pytest.raises(InferenceError, match="equal inputs"):
        product().bind(cpu(), {"a": X, "b": array([1, 2, 3])})
    with pytest.raises(InferenceError, match="float64"):
        product().bind(cpu(), [X, array(np.ones((2, 2)), "float64")])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"args": [X]}, ValueError, "1 arrays for 2 names"),
        ({"args": {"a": X, "c": Y}}, ValueError, "lacks 'b'"),
        ({"args": {"a": X, "b": 1}}, TypeError, "b must be an NDArray"),
        ({"args": (X, Y)}, TypeError, "a list or a dict"),
        ({"args": [X, Y], "grad_req": "some"}, ValueError, "one of null, write, add"),
        ({"args": [X, Y], "args_grad": [X, array([1])]}, MXNetError, "gradient of b"),
        ({"args": [X, Y], "ctx": None}, TypeError, "ctx must be a Context"),
    ],
)
def test_bind_reports_what_is_wrong(
    arguments: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        product().bind(**{"ctx": cpu(), **arguments})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "error"),
    [({"c": X}, TypeError), ({"a": 1}, ValueError), ({"a": array([1])}, ValueError)],
)
def test_forward_refuses_what_does_not_fit(
    given: dict[str, object], error: type[Exception]
) -> None:
    with pytest.raises(error):
        product().bind(cpu(), [X, Y]).forward(**given)  # type: ignore[arg-type]


def test_backward_before_forward_runs_forward() -> None:
    gradient = zeros()
    product().bind(cpu(), [X, Y], args_grad=[gradient, zeros()]).backward(X)
    assert values(gradient) == values(X * Y)


def test_backward_after_forward_without_training_uses_the_same_random_numbers() -> None:
    a = sym.var("a")
    executor = (sym.random.normal(shape=(2, 2)) * a).simple_bind(cpu(), a=(2, 2))
    executor.arg_dict["a"][:] = 1
    drawn = values(executor.forward(is_train=False)[0])
    executor.backward(nd.ones((2, 2)))
    assert values(executor.grad_dict["a"]) == drawn


def test_superfluous_heads_are_ignored() -> None:
    gradient = zeros()
    executor = product().bind(cpu(), [X, Y], args_grad=[gradient, zeros()])
    executor.forward(is_train=True)
    executor.backward([X, nd.ones((7,))])
    assert values(gradient) == values(X * Y)


def test_a_head_that_no_gradient_reads_may_have_any_shape() -> None:
    gradient = nd.ones((2, 2))
    executor = sym.BlockGrad(sym.var("a")).bind(cpu(), [X], args_grad=[gradient])
    executor.forward(is_train=True)
    executor.backward(nd.ones((5,)))
    assert values(gradient) == [[0, 0], [0, 0]]


def test_simple_bind_ignores_keywords_that_are_not_shapes() -> None:
    executor = product().simple_bind(cpu(), a=(2, 2), b=(2, 2), axis=1, mode="clip", flag=True)
    assert [array.shape for array in executor.arg_arrays] == [(2, 2), (2, 2)]


@pytest.mark.parametrize("shape", [(0, 2), [-1, -1], (2, 0)])
def test_open_axes_of_constants_come_from_where_they_are_read(shape: Any) -> None:
    executor = sym.elemwise_mul(sym.full(shape, 3.0), sym.var("a")).simple_bind(cpu(), a=(2, 2))
    executor.arg_dict["a"][:] = X
    assert values(executor.forward(is_train=True)[0]) == values(X * 3)
    executor.backward(nd.ones((2, 2)))
    assert values(executor.grad_dict["a"]) == [[3, 3], [3, 3]]


@pytest.mark.parametrize(("merge", "nodes"), [("0", 8), ("1", 6)])
def test_the_optimized_symbol_has_equal_computations_once(
    merge: str, nodes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MXNET_ELIMINATE_COMMON_EXPR", merge)
    a, b, c = map(sym.var, "abc")
    executor = (((a + b) + c) + ((a + b) + c)).simple_bind(cpu(), a=(2,), b=(2,), c=(2,))
    assert len(executor.get_optimized_symbol().get_internals()) == nodes


def test_outputs_and_random_numbers_stay_apart_in_the_optimized_symbol() -> None:
    a = sym.var("a")
    twice = sym.Group([sym.exp(a), sym.exp(a)]).simple_bind(cpu(), a=(2,)).get_optimized_symbol()
    assert len(set(twice.list_outputs())) == 2
    dropped = (sym.Dropout(a) + sym.Dropout(a)).simple_bind(cpu(), a=(2,))
    names = dropped.get_optimized_symbol().get_internals().list_outputs()
    assert sum("dropout" in name for name in names) == 2


def test_eval_computes_at_once() -> None:
    assert values(product().eval(a=X, b=Y)[0]) == [[5, 12], [21, 32]]
    with pytest.raises(ValueError, match="lacks 'b'"):
        product().eval(a=X)


def linear(rows: int = 4) -> Executor:
    net: Symbol = sym.FullyConnected(sym.var("x"), num_hidden=3, name="fc")
    return net.simple_bind(cpu(), x=(rows, 4))


def test_a_reshaped_executor_shares_memory() -> None:
    executor = linear()
    smaller = executor.reshape(x=(2, 4))
    smaller.arg_dict["fc_bias"].elements[...] = 7
    smaller.arg_dict["x"].elements[...] = 5
    smaller.forward()
    assert values(executor.arg_dict["fc_bias"]) == [7, 7, 7]
    assert executor.arg_dict["x"].asnumpy()[:, 0].tolist() == [5, 5, 0, 0]
    assert executor.outputs[0].asnumpy()[:, 0].tolist() == [7, 7, 0, 0]


def test_reshaping_guards_against_growth_and_lost_sharing() -> None:
    executor = linear()
    with pytest.raises(MXNetError, match="would grow"):
        executor.reshape(x=(6, 4))
    assert executor.reshape(allow_up_sizing=True, x=(6, 4)).outputs[0].shape == (6, 3)
    with pytest.raises(MXNetError, match="no longer be shared"):
        executor.reshape(x=(2, 3))
    assert executor.reshape(partial_shaping=True, x=(2, 3)).arg_dict["fc_weight"].shape == (3, 3)
    with pytest.raises(MXNetError, match="no argument 'y'"):
        executor.reshape(y=(2, 3))


def test_parameters_are_copied_in_by_name() -> None:
    executor = linear()
    executor.copy_params_from({"fc_bias": array([1, 2, 3])})
    assert values(executor.arg_dict["fc_bias"]) == [1, 2, 3]
    with pytest.raises(ValueError, match="no argument 'bias'"):
        executor.copy_params_from({"bias": array([1])})
    executor.copy_params_from({"bias": array([1])}, allow_extra_params=True)
    with pytest.raises(MXNetError, match=r"shape \(2,\)"):
        executor.copy_params_from({"fc_bias": array([1, 2])})


def test_the_monitor_sees_every_output_in_order() -> None:
    seen: list[tuple[str, object]] = []
    net = sym.tanh(sym.var("x") * 2, name="t")
    executor = net.bind(cpu(), [array([0.5])], args_grad=[array([0])])
    executor.set_monitor_callback(lambda name, value: seen.append((name, values(value))))
    executor.forward(is_train=True)
    assert [name for name, _ in seen] == ["_mulscalar0_output", "t_output"]
    assert seen[0][1] == [1]
    executor.backward(array([1]))
    np.testing.assert_allclose(
        executor.grad_dict["x"].asnumpy(), [2 * (1 - np.tanh(1) ** 2)], rtol=1e-5
    )


def test_the_monitor_may_see_inputs_too() -> None:
    seen: list[str] = []
    executor = sym.tanh(sym.var("x"), name="t").bind(cpu(), [array([0.5])])
    executor.set_monitor_callback(lambda name, value: seen.append(name), monitor_all=True)
    executor.forward()
    assert seen == ["x", "t_input0", "t_output"]


def test_arrays_and_buffers_can_be_shared() -> None:
    net = sym.FullyConnected(sym.var("x"), num_hidden=3, name="fc")
    first = net.simple_bind(cpu(), x=(4, 4))
    second = net.simple_bind(
        cpu(), shared_exec=first, shared_arg_names=["fc_weight", "fc_bias"], x=(2, 4)
    )
    assert second.arg_dict["fc_weight"] is first.arg_dict["fc_weight"]
    buffers: dict[str, NDArray] = {}
    third = net.simple_bind(cpu(), shared_buffer=buffers, x=(4, 4))
    fourth = net.simple_bind(cpu(), shared_buffer=buffers, x=(2, 4))
    assert np.shares_memory(third.arg_dict["x"].elements, fourth.arg_dict["x"].elements)
    assert np.shares_memory(third.grad_dict["x"].elements, fourth.grad_dict["x"].elements)
    names = ("x", "fc_weight", "fc_bias")
    assert set(buffers) == {*names, *(f"grad of {name}" for name in names)}


def test_parameters_stay_out_of_shared_buffers() -> None:
    net = sym.FullyConnected(sym.var("x"), num_hidden=3, name="fc")
    parameters = ["fc_weight", "fc_bias"]
    buffers: dict[str, NDArray] = {}
    first = net.simple_bind(cpu(), shared_arg_names=parameters, shared_buffer=buffers, x=(4, 4))
    assert set(buffers) == {"x", "grad of x"}
    second = net.simple_bind(
        cpu(), shared_arg_names=parameters, shared_exec=first, shared_buffer=buffers, x=(2, 4)
    )
    assert all(second.arg_dict[name] is first.arg_dict[name] for name in parameters)
    assert all(second.grad_dict[name] is first.grad_dict[name] for name in parameters)
    assert np.shares_memory(first.arg_dict["x"].elements, second.arg_dict["x"].elements)


def test_arrays_are_on_the_contexts_of_their_groups() -> None:
    with sym.AttrScope(ctx_group="one"):
        a = sym.var("a") * 2
    with sym.AttrScope(ctx_group="two"):
        net = a + sym.var("b")
    contexts = {"one": cpu(1), "two": cpu(2)}
    executor = net.simple_bind(cpu(), group2ctx=contexts, a=(2,), b=(2,))
    gradient = executor.grad_dict["a"]
    assert gradient is not None
    assert executor.arg_dict["a"].context == gradient.context == cpu(1)
    assert executor.arg_dict["b"].context == executor.outputs[0].context == cpu(2)
    bound = net.bind(cpu(3), {"a": array([1]), "b": array([2])}, group2ctx=contexts)
    assert bound.forward()[0].context == cpu(2)
    assert net.simple_bind(cpu(3), a=(2,), b=(2,)).outputs[0].context == cpu(3)


@pytest.mark.usefixtures("compiled_at_once")
def test_a_reshaped_executor_runs_the_code_that_is_there() -> None:
    net = sym.FullyConnected(sym.var("x"), num_hidden=3, name="fc")
    executor = net.simple_bind(cpu(), x=(4, 4))
    executor.forward(is_train=True)
    smaller = executor.reshape(x=(2, 4))
    smaller.forward(is_train=True)
    smaller.backward(array(np.ones((2, 3))))
    executor.backward(array(np.ones((4, 3))))
    assert values(executor.grad_dict["fc_bias"]) == [4, 4, 4]
    program = executor.execution.program(True)
    assert smaller.execution.program(True) is program
    assert program.forward_program.cache_info().specializations == 1


def test_gradients_as_a_symbol() -> None:
    a, b = sym.var("a"), sym.var("b")
    found = (a * a * b).gradient(["a", "b"]).eval(a=array([3]), b=array([5]))
    assert [values(g) for g in found] == [[30], [9]]


def test_memory_saved_for_gradients_is_counted() -> None:
    data = sym.var("data")
    for _ in range(5):
        data = data * data
    shape = (4, 256, 256)

    def megabytes(symbol: Symbol, request: str = "write") -> int:
        text = symbol.simple_bind(cpu(), grad_req=request, data=shape).debug_str()
        return int(text.split("Total ")[1].split(" MB")[0])

    assert megabytes(data) > megabytes(data, "null") == megabytes(sym.BlockGrad(data))


def test_duplicate_names_are_refused_only_by_name() -> None:
    executor = (sym.var("a") * sym.var("a")).bind(cpu(), [X, Y])
    assert values(executor.forward()[0]) == [[5, 12], [21, 32]]
    with pytest.raises(ValueError, match="several arrays are called a"):
        _ = executor.arg_dict
