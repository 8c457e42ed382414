"""Nodes of MXNet's partitioners that only call a graph are read as the nodes of that graph."""

import json
from typing import Any

import numpy as np
import pytest

from gluonic import cpu, nd, sym
from gluonic.graph.errors import FileFormatError
from gluonic.symbol import Symbol

Changes = dict[str, Any]


def _file(**changes: Any) -> str:
    """A file such as MXNet writes, of a node that calls a normalization and a rectifier."""
    names = ("x", "gamma", "beta", "mean", "var")
    variables = [{"op": "null", "name": name, "inputs": []} for name in names]
    inner = [{**variable, "name": f"{variable['name']}0"} for variable in variables]
    body = {
        "nodes": [
            *inner,
            {"op": "BatchNorm", "name": "bn", "inputs": [[i, 0, 0] for i in range(5)]},
            {"op": "relu", "name": "relu", "inputs": [[5, 0, 0]]},
        ],
        "arg_nodes": list(range(5)),
        "node_row_ptr": [0, 1, 2, 3, 4, 5, 8, 9],
        "heads": [[6, 0, 0]],
    }
    call = {
        "op": "_CachedOp",
        "name": "_CachedOp0",
        "inputs": [[i, 0, int(i > 2)] for i in range(5)],
        "subgraphs": [body],
        **changes,
    }
    document = {
        "nodes": [*variables, call, {"op": "negative", "name": "minus", "inputs": [[5, 0, 0]]}],
        "arg_nodes": list(range(5)),
        "node_row_ptr": list(range(8)),
        "heads": [[6, 0, 0]],
        "attrs": {"mxnet_version": ["int", 10901]},
    }
    return json.dumps(document)


def _net() -> Symbol:
    x, gamma, beta, mean, var = map(sym.var, ("x", "gamma", "beta", "mean", "var"))
    net: Symbol = -sym.relu(sym.BatchNorm(x, gamma, beta, mean, var))
    return net


def test_a_called_graph_computes_what_its_operators_do() -> None:
    random = np.random.RandomState(0)
    arrays = {name: nd.array(random.uniform(0.5, 1, 3)) for name in ("gamma", "beta")}
    states = {name: nd.array(random.uniform(0.5, 1, 3)) for name in ("mean", "var")}
    arrays["x"] = nd.array(random.uniform(-1, 1, (2, 3)))
    results = []
    for net in (sym.load_json(_file()), _net()):
        assert net.list_arguments() == ["x", "gamma", "beta"]
        assert net.list_auxiliary_states() == ["mean", "var"]
        gradients = {name: nd.zeros(array.shape) for name, array in arrays.items()}
        executor = net.bind(cpu(), dict(arrays), gradients, aux_states=dict(states))
        executor.forward(is_train=True)
        executor.backward(nd.ones((2, 3)))
        results.append([executor.outputs[0].asnumpy(), gradients["x"].asnumpy()])
    for one, other in zip(*results, strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"subgraphs": []}, "calls 0 graphs, not one"),
        ({"inputs": [[0, 0, 0]]}, "has 1 inputs and 1 outputs, but calls a graph of 5 and 1"),
    ],
)
def test_a_call_that_does_not_fit_is_refused(changes: Changes, message: str) -> None:
    with pytest.raises(FileFormatError, match=message):
        sym.load_json(_file(**changes))
