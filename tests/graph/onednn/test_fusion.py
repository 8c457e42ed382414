"""Layers are fused for oneDNN as MXNet fuses them, and what others read is never lost."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gluonic as mx
from gluonic import gluon, nd, sym
from tests.measured import fused_graphs
from tests.measured.measure import found, read

MEASURED = read("fused_graphs")
BACKENDS = st.sampled_from(fused_graphs.BACKENDS)


@pytest.mark.parametrize("words", fused_graphs.CHAINS)
@pytest.mark.parametrize("backend", fused_graphs.BACKENDS)
def test_a_chain_of_layers_becomes_the_nodes_that_mxnet_makes(words: str, backend: str) -> None:
    made = found(
        mx,
        lambda: fused_graphs.read(fused_graphs.chain(mx, words).get_backend_symbol(backend)),
    )
    assert made == MEASURED[f"{words}: {backend}"]


@pytest.mark.filterwarnings("ignore:uint8 makes 0 of the negative numbers:UserWarning")
@pytest.mark.parametrize(("net", "option"), fused_graphs.CASES)
def test_a_fused_and_quantized_graph_is_that_of_mxnet(net: str, option: str) -> None:
    made = found(mx, lambda: fused_graphs.quantized(mx, net, option))
    assert made == MEASURED[f"{net} {option}"]


def _values(symbol: Any, **shapes: tuple[int, ...]) -> list[dict[str, Any]]:
    """An array for each argument and each auxiliary state of a symbol; the states are positive."""
    arguments, _, states = symbol.infer_shape(**shapes)
    random = np.random.RandomState(0)
    return [
        {
            name: nd.array(random.uniform(low, 1, shape))
            for name, shape in zip(names, found_shapes, strict=True)
        }
        for names, found_shapes, low in (
            (symbol.list_arguments(), arguments, -1),
            (symbol.list_auxiliary_states(), states, 0.2),
        )
    ]


def _operators(symbol: Any) -> list[str]:
    return [node["op"] for node in json.loads(symbol.tojson())["nodes"]]


_WORDS = st.sampled_from(
    ["conv", "bn", "relu", "sigmoid", "leaky", "clip", "plus", "added", "copy", "drop", "square"]
)


@settings(max_examples=25, deadline=None)
@given(st.lists(_WORDS, min_size=1, max_size=6), st.sets(st.integers(0, 5)), BACKENDS)
def test_a_fused_net_computes_what_the_net_does(
    words: list[str], read_twice: set[int], backend: str
) -> None:
    net: Any = sym.var("data")
    heads = []
    for number, word in enumerate(words):
        net = fused_graphs.layer(mx, word, net, f"{word}{number}")
        heads += [net] if number in read_twice else []
    net = sym.Group([net, *heads])
    args, aux = _values(net, data=(2, 4, 4, 4))
    expected, actual = (
        symbol.bind(mx.cpu(), args, aux_states=aux).forward()
        for symbol in (net, net.get_backend_symbol(backend))
    )
    for one, other in zip(expected, actual, strict=True):
        assert np.allclose(one.asnumpy(), other.asnumpy(), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", ["float64", "float16"])
def test_layers_of_other_dtypes_stay_as_they_are(dtype: str) -> None:
    net = fused_graphs.chain(mx, "conv relu")
    args, _ = _values(net, data=(1, 2, 4, 4))
    made = net.optimize_for("MKLDNN", {name: array.astype(dtype) for name, array in args.items()})
    assert "_sg_mkldnn_conv" not in _operators(made)
    assert "_sg_mkldnn_conv" in _operators(net.optimize_for("MKLDNN"))


def test_an_environment_variable_turns_a_fusion_off(monkeypatch: pytest.MonkeyPatch) -> None:
    net = fused_graphs.chain(mx, "conv bn relu fc relu")
    for switch, operators in {
        "FUSE_CONV_BN": [
            "_sg_mkldnn_conv",
            "BatchNorm",
            "Activation",
            "_sg_mkldnn_fully_connected",
        ],
        "CONV_OPT": ["Convolution", "BatchNorm", "Activation", "_sg_mkldnn_fully_connected"],
        "FUSE_FC_ELTWISE": ["_sg_mkldnn_conv", "_sg_mkldnn_fully_connected", "Activation"],
    }.items():
        with monkeypatch.context() as changed:
            changed.setenv(f"MXNET_DISABLE_MKLDNN_{switch}", "1")
            made = _operators(net.get_backend_symbol("MKLDNN"))
        assert [name for name in made if name != "null"] == operators


def test_a_block_runs_with_fused_layers_as_machine_code() -> None:
    net = gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(gluon.nn.Conv2D(4, 3), gluon.nn.BatchNorm(), gluon.nn.Activation("relu"))
    net.initialize()
    x = nd.random.uniform(-1, 1, (2, 3, 6, 6))
    expected = net(x).asnumpy()
    net.optimize_for(x, backend="MKLDNN")
    assert np.allclose(net(x).asnumpy(), expected, rtol=1e-4, atol=1e-5)
    assert "runs in Python" not in str(net.explain(x))
