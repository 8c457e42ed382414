import numpy as np
import pytest

from gluonic import symbol as sym
from gluonic.graph.errors import InferenceError, MXNetError
from gluonic.graph.shape_semantics import np_shape
from gluonic.symbol import Symbol


def network() -> Symbol:
    net: Symbol = sym.FullyConnected(sym.var("x"), num_hidden=3, name="fc")
    return net


def test_shapes_follow_from_the_data() -> None:
    assert network().infer_shape(x=(2, 5)) == ([(2, 5), (3, 5), (3,)], [(2, 3)], [])


def test_shapes_may_be_given_in_order() -> None:
    assert network().infer_shape((2, 5), None, None)[1] == [(2, 3)]
    assert network().infer_shape_partial((0, 5)) == ([(0, 5), (3, 5), (3,)], [(0, 3)], [])


def test_shapes_that_cannot_be_inferred_give_none_and_a_warning_naming_them() -> None:
    with pytest.warns(UserWarning, match=r"fc_weight: \(\)"):
        assert network().infer_shape() == (None, None, None)


def test_a_declared_shape_is_used_unless_another_is_given() -> None:
    net = sym.tanh(sym.var("x", shape=(2, 3)))
    assert net.infer_shape() == ([(2, 3)], [(2, 3)], [])
    assert net.infer_shape(x=(4,)) == ([(4,)], [(4,)], [])


def test_unknown_is_written_as_mxnet_does() -> None:
    net = sym.sin(sym.var("x"))
    assert net.infer_shape_partial() == ([()], [()], [])
    with np_shape():
        assert net.infer_shape_partial() == ([None], [None], [])
        assert net.infer_shape_partial(x=(-1, 0)) == ([(-1, 0)], [(-1, 0)], [])


def test_contradictions_name_the_line_the_node_and_the_shapes() -> None:
    net = sym.var("a") + sym.var("b")
    with pytest.raises(InferenceError) as error:
        net.infer_shape(a=(2, 3), b=(3, 2))
    message = str(error.value)
    for part in ("_plus0", "(2, 3)", "(3, 2)", __file__, "broadcast_add"):
        assert part in message


@pytest.mark.parametrize(
    ("positional", "named", "error"),
    [
        ((), {"y": (2, 3)}, MXNetError),
        ((), {"x": [2, 3]}, TypeError),
        (((2, 3),), {"x": (2, 3)}, ValueError),
        (((2, 3), (3, 3), (3,), (1,)), {}, MXNetError),
    ],
)
def test_wrong_arguments_are_refused(
    positional: tuple[object, ...], named: dict[str, object], error: type[Exception]
) -> None:
    with pytest.raises(error):
        network().infer_shape(*positional, **named)


def test_dtypes_follow_both_ways() -> None:
    half = np.float16
    assert network().infer_type(x="float16") == ([half] * 3, [half], [])
    assert network().infer_type(fc_weight=half) == ([half] * 3, [half], [])


def test_dtypes_that_cannot_be_inferred_give_none_and_a_warning() -> None:
    with pytest.warns(UserWarning, match="x: None"):
        assert network().infer_type() == (None, None, None)
    assert network().infer_type_partial() == ([None] * 3, [None], [])


def test_states_have_shapes_of_their_own_list() -> None:
    found = sym.BatchNorm(sym.var("x")).infer_shape(x=(2, 3, 4))
    assert found == ([(2, 3, 4), (3,), (3,)], [(2, 3, 4)], [(3,), (3,)])


def test_a_shape_that_is_none_is_named_with_its_variable() -> None:
    with pytest.raises(MXNetError, match="'x' has the shape 'abc'"):
        sym.tanh(sym.var("x", attr={"__shape__": "abc"})).infer_shape()


def test_np_shape_is_per_thread_and_nests() -> None:
    from gluonic.graph.shape_semantics import is_np_shape, set_np_shape

    with np_shape(), np_shape(False):
        assert not is_np_shape()
    assert not is_np_shape()
    assert set_np_shape(True) is False
    assert set_np_shape(False) is True
