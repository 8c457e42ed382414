import pytest

from gluonic import symbol as sym
from gluonic.drawing.blocks import block_paths
from gluonic.drawing.details import detail
from gluonic.drawing.dot import dot_lines
from gluonic.drawing.families import FAMILIES, family_of, is_quiet
from gluonic.drawing.picture import Picture, picture
from gluonic.graph.node import Node
from gluonic.symbol import Symbol
from tests.graph.registry_samples import SAMPLES, application_of


def residual(depth: int = 3) -> Symbol:
    x = sym.var("data")
    for i in range(depth):
        y = sym.FullyConnected(x, num_hidden=8, name=f"net0_stage{i}_fc")
        y = sym.Activation(y, act_type="relu", name=f"net0_stage{i}_relu")
        x = x + y
    return sym.Group([sym.sum(x, axis=1), x])


def drawn(symbol: Symbol, *, hide_parameters: bool = True) -> Picture:
    return picture(symbol.graph(), hide_parameters=hide_parameters)


# ------------------------------------------------------------------------------ what is shown


def test_parameters_are_hidden_unless_asked_for() -> None:
    assert not any("weight" in box.title for box in drawn(residual()).boxes)
    assert any("weight" in box.title for box in drawn(residual(), hide_parameters=False).boxes)


def test_every_operator_has_a_family_with_colours() -> None:
    assert len(SAMPLES) > 300
    for name, samples in SAMPLES.items():
        assert family_of(Node(application_of(name, samples[0]), "n")) in FAMILIES


@pytest.mark.parametrize(
    ("operator", "family"),
    [
        ("softmax", "activation"),
        ("log_softmax", "activation"),
        ("SoftmaxActivation", "activation"),
        ("SoftmaxOutput", "loss"),
        ("LinearRegressionOutput", "loss"),
        ("LogisticRegressionOutput", "loss"),
        ("MAERegressionOutput", "loss"),
        ("MakeLoss", "loss"),
        ("make_loss", "loss"),
        ("CTCLoss", "loss"),
        ("softmax_cross_entropy", "loss"),
        ("SVMOutput", "loss"),
    ],
)
def test_only_loss_operators_are_losses(operator: str, family: str) -> None:
    assert family_of(Node(application_of(operator, SAMPLES[operator][0]), "n")) == family


def test_operators_that_only_change_the_shape_are_quiet() -> None:
    quiet = {
        name
        for name, samples in SAMPLES.items()
        if is_quiet(Node(application_of(name, samples[0]), "n"))
    }
    assert quiet >= {"Reshape", "Flatten", "transpose", "expand_dims", "slice", "squeeze", "_copy"}
    assert quiet >= {"_np_reshape", "_npx_reshape", "_np_transpose", "SwapAxis", "BlockGrad"}
    assert not quiet & {"Concat", "SliceChannel", "stack", "tile", "Cast", "take", "sum", "relu"}
    families = {family_of(Node(application_of(n, SAMPLES[n][0]), "n")) for n in quiet}
    assert families == {"shape"}


@pytest.mark.parametrize(
    ("operator", "attributes", "text"),
    [
        ("Convolution", {"kernel": "(3, 3)", "stride": "(2, 2)", "num_filter": "8"}, "3×3/2×2, 8"),
        ("Convolution", {}, ", ?"),
        ("Pooling", {"global_pool": "True", "pool_type": "avg"}, "avg, global"),
        ("FullyConnected", {"num_hidden": "4"}, "4"),
        ("_plus_scalar", {"scalar": "1.5"}, "1.5"),
        ("sum", {"axis": "1"}, "axis=1"),
        ("Nothing", {"a": "x" * 500}, None),
    ],
)
def test_details_list_attributes_that_differ_from_defaults(
    operator: str, attributes: dict[str, str], text: str | None
) -> None:
    found = detail(operator, attributes)
    assert len(found) <= 34
    assert text is None or found == text


def test_blocks_come_from_the_trace() -> None:
    with sym.block_scope("net"), sym.block_scope("dense"):
        x = sym.FullyConnected(sym.var("x"), num_hidden=2, name="fc")
    graph = sym.tanh(x).graph()
    by_name = dict(zip((n.name for n in graph.nodes), block_paths(graph.nodes), strict=True))
    assert by_name["fc"] == by_name["fc_weight"] == ("net", "dense")
    assert by_name["tanh0"] == by_name["x"] == ()


def test_blocks_of_a_file_come_from_the_names() -> None:
    graph = residual().graph()
    by_name = dict(zip((n.name for n in graph.nodes), block_paths(graph.nodes), strict=True))
    assert by_name["net0_stage1_fc"] == ("net0", "net0_stage1")
    assert by_name["_plus1"] == ()


# ------------------------------------------------------------------------------ Graphviz


def test_nodes_of_one_name_are_drawn_apart() -> None:
    x = sym.var("u")
    shown = drawn(sym.tanh(sym.tanh(x, name="u"), name="u"))
    text = "".join(dot_lines(shown, {}))
    assert len(shown.boxes) == 3
    assert '"u (2)" -> "u"' in text
    assert '"u (3)" -> "u (2)"' in text
