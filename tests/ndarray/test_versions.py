"""Every write to an array notifies the watches of its memory, and no others."""

import ast
import gc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluonic import autograd, nd
from gluonic.codegen.program import Program
from gluonic.graph.node import Graph, Node
from gluonic.graph.versions import (
    Watch,
    has_escaped,
    mark_all_modified,
    mark_escaped,
    mark_modified,
)
from gluonic.ndarray.invoke import invoke
from gluonic.ndarray.recording import wrap
from tests.graph.registry_samples import SAMPLES, application_of, cast, every_sample, run_of


class Watched:
    """Arrays, each with a watch, and what was in them."""

    def __init__(self, arrays: Sequence[Any]) -> None:
        self.arrays = [a for a in arrays if a.dtype != object]
        self.watches = [Watch([a]) for a in self.arrays]
        self.versions = [watch.version for watch in self.watches]
        self.contents = [a.tobytes() for a in self.arrays]

    def assert_noted(self) -> int:
        """All changes were noted; how many there were."""
        changed = [a.tobytes() != c for a, c in zip(self.arrays, self.contents, strict=True)]
        noted = [w.version != v for w, v in zip(self.watches, self.versions, strict=True)]
        assert all(n for n, c in zip(noted, changed, strict=True) if c)
        return sum(changed)


@every_sample
def test_writes_of_an_operator_are_noted(name: str, number: int) -> None:
    sample = SAMPLES[name][number]
    application = application_of(name, sample)
    arrays = cast(sample, None)
    watched = Watched(arrays)
    with autograd.record(train_mode=sample.train), np.errstate(all="ignore"):
        invoke(application, [wrap(a) for a in arrays])
    assert watched.assert_noted() <= len(application.states)


@every_sample
def test_writes_of_a_compiled_operator_are_noted(name: str, number: int) -> None:
    sample = SAMPLES[name][number]
    application = application_of(name, sample)
    variables = [Node(None, f"x{i}") for i in range(len(sample.inputs))]
    node = Node(application, "op", [v.entry() for v in variables])
    program = Program(Graph([node.entry(i) for i in range(node.visible_count)]), variables)
    arrays = cast(sample, None)
    for _ in range(2):
        watched = Watched(arrays)
        with np.errstate(all="ignore"):
            program(arrays, run_of(sample))
        assert watched.assert_noted() <= len(application.states)


SLICES = st.tuples(*[st.tuples(st.integers(0, 3), st.integers(1, 4)) for _ in range(2)])


@given(parts=st.lists(SLICES, max_size=4), reshapes=st.booleans(), number=st.floats(-9, 9))
def test_a_write_through_any_view_is_noted(parts: Any, reshapes: bool, number: float) -> None:
    whole, other = nd.zeros((6, 5)) + 0.5, nd.zeros((6, 5))
    view = whole
    for (start, length), (column, width) in parts:
        found = view[start : start + length]
        found = found[:, column : column + width] if not reshapes else found
        if found.size:
            view = found.reshape((-1, *found.shape[1:]))
    if reshapes:
        view = view.reshape((-1,)).expand_dims(0)
    watched, unchanged = Watched([whole.elements]), Watch([other.elements])
    before = unchanged.version
    view[:] = number
    watched.assert_noted()
    assert unchanged.version == before


WRITES: dict[str, Callable[[Any], Any]] = {
    "one": lambda a: mark_modified(a),
    "a part": lambda a: mark_modified(a[1:]),
    "another arrangement": lambda a: mark_modified(a.reshape(2, 3)[::-1].T),
    "several": lambda a: mark_all_modified([np.zeros(2), None, a]),
    "all": lambda a: mark_modified(),
    "foreign memory": lambda a: mark_modified(np.frombuffer(bytearray(8), np.uint8)),
    "sharing": mark_escaped,
    "sharing a part": lambda a: mark_escaped(a[2:4]),
}


@pytest.mark.parametrize("way", WRITES)
def test_a_watch_over_several_arrays_notices_writes_to_each(way: str) -> None:
    arrays = [np.zeros(6) for _ in range(3)]
    watches = [Watch(arrays), Watch(arrays[1:]), Watch([a[2:] for a in arrays])]
    for array in arrays[1:]:
        before = [watch.version for watch in watches]
        WRITES[way](array)
        assert all(w.version != b for w, b in zip(watches, before, strict=True))


def test_versions_are_never_reused() -> None:
    array = np.zeros(3)
    watches = [Watch([array]) for _ in range(3)]
    seen = {watch.version for watch in watches}
    for count in range(2, 5):
        mark_modified(array)
        seen |= {watch.version for watch in watches}
        assert len(seen) == 3 * count


def test_a_watch_keeps_no_array_and_memory_that_is_used_again_is_not_watched() -> None:
    watch = Watch([np.zeros(100)])
    gc.collect()
    before = watch.version
    for _ in range(50):
        mark_modified(np.zeros(100))
    assert watch.version == before


def test_watches_are_notified_although_others_of_the_array_are_gone() -> None:
    array = np.zeros(3)
    first = Watch([array])
    for _ in range(100):
        Watch([array])
    last, before = Watch([array]), first.version
    mark_modified(array)
    assert first.version != before
    assert last.version > before


def test_memory_counts_as_shared_once_it_has_been_given_away() -> None:
    array = np.zeros((4, 3))
    assert not has_escaped(array[1:])
    mark_escaped(array[2:])
    assert has_escaped(array)
    assert has_escaped(np.frombuffer(bytearray(8), np.uint8))


PACKAGE = Path(nd.__file__).parent.parent
ROOMS_BELOW = (
    "graph",
    "codegen",
)  # they see no NDArray; what they write is tested above, operator by operator
SAYING = {"mark_modified", "mark_all_modified", "overwrite", "write", "add"}
OF_OTHERS = {"c_api/library.py:_copy_to"}
"""Functions that write into memory which is no array's."""


def names_called(function: ast.AST) -> set[str]:
    calls = (node.func for node in ast.walk(function) if isinstance(node, ast.Call))
    return {ast.unparse(called).rpartition(".")[2] for called in calls}


def is_write(node: ast.AST) -> bool:
    """Whether NumPy writes into memory that is there: ``x.elements[...] = y``, ``out=x.elements``."""
    if isinstance(node, (ast.Assign, ast.AugAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        parts = (t.value for t in targets if isinstance(t, ast.Subscript))
        return any(ast.unparse(whole).endswith(".elements") for whole in parts)
    if not isinstance(node, ast.Call):
        return False
    called = ast.unparse(node.func)
    outputs = (ast.unparse(keyword.value) for keyword in node.keywords if keyword.arg == "out")
    return (
        called == "np.copyto"
        or called.endswith((".elements.__setitem__", ".elements.fill", ".elements.sort"))
        or any(output.endswith(".elements") for output in outputs)
    )


def test_functions_that_write_into_arrays_mark_them_as_modified() -> None:
    found = set()
    for path in PACKAGE.rglob("*.py"):
        module = path.relative_to(PACKAGE)
        if module.parts[0] in ROOMS_BELOW:
            continue
        functions = (
            n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.FunctionDef)
        )
        for function in functions:
            if any(map(is_write, ast.walk(function))) and not SAYING & names_called(function):
                found.add(f"{module}:{function.name}")
    assert found == OF_OTHERS
