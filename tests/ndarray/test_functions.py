"""The functions of `nd`: how they are called, and their errors when called wrongly."""

import inspect

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, nd
from gluonic.graph.namespaces import public_name_of
from gluonic.graph.operator import REGISTRY
from tests.graph.registry_samples import over_operators


@over_operators(sorted(REGISTRY))
def test_every_operator_is_a_documented_function_in_its_module(name: str) -> None:
    public = public_name_of(name)
    module = nd if public.module == "op" else getattr(nd, public.module)
    function = getattr(module, public.name)
    assert function.__doc__
    parameters = inspect.signature(function).parameters
    assert "out" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def test_inputs_are_given_by_position_or_by_keyword() -> None:
    a, b = nd.array([5.0]), nd.array([2.0])
    assert nd.broadcast_sub(a, b).asscalar() == 3
    assert nd.broadcast_sub(rhs=a, lhs=b).asscalar() == -3
    assert nd.broadcast_sub(a, rhs=b, name="difference").asscalar() == 3


def test_attributes_follow_the_inputs_by_position() -> None:
    x = nd.array([[1, 2], [3, 4]])
    assert nd.sum(x, 0).asnumpy().tolist() == [4, 6]
    assert nd.clip(x, 2, 3).asnumpy().tolist() == [[2, 2], [3, 3]]


def test_any_number_of_inputs() -> None:
    x = nd.ones((1, 2))
    assert nd.concat(x, x, x, dim=0).shape == (3, 2)
    assert nd.add_n(x, x, x, x).asnumpy().tolist() == [[4, 4]]


def test_several_outputs_are_a_list() -> None:
    parts = nd.split(nd.zeros((4, 2)), num_outputs=2, axis=0)
    assert isinstance(parts, list)
    assert [p.shape for p in parts] == [(2, 2), (2, 2)]


def test_out_receives_the_result() -> None:
    out = nd.zeros((2,))
    assert nd.exp(nd.zeros((2,)), out=out) is out
    assert out.asnumpy().tolist() == [1, 1]
    parts = [nd.zeros((1,)), nd.zeros((1,))]
    assert nd.split(nd.array([3, 4]), num_outputs=2, axis=0, out=parts) is parts
    assert [p.asscalar() for p in parts] == [3, 4]


def test_out_may_be_given_by_position() -> None:
    x, out = nd.array([4.0]), nd.zeros((1,))
    assert nd.broadcast_add(x, x, out) is out
    assert out.asscalar() == 8
    with pytest.raises(TypeError, match="out was given twice"):
        nd.broadcast_add(x, x, out, out=out)  # type: ignore[misc]


def test_out_may_be_an_input() -> None:
    x = nd.array([1.0, 2.0])
    nd.broadcast_mul(x, x, out=x)
    assert x.asnumpy().tolist() == [1, 4]


def test_out_of_the_wrong_kind_is_refused() -> None:
    x = nd.ones((2,))
    with pytest.raises(mx.MXNetError, match=r"\(3,\)"):
        nd.exp(x, out=nd.zeros((3,)))
    with pytest.raises(mx.MXNetError, match="float64"):
        nd.exp(x, out=nd.zeros((2,), dtype="float64"))
    with pytest.raises(mx.MXNetError, match="2 arrays"):
        nd.exp(x, out=[nd.zeros((2,)), nd.zeros((2,))])
    with pytest.raises(TypeError, match="out"):
        nd.exp(x, out=np.zeros(2))  # type: ignore[arg-type]


def test_out_is_recorded() -> None:
    x = nd.array([2.0])
    x.attach_grad()
    out = nd.zeros((1,))
    with autograd.record():
        nd.square(x, out=out)
        y = out * 3
    y.backward()
    assert x.grad.asscalar() == 12


@pytest.mark.parametrize("value", [2, np.ones(2), [1, 2], "x"])
def test_inputs_other_than_arrays_are_refused(value: object) -> None:
    with pytest.raises(TypeError, match=r"rhs.*NDArray") as caught:
        nd.broadcast_add(nd.ones((2,)), value)  # type: ignore[arg-type]
    assert isinstance(caught.value, mx.MXNetError)
    assert __file__ in str(caught.value)


def test_missing_and_superfluous_arguments_are_named() -> None:
    x = nd.ones((2, 2))
    with pytest.raises(TypeError, match="rhs"):
        nd.broadcast_add(x)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="weight"):
        nd.FullyConnected(x, num_hidden=2)
    with pytest.raises(TypeError, match="twice"):
        nd.broadcast_add(x, x, lhs=x)  # type: ignore[misc]
    with pytest.raises(TypeError, match="at most"):
        nd.broadcast_add(x, x, x, x, x)  # type: ignore[arg-type, call-arg]


def test_unknown_attributes_and_functions_are_answered_with_the_nearest() -> None:
    with pytest.raises(mx.MXNetError, match="axis"):
        nd.sum(nd.ones((2,)), axes=0)  # type: ignore[call-arg]
    with pytest.raises(AttributeError, match="broadcast_add"):
        nd.broadcast_ad  # type: ignore[attr-defined]  # noqa: B018


def test_results_never_share_memory_with_inputs() -> None:
    x = nd.ones((2, 3))
    for y in (nd.identity(x), x.reshape((3, 2)).copy(), nd.reshape(x, shape=(6,)), nd.transpose(x)):
        y[:] = 7
    assert x.asnumpy().tolist() == [[1, 1, 1], [1, 1, 1]]


def test_results_are_contiguous() -> None:
    assert nd.transpose(nd.zeros((2, 3))).elements.flags.c_contiguous
    assert (nd.zeros((3, 1, 2)) + nd.zeros((4, 1))).elements.flags.c_contiguous


def test_methods_are_the_functions() -> None:
    x = nd.array([[1, 4], [9, 16]])
    assert x.sqrt().asnumpy().tolist() == [[1, 2], [3, 4]]
    assert x.sum(axis=1).asnumpy().tolist() == [5, 25]
    assert x.T.asnumpy().tolist() == [[1, 9], [4, 16]]
    assert x.flatten().shape == (2, 2)


@pytest.mark.parametrize(
    ("codes", "reverse", "shape"),
    [
        ((6, -1), False, (6, 4)),
        ((0, -1), False, (2, 12)),
        ((-3, 0), False, (6, 4)),
        ((-4, 1, 2, -2), False, (1, 2, 3, 4)),
        ((-1, 0), True, (6, 4)),
        ((2, 0, 0), False, (2, 3, 4)),
        (24, False, (24,)),
    ],
)
def test_reshape_reads_mxnets_codes_and_shares_memory(
    codes: object, reverse: bool, shape: tuple[int, ...]
) -> None:
    x = nd.zeros((2, 3, 4))
    y = x.reshape(codes, reverse=reverse)
    assert y.shape == shape
    y[:] = 1
    assert x.asnumpy().min() == 1


def test_reshape_refuses_another_number_of_elements() -> None:
    with pytest.raises(ValueError, match="size 24"):
        nd.zeros((2, 3, 4)).reshape((5, 5))
    with pytest.raises(TypeError, match="order"):
        nd.zeros((2,)).reshape((2,), order="F")


def test_reshape_is_recorded() -> None:
    x = nd.ones((2, 3))
    x.attach_grad()
    with autograd.record():
        y = x.reshape((3, 2)) * nd.array([[1, 2], [3, 4], [5, 6]])
    y.backward()
    assert x.grad.asnumpy().tolist() == [[1, 2, 3], [4, 5, 6]]


@pytest.mark.parametrize("name", ["expand_dims", "squeeze", "flatten"])
def test_in_place_shape_changes_share_memory(name: str) -> None:
    x = nd.zeros((1, 3, 1))
    arguments = {"axis": 0} if name != "flatten" else {}
    copied = getattr(x, name)(**arguments)
    shared = getattr(x, name)(**arguments, inplace=True)
    assert copied.shape == shared.shape
    x[:] = 1
    assert copied.asnumpy().max() == 0
    assert shared.asnumpy().min() == 1


def test_powers_take_their_operands_by_mxnets_names() -> None:
    two = nd.array([2.0])
    assert nd.power(base=two, exp=3).asscalar() == 8
    assert nd.power(3, exp=two).asscalar() == 9
    assert nd.power(2, 3) == 8
    assert list(inspect.signature(nd.power).parameters) == ["base", "exp"]
