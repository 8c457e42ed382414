"""Loading a graph of large arrays, and inferring its shapes, makes none of them."""

import json
import tracemalloc
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import gluonic as mx
from gluonic import gluon, nd, sym
from gluonic.graph.operator import REGISTRY

LARGE = 500_000_000
_SIZES = (
    *("shape", "size", "N", "num", "depth", "stop", "repeats", "newshape", "reps", "M", "k"),
    *("num_hidden", "length", "output_size", "new_shape", "target_shape"),
)
_OTHERS: tuple[dict[str, str], ...] = ({}, {"start": "0"}, {"low": "0", "high": "10"})


def documents(name: str) -> Iterator[str]:
    """Graphs of one operator, with each of its attributes that may be a size large."""
    attributes = REGISTRY[name].attributes
    for size in filter(attributes.__contains__, _SIZES):
        for text in (f"({LARGE},)", str(LARGE)):
            for others in _OTHERS:
                if others.keys() <= attributes.keys():
                    for inputs in range(4):
                        yield document(name, {**others, size: text}, inputs)


def document(name: str, attributes: dict[str, str], inputs: int) -> str:
    """A graph of one operator."""
    nodes = [{"op": "null", "name": f"x{i}", "inputs": []} for i in range(inputs)]
    entries = [[i, 0, 0] for i in range(inputs)]
    node = {"op": name, "name": "y", "attrs": attributes, "inputs": entries}
    variables = list(range(inputs))
    return json.dumps({"nodes": [*nodes, node], "arg_nodes": variables, "heads": [[inputs, 0, 0]]})


def test_no_operator_makes_an_array_when_its_graph_is_loaded_and_inferred() -> None:
    count, tracing = 0, not tracemalloc.is_tracing()
    if tracing:
        tracemalloc.start()
    try:
        for name in sorted(REGISTRY):
            for text in documents(name):
                tracemalloc.reset_peak()
                before = tracemalloc.get_traced_memory()[0]
                with suppress(mx.MXNetError), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    net = sym.load_json(text)
                    count += 1
                    net.infer_type()
                    net.infer_shape_partial(**dict.fromkeys(net.list_arguments(), (2, 3)))
                assert tracemalloc.get_traced_memory()[1] - before < 16 << 20, text
    finally:
        if tracing:
            tracemalloc.stop()
    assert count > 150


@pytest.mark.parametrize("name", ["_zeros", "_arange", "_random_uniform", "_eye"])
def test_a_block_of_large_arrays_is_imported_and_compiled_without_them(
    name: str, tmp_path: Path
) -> None:
    whole = {
        "_zeros": sym.zeros((LARGE,)),
        "_arange": sym.arange(LARGE),
        "_random_uniform": sym.random.uniform(shape=(LARGE,)),
        "_eye": sym.eye(22_000),
    }[name]
    net = sym.broadcast_add(whole.sum().reshape((1,)), sym.var("data"))
    files = str(tmp_path / "net.json"), str(tmp_path / "net.params")
    net.save(files[0])
    nd.save(files[1], {})
    tracemalloc.start()
    try:
        block = gluon.SymbolBlock.imports(files[0], ["data"], files[1], allow_missing=True)
        block.hybridize(compile_at_once=True)
        block.explain(nd.ones(1))
        assert tracemalloc.get_traced_memory()[1] < 256 << 20
    finally:
        tracemalloc.stop()
