"""The gradients of every operator in the registry, and theirs, against central differences on its samples."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from gluonic.graph.gradient import gradients
from gluonic.graph.interpret import interpret
from gluonic.graph.node import Entry, Graph, Node
from tests.graph.registry_samples import (
    DIFFERENTIABLE,
    SAMPLES,
    Array,
    application_of,
    differentiation_of,
    over_samples,
    random,
    run_of,
)
from tests.graph.samples.sample import Sample

STEP, RELATIVE, ABSOLUTE = 1e-5, 1e-5, 1e-7


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
        direction = random(at.shape, seed)
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
        pytest.skip("the gradient is zero, which the other test has found to be right")
    shapes = [a.shape for a in interpret(Graph(present), _copies(values), run_of(sample))]
    heads = [Node(None, f"head{i}") for i in range(len(present))]
    values = {**values, **{h: random(s, 200) for h, s in zip(heads, shapes, strict=True)}}
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
