"""Keywords that an operator does not have, compared with MXNet's response for each operator."""

import importlib
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import gluon, nd, sym
from gluonic.graph.errors import AttributeValueError, MXNetError
from gluonic.graph.namespaces import PublicName, public_name_of
from gluonic.graph.operator import REGISTRY
from tests.cases import Check, over
from tests.graph.registry_samples import SAMPLES, over_operators
from tests.measured import measure

MEASURED = measure.read("keywords")


def module(room: str, name: str) -> ModuleType:
    return importlib.import_module(f"gluonic.{room}.{name}")


def functions(kind: str) -> list[PublicName]:
    """What gluonic has of the operators that take such keywords, or refuse them."""
    return [
        PublicName(room, name)
        for room, answers in MEASURED.items()
        for name in answers[kind]
        if hasattr(module("symbol", room), name)
    ]


def over_functions(functions: list[PublicName]) -> Callable[[Check], Check]:
    """Make a check of a function of `sym` a test of each module."""
    return over("public", functions, lambda public: public.module, lambda public: public.name)


TAKING, REFUSING = functions("taken"), functions("refused")
IGNORING = [name for name in SAMPLES if name in REGISTRY and public_name_of(name) in TAKING]


@over_functions(TAKING)
def test_operators_without_attributes_accept_unknown_keywords_with_a_warning(
    public: PublicName,
) -> None:
    function = getattr(module("symbol", public.module), public.name)
    with pytest.warns(UserWarning, match=r"has no attribute 'axis': it has no effect"):
        made = function(axis=-1, name="node")
    assert made.list_attr() == {"axis": "-1"}
    again = sym.load_json(made.tojson())
    assert again.list_attr() == {"axis": "-1"}
    assert again.tojson() == made.tojson()


@over_functions(REFUSING)
def test_operators_with_attributes_refuse_others(public: PublicName) -> None:
    function = getattr(module("symbol", public.module), public.name)
    with pytest.raises(AttributeValueError, match="has no attribute 'no_such_keyword'"):
        function(no_such_keyword=1)


@over_operators(IGNORING)
def test_a_keyword_without_effect_changes_no_value(name: str) -> None:
    room = public_name_of(name)
    function = getattr(module("ndarray", room.module), room.name)

    def computed(**keywords: Any) -> list[Any]:
        inputs = [nd.array(a, dtype=a.dtype) for a in SAMPLES[name][0].inputs]
        outputs = function(*inputs, **keywords)
        return [x.asnumpy() for x in (outputs if isinstance(outputs, list) else [outputs])]

    mx.random.seed(1)
    expected = computed()
    mx.random.seed(1)
    with pytest.warns(UserWarning, match="has no attribute 'dtype'"):
        found = computed(dtype="int8")
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs, strict=True)


def test_all_families_of_operators_are_tried() -> None:
    assert len(TAKING) > 140
    assert len(REFUSING) > 300
    assert len(IGNORING) > 80


class Careless(gluon.HybridBlock):
    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.broadcast_mul(F.log(x, axis=1), x, axis=-1)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("hybridize", [False, True])
def test_one_warning_per_line_is_shown_with_the_users_line(hybridize: bool) -> None:
    net = Careless()
    if hybridize:
        net.hybridize()
    Careless.hybrid_forward.__globals__.pop("__warningregistry__", None)
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("default")
        for _ in range(4):
            net(nd.ones((2, 2)))
    assert [str(w.message).split(":")[0] for w in shown] == [
        "log has no attribute 'axis'",
        "broadcast_mul has no attribute 'axis'",
    ]
    line = Careless.hybrid_forward.__code__.co_firstlineno + 1
    assert {(w.filename, w.lineno) for w in shown} == {(__file__, line)}


@pytest.mark.parametrize(("F", "x"), [(nd, nd.ones((2,))), (sym, sym.var("x"))])
def test_an_input_that_the_operator_does_not_have_is_refused(F: Any, x: Any) -> None:
    with pytest.raises(MXNetError, match=r"log: has no input 'data2'"):
        F.log(x, data2=x)


def test_unknown_attributes_in_a_file_are_refused_for_operators_with_attributes() -> None:
    net = sym.FullyConnected(sym.var("x"), num_hidden=3, name="layer")
    damaged = net.tojson().replace('"num_hidden"', '"no_such": "1", "num_hidden"')
    with pytest.raises(MXNetError, match="has no attribute 'no_such'"):
        sym.load_json(damaged)


def test_operators_without_inputs_accept_symbols_with_a_warning() -> None:
    data = sym.Variable("data")
    for function, settings in (
        (sym.zeros, {"shape": (2,)}),
        (sym.random.normal, {"shape": (2,)}),
        (sym.random.randint, {"low": 0, "high": 9, "shape": (2,)}),
    ):
        with pytest.warns(UserWarning, match=r"has no input 'data': it has no effect"):
            made = function(data=data, **settings)
        assert made.list_arguments() == []
        assert made.eval()[0].shape == (2,)
    with pytest.raises(AttributeValueError, match="has no attribute 'data'"):
        nd._internal._random_randint(0, 9, data=nd.ones((2,)))
    with pytest.raises(AttributeValueError, match="has no attribute 'other'"):
        sym.FullyConnected(data, num_hidden=2, other=data)  # type: ignore[call-arg]
