"""The samples of all operators, and how one is run, cast or made a graph with gradients."""

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gluonic.graph.application import Application
from gluonic.graph.kernel_runs import run_node
from gluonic.graph.node import Entry, Node
from gluonic.graph.operator import REGISTRY, Run
from gluonic.graph.random_source import RandomSource
from tests.cases import Check, grouped, over
from tests.graph import samples as sample_package
from tests.graph.applying import application
from tests.graph.samples.sample import Sample

Array = npt.NDArray[Any]


SAMPLES: dict[str, list[Sample]] = {}
FAMILY: dict[str, str] = {}
"""The file with an operator's samples."""
for _module in pkgutil.iter_modules(sample_package.__path__):
    _file = importlib.import_module(f"{sample_package.__name__}.{_module.name}")
    for _name, _samples in getattr(_file, "SAMPLES", {}).items():
        assert _name not in FAMILY, f"{_name} has samples in two files"
        FAMILY[_name], SAMPLES[_name] = _module.name, _samples
CASES = [(name, i) for name, found in SAMPLES.items() for i in range(len(found))]
DIFFERENTIABLE = [
    (name, i)
    for name, i in CASES
    if name in REGISTRY and REGISTRY[name].differentiable and SAMPLES[name][i].differentiable != ()
]


def over_samples(cases: Iterable[tuple[str, int]]) -> Callable[[Check], Check]:
    """Make a check of a sample, given by name and number, a test of each family of operators."""
    groups: dict[str, dict[str, tuple[str, int]]] = {}
    for name, number in cases:
        groups.setdefault(FAMILY[name], {})[f"{name} {number}"] = (name, number)
    return grouped(("name", "number"), groups, _describe)


def over_operators(names: Iterable[str] = SAMPLES) -> Callable[[Check], Check]:
    """Make a check of an operator, given by its name or alias, a test of each family."""
    return over("name", names, lambda name: FAMILY.get(REGISTRY[name].name, "without samples"))


def _describe(name: str, number: int) -> str:
    sample = SAMPLES[name][number]
    inputs = ", ".join(f"{a.dtype}{list(a.shape)}" for a in sample.inputs)
    attributes = ", ".join(f"{key}={value!r}" for key, value in sample.attributes.items())
    return f"{name}({inputs}; {attributes})"


every_sample = over_samples(CASES)


def dtypes_in_turn(
    number: int, dtypes: Sequence[str | None], thorough: bool
) -> Sequence[str | None]:
    """The dtypes to try a sample in: all for an operator's first one, one for each other, in turn.

    Parameters
    ----------
    thorough : try every sample in all of them, as ``python -m pytest --thorough`` says
    """
    if thorough or number == 0 or not dtypes:
        return dtypes
    return [dtypes[number % len(dtypes)]]


def application_of(name: str, sample: Sample) -> Application:
    return application(name, len(sample.inputs), dict(sample.attributes))


def run_of(sample: Sample) -> Run:
    """The same random numbers whenever a sample runs."""
    return Run(train=sample.train, random=RandomSource(7))


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


class Differentiation(NamedTuple):
    """A sample as a graph: its variables, its floating outputs and what they are weighted by."""

    variables: list[Node]
    weights: list[Node]
    values: dict[Node, Array]
    outputs: list[Entry]
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


def random(shape: tuple[int, ...], seed: int) -> Array:
    numbers = np.random.Generator(np.random.Philox(seed)).uniform(0.5, 1.5, shape)
    signs = np.where(np.arange(int(np.prod(shape))).reshape(shape) % 2, -1.0, 1.0)
    return np.asarray(numbers * signs)


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
            values[weight] = random(array.shape, 100 + i)
    return Differentiation(variables, weights, values, outputs, wanted_inputs(application, sample))
