"""What every operator in the registry must fulfil, checked on its samples.

An operator without a sample fails here by name, so that a new operator is checked the day it is
added.
"""

import contextlib
import functools
import importlib
import pkgutil
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from gluonic.graph import ops  # noqa: F401 - fills the registry
from gluonic.graph.gradient import gradients
from gluonic.graph.interpret import interpret, run_node, signature_of
from gluonic.graph.node import Entry, Graph, Node
from gluonic.graph.node_attributes import as_text
from gluonic.graph.operator import REGISTRY, Application, Operator, Run
from gluonic.graph.rules import same
from gluonic.graph.view import Unknown, unify
from tests.graph import samples as sample_package
from tests.graph.samples.sample import Sample

Array = npt.NDArray[Any]
STEP, RELATIVE, ABSOLUTE = 1e-5, 1e-5, 1e-7
OPERATORS = REGISTRY.operators()


def _collect() -> dict[str, list[Sample]]:
    found: dict[str, list[Sample]] = {}
    for module in pkgutil.iter_modules(sample_package.__path__):
        family = importlib.import_module(f"{sample_package.__name__}.{module.name}")
        for name, samples in getattr(family, "SAMPLES", {}).items():
            assert name not in found, f"{name} has samples in two files"
            found[name] = samples
    return found


SAMPLES = _collect()
CASES = [(name, i) for name, found in SAMPLES.items() for i in range(len(found))]
DIFFERENTIABLE = [
    (name, i)
    for name, i in CASES
    if name in REGISTRY and REGISTRY[name].differentiable and SAMPLES[name][i].differentiable != ()
]


def over_samples(cases: list[tuple[str, int]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        ("name", "number"), cases, ids=[f"{name}-{i}" for name, i in cases]
    )


every_operator = pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.name)
every_sample = over_samples(CASES)


def is_exempt(op: Operator) -> bool:
    """Whether an operator is checked with another's gradient, or computes what its user says."""
    computes_graphs = "subgraphs" in op.attributes  # tests/symbol/test_control_flow.py
    return op.name.startswith("_backward_") or op.calls_back or computes_graphs


def application_of(name: str, sample: Sample) -> Application:
    op = REGISTRY[name]
    attributes = dict(sample.attributes)
    if op.count is not None:
        attributes.setdefault(op.count, len(sample.inputs) - len(op.inputs))
    return op.apply(attributes)


def run_of(sample: Sample) -> Run:
    """The same random numbers whenever a sample runs."""
    return Run(train=sample.train, random=np.random.Generator(np.random.Philox(7)))


def cast(sample: Sample, dtype: str | None) -> list[Array]:
    """Fresh inputs, what is float64 in the sample as `dtype`."""
    return [
        a.astype(dtype) if dtype is not None and a.dtype == np.float64 else a.copy()
        for a in sample.inputs
    ]


def run(application: Application, arrays: Sequence[Array], sample: Sample) -> list[Array]:
    states = {i for i, name in enumerate(application.inputs) if name in application.states}
    for i, array in enumerate(arrays):
        array.flags.writeable = i in states
    return run_node(application, arrays, run_of(sample))


@every_operator
def test_has_documentation(op: Operator) -> None:
    first = op.documentation.strip().split("\n")[0]
    assert first.endswith("."), f"{op.name} needs a docstring whose first line is a sentence"


@every_operator
def test_has_a_sample(op: Operator) -> None:
    assert is_exempt(op) or SAMPLES.get(op.name), f"{op.name} needs a Sample"


def test_samples_belong_to_operators() -> None:
    names = {op.name for op in OPERATORS}
    assert not set(SAMPLES) - names, "samples under names that are aliases or no operators"


@every_sample
def test_kernel_computes_what_inference_promises(name: str, number: int) -> None:
    sample = SAMPLES[name][number]
    application = application_of(name, sample)
    for dtype in (None, *sample.dtypes):
        arrays = cast(sample, dtype)
        expected = signature_of(application, arrays)
        with np.errstate(all="ignore"):
            raw = application.execute(cast(sample, dtype), run_of(sample))
        for array, shape in zip(raw, expected.shapes, strict=True):
            if shape is not None and application.op.relabels:
                assert array.size == np.prod(shape)
            elif shape is not None:
                assert np.squeeze(array).shape == tuple(n for n in shape if n != 1)
        for array, promised in zip(run(application, arrays, sample), expected.dtypes, strict=True):
            assert array.dtype == promised


@every_sample
def test_floating_dtypes_agree(name: str, number: int) -> None:
    sample = SAMPLES[name][number]
    application = application_of(name, sample)
    exact = run(application, cast(sample, None), sample)
    if application.op.run_name is not None or "float32" not in sample.dtypes:
        return  # it may draw other numbers, or is of no use in float32
    rounded = run(application, cast(sample, "float32"), sample)
    for a, b in zip(exact, rounded, strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-3, atol=1e-4)


def infer_slots(application: Application, kind: str, values: Sequence[Any]) -> list[Any]:
    """The facts about inputs and outputs after an operator's rule ran twice."""
    slots = list(values)
    for _ in range(2):
        view = application.view(slots)
        with contextlib.suppress(Unknown):
            (getattr(application.op, kind) or same)(view)
        slots = list(view._slots.values())
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


@every_sample
@pytest.mark.parametrize("kind", ["shape", "dtype"])
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


class Differentiation(NamedTuple):
    """A sample as a graph: its variables, its floating outputs and what they are weighted by."""

    variables: list[Node]
    weights: list[Node]
    values: dict[Node, Array]
    total: list[Entry]
    wanted: list[int]


def _is_floating(array: Array) -> bool:
    return array.dtype.kind == "f"


def wanted_inputs(application: Application, sample: Sample) -> list[int]:
    if sample.differentiable is not None:
        return list(sample.differentiable)
    return [
        i
        for i, (name, array) in enumerate(zip(application.inputs, sample.inputs, strict=True))
        if _is_floating(array) and name not in application.states
    ]


def _random(shape: tuple[int, ...], seed: int) -> Array:
    return np.random.Generator(np.random.Philox(seed)).uniform(0.5, 1.5, shape) * np.where(
        np.arange(int(np.prod(shape))).reshape(shape) % 2, -1.0, 1.0
    )


def differentiation_of(application: Application, sample: Sample) -> Differentiation:
    arrays = cast(sample, None)
    results = run(application, arrays, sample)
    variables = [Node(None, name) for name in application.inputs]
    node = Node(application, "node", [v.entry() for v in variables])
    values = dict(zip(variables, arrays, strict=True))
    outputs, weights = [], []
    for i, array in enumerate(results[: application.visible]):
        if _is_floating(array):
            weight = Node(None, f"weight{i}")
            outputs.append(node.entry(i))
            weights.append(weight)
            values[weight] = _random(array.shape, 100 + i)
    return Differentiation(variables, weights, values, outputs, wanted_inputs(application, sample))


def evaluator(
    entries: Sequence[Entry], values: dict[Node, Array], sample: Sample
) -> Callable[[Node, Array], list[Array]]:
    """The entries as a function of one variable, all others staying as they are."""
    graph = Graph(entries)

    def evaluate(variable: Node, value: Array) -> list[Array]:
        given = {node: array.copy() for node, array in values.items()}
        given[variable] = value
        return interpret(graph, given, run_of(sample))

    return evaluate


def check_derivative(
    outputs: Sequence[Entry],
    weights: Sequence[Array],
    variable: Node,
    derivative: Array | None,
    values: dict[Node, Array],
    sample: Sample,
    what: str,
) -> None:
    """Compare a derivative with central differences along two directions."""
    evaluate = evaluator(outputs, values, sample)
    at = values[variable]
    for seed in (1, 2):
        direction = _random(at.shape, seed)
        ahead, behind = (evaluate(variable, at + sign * STEP * direction) for sign in (1, -1))
        parts = [
            float(np.sum(w * (a - b))) / (2 * STEP)
            for w, a, b in zip(weights, ahead, behind, strict=True)
        ]
        expected = sum(parts)
        actual = 0.0 if derivative is None else float(np.sum(derivative * direction))
        scale = max(1.0, max((float(np.abs(a).max(initial=0)) for a in ahead), default=0.0))
        assert actual == pytest.approx(expected, rel=RELATIVE, abs=ABSOLUTE * scale), what


@over_samples(DIFFERENTIABLE)
def test_gradient_is_the_derivative(name: str, number: int) -> None:
    sample = SAMPLES[name][number]
    application = application_of(name, sample)
    variables, weights, values, outputs, wanted = differentiation_of(application, sample)
    found = gradients(
        outputs,
        [w.entry() for w in weights],
        [variables[i].entry() for i in wanted],
        train=sample.train,
    )
    present = [entry for entry in found if entry is not None]
    computed = iter(interpret(Graph(present), _copies(values), run_of(sample)))
    for i, entry in zip(wanted, found, strict=True):
        derivative = None if entry is None else next(computed)
        if derivative is not None:
            assert derivative.shape == sample.inputs[i].shape
        check_derivative(
            outputs,
            [values[w] for w in weights],
            variables[i],
            derivative,
            values,
            sample,
            f"{name}: the gradient of {application.inputs[i]}",
        )


def _copies(values: dict[Node, Array]) -> dict[Node, Array]:
    return {node: array.copy() for node, array in values.items()}


@over_samples([(name, i) for name, i in DIFFERENTIABLE if SAMPLES[name][i].orders > 1])
def test_gradient_of_the_gradient_is_the_derivative(name: str, number: int) -> None:
    sample = SAMPLES[name][number]
    application = application_of(name, sample)
    variables, weights, values, outputs, wanted = differentiation_of(application, sample)
    wrt = [variables[i] for i in wanted] + weights
    first = gradients(
        outputs,
        [w.entry() for w in weights],
        [variables[i].entry() for i in wanted],
        train=sample.train,
    )
    present = [entry for entry in first if entry is not None]
    if not present:
        return  # the gradient is zero, which the other test has found to be right
    shapes = [a.shape for a in interpret(Graph(present), _copies(values), run_of(sample))]
    heads = [Node(None, f"head{i}") for i in range(len(present))]
    values = {**values, **{h: _random(s, 200) for h, s in zip(heads, shapes, strict=True)}}
    second = gradients(
        present, [h.entry() for h in heads], [v.entry() for v in wrt], train=sample.train
    )
    known = [entry for entry in second if entry is not None]
    computed = iter(interpret(Graph(known), _copies(values), run_of(sample)))
    for variable, entry in zip(wrt, second, strict=True):
        check_derivative(
            present,
            [values[h] for h in heads],
            variable,
            None if entry is None else next(computed),
            values,
            sample,
            f"{name}: the gradient of the gradient, with respect to {variable.name}",
        )


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
def test_names_of_inputs_outputs_and_attributes_differ(op: Operator) -> None:
    outputs = op.outputs if isinstance(op.outputs, tuple) else ()
    assert not _attribute_names()[op.name] & set(outputs)
