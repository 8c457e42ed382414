"""A graph is applied to symbols: names are those that MXNet gives, results those of the graph itself."""

import numpy as np
import pytest

import gluonic as mx
from gluonic import nd, sym
from gluonic.graph.errors import CallError
from gluonic.symbol.executor import Executor
from gluonic.symbol.subgraph_call import call_subgraph

SHAPE = (4, 5)


def network() -> sym.Symbol:
    data = sym.FullyConnected(sym.Variable("data"), num_hidden=3, name="f")
    made: sym.Symbol = sym.BatchNorm(data, name="bn", fix_gamma=False, output_mean_var=True)
    return made


def bound(symbol: sym.Symbol, end: str) -> Executor:
    """An executor whose inputs have values that follow from their names, less what these end with."""
    shapes, _, state_shapes = symbol.infer_shape(**{f"data{end}": SHAPE})
    assert shapes is not None
    assert state_shapes is not None
    arguments, states = symbol.list_arguments(), symbol.list_auxiliary_states()

    def value(name: str, shape: tuple[int, ...]) -> nd.NDArray:
        seed = sum(map(ord, name.removesuffix(end)))
        return nd.array(np.random.RandomState(seed).uniform(0.5, 1.5, shape))

    inputs = {n: value(n, shape) for n, shape in zip(arguments, shapes, strict=True)}
    executor: Executor = symbol.bind(
        mx.cpu(),
        inputs,
        args_grad={name: nd.zeros(array.shape) for name, array in inputs.items()},
        aux_states={n: value(n, shape) for n, shape in zip(states, state_shapes, strict=True)},
    )
    return executor


def test_outputs_states_and_gradients_are_those_of_the_graph() -> None:
    graph = network()
    inputs = [sym.Variable(f"{name}_") for name in graph.list_inputs()]
    called = call_subgraph(*inputs, subgraph=graph.tojson(), name="sub")
    executors = bound(graph, ""), bound(called, "_")
    results = []
    for executor in executors:
        outputs = executor.forward(is_train=True)
        executor.backward([nd.array(np.arange(o.size).reshape(o.shape)) for o in outputs])
        results.append([*outputs, *executor.grad_arrays, *executor.aux_arrays])
    for ours, expected in zip(*results, strict=True):
        np.testing.assert_allclose(ours.asnumpy(), expected.asnumpy(), rtol=1e-5, atol=1e-6)


def test_names_are_those_of_mxnet() -> None:
    graph = network()
    inputs = [sym.Variable(f"{name}_") for name in graph.list_inputs()]
    called = call_subgraph(*inputs, subgraph=graph.tojson(), name="sub")
    assert called.list_arguments() == ["data_", "f_weight_", "f_bias_", "bn_gamma_", "bn_beta_"]
    assert called.list_auxiliary_states() == ["bn_moving_mean_", "bn_moving_var_"]
    assert called.list_outputs() == ["sub_bn_output", "sub_bn_mean", "sub_bn_var"]
    with mx.name.NameManager():
        product = (sym.Variable("a") * sym.Variable("b")).tojson()
        called = call_subgraph(sym.Variable("x"), subgraph=product)
    assert called.list_arguments() == ["x", "_cachedop0_b"]
    assert called.list_outputs() == ["_cachedop0__mul0_output"]


def test_the_name_of_mxnet_gives_the_same_object() -> None:
    assert vars(sym._internal)["_CachedOp"] is call_subgraph


def test_too_many_inputs_are_refused() -> None:
    one = sym.Variable("a")
    with pytest.raises(CallError, match="the graph has 1 inputs, not 2"):
        call_subgraph(one, one, subgraph=(one + 1).tojson())
