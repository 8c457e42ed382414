"""Operators of loaded libraries: values, gradients, attributes, shapes, states, random numbers."""

import gc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd, sym
from gluonic.graph.errors import InferenceError, MXNetError
from tests.extension.building import Builder


@pytest.mark.usefixtures("probe")
@pytest.mark.parametrize(
    "dtype", ["float32", "float64", "float16", "uint8", "int32", "int8", "int64"]
)
def test_every_supported_dtype_is_passed_to_the_library(dtype: str) -> None:
    values = np.arange(-3, 3).reshape(2, 3).astype(dtype)
    result = nd.probe_copy(nd.array(values, dtype=dtype))
    assert result.dtype == np.dtype(dtype)
    assert (result.asnumpy() == values).all()


@pytest.mark.usefixtures("probe")
def test_a_dtype_that_libraries_do_not_know_is_refused() -> None:
    with pytest.raises(InferenceError, match="cannot take bool"):
        nd.probe_copy(nd.array([True, False], dtype="bool"))


@pytest.mark.usefixtures("probe")
@pytest.mark.parametrize("shape", [(0,), (3, 0), (1,), (2, 3, 4, 5)])
def test_shapes_of_any_length_and_empty_ones_are_passed(shape: tuple[int, ...]) -> None:
    assert nd.probe_copy(nd.ones(shape)).shape == shape


@pytest.mark.usefixtures("probe")
@pytest.mark.parametrize("count", [1, 2, 5])
def test_attributes_decide_the_number_of_inputs(count: int) -> None:
    values = np.random.default_rng(0).normal(size=(count, 3, 4)).astype("float32")
    total, most = nd.probe_sum_max(*map(nd.array, values), inputs=count)
    np.testing.assert_allclose(total.asnumpy(), values.sum(0), rtol=1e-6)
    np.testing.assert_allclose(most.asnumpy(), values.max(0))


@pytest.mark.usefixtures("probe")
def test_gradients_flow_from_each_output_to_each_input() -> None:
    a, b = nd.array([1.0, 5.0]), nd.array([2.0, 3.0])
    a.attach_grad()
    b.attach_grad("add")
    for _ in range(2):
        with autograd.record():
            total, most = nd.probe_sum_max(a, b)
            loss = total + 10 * most
        loss.backward()
    assert a.grad.asnumpy().tolist() == [1, 11]
    assert b.grad.asnumpy().tolist() == [22, 2]


@pytest.mark.usefixtures("probe")
def test_an_output_without_gradient_counts_as_zero() -> None:
    a = nd.array([1.0, 5.0])
    a.attach_grad()
    with autograd.record():
        most = nd.probe_sum_max(a, nd.zeros(2))[1]
    most.backward()
    assert a.grad.asnumpy().tolist() == [1, 1]


@pytest.mark.usefixtures("probe")
@pytest.mark.parametrize(
    ("value", "text"),
    [((1, 2), "(1, 2)"), (True, "True"), (None, "None"), (1.5, "1.5"), ("Grüße", "Grüße")],
)
def test_attributes_arrive_as_python_writes_them(value: object, text: str) -> None:
    result = nd.probe_attribute(nd.ones(1), text=value)
    assert bytes(int(c) % 256 for c in result.asnumpy()) == text.encode()


@pytest.mark.usefixtures("probe")
def test_a_missing_input_is_named() -> None:
    with pytest.raises(MXNetError, match="needs the input data1"):
        nd.probe_sum_max(nd.ones(2))


@pytest.mark.usefixtures("probe")
def test_values_other_than_arrays_are_refused() -> None:
    with pytest.raises(AssertionError, match="must have NDArray type"):
        nd.probe_sum_max(nd.ones(2), 3)


@pytest.mark.usefixtures("probe")
def test_out_receives_the_result() -> None:
    target = nd.zeros((2, 2))
    assert nd.probe_copy(nd.ones((2, 2)), out=target) is target
    assert target.asnumpy().sum() == 4
    with pytest.raises(MXNetError):
        nd.probe_copy(nd.ones((2, 2)), out=nd.zeros((3, 3)))


@pytest.mark.usefixtures("probe")
def test_an_operator_without_backward_is_reported() -> None:
    x = nd.ones(2)
    x.attach_grad()
    with autograd.record():
        y = nd.probe_copy(x)
    with pytest.raises(MXNetError, match="probe_copy has no gradient"):
        y.backward()


@pytest.mark.usefixtures("probe")
def test_an_operator_for_another_device_is_reported() -> None:
    with pytest.raises(MXNetError, match="probe_gpu is not implemented for CPU"):
        nd.probe_gpu(nd.ones(2))


@pytest.mark.usefixtures("probe")
def test_mutated_inputs_are_auxiliary_states() -> None:
    data, count = nd.ones(3), nd.zeros(1)
    for calls in (1, 2):
        nd.probe_count(data, count)
        assert count.asscalar() == calls
    symbol = sym.probe_count(sym.var("data"), sym.var("count"))
    assert symbol.list_auxiliary_states() == ["count"]
    executor = symbol.simple_bind(mx.cpu(), data=(3,))
    executor.forward()
    executor.forward()
    assert executor.aux_dict["count"].asscalar() == 2


@pytest.mark.usefixtures("probe")
def test_a_mutated_input_that_does_not_exist_is_refused() -> None:
    with pytest.raises(MXNetError, match="mutateInputs names input 2, but there are 2"):
        nd.probe_count(nd.ones(3), nd.zeros(1), which=2)


@pytest.mark.usefixtures("probe")
def test_random_states_are_seeded_as_in_mxnet() -> None:
    # std::mt19937(42 * 127 + j) for j = 0 and 1023, by NumPy's own Mersenne twister
    first, last = (np.random.RandomState(42 * 127 + j) for j in (0, 1023))
    wanted = [g.randint(0, 2**32, dtype=np.uint64) for g in (first, last, first, last)]
    for _ in range(2):
        mx.random.seed(42)
        numbers = nd.probe_random(nd.zeros(4, dtype="int64")).asnumpy()
        assert numbers.tolist() == [int(w) for w in wanted]
    again = nd.probe_random(nd.zeros(4, dtype="int64")).asnumpy()
    assert (again != numbers).all()


@pytest.mark.usefixtures("probe")
def test_a_tensor_is_never_mistaken_for_an_older_one() -> None:
    x = nd.ones(1)
    assert [nd.probe_same(x).asscalar() for _ in range(3)] == [0, 0, 0]


@pytest.mark.usefixtures("probe")
def test_unknown_shapes_and_dtypes_follow_from_the_library() -> None:
    symbol = sym.probe_scale(sym.var("x"), sym.var("w"))
    assert symbol.infer_shape(x=(2, 5)) == ([(2, 5), (5,)], [(2, 5)], [])
    assert symbol.infer_type(x="float32")[1] == [np.float32]
    with pytest.raises(MXNetError):
        symbol.infer_shape(x=(2, 5), w=(4,))


class Scale(gluon.HybridBlock):
    """The library's operator with a parameter of unknown shape."""

    def __init__(self) -> None:
        super().__init__()
        self.w = self.params.get("w", shape=None, allow_deferred_init=True)

    def hybrid_forward(self, F, x, w):  # type: ignore[no-untyped-def]
        return F.probe_scale(F.exp(x), w) * 2


@pytest.mark.usefixtures("probe")
def test_a_net_trains_with_a_library_s_operator_eagerly_and_hybridized() -> None:
    x = nd.array(np.random.default_rng(1).normal(size=(4, 3)))
    found = []
    for hybridized in (False, True):
        net = Scale()
        net.initialize(mx.init.One())
        if hybridized:
            net.hybridize()
        with autograd.record():
            loss = net(x)
        loss.backward()
        assert net.w.shape == (3,)
        found.append((loss.asnumpy(), net.w.grad().asnumpy()))
    np.testing.assert_allclose(found[0][0], found[1][0], rtol=1e-6)
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=1e-6)
    np.testing.assert_allclose(found[0][1], 2 * np.exp(x.asnumpy()).sum(0), rtol=1e-5)


@pytest.mark.usefixtures("probe")
def test_a_graph_with_a_library_s_operator_survives_json() -> None:
    symbol = sym.probe_attribute(sym.probe_copy(sym.var("x")), text="ab", name="told")
    again = sym.load_json(symbol.tojson())
    assert again.list_outputs() == ["told_output"]
    assert again.eval(x=nd.zeros(1))[0].asnumpy().tolist() == [97, 98]


@pytest.mark.usefixtures("probe")
def test_several_outputs_are_numbered() -> None:
    symbol = sym.probe_sum_max(sym.var("a"), sym.var("b"), name="s")
    assert symbol.list_outputs() == ["s_output0", "s_output1"]


@pytest.mark.usefixtures("probe")
def test_the_executor_adds_gradients_where_it_is_asked_to() -> None:
    symbol = sym.probe_scale(sym.var("x"), sym.var("w"))
    args = {"x": nd.ones((2, 3)), "w": nd.full((3,), 5)}
    grads = {"x": nd.full((2, 3), 100), "w": nd.zeros(3)}
    executor = symbol.bind(mx.cpu(), args, args_grad=grads, grad_req={"x": "add", "w": "null"})
    for calls in (1, 2):
        executor.forward(is_train=True)
        executor.backward([nd.ones((2, 3))])
        assert (grads["x"].asnumpy() == 100 + 5 * calls).all()
    assert not grads["w"].asnumpy().any()


def runs_and_live(output: mx.nd.NDArray) -> tuple[int, int]:
    """How often the state was run, and how many states there are."""
    values = output.asnumpy()
    return int(values[0]), int(values[-1])


@pytest.mark.usefixtures("probe")
def test_an_eager_call_has_a_state_of_its_own_which_its_backward_shares() -> None:
    x = nd.zeros(3)
    assert runs_and_live(nd.probe_state(x)) == (1, 1)
    gc.collect()
    assert runs_and_live(nd.probe_state(x)) == (1, 1)
    x.attach_grad()
    with autograd.record():
        y = nd.probe_state(x)
    y.backward()
    assert x.grad.asnumpy().tolist() == [1, 1, 1]


@pytest.mark.usefixtures("probe")
def test_an_executor_keeps_its_state_for_life() -> None:
    gc.collect()
    executor = sym.probe_state(sym.var("x")).bind(mx.cpu(), {"x": nd.zeros(3)})
    assert [runs_and_live(executor.forward()[0]) for _ in range(3)] == [(1, 1), (2, 1), (3, 1)]
    del executor
    gc.collect()
    assert runs_and_live(nd.probe_state(nd.zeros(3))) == (1, 1)


class Stateful(gluon.HybridBlock):
    """The library's stateful operator."""

    def hybrid_forward(self, F, x):  # type: ignore[no-untyped-def]
        return F.probe_state(x)


@pytest.mark.usefixtures("probe")
@pytest.mark.parametrize(
    ("flags", "runs"), [({}, 1), ({"static_alloc": True, "static_shape": True}, 2)]
)
def test_a_static_graph_keeps_states_between_calls(flags: dict[str, bool], runs: int) -> None:
    net = Stateful()
    net.hybridize(**flags)
    net(nd.zeros(3))
    assert runs_and_live(net(nd.zeros(3)))[0] == runs


@pytest.mark.usefixtures("probe")
def test_a_state_that_is_not_created_is_an_error() -> None:
    with pytest.raises(MXNetError, match="failed to create stateful operator 'probe_state'"):
        nd.probe_state(nd.zeros(3), none=1)


@pytest.mark.usefixtures("probe")
def test_functions_of_the_oldest_style_work() -> None:
    x = nd.array([1.0, 2.0])
    assert nd.probe_old(x, factor=3).asnumpy().tolist() == [3, 6]
    assert nd.probe_old_state(x, factor=4).asnumpy().tolist() == [4, 8]
    x.attach_grad()
    with autograd.record():
        y = nd.probe_old_state(x, factor=4)
    with pytest.raises(MXNetError, match="does not support backward"):
        y.backward()


@pytest.mark.parametrize("namespace", [nd, sym])
def test_a_library_s_operator_replaces_another(build: Builder, namespace: object) -> None:
    variable = sym.var("x")
    before = nd.sign(nd.array([-3.0])), nd.array([-3.0]).sign(), sym.sign(variable)
    assert before[0].asscalar() == before[1].asscalar() == -1
    mx.library.load(build("probe"), verbose=False)
    assert nd.sign(nd.array([-3.0])).asscalar() == -3
    assert nd.array([-3.0]).sign().asscalar() == -3
    assert sym.sign(variable).eval(x=nd.array([-3.0]))[0].asscalar() == -3
    assert before[2].eval(x=nd.array([-3.0]))[0].asscalar() == -1


@pytest.mark.usefixtures("probe")
def test_functions_are_found_by_their_qualified_names() -> None:
    assert nd.contrib.probe(nd.ones(1)).asscalar() == 1
    assert nd.op.probe_copy(nd.ones(1)).asscalar() == 1
    assert "probe_copy" in dir(nd)
    assert "probe_copy" in dir(sym)
    assert "extension library" in (nd.probe_copy.__doc__ or "")


def test_the_gemm_example_computes_as_the_regular_operator(build: Builder) -> None:
    mx.library.load(build("gemm"), verbose=False)
    a, b = (nd.array(np.random.default_rng(0).normal(size=s)) for s in ((3, 4), (4, 2)))
    found = []
    for function in (nd.my_gemm, nd.state_gemm, nd.linalg.gemm2):
        for x in (a, b):
            x.attach_grad()
        with autograd.record():
            c = function(a, b)
        c.backward()
        found.append((c.asnumpy(), a.grad.asnumpy(), b.grad.asnumpy()))
    for mine in found[:2]:
        for x, y in zip(mine, found[2], strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-6)


def test_two_libraries_do_not_disturb_each_other(build: Builder) -> None:
    for name in ("gemm", "relu"):
        mx.library.load(build(name), verbose=False)
    x = nd.array([[-1.0, 2.0]])
    assert nd.my_relu(nd.my_gemm(x, nd.array([[1.0], [0.0]]))).asscalar() == 0
    assert nd.my_relu(x.astype("float64")).asnumpy().tolist() == [[0, 2]]


class Chain(gluon.HybridBlock):
    """Library operators between others; one may be asked to fail."""

    def __init__(self, **attributes: object) -> None:
        super().__init__()
        self.attributes = attributes

    def hybrid_forward(self, F, x, w):  # type: ignore[no-untyped-def]
        y = F.probe_scale(F.exp(x), w)
        return F.probe_fail(F.probe_sum_max(y, x)[0] * 2, **self.attributes)


@pytest.mark.usefixtures("probe")
def test_compiled_graphs_call_libraries_without_python() -> None:
    x, w = nd.array([[1.0, 2.0], [3.0, 4.0]]), nd.array([5.0, 6.0])
    net = Chain()
    regular = net(x, w).asnumpy()
    net.hybridize()
    np.testing.assert_allclose(net(x, w).asnumpy(), regular, rtol=1e-6)
    assert {step.kind for step in net.explain(x, w).steps} == {"kernel"}
    np.testing.assert_allclose(net(x[:1], w).asnumpy(), regular[:1], rtol=1e-6)


@pytest.mark.usefixtures("probe")
@pytest.mark.parametrize("how", ["message", "throw"])
def test_a_failure_in_the_middle_of_a_compiled_graph_is_raised(how: str) -> None:
    x, w = nd.ones((2, 2)), nd.ones(2)
    net = Chain(at="forward", how=how)
    net.hybridize()
    for _ in range(2):
        with pytest.raises(MXNetError, match="FCompute for custom operator 'probe_fail'"):
            net(x, w)
    well = Chain()
    well.hybridize()
    assert np.isfinite(well(x, w).asnumpy()).all()


@pytest.mark.usefixtures("probe")
def test_a_failing_backward_in_a_compiled_graph_is_raised() -> None:
    x, w = nd.ones((2, 2)), nd.ones(2)
    x.attach_grad()
    net = Chain(at="backward")
    net.hybridize()
    with autograd.record():
        loss = net(x, w)
    with pytest.raises(MXNetError, match="failed in backward"):
        loss.backward()


@pytest.mark.usefixtures("probe")
@pytest.mark.parametrize("hybridize", [False, True])
def test_a_backward_is_called_though_no_gradient_flows_in(hybridize: bool) -> None:
    x, w = nd.ones((2, 2)), nd.ones(2)
    x.attach_grad()
    net = Chain(at="backward")
    if hybridize:
        net.hybridize()
    with autograd.record():
        loss = nd.BlockGrad(net(x, w))
    with pytest.raises(MXNetError, match="failed in backward"):
        loss.backward()


@pytest.mark.usefixtures("probe")
def test_threads_share_a_compiled_graph() -> None:
    net = Chain()
    net.hybridize()
    w = nd.array([5.0, 6.0])
    inputs = [nd.array(np.random.default_rng(i).normal(size=(1 + i % 3, 2))) for i in range(24)]
    wanted = [Chain()(x, w).asnumpy() for x in inputs]
    with ThreadPoolExecutor(6) as workers:
        for _ in range(20):
            found = workers.map(lambda x: net(x, w).asnumpy(), inputs)
            for one, other in zip(found, wanted, strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-5)


@pytest.mark.usefixtures("probe")
def test_a_tensor_is_never_mistaken_for_an_older_one_in_a_graph() -> None:
    executor = sym.probe_same(sym.var("x")).bind(mx.cpu(), {"x": nd.ones(1)})
    assert [executor.forward()[0].asscalar() for _ in range(3)] == [0, 0, 0]


@pytest.mark.usefixtures("probe")
def test_operators_of_a_library_stand_in_the_dictionaries_of_the_namespaces() -> None:
    for module in (nd, nd.op, sym, sym.op):
        assert vars(module)["probe_copy"] is module.probe_copy
