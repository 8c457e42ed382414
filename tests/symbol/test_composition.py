import copy
import pickle

import pytest

from gluonic import symbol as sym
from gluonic.graph.errors import AttributeValueError, MXNetError
from gluonic.symbol import NotImplementedForSymbol, Symbol


def network() -> Symbol:
    hidden = sym.tanh(sym.FullyConnected(sym.var("x"), num_hidden=3, name="fc1"), name="t")
    net: Symbol = sym.FullyConnected(hidden, num_hidden=2, name="fc2")
    return net


def test_composition_replaces_variables_in_a_copy() -> None:
    net = network()
    made = net(x=sym.sin(sym.var("y")), name="copy")
    assert made.list_arguments() == ["y", "fc1_weight", "fc1_bias", "fc2_weight", "fc2_bias"]
    assert made.list_outputs() == ["copy_output"]
    assert net.list_arguments()[0] == "x"
    assert net.list_outputs() == ["fc2_output"]


def test_composition_of_a_group_replaces_in_all_members() -> None:
    x = sym.var("x")
    made = sym.Group([sym.tanh(x), x])(x=sym.var("y"))
    assert made.list_inputs() == ["y"]


def test_composition_names_the_variables_when_one_is_unknown() -> None:
    with pytest.raises(MXNetError, match=r"'fc1_wait'; did you mean 'fc1_weight'(.|\n)*fc2_bias"):
        network()(fc1_wait=sym.var("w"))


def test_composition_takes_no_group_for_a_variable() -> None:
    two = sym.Group([sym.var("a"), sym.var("b")])
    with pytest.raises(MXNetError, match="has 2 outputs"):
        network()(x=two)


def test_internals_are_all_nodes_in_order() -> None:
    names = network().get_internals().list_outputs()
    assert names == [
        "x", "fc1_weight", "fc1_bias", "fc1_output", "t_output", "fc2_weight", "fc2_bias",
        "fc2_output",
    ]  # fmt: skip


def test_an_internal_output_is_a_network_of_its_own() -> None:
    assert network().get_internals()["fc1_output"].list_arguments() == [
        "x",
        "fc1_weight",
        "fc1_bias",
    ]


def test_children_are_the_inputs_of_the_outputs() -> None:
    children = network().get_children()
    assert children is not None
    assert children.list_outputs() == ["t_output", "fc2_weight", "fc2_bias"]
    assert sym.var("x").get_children() is None


def test_hidden_outputs_are_not_seen() -> None:
    net = sym.BatchNorm(sym.var("x"), name="bn")
    assert len(net) == net.num_outputs == 1
    assert net.get_internals().list_outputs()[-1] == "bn_output"


def test_outputs_are_found_by_number_name_and_slice() -> None:
    parts = sym.split(sym.var("x"), num_outputs=3, name="s")
    assert parts.list_outputs() == ["s_output0", "s_output1", "s_output2"]
    assert parts[1].list_outputs() == parts["s_output1"].list_outputs() == ["s_output1"]
    assert parts[1:].list_outputs() == ["s_output1", "s_output2"]
    assert [part.list_outputs()[0] for part in parts] == parts.list_outputs()


def test_missing_outputs_are_refused() -> None:
    net = network()
    with pytest.raises(IndexError):
        net[1]
    with pytest.raises(ValueError, match="did you mean 'fc2_output'"):
        net["fc2_outputs"]
    with pytest.raises(TypeError, match=r"F\.slice_axis"):
        net[0, 1]  # type: ignore[index]


def test_an_ambiguous_output_name_is_refused() -> None:
    x = sym.var("x")
    with pytest.raises(ValueError, match="2 outputs called 'x'"):
        sym.Group([x, x])["x"]


def test_copies_and_pickles_share_nothing_and_have_the_same_attributes() -> None:
    net = network()
    for made in (copy.copy(net), copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert made.tojson() == net.tojson()
        made._set_attr(num_hidden="5")
        assert net.attr("num_hidden") == "2"


def test_operators_take_symbols_only() -> None:
    with pytest.raises(TypeError, match="data must be a Symbol, not int"):
        sym.FullyConnected(1, num_hidden=2)  # type: ignore[arg-type]
    with pytest.raises(MXNetError, match=r"data must be one symbol, but has 2 outputs"):
        sym.FullyConnected(sym.split(sym.var("x"), num_outputs=2), num_hidden=2)


def test_unknown_attributes_are_refused_with_the_nearest() -> None:
    with pytest.raises(AttributeValueError, match="did you mean 'num_hidden'"):
        sym.FullyConnected(sym.var("x"), num_hiden=2)  # type: ignore[call-arg]


def test_an_input_given_twice_is_refused() -> None:
    x = sym.var("x")
    with pytest.raises(TypeError, match="data was given twice"):
        sym.FullyConnected(x, data=x, num_hidden=2)  # type: ignore[misc]


def test_variadic_operators_take_inputs_by_position_or_by_name() -> None:
    x, y = sym.var("x"), sym.var("y")
    assert sym.Concat(x, y).list_arguments() == ["x", "y"]
    assert sym.Concat(arg1=x, arg0=y).list_arguments() == ["y", "x"]  # type: ignore[call-arg]
    assert sym.Concat(x, num_args=2, name="c").list_arguments() == ["x", "c_arg1"]


def test_states_must_be_variables() -> None:
    x = sym.var("x")
    with pytest.raises(MXNetError, match="moving_mean is updated by the operator"):
        sym.BatchNorm(x, moving_mean=sym.tanh(x))


@pytest.mark.parametrize("what", [bool, lambda x: x.asnumpy(), lambda x: x.detach()])
def test_values_are_refused_with_a_hint(what: object) -> None:
    with pytest.raises(NotImplementedForSymbol):
        what(sym.var("x"))  # type: ignore[operator]


def test_in_place_arithmetic_is_refused() -> None:
    x = sym.var("x")
    with pytest.raises(NotImplementedForSymbol):
        x += 1


@pytest.mark.parametrize("name", ["shape", "dtype", "context", "T"])
def test_what_only_arrays_have_is_missing_with_a_hint(name: str) -> None:
    with pytest.raises(AttributeError, match="Try: "):
        getattr(sym.var("x"), name)


def test_a_long_chain_needs_no_recursion() -> None:
    x = net = sym.var("x")
    for _ in range(20_000):
        net = net + 1
    assert net.list_arguments() == ["x"]
    assert len(copy.copy(net).get_internals()) == 20_001
    assert net(x=x * 2).infer_shape(x=(2,))[1] == [(2,)]


def test_a_group_is_made_by_the_function_that_is_given() -> None:
    class Mine(sym.Symbol):
        pass

    made = sym.Group([sym.var("a"), sym.var("b")], create_fn=Mine)
    assert type(made) is Mine
    assert made.list_outputs() == ["a", "b"]
