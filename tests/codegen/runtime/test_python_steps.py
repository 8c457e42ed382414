"""Graphs of which Python runs some operators: results meet machine code, and calls share nothing."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gluonic import sym
from gluonic.codegen.compiled import CompiledGraph
from gluonic.codegen.inspection.explain import explain
from gluonic.graph.interpret import interpret
from gluonic.graph.node import Graph
from tests.codegen.agreement import new_run

_DATA = np.random.default_rng(3).standard_normal((4, 6)).astype(np.float32)


def _largest(x: Any) -> Any:
    return sym.topk(x, k=3, ret_typ="value")


def _several(x: Any) -> list[Any]:
    ordered = sym.sort(x)
    return [ordered, sym.exp(ordered) + x, sym.topk(sym.exp(ordered), k=2)]


def _again_by_python(x: Any) -> list[Any]:
    return [sym.sort(sym.reshape(sym.sort(x * 2, is_ascend=False), shape=(-1, 3)), axis=0)]


def _under_another_shape(x: Any) -> list[Any]:
    ordered = sym.sort(x)
    return [sym.reshape(ordered, shape=(-1, 3)), ordered + 1]


def _twice(x: Any) -> list[Any]:
    ordered = sym.sort(x)
    return [ordered, sym.reshape(ordered, shape=(-1,)), ordered]


def _of_its_shape(x: Any) -> list[Any]:
    return [sym.shape_array(x), sym.size_array(sym.exp(x))]


_GRAPHS: dict[str, Callable[[Any], list[Any]]] = {
    "alone": lambda x: [_largest(x)],
    "before machine code": lambda x: [sym.relu(_largest(x)) * 2],
    "between": lambda x: [sym.exp(_largest(sym.sin(x)))],
    "read and returned": _several,
    "one after the other": _again_by_python,
    "under another shape": _under_another_shape,
    "twice": _twice,
    "of its shape": _of_its_shape,
    "an input": lambda x: [x, _largest(x)],
}


def _graph(name: str) -> tuple[Graph, Any]:
    x = sym.var("x")
    outputs = sym.Group(_GRAPHS[name](x))
    return Graph(outputs.entries), x.entries[0].node


@pytest.mark.parametrize("name", _GRAPHS)
def test_python_steps_and_machine_code_are_combined(name: str) -> None:
    graph, x = _graph(name)
    compiled = CompiledGraph(graph, [x])
    for data in (_DATA, -_DATA, _DATA[:3], _DATA[::-1]):
        found = compiled([data], new_run())
        expected = interpret(graph, {x: data}, new_run())
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-6)
    explanation = explain(compiled.binding([_DATA]))
    assert any("Python" in line for line in str(explanation).splitlines())


@pytest.mark.parametrize("name", _GRAPHS)
def test_results_share_no_memory_with_each_other_with_inputs_or_other_calls(name: str) -> None:
    graph, x = _graph(name)
    compiled, data = CompiledGraph(graph, [x]), _DATA.copy()
    calls = [compiled([data], new_run()) for _ in range(3)]
    arrays = [data, *(array for call in calls for array in call)]
    for number, array in enumerate(arrays):
        assert array.flags.carray
        assert not any(np.may_share_memory(array, other) for other in arrays[number + 1 :])


@pytest.mark.parametrize("name", _GRAPHS)
def test_results_are_right_with_any_given_memory(name: str) -> None:
    graph, x = _graph(name)
    compiled = CompiledGraph(graph, [x])
    expected = interpret(graph, {x: _DATA}, new_run())
    given = [np.full(a.shape, 7, a.dtype) for a in expected]
    for into in (given, given, [None] * len(given), [np.zeros(1, np.float32)] * len(given), given):
        found = compiled([_DATA], new_run(), into)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-6)
