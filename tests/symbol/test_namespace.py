import inspect

import pytest

from gluonic import symbol as sym
from gluonic.graph.namespaces import FLUENT, public_name_of
from gluonic.graph.operator import REGISTRY
from gluonic.symbol import Symbol

MODULES = ("op", "_internal", "linalg", "contrib", "image", "sparse", "random")


def test_every_operator_has_a_function_with_its_signature_and_documentation() -> None:
    for name, op in REGISTRY.items():
        public = public_name_of(name)
        function = getattr(getattr(sym, public.module), public.name)
        parameters = inspect.signature(function).parameters
        expected = (op.variadic,) if op.variadic else op.inputs
        assert list(parameters)[: len(expected)] == list(expected), name
        assert set(op.attributes) <= set(parameters), name
        assert str(function.__doc__).startswith(op.documentation.partition("\n")[0]), name


@pytest.mark.parametrize("module", MODULES)
def test_modules_list_their_functions(module: str) -> None:
    namespace = getattr(sym, module)
    for name in dir(namespace):
        getattr(namespace, name)


def test_public_operators_are_in_the_namespace_itself() -> None:
    assert sym.tanh is not None
    assert "tanh" in dir(sym)
    assert "tanh" in sym.__all__


def test_a_missing_function_is_an_attribute_error_with_the_nearest() -> None:
    with pytest.raises(AttributeError, match="did you mean 'FullyConnected'"):
        _ = sym.FullyConected  # type: ignore[attr-defined]


def test_fluent_methods_are_the_functions() -> None:
    x = sym.var("x")
    for name in FLUENT:
        if name in REGISTRY:
            assert hasattr(Symbol, name), name
    assert x.sum(axis=1).list_attr() == sym.sum(x, axis=1).list_attr() == {"axis": "1"}
    assert x.reshape(2, 3).list_attr() == x.reshape((2, 3)).list_attr() == {"shape": "(2, 3)"}
    assert x.astype("float16").attr("dtype") == "float16"
    assert x.flatten(inplace=True).name == "flatten0"  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("function", "names", "plain"),
    [
        (sym.maximum, ("_maximum0", "_maximumscalar0", "_maximumscalar1"), 3),
        (sym.minimum, ("_minimum0", "_minimumscalar0", "_minimumscalar1"), 2),
        (sym.power, ("_power0", "_powerscalar0", "_rpowerscalar0"), 8),
        (sym.hypot, ("_hypot0", "_hypotscalar0", "_hypotscalar1"), 13**0.5),
    ],
)
def test_functions_of_two_choose_by_what_they_get(
    function: object, names: tuple[str, ...], plain: float
) -> None:
    x, y = sym.var("x"), sym.var("y")
    assert callable(function)
    assert (function(x, y).name, function(x, 2).name, function(2, x).name) == names
    assert function(2, 3) == pytest.approx(plain)
    with pytest.raises(TypeError, match="takes Symbols and numbers"):
        function(x, "2")


def test_creation_functions_write_attributes_as_mxnet_does() -> None:
    assert sym.zeros((2, 3)).list_attr() == {"shape": "(2, 3)", "dtype": "float32"}
    assert sym.full((2,), 3).list_attr() == {"shape": "(2,)", "value": "3.0", "dtype": "float32"}
    assert sym.arange(3).infer_shape()[1] == [(3,)]


def test_samplers_choose_between_numbers_and_symbols() -> None:
    a, b = sym.var("a"), sym.var("b")
    assert sym.random.uniform(0, 1, shape=(2,)).name == "_random_uniform0"
    assert sym.random.normal(a, b).name == "_sample_normal0"
    assert sym.random.randn(2, 3).attr("shape") == "(2, 3)"
    assert sym.random.exponential(4.0).attr("lam") == "0.25"
    with pytest.raises(ValueError, match="all numbers or all Symbols"):
        sym.random.uniform(a, 3)
    with pytest.raises(ValueError, match="must be a number or a Symbol"):
        sym.random.uniform("x")
