"""Gradients of every operator at zeros are what differences say, where these converge."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from gluonic import autograd, nd
from gluonic.gluon import nn
from gluonic.graph.gradient import gradients
from gluonic.graph.interpret import interpret
from gluonic.graph.node import Graph, Node
from tests.graph.registry_samples import (
    DIFFERENTIABLE,
    SAMPLES,
    Array,
    Differentiation,
    application_of,
    differentiation_of,
    over_samples,
    run_of,
)
from tests.graph.samples.sample import Sample

_STEPS = (1e-4, -1e-4, 1e-6, -1e-6)
_SAMPLES_OF_EACH = 3
_MOST_ELEMENTS = 3
_NOT_DEFINED = {
    "_linalg_gelqf": "rows that depend on each other have many factorizations",
    "_npi_svd": "equal singular values have many vectors",
    "_linalg_inverse": "a singular matrix has none",
    "_npi_solve": "a singular matrix is refused",
    "_npi_tensorinv": "a singular matrix has none",
    "_npi_tensorsolve": "a singular matrix is refused",
    "_npi_cbrt": "the derivative is infinite",
    "cbrt": "the derivative is infinite",
    "_random_pdf_gamma": "zero is no parameter of this density",
    "_random_pdf_negative_binomial": "zero is no parameter of this density",
    "_random_pdf_generalized_negative_binomial": "zero is no parameter of this density",
    "_random_pdf_dirichlet": "zero is no parameter of this density",
}
CASES = [
    case for case in DIFFERENTIABLE if case[1] < _SAMPLES_OF_EACH and case[0] not in _NOT_DEFINED
]


def _with_zeros(array: Array, zeros: str) -> tuple[Array, list[int]]:
    """A copy with one, two or only zeros, and where some of them are."""
    copy = array.copy()
    flat, middle = copy.reshape(-1), array.size // 2
    places = {"one": [middle], "two": [middle, (middle + 1) % array.size]}
    chosen = places.get(zeros, list(range(array.size)))
    flat[chosen] = 0
    return copy, chosen[:_MOST_ELEMENTS]


def _points(made: Differentiation) -> Iterator[tuple[dict[Node, Array], dict[int, list[int]]]]:
    """The inputs with zeros in one of them, or in all."""
    sized = [i for i in made.wanted if made.values[made.variables[i]].size]
    for chosen in [[i] for i in sized] + [sized] * (len(sized) > 1):
        for zeros in ("one", "two", "all"):
            values, places = dict(made.values), {}
            for i in chosen:
                variable = made.variables[i]
                values[variable], places[i] = _with_zeros(values[variable], zeros)
            yield values, places


def _evaluator(made: Differentiation, sample: Sample) -> Callable[[dict[Node, Array]], float]:
    graph = Graph(made.outputs)

    def evaluate(values: dict[Node, Array]) -> float:
        results = interpret(graph, {n: a.copy() for n, a in values.items()}, run_of(sample))
        pairs = zip(made.weights, results, strict=True)
        return sum(float(np.sum(values[w] * r)) for w, r in pairs)

    return evaluate


def _slopes(
    evaluate: Callable[[dict[Node, Array]], float],
    values: dict[Node, Array],
    variable: Node,
    index: int,
) -> Array:
    """The differences to the neighbours of a point along one element."""
    base, found = evaluate(values), []
    for step in _STEPS:
        moved = values[variable].copy()
        moved.reshape(-1)[index] += step
        found.append((evaluate({**values, variable: moved}) - base) / step)
    return np.array(found)


def _disagrees(actual: float, slopes: Array) -> bool:
    if not np.isfinite(slopes).all():
        return False  # there is no derivative, or the operator is not defined there
    if np.ptp(slopes) > 1e-2 * max(1.0, float(np.abs(slopes).max())):
        return not np.isfinite(actual)  # a kink
    return not abs(actual - slopes[2:].mean()) <= 1e-2 * max(1.0, abs(actual))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@over_samples(CASES)
def test_gradients_at_zeros_are_finite_and_right(name: str, number: int) -> None:
    sample = SAMPLES[name][number]
    made = differentiation_of(application_of(name, sample), sample)
    heads = [weight.entry() for weight in made.weights]
    wrt = [made.variables[i].entry() for i in made.wanted]
    entries = gradients(made.outputs, heads, wrt, train=sample.train)
    graph = Graph([entry for entry in entries if entry is not None])
    evaluate = _evaluator(made, sample)
    for values, places in _points(made):
        computed = iter(interpret(graph, {n: a.copy() for n, a in values.items()}, run_of(sample)))
        found = {
            i: next(computed) for i, e in zip(made.wanted, entries, strict=True) if e is not None
        }
        for i, indices in places.items():
            for index in indices:
                actual = float(found[i].reshape(-1)[index]) if i in found else 0.0
                slopes = _slopes(evaluate, values, made.variables[i], index)
                assert not _disagrees(actual, slopes), (i, index, actual, slopes.tolist())


_BASES = [0.0, 0.0, 0.0, 2.0, -2.0, 0.0]
_EXPONENTS = [0.0, 1.0, 2.0, 0.0, 3.0, 3.0]


@pytest.mark.parametrize("is_hybridized", [False, True])
@pytest.mark.parametrize(
    ("function", "data", "expected"),
    [
        (lambda F, x: F.prod(x, axis=1), [[0, 2, 3], [0, 0, 3], [1, 2, 3]], [[6, 0, 0], [0, 0, 0], [6, 3, 2]]),
        (lambda F, x: F.nanprod(x), [np.nan, 0, 3], [0, 3, 0]),
        (lambda F, x: x**0, [0, 1, -2], [0, 0, 0]),
        (lambda F, x: F.broadcast_power(x, F.zeros_like(x)), [0, 1, -2], [0, 0, 0]),
        (lambda F, x: 0**x, [1, 2, 0.5], [0, 0, 0]),
        (lambda F, x: F.norm(x), [0, 0], [0, 0]),
    ],
)  # fmt: skip
def test_nets_have_these_gradients(
    function: Callable[[Any, Any], Any], data: Sequence[Any], expected: Any, is_hybridized: bool
) -> None:
    net = nn.HybridLambda(function)
    if is_hybridized:
        net.hybridize(compile_at_once=True)
    x = nd.array(data)
    x.attach_grad()
    with autograd.record():
        y = net(x)
    y.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), np.array(expected, np.float32))


def test_powers_of_zero_have_gradients_for_base_and_exponent() -> None:
    base, exponent = nd.array(_BASES), nd.array(_EXPONENTS)
    base.attach_grad()
    exponent.attach_grad()
    with autograd.record():
        y = base**exponent
    y.backward()
    assert base.grad.asnumpy().tolist() == [0, 1, 0, 0, 12, 0]
    assert exponent.grad.asnumpy()[[1, 2, 5]].tolist() == [0, 0, 0]
