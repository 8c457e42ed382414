import pickle

import numpy as np
import pytest

from gluonic import symbol as sym
from gluonic.graph.errors import MXNetError
from gluonic.symbol import AttrScope


def test_variables_keep_their_declarations_as_mxnet_writes_them() -> None:
    x = sym.var(
        "x", shape=(2, 0), dtype="float16", lr_mult=1, wd_mult=2.0, stype="default", __a__=3
    )
    assert x.list_attr() == {
        "__shape__": "(2, 0)",
        "__dtype__": "2",
        "__lr_mult__": "1",
        "lr_mult": "1",
        "__wd_mult__": "2.0",
        "wd_mult": "2.0",
        "__storage_type__": "0",
        "__a__": "3",
    }


def test_operators_keep_attributes_as_the_user_wrote_them() -> None:
    x = sym.var("x")
    assert sym.sum(x, axis=[0, 1]).list_attr() == {"axis": "[0, 1]"}
    assert sym.sum(x, axis=(np.int64(0), 1)).list_attr() == {"axis": "(0, 1)"}  # type: ignore[arg-type]
    assert sym.cast(x, dtype=np.float16).list_attr() == {"dtype": "float16"}
    assert (x * np.float32(1.5)).list_attr() == {"scalar": "1.5"}


def test_inputs_made_for_an_operator_share_its_attributes() -> None:
    net = sym.FullyConnected(sym.var("x"), num_hidden=2, name="fc", attr={"__mood__": "calm"})
    assert net.attr_dict() == {
        name: {"num_hidden": "2", "__mood__": "calm"} for name in ("fc", "fc_weight", "fc_bias")
    }


def test_states_declare_their_initializers() -> None:
    found = sym.BatchNorm(sym.var("x"), name="bn").attr_dict()
    assert found["bn_moving_mean"]["__init__"] == '["zero", {}]'
    assert found["bn_moving_var"]["__init__"] == '["one", {}]'


def test_scopes_add_attributes_and_inner_ones_win() -> None:
    with AttrScope(__a__="outer", __b__="outer"), AttrScope(__a__="inner"):
        x = sym.var("x")
        y = sym.tanh(x, attr={"__b__": "own"})
    assert x.list_attr() == {"__a__": "inner", "__b__": "outer"}
    assert y.list_attr() == {"__a__": "inner", "__b__": "own"}
    assert sym.var("z").list_attr() == {}


def test_scopes_take_strings_only() -> None:
    with pytest.raises(ValueError, match="must be a string"):
        AttrScope(a=1)  # type: ignore[arg-type]


def test_bare_names_are_found_under_both_names() -> None:
    x = sym.var("x", attr={"force_mirroring": "True"})
    assert x.attr("force_mirroring") == x.attr("__force_mirroring__") == "True"


def test_attributes_of_an_input_are_refused_on_the_operator() -> None:
    with pytest.raises(MXNetError, match=r"weight=Variable\('…', lr_mult=…\)"):
        sym.FullyConnected(sym.var("x"), num_hidden=2, weight_lr_mult=2)  # type: ignore[call-arg]


def test_setting_an_attribute_changes_what_the_operator_does() -> None:
    net = sym.FullyConnected(sym.var("x", shape=(3, 4)), num_hidden=2)
    net._set_attr(num_hidden="7")
    _, outputs, _ = net.infer_shape()
    assert outputs == [(3, 7)]


def test_groups_have_no_attributes_of_their_own() -> None:
    group = sym.Group([sym.var("x"), sym.var("y")])
    assert group.attr("name") is None
    with pytest.raises(MXNetError, match="group"):
        group._set_attr(a="1")


def test_attributes_survive_pickling() -> None:
    net = sym.tanh(sym.var("x", attr={"mood": "calm"}), attr={"__a__": "1"})
    assert pickle.loads(pickle.dumps(net)).attr_dict() == net.attr_dict()


def test_nodes_remember_the_users_line_and_the_block() -> None:
    with sym.block_scope("net0"), sym.block_scope("dense0"):
        node = sym.tanh(sym.var("x")).entries[0].node
    assert node.block == "net0/dense0"
    assert node.location is not None
    assert node.location.function == "test_nodes_remember_the_users_line_and_the_block"
    assert sym.block_path() == ""


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"foo": 1}, ValueError),
        ({"attr": {"a": 1}}, ValueError),
        ({"stype": "dense"}, KeyError),
        ({"dtype": "float31"}, TypeError),
    ],
)
def test_variables_refuse_unknown_arguments(
    arguments: dict[str, object], error: type[Exception]
) -> None:
    with pytest.raises(error):
        sym.var("x", **arguments)  # type: ignore[arg-type]
