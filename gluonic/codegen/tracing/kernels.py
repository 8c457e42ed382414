"""Traces of operators' kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from gluonic.codegen.shapes.abstract_arrays import AbstractArray
from gluonic.codegen.shapes.facts import Facts, find_facts
from gluonic.codegen.tracing import functions, indexing
from gluonic.codegen.tracing.arrays import TracedArray, as_traced
from gluonic.codegen.tracing.elements import NotTraced, empty_array
from gluonic.graph import Entry, Graph, Node
from gluonic.graph.attributes import Shape
from gluonic.graph.builder import F
from gluonic.graph.dtypes import is_bfloat16


class _NoDraws:
    """The source of random numbers of a kernel that is followed only if it draws none."""

    def __getattr__(self, name: str) -> Any:
        raise NotTraced(f"random numbers by {name}")


class _TracedDraws(_NoDraws):
    """The source of random numbers of a traced kernel."""

    def uniforms(self, shape: Shape, dtype: Any = np.float32) -> TracedArray:
        """Numbers from 0 to 1."""
        entry = F._random_uniform(low=0.0, high=1.0, shape=tuple(shape), dtype=np.dtype(dtype).name)
        return TracedArray(entry, shape, dtype)

    def normals(self, shape: Shape, dtype: Any = np.float32) -> TracedArray:
        """Normal numbers."""
        entry = F._random_normal(loc=0.0, scale=1.0, shape=tuple(shape), dtype=np.dtype(dtype).name)
        return TracedArray(entry, shape, dtype)

    def words(self, count: int) -> Any:
        """Whole numbers of 32 bits."""
        return np.floor(self.uniforms((count,), np.float64) * 2.0**32).astype(np.int64)

    def below(self, limits: Any) -> Any:
        """For each limit, a whole number below it."""
        drawn = np.floor(self.uniforms(np.shape(limits), np.float64) * limits)
        return np.minimum(drawn, limits - 1).astype(np.int64)

    def draw(self, name: str, shape: Shape, dtype: Any, *parameters: Any) -> Any:
        """Numbers of a distribution."""
        if name in ("uniform", "normal"):
            offset, scale = parameters
            drawn = self.uniforms(shape, dtype) if name == "uniform" else self.normals(shape, dtype)
            return (offset + scale * drawn.astype(np.float64)).astype(dtype)
        if name == "exponential":
            rate, _ = parameters
            own = {"lam": 1.0, "shape": tuple(shape), "dtype": np.dtype(dtype).name}
            drawn = TracedArray(F._random_exponential(**own), shape, dtype)
            rows = drawn.astype(np.float64).reshape((len(rate), -1)) / np.reshape(rate, (-1, 1))
            return rows.reshape(shape).astype(dtype)
        if name == "integers":
            return np.floor(self.uniforms(shape, np.float64) * 2.0**53).astype(np.int64)
        raise NotTraced(f"random numbers of {name}")


def traced(
    node: Node,
    inputs: Sequence[Entry],
    facts: Facts,
    train: bool,
    has_code: Callable[[Node, Facts], bool],
    *,
    may_draw: bool,
) -> Sequence[Entry] | None:
    """The results of a node as a graph, found by calling its kernel; None if it cannot be followed.

    Parameters
    ----------
    has_code : whether there is code for a node; if there is none for one of the graph's, the trace is no gain
    may_draw : whether the graph may draw random numbers, which are not those of the kernel
    """
    application = node.applied
    if application.states or application.op.calls_back or application.op.dynamic:
        return None
    variables = [Node(None, name) for name in application.inputs]
    arrays = [AbstractArray(_shape_of(facts, e), facts.dtypes[e]) for e in node.inputs]
    run: Any = SimpleNamespace(train=train, random=_TracedDraws() if may_draw else _NoDraws())
    try:
        trial = Graph(_results(node, [each.entry() for each in variables], facts, run))
        found = find_facts(trial, variables, arrays)
        outputs = [node.entry(i) for i in range(node.output_count)]
        for own, result in zip(outputs, trial.outputs, strict=True):
            if (found.shapes[result], found.dtypes[result]) != (
                facts.shapes[own],
                facts.dtypes[own],
            ):
                return None
        operators = [each for each in trial.nodes if each.application is not None]
        if not all(has_code(each, found) for each in operators):
            return None
        return _results(node, inputs, facts, run)
    except Exception:  # arrays that a kernel was not written for: NumPy and others raise anything
        return None


def follow(node: Node, arrays: Sequence[TracedArray]) -> Sequence[Any]:
    """What the kernel of a node that draws no random numbers returns for arrays, some of which it may change.

    Raises
    ------
    NotTraced
        if the kernel cannot be followed
    """
    run: Any = SimpleNamespace(train=True, random=_NoDraws())
    found: Sequence[Any] = node.applied.execute(arrays, run)  # type: ignore[arg-type]
    return found


def _shape_of(facts: Facts, entry: Entry) -> Shape:
    return tuple([int(extent) for extent in facts.shapes[entry]])


def _results(node: Node, inputs: Sequence[Entry], facts: Facts, run: Any) -> list[Entry]:
    """What the kernel of a node returns for other inputs of the same shapes.

    Raises
    ------
    Exception
        of any kind, if the kernel cannot be followed
    """
    outputs = [node.entry(i) for i in range(node.output_count)]
    if all(0 in facts.shapes[entry] for entry in outputs):
        return [empty_array(_shape_of(facts, entry), facts.dtypes[entry]) for entry in outputs]
    arrays = [
        _input(entry, _shape_of(facts, old), facts.dtypes[old])
        for entry, old in zip(inputs, node.inputs, strict=True)
    ]
    found = [
        _conforming(result, _shape_of(facts, entry), facts.dtypes[entry])
        for result, entry in zip(node.applied.execute(arrays, run), outputs, strict=True)  # type: ignore[arg-type]
    ]
    given = {*inputs}
    return [F.identity(entry) if entry in given else entry for entry in found]


def _input(entry: Entry, shape: Shape, dtype: np.dtype[Any]) -> TracedArray:
    """An input of a kernel, which gets bfloat16 as float32."""
    if is_bfloat16(dtype):
        return TracedArray(F.Cast(entry, dtype="float32"), shape, np.float32)
    return TracedArray(entry, shape, dtype, is_input=True)


def _conforming(result: Any, shape: Shape, dtype: np.dtype[Any]) -> Entry:
    """A result in the shape and dtype that the operator has."""
    array = as_traced(result).astype(dtype)
    if array.shape != shape:
        array = array.reshape(shape)
    return array.entry


__all__ = ["NotTraced", "TracedArray", "follow", "functions", "indexing", "traced"]
