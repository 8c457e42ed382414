import copy
import functools
import inspect
from typing import Any

import pytest

from gluonic.graph.calling import NULL, Caller, LaterSignature, signature
from gluonic.graph.errors import MXNetError
from gluonic.graph.namespaces import Functions, public_name_of
from gluonic.graph.operator import REGISTRY, Operator


class Thing:
    """Stands for an NDArray or a Symbol."""


A, B, C = Thing(), Thing(), Thing()


def split(name: str, *args: Any, **kwargs: Any) -> Any:
    return Caller(REGISTRY[name], Thing).split(args, kwargs)


def arranged(name: str, *args: Any, **kwargs: Any) -> Any:
    caller = Caller(REGISTRY[name], Thing)
    positional, named, attributes = caller.split(args, kwargs)
    return caller.arrange(caller.op.apply(attributes), positional, named)


def test_inputs_come_before_attributes_by_position() -> None:
    positional, named, attributes = split("FullyConnected", A, None, None, 3, True)
    assert (positional, named) == ([A, None, None], {})
    assert attributes == {"num_hidden": 3, "no_bias": True}


def test_inputs_and_attributes_are_distinguished_by_keyword() -> None:
    assert split("FullyConnected", A, weight=B, num_hidden=3) == (
        [A],
        {"weight": B},
        {"num_hidden": 3},
    )


def test_omitted_arguments_are_not_passed_on() -> None:
    assert split("FullyConnected", A, num_hidden=3, no_bias=NULL, bias=None)[2] == {"num_hidden": 3}


def test_inputs_are_put_in_order_and_missing_ones_marked() -> None:
    assert arranged("FullyConnected", bias=C, data=A, num_hidden=3) == [A, None, C]
    assert arranged("FullyConnected", A, B, num_hidden=3, no_bias=True) == [A, B]


def test_inputs_that_this_use_does_not_have_are_refused() -> None:
    with pytest.raises(MXNetError, match="no input 'bias' with these attributes"):
        arranged("FullyConnected", A, B, C, num_hidden=3, no_bias=True)


def test_variadic_operators_count_their_inputs() -> None:
    assert split("Concat", A, B, dim=0) == ([A, B], {}, {"dim": 0, "num_args": 2})
    assert split("Concat", [A, B, C])[2] == {"num_args": 3}
    assert arranged("Concat", arg1=A, arg0=B) == [B, A]


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [((A, B), {"rhs": C}), ((A, B, C), {}), ((A,), {"lhs": B})],
)
def test_repeated_and_superfluous_arguments_are_refused(
    args: tuple[Thing, ...], kwargs: dict[str, Thing]
) -> None:
    with pytest.raises(TypeError):
        split("broadcast_add", *args, **kwargs)


def test_operators_that_need_nothing_are_applied_beforehand() -> None:
    caller = Caller(REGISTRY["broadcast_add"], Thing)
    assert caller.arity == 2
    assert caller.plain is REGISTRY["broadcast_add"].apply({})
    assert Caller(REGISTRY["FullyConnected"], Thing).arity == -1
    assert Caller(REGISTRY["Concat"], Thing).arity == -1


@pytest.mark.parametrize("room", ["nd", "sym"])
def test_every_operator_has_a_signature(room: str) -> None:
    for op in REGISTRY.operators():
        parameters = signature(op, room).parameters
        assert {"out", "name"} <= set(parameters)
        assert list(parameters.values())[-1].kind is inspect.Parameter.VAR_KEYWORD


@pytest.mark.parametrize(
    ("name", "module", "function"),
    [
        ("FullyConnected", "op", "FullyConnected"),
        ("_plus_scalar", "_internal", "_plus_scalar"),
        ("_linalg_gemm2", "linalg", "gemm2"),
        ("_random_uniform", "_internal", "_random_uniform"),
        ("_random_uniform_like", "random", "uniform_like"),
        ("_sparse_dot", "sparse", "dot"),
        ("_image_to_tensor", "image", "to_tensor"),
    ],
)
def test_functions_report_their_module(name: str, module: str, function: str) -> None:
    assert public_name_of(name) == (module, function)


def test_a_signature_that_is_made_when_it_is_read_is_like_any_other() -> None:
    def function(data: Any, axis: int = 0) -> None: ...

    ordinary = inspect.signature(function).replace(return_annotation=inspect.Signature.empty)
    later = LaterSignature(REGISTRY["relu"], "nd", lambda op, room: ordinary)
    function.__signature__ = later  # type: ignore[attr-defined]
    found = inspect.signature(function)
    assert found == ordinary
    assert (str(found), hash(found)) == (str(ordinary), hash(ordinary))
    assert found.bind(1, axis=2).arguments == {"data": 1, "axis": 2}
    assert list(inspect.signature(functools.partial(function, 1)).parameters) == ["axis"]
    assert str(found.replace(parameters=())) == "()"
    assert copy.copy(found) == ordinary


def make(op: Any, name: str) -> Any:
    return lambda: (op, name)


def test_functions_stand_in_their_module_and_are_made_once() -> None:
    own = object()
    first: dict[str, Any] = {"__name__": "somewhere", "relu": own}
    second: dict[str, Any] = {}
    functions = Functions("op", first, make)
    Functions("op", second, make)
    assert {"tanh", "FullyConnected"} <= first.keys()
    assert "tanh" in functions.names()
    assert first["tanh"] is second["tanh"]
    assert first["relu"] is own
    with pytest.raises(AttributeError, match="somewhere has no 'tahn'; did you mean 'tan"):
        functions.find("tahn")


def test_functions_come_and_go_with_their_operators() -> None:
    namespace: dict[str, Any] = {}
    Functions("contrib", namespace, make)
    before = REGISTRY.by_name
    REGISTRY.by_name = dict(before)
    try:
        REGISTRY.replace(Operator("_contrib_late", lambda data: data))
        old = namespace["late"]
        REGISTRY.replace(Operator("_contrib_late", lambda data: data))
        assert namespace["late"] is not old
    finally:
        REGISTRY.by_name = before
    Functions.renew("_contrib_late")
    assert "late" not in namespace
