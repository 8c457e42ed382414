import json

import pytest

from gluonic import gluon, nd
from gluonic import symbol as sym
from gluonic.drawing.groups import groups_below
from gluonic.drawing.titles import titles_of
from gluonic.drawing.tree import block_tree, shown
from gluonic.gluon.model_zoo import vision
from gluonic.symbol import Symbol
from tests.drawing import nets


def titles(symbol: Symbol) -> list[str]:
    """The titles of blocks, with their details, outer blocks first."""
    tree = block_tree(shown(symbol.graph().nodes, hide_parameters=True))
    found = titles_of(tree)
    return [" | ".join(filter(None, found[group])) for group in groups_below(tree)[1:]]


def from_file(symbol: Symbol) -> Symbol:
    return sym.load_json(symbol.tojson())


def test_traced_blocks_are_called_by_their_prefixes_and_classes() -> None:
    found = titles(vision.resnet18_v1(prefix="net_")(sym.var("data")))
    assert found[:4] == [f"net_stage{i}_ | HybridSequential" for i in (1, 2, 3, 4)]
    assert "BasicBlockV1 ×2 | net_stage1_conv0 … activation1" in found


def test_a_prefix_without_underscore_gets_none() -> None:
    net = gluon.nn.HybridSequential(prefix="net")
    with net.name_scope():
        for _ in range(2):
            net.add(gluon.nn.Dense(3, activation="relu", prefix="mine"), gluon.nn.Dropout(0.5))
    assert "netmine | Dense" in titles(net(sym.var("data")))


def test_units_of_a_file_are_called_by_the_names_in_them() -> None:
    found = titles(from_file(vision.resnet18_v1(prefix="net_")(sym.var("data"))))
    assert found[:4] == [f"net_stage{i}_" for i in (1, 2, 3, 4)]
    assert "net_stage1_conv0 … activation1 ×2" in found
    assert "net_stage2_conv0 … activation0" in found
    assert not any("unit" in title for title in found)


def test_steps_are_called_by_their_prefix() -> None:
    found = titles(nets.unrolled(20))
    assert found[0] == "LSTMCell ×20 | lstm_t0…19_"
    assert found[1] == "lstm_t0_ | LSTMCell"


@pytest.mark.parametrize("from_a_file", [True, False])
def test_repeated_blocks_name_the_first_and_the_last(from_a_file: bool) -> None:
    symbol = nets.encoder()(sym.var("data"))
    if from_a_file:
        assert titles(from_file(symbol))[0] == "encoder_encoderlayer0…5_ ×6"
    else:
        assert titles(symbol)[0] == "EncoderLayer ×6 | encoder_encoderlayer0…5_"


def test_repeated_operators_are_listed_with_their_names() -> None:
    found = titles(vision.mobilenet1_0(prefix="net_")(sym.var("data")))
    assert found[0] == "Convolution, BatchNorm, Activation ×27 | net_conv0 … relu26"
    assert found[1] == "net_conv0 … relu0"


def test_operators_that_only_share_a_label_are_no_unit() -> None:
    x = sym.var("data")
    for operator in (sym.exp, sym.sin, sym.cos, sym.tanh, sym.relu, sym.sqrt, sym.cbrt, sym.abs):
        x = operator(x)
    y = x + sym.exp(x) * sym.sin(x)
    label = sym.reshape(sym.var("softmax_label"), (-1,))
    assert titles(sym.SoftmaxOutput(sym.reshape(y, (-1, 4)), label, name="softmax")) == []


def test_any_names_give_titles() -> None:
    for name in ("1" * 5000, "", "…", "_", "a_" * 3000):
        with sym.block_scope("outer"), sym.block_scope("outer"):
            x = sym.tanh(sym.exp(sym.var("x"), name=name), name=name)
        assert all(titles(sym.add_n(x, sym.exp(x, name=name))))


def test_titles_are_in_the_pages_data_and_its_static_picture() -> None:
    drawing = nets.encoder().plot(nd.zeros((2, 16)))
    text = drawing.pipe("svg").decode()
    assert "encoder_encoderlayer3_attention0_" in text
    assert json.dumps("encoder_encoderlayer3_attention0_") in drawing.pipe("html").decode()
