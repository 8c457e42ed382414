import contextlib
import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluonic import symbol as sym
from gluonic.graph.errors import FileFormatError, MXNetError
from gluonic.graph.json.reader import read_json
from gluonic.graph.shape_semantics import np_shape
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.context import cpu
from gluonic.symbol import NameManager, Symbol

Document = dict[str, Any]


def network() -> Symbol:
    with NameManager():
        x = sym.BatchNorm(sym.var("data"), name="bn")
        x = sym.FullyConnected(sym.LeakyReLU(x, act_type="prelu"), num_hidden=4, name="fc")
        left, right = sym.split(x, num_outputs=2)
        net: Symbol = sym.SoftmaxOutput(sym.Concat(left * 2, right, dim=1), name="softmax")
        return net


TEXT = network().tojson()


def document() -> Document:
    loaded: Document = json.loads(TEXT)
    return loaded


def node(loaded: Document, name: str) -> Document:
    found: Document = next(n for n in loaded["nodes"] if n["name"] == name)
    return found


def load(loaded: Document) -> Symbol:
    return sym.load_json(json.dumps(loaded))


def test_reading_and_writing_is_a_fixed_point() -> None:
    assert sym.load_json(TEXT).tojson() == TEXT


def test_what_is_read_infers_and_runs_as_what_was_written() -> None:
    net, again = network(), sym.load_json(TEXT)
    assert again.infer_shape(data=(2, 3)) == net.infer_shape(data=(2, 3))
    arguments, _, states = net.infer_shape(data=(2, 3))
    assert arguments is not None
    assert states is not None
    rng = np.random.default_rng(0)

    def arrays(shapes: list[Any]) -> list[NDArray]:
        return [NDArray(rng.random(shape).astype("float32")) for shape in shapes]

    inputs, aux = arrays(arguments), arrays(states)
    first, second = (s.bind(cpu(), inputs, aux_states=aux).forward()[0] for s in (net, again))
    np.testing.assert_array_equal(first.asnumpy(), second.asnumpy())


def older(field: str, pairs: bool) -> Document:
    """The network as older versions of MXNet spelled it."""
    loaded = document()
    for record in loaded["nodes"]:
        if "attrs" in record:
            record[field] = record.pop("attrs")
        record["backward_source_id"] = -1
        if pairs:
            record["inputs"] = [entry[:2] for entry in record["inputs"]]
    if pairs:
        loaded["heads"] = [entry[:2] for entry in loaded["heads"]]
    del loaded["node_row_ptr"]
    return loaded


@pytest.mark.parametrize("field", ["attr", "attrs", "param"])
@pytest.mark.parametrize("pairs", [False, True])
def test_all_spellings_are_read(field: str, pairs: bool) -> None:
    assert load(older(field, pairs)).tojson() == TEXT


def test_version_0_8_had_parameters_apart_and_no_states() -> None:
    loaded = {
        "nodes": [
            {"op": "null", "param": {}, "name": "x", "inputs": [], "backward_source_id": -1},
            {"op": "null", "param": {}, "name": "bn_gamma", "inputs": [], "backward_source_id": -1},
            {"op": "null", "param": {}, "name": "bn_beta", "inputs": [], "backward_source_id": -1},
            {
                "op": "BatchNorm",
                "param": {"eps": "0.001", "momentum": "0.9"},
                "attr": {"lr_mult": "2", "gamma_wd_mult": "0"},
                "name": "bn",
                "inputs": [[0, 0], [1, 0], [2, 0]],
                "backward_source_id": -1,
            },
        ],
        "arg_nodes": [0, 1, 2],
        "heads": [[3, 0]],
    }
    net = load(loaded)
    assert net.list_auxiliary_states() == ["bn_moving_mean", "bn_moving_var"]
    found = net.attr_dict()
    assert found["bn"]["lr_mult"] == "2"
    assert found["bn_gamma"]["wd_mult"] == "0"
    assert found["bn_moving_var"]["__init__"] == '["one", {}]'
    assert net.infer_shape(x=(2, 3))[2] == [(3,), (3,)]


def test_before_0_9_5_argmax_over_everything_was_axis_minus_one() -> None:
    loaded = json.loads(sym.argmax(sym.var("x"), axis=-1).tojson())
    assert load(loaded).infer_shape(x=(2, 3))[1] == [(2,)]
    loaded["attrs"]["mxnet_version"] = ["int", 904]
    assert load(loaded).infer_shape(x=(2, 3))[1] == [(1,)]


def test_unknown_axes_are_read_as_they_are_written_here() -> None:
    text = sym.FullyConnected(sym.var("x", shape=(10, 0)), num_hidden=3).tojson()
    with np_shape():
        net = sym.load_json(text)
        assert net.attr_dict()["x"]["__shape__"] == "(10, -1)"
        assert net.infer_shape(x=(10, 4))[1] == [(10, 3)]
        text = net.tojson()
    assert sym.load_json(text).attr_dict()["x"]["__shape__"] == "(10, 0)"


# ------------------------------------------------------------------------- operators not there


def unknown() -> Document:
    loaded = document()
    node(loaded, "fc")["op"] = "FancyLayer"
    node(loaded, "fc")["attrs"] = {"mystery": "(1, {", "__lr_mult__": "2"}
    return loaded


def test_unknown_operators_can_be_listed_edited_and_saved_again() -> None:
    net = load(unknown())
    assert net.list_arguments() == network().list_arguments()
    assert json.loads(net.tojson()) == unknown()
    fancy = net.get_internals()["fc_output"]
    fancy._set_attr(mystery="2")
    assert '"mystery": "2"' in net.tojson()


def test_unknown_operators_fail_when_inferred_or_run_by_name() -> None:
    net = load(unknown())
    with pytest.raises(MXNetError, match="FancyLayer"):
        net.infer_shape(data=(2, 3))
    shapes, _, _ = net.infer_shape_partial(data=(2, 3))
    assert shapes is not None
    assert shapes[1] == (3,)
    fancy = net.get_internals()["fc_output"]
    arrays = {name: NDArray(np.ones((2, 2), "float32")) for name in fancy.list_arguments()}
    states = {name: NDArray(np.ones(2, "float32")) for name in fancy.list_auxiliary_states()}
    arrays.update({name: NDArray(np.ones(2, "float32")) for name in arrays if "bn_" in name})
    with pytest.raises(MXNetError, match="FancyLayer"):
        fancy.bind(cpu(), arrays, aux_states=states).forward()


def test_the_states_of_unknown_operators_are_recognized_by_their_versions() -> None:
    loaded = document()
    node(loaded, "bn")["op"] = "FancyNorm"
    net = load(loaded)
    assert net.list_auxiliary_states() == ["bn_moving_mean", "bn_moving_var"]
    assert json.loads(net.tojson()) == loaded


def test_subgraphs_are_kept() -> None:
    loaded = unknown()
    node(loaded, "fc")["subgraphs"] = [{"nodes": [], "heads": []}]
    assert json.loads(load(loaded).tojson()) == loaded


# ------------------------------------------------------------------------- damage


def _set(*path: Any, to: Any) -> Callable[[Document], None]:
    def change(loaded: Document) -> None:
        *way, last = path
        holder: Any = loaded
        for step in way:
            holder = (
                node(loaded, step)
                if isinstance(holder, list) and isinstance(step, str)
                else holder[step]
            )
        holder[last] = to

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_set("heads", to=[]), "heads: is empty"),
        (_set("heads", 0, to=[99, 0, 0]), r"heads\[0\], node: 99 is out of range"),
        (_set("heads", 0, 1, to=5), r"heads\[0\], output: 5 is out of range"),
        (_set("heads", to={}), "heads must be an array, not an object"),
        (_set("nodes", "fc", "inputs", 0, to=[19, 0, 0]), r"\('fc'\), inputs\[0\].*come before"),
        (_set("nodes", "fc", "inputs", 0, to=[10, 0, 0]), "come before"),
        (_set("nodes", "fc", "inputs", 0, to=[-1, 0, 0]), "-1 is out of range"),
        (_set("nodes", "fc", "inputs", 0, to=[2**70, 0, 0]), "come before"),
        (_set("nodes", "fc", "inputs", 0, to=[True, 0, 0]), "whole number, not a truth value"),
        (_set("nodes", "fc", "inputs", 0, to=7), r"must be \[node, output\]"),
        (_set("nodes", "fc", "inputs", to=[[0, 0, 0]]), "takes 3 inputs"),
        (_set("nodes", "fc", "attrs", to={}), "needs the attribute num_hidden"),
        (_set("nodes", "fc", "attrs", to={"num_hidden": 4}), "attrs.num_hidden: must be a string"),
        (_set("nodes", "fc", "attrs", to={"num_hidden": "many"}), "must be an integer"),
        (_set("nodes", "fc", "attrs", to={"num_hiden": "4"}), "did you mean 'num_hidden'"),
        (_set("nodes", "fc", "name", to=None), "name must be a string, not null"),
        (_set("nodes", 3, to=3), r"nodes\[3\]: must be an object"),
        (_set("nodes", "data", "inputs", to=[[0, 0]]), "no earlier node|cannot have inputs"),
        (_set("nodes", "concat0", "attrs", "num_args", to="9" * 30), "there are 2 inputs"),
        (_set("nodes", "split0", "attrs", "num_outputs", to="99999999999"), "more than 65536"),
        (_set("arg_nodes", 0, to=5), r"arg_nodes\[0\]: node 5 is no variable"),
        (_set("node_row_ptr", to=["0"]), "node_row_ptr: must be an array of numbers"),
        (_set("node_row_ptr", to={}), "node_row_ptr: must be an array of numbers"),
        (_set("attrs", "mxnet_version", to=[]), "attrs.mxnet_version: must be a pair"),
        (_set("attrs", to=[]), "attrs: must be an object"),
    ],
)
def test_damage_is_named_with_its_location(
    change: Callable[[Document], None], message: str
) -> None:
    loaded = document()
    change(loaded)
    with pytest.raises(FileFormatError, match=message) as error:
        load(loaded)
    assert "symbol JSON" in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "[]",
        "null",
        "3",
        '{"nodes": []}',
        TEXT[:-2],
        "[" * 100_000,
        '{"nodes": NaN}',
    ],
)
def test_other_files_are_refused(text: str) -> None:
    with pytest.raises(FileFormatError):
        sym.load_json(text)


def test_invalid_utf8_is_refused() -> None:
    with pytest.raises(FileFormatError, match="no UTF-8"):
        read_json(b'{"nodes\xff": 1}')


def test_a_name_is_never_looked_up() -> None:
    loaded = document()
    node(loaded, "fc")["op"] = "__import__('os').system"
    assert load(loaded).list_outputs() == ["softmax_output"]


VALUES: st.SearchStrategy[Any] = st.sampled_from(
    [
        None,
        -1,
        0,
        1,
        2**31,
        2**70,
        1.5,
        True,
        "",
        "x",
        "(3, 3)",
        "(1",
        "null",
        "Concat",
        [],
        {},
        [[0]],
    ]
)


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    found = []
    for key, member in items:
        found.append((*path, key))
        if isinstance(member, (dict, list)):
            found += _paths(member, (*path, key))
    return found


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_mutated_files_load_or_are_refused_and_nothing_else(data: st.DataObject) -> None:
    loaded = document()
    for _ in range(data.draw(st.integers(1, 2))):
        *way, last = data.draw(st.sampled_from(_paths(loaded)))
        holder: Any = loaded
        for step in way:
            holder = holder[step]
        if data.draw(st.booleans()):
            holder[last] = data.draw(VALUES)
        else:
            del holder[last]
    try:
        net = load(loaded)
    except FileFormatError as error:
        with pytest.raises(FileFormatError, match=re.escape(str(error))):
            load(loaded)
        return
    assert net.tojson()
    assert net.debug_str()
    try:
        net.infer_shape_partial()
    except MXNetError as error:
        with pytest.raises(MXNetError, match=re.escape(str(error))):
            net.infer_shape_partial()


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=12), st.integers(0, len(TEXT) - 1), st.integers(0, 20))
def test_damaged_bytes_load_or_are_refused_and_nothing_else(
    junk: bytes, start: int, length: int
) -> None:
    text = TEXT.encode()
    with contextlib.suppress(FileFormatError):
        read_json(text[:start] + junk + text[start + length :])


@pytest.mark.parametrize("rows", [[], [0, 1], [-1, -2], [0, 10**9, 3], list(range(40)), None])
def test_counts_of_outputs_that_do_not_fit_are_ignored(rows: Any) -> None:
    loaded = document()
    loaded["node_row_ptr"] = rows
    assert load(loaded).tojson() == TEXT
