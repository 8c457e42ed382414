"""Faults of operators written in Python, and files that have them in their graphs."""

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd, sym
from gluonic.operator import CustomOp, CustomOpProp, register
from tests.ndarray.custom_ways import (
    CustomDense,
    Sigmoid,
    Way,
    Written,
    X,
    define,
    define_dense,
    every_way,
)


class UserError(Exception):
    """A fault of the user's own."""


def fail(*_: Any) -> Any:
    raise UserError("mine")


FAULTS = {
    "forward": {"forward": fail},
    "backward": {"backward": fail},
    "infer_shape": {"infer_shape": fail},
    "infer_type": {"infer_type": fail},
    "create_operator": {"create_operator": fail},
    "__init__": {"__init__": lambda self: fail()},
    "list_arguments": {"list_arguments": fail},
    "declare_backward_dependency": {"declare_backward_dependency": fail},
}


@every_way
@pytest.mark.parametrize("where", FAULTS)
def test_the_users_exception_is_raised_with_the_users_traceback(way: Way, where: str) -> None:
    functions: dict[str, Any] = {
        "forward": lambda op, train, req, x, y, aux: op.assign(y[0], req[0], x[0]),
        "backward": lambda op, req, dy, x, y, dx, aux: op.assign(dx[0], req[0], dy[0]),
    }
    define("test_fault", **{**functions, **FAULTS[where]})
    with pytest.raises(UserError, match="mine") as caught:
        way(X, op_type="test_fault")
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert names[-1] == "fail"
    assert not autograd.is_recording()
    assert not autograd.is_training()
    define("test_fault", **functions)
    assert way(X, op_type="test_fault")[0][0] == pytest.approx(X)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, StopIteration])
def test_flags_are_restored_however_a_callback_ends(
    error: type[BaseException],
) -> None:
    def raising(*_: Any) -> None:
        raise error

    define("test_leaving", raising)
    for _ in range(2):
        with pytest.raises(error), autograd.record():  # noqa: PT012
            try:
                nd.Custom(nd.array(X), op_type="test_leaving")
            finally:
                assert autograd.is_recording()
                assert autograd.is_training()
    assert not autograd.is_recording()


@every_way
@pytest.mark.parametrize(
    ("method", "result"),
    [
        ("infer_shape", lambda self, s: (s, [s[0], s[0]], [])),
        ("infer_shape", lambda self, s: s),
        ("infer_shape", lambda self, s: None),
        ("infer_shape", lambda self, s: (s, [], [])),
        ("infer_type", lambda self, t: (t, t, t)),
        ("infer_type", lambda self, t: t[0]),
    ],
)
def test_wrong_counts_are_refused_by_name(way: Way, method: str, result: Any) -> None:
    define("test_counts", lambda *_: None, lambda *_: None, **{method: result})
    with pytest.raises(mx.MXNetError, match="must return 1 inputs, 1 outputs, 0 states") as caught:
        way(X, op_type="test_counts")
    assert f"Prop.{method}" in str(caught.value)


@every_way
def test_shapes_that_are_none_are_refused(way: Way) -> None:
    define(
        "test_no_shape", lambda *_: None, lambda *_: None, infer_shape=lambda self, s: (s, [3], [])
    )
    with pytest.raises(mx.MXNetError, match="returned 3 where a shape is wanted"):
        way(X, op_type="test_no_shape")


def test_an_infer_shape_that_contradicts_its_inputs_is_refused() -> None:
    define(
        "test_contradicts", lambda *_: None, infer_shape=lambda self, s: ([(9, 9)], [(9, 9)], [])
    )
    with pytest.raises(mx.MXNetError, match=r"data is \(2, 3\) but must be \(9, 9\)"):
        nd.Custom(nd.array(X), op_type="test_contradicts")


def test_an_error_in_infer_shape_is_not_mistaken_for_a_missing_shape() -> None:
    define(
        "test_typo",
        lambda *_: None,
        list_arguments=lambda self: ["data", "weight"],
        infer_shape=lambda self, s: undefined_name,  # type: ignore[name-defined] # noqa: F821
    )
    with pytest.raises(NameError, match="undefined_name"):
        sym.Custom(sym.var("x"), op_type="test_typo").infer_shape(x=(2, 3))


def test_an_unregistered_operator_is_named_with_similar_ones() -> None:
    calls: list[Callable[[], Any]] = [
        lambda: nd.Custom(nd.array(X), op_type="test_sigmiod"),
        lambda: sym.Custom(sym.var("x"), op_type="test_sigmiod"),
    ]
    for call in calls:
        with pytest.raises(mx.MXNetError, match="did you mean 'test_sigmoid'") as caught:
            call()
        assert f'File "{__file__}"' in str(caught.value)


def test_attributes_it_does_not_take_are_named() -> None:
    with pytest.raises(mx.MXNetError, match=r"SigmoidProp does not take .* 'slope'"):
        nd.Custom(nd.array(X), op_type="test_sigmoid", slope=1)


def test_a_missing_input_is_named() -> None:
    define_dense()
    with pytest.raises(mx.MXNetError, match=r"weight|takes 2 inputs \(data, weight\)"):
        nd.Custom(nd.array(X), op_type="test_dense", units=3)


def test_only_properties_can_be_registered() -> None:
    with pytest.raises(TypeError, match="subclass of CustomOpProp"):
        register("test_nothing")(Sigmoid)  # type: ignore[arg-type]


def test_an_operator_without_gradient_is_reported() -> None:
    @register("test_forward_only")
    class Prop(CustomOpProp):
        def create_operator(self, ctx: Any, in_shapes: list[Any], in_dtypes: list[Any]) -> CustomOp:
            return Written("")

    x = nd.array([1.0])
    x.attach_grad()
    with autograd.record():
        y = nd.Custom(x, op_type="test_forward_only")
    with pytest.raises(NotImplementedError, match=r"Written.backward: no gradient is written"):
        y.backward()


def test_a_second_order_through_it_is_refused_rather_than_zero() -> None:
    for _ in range(2):
        x = nd.array([0.5])
        x.attach_grad()
        with autograd.record():
            y = nd.Custom(x, op_type="test_sigmoid")
            (first,) = autograd.grad(y, [x], create_graph=True)
        assert first.asscalar() == pytest.approx(0.2350037)
        with pytest.raises(mx.MXNetError, match="_backward_Custom has no gradient"):
            first.backward()


def test_registering_a_name_again_replaces_it() -> None:
    x = nd.array([3.0])
    found: list[Any] = []
    for factor in (2, 5):
        define(
            "test_again", lambda op, t, req, x, y, aux, f=factor: op.assign(y[0], req[0], x[0] * f)
        )
        found.append(nd.Custom(x, op_type="test_again").asscalar())
        found.append(sym.Custom(sym.var("x"), op_type="test_again").eval(x=x)[0].asscalar())
    assert found == [6, 6, 15, 15]
    assert mx.operator.get_all_registered_operators().count("test_again") == 1


def test_a_graph_with_it_is_written_read_and_run(tmp_path: Path) -> None:
    define_dense()
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Dense(3), CustomDense(4), gluon.nn.Activation("relu"))
    net.initialize()
    net.hybridize()
    x = nd.array(X)
    expected = net(x).asnumpy()
    files = net.export(str(tmp_path / "net"))
    loaded = gluon.SymbolBlock.imports(files[0], ["data"], files[1])
    assert np.array_equal(loaded(x).asnumpy(), expected)
    text = Path(files[0]).read_text()
    assert '"op": "Custom"' in text
    assert '"units": "4"' in text
    assert "custom_op" not in text
    assert sym.load(files[0]).tojson() == text


def test_hidden_outputs_are_not_listed() -> None:
    symbol = sym.Custom(sym.var("x"), op_type="test_sigmoid", name="s")
    assert symbol.get_internals().list_outputs() == ["x", "s_output"]
    assert '"node_row_ptr": [0, 1, 2]' in symbol.tojson()


def test_a_graph_whose_operator_is_not_registered_can_be_read_but_not_run() -> None:
    define("test_absent", lambda *_: None, list_auxiliary_states=lambda self: ["state"])
    text = (sym.Custom(sym.var("x"), op_type="test_absent", name="c") * 2).tojson()
    text = text.replace("test_absent", "test_not_here")
    symbol = sym.load_json(text)
    assert symbol.list_arguments() == ["x"]
    assert symbol.list_auxiliary_states() == ["c_state"]
    assert symbol.tojson() == text
    with pytest.raises(mx.MXNetError, match="Custom"):
        symbol.infer_shape(x=(2,))
    executor = symbol.bind(mx.cpu(), [nd.zeros((2,))], aux_states=[nd.zeros((2,))])
    with pytest.raises(mx.MXNetError, match="op_type='test_not_here'"):
        executor.forward()
