"""What every operator in the registry must fulfil, checked on its samples.

An operator without a sample fails here by name, so that a new operator is checked the day it is
added.
"""

import contextlib
import functools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from gluonic.graph import ops  # noqa: F401 - fills the registry
from gluonic.graph.application import Application
from gluonic.graph.kernel_runs import signature_of
from gluonic.graph.node_attributes import as_text
from gluonic.graph.operator import REGISTRY, Operator
from gluonic.graph.rules import same
from gluonic.graph.view import Unknown, slots_of, unify
from tests.graph.registry_samples import (
    CASES,
    SAMPLES,
    Array,
    application_of,
    cast,
    every_sample,
    over_operators,
    over_samples,
    run,
    run_of,
)

OPERATORS = REGISTRY.operators()
every_operator = over_operators(op.name for op in OPERATORS)


def is_exempt(op: Operator) -> bool:
    """Whether an operator is checked with another's gradient, or computes a user-defined function."""
    computes_graphs = "subgraphs" in op.attributes  # tests/symbol/test_control_flow.py
    return op.name.startswith("_backward_") or op.calls_back or computes_graphs


@every_operator
def test_has_documentation(name: str) -> None:
    op = REGISTRY[name]
    first = op.documentation.strip().split("\n")[0]
    assert first.endswith("."), f"{op.name} needs a docstring whose first line is a sentence"


@every_operator
def test_has_a_sample(name: str) -> None:
    op = REGISTRY[name]
    assert is_exempt(op) or SAMPLES.get(op.name), f"{op.name} needs a Sample"


def test_samples_belong_to_operators() -> None:
    names = {op.name for op in OPERATORS}
    assert not set(SAMPLES) - names, "samples under names that are aliases or no operators"


@every_sample
def test_kernels_compute_what_inference_declares(name: str, number: int) -> None:
    sample = SAMPLES[name][number]
    application = application_of(name, sample)
    for dtype in (None, *sample.dtypes):
        arrays = cast(sample, dtype)
        expected = signature_of(application, arrays)
        with np.errstate(all="ignore"):
            raw = application.execute(cast(sample, dtype), run_of(sample))
        for array, shape in zip(raw, expected.shapes, strict=True):
            if shape is not None and application.op.is_view:
                assert array.size == np.prod(shape)
            elif shape is not None:
                assert np.squeeze(array).shape == tuple(n for n in shape if n != 1)
        for array, inferred in zip(run(application, arrays, sample), expected.dtypes, strict=True):
            assert array.dtype == inferred


@over_samples(
    [
        (name, i)
        for name, i in CASES
        if "float32" in SAMPLES[name][i].dtypes and REGISTRY[name].run_name is None  # draws nothing
    ]
)
def test_floating_dtypes_agree(name: str, number: int) -> None:
    sample = SAMPLES[name][number]
    application = application_of(name, sample)
    exact = run(application, cast(sample, None), sample)
    rounded = run(application, cast(sample, "float32"), sample)
    for a, b in zip(exact, rounded, strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-3, atol=1e-4)


def strided(array: Array) -> Array:
    """The same numbers in memory with gaps, axes in reverse order."""
    wide = np.zeros((*array.shape[:0:-1], 2 * array.shape[0]), array.dtype)
    view: Array = wide.T[::2]
    view[...] = array
    return view


@every_sample
def test_how_inputs_lie_in_memory_changes_nothing(name: str, number: int) -> None:
    sample = SAMPLES[name][number]
    application = application_of(name, sample)
    exact = run(application, cast(sample, None), sample)
    views = [strided(a) if a.ndim else a for a in cast(sample, None)]
    for a, b in zip(exact, run(application, views, sample), strict=True):
        if a.dtype != object:
            np.testing.assert_allclose(b, a, rtol=1e-5, atol=1e-6)


def infer_slots(application: Application, kind: str, values: Sequence[Any]) -> list[Any]:
    """The facts about inputs and outputs after an operator's rule ran twice."""
    slots = list(values)
    for _ in range(2):
        view = application.view(slots)
        with contextlib.suppress(Unknown):
            (getattr(application.op, kind) or same)(view)
        slots = list(slots_of(view).values())
    return slots


def partial_facts(facts: Sequence[Any], inputs: int) -> Iterator[list[Any]]:
    """The facts without one of them, without one axis of one of them, and of the outputs alone."""
    for i, fact in enumerate(facts):
        yield [*facts[:i], None, *facts[i + 1 :]]
        if isinstance(fact, tuple):
            for axis in range(len(fact)):
                blurred = (*fact[:axis], None, *fact[axis + 1 :])
                yield [*facts[:i], blurred, *facts[i + 1 :]]
    yield [None] * inputs + list(facts[inputs:])
    yield list(facts[:inputs]) + [None] * (len(facts) - inputs)


@pytest.mark.parametrize("kind", ["shape", "dtype"])
@every_sample
def test_partial_knowledge_never_contradicts(name: str, number: int, kind: str) -> None:
    sample = SAMPLES[name][number]
    application = application_of(name, sample)
    arrays = cast(sample, None)
    outputs = run(application, arrays, sample)
    facts = [getattr(a, kind) for a in (*arrays, *outputs)]
    complete = infer_slots(application, kind, facts)
    assert complete == facts
    for known in partial_facts(facts, len(arrays)):
        for found, fact in zip(infer_slots(application, kind, known), facts, strict=True):
            unify(found, fact, f"{name}, knowing {known}")


@every_sample
def test_attributes_survive_being_written(name: str, number: int) -> None:
    sample = SAMPLES[name][number]
    application = application_of(name, sample)
    strings = {
        key: as_text(sample.attributes.get(key, value), value)
        for key, value in application.settings.items()
    }
    assert application.op.apply(strings).settings == application.settings


@functools.cache
def _attribute_names() -> dict[str, set[str]]:
    return {op.name: {*op.inputs, *op.attributes} for op in OPERATORS}


@every_operator
def test_names_of_inputs_outputs_and_attributes_differ(name: str) -> None:
    op = REGISTRY[name]
    outputs = op.outputs if isinstance(op.outputs, tuple) else ()
    assert not _attribute_names()[op.name] & set(outputs)
