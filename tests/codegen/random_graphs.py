"""Random graphs for hypothesis: operators of all families over random shapes, broadcasts and dtypes, in float
ranges where rounding is not magnified."""

from __future__ import annotations

from hypothesis import strategies as st

from gluonic.graph.node import Graph
from tests.codegen import random_arrangements, random_elements, random_layers, random_samples
from tests.codegen.growing import Draw, Growing, RandomGraph, Shape

__all__ = ["RandomGraph", "random_graphs"]

FAMILIES = {
    "elements": (random_elements.RULES, random_arrangements.RULES),
    "layers": (random_elements.RULES, random_arrangements.RULES, random_layers.RULES),
    "images": (random_layers.RULES, (*random_elements.RULES[:6], *random_arrangements.RULES[:4])),
    "registry": (random_samples.RULES, random_elements.RULES, random_arrangements.RULES),
}


def _shapes(family: str) -> st.SearchStrategy[Shape]:
    if family == "images":
        sizes = st.tuples(
            st.integers(1, 3), st.integers(1, 20), st.integers(1, 9), st.integers(1, 9)
        )
        return st.one_of(sizes, sizes.map(lambda s: s[:3]))
    any_rank = st.lists(st.integers(1, 7), max_size=4).map(tuple)
    long = st.tuples(st.integers(1, 3), st.integers(30, 140))
    empty = st.sampled_from([(0,), (2, 0), (0, 3)])
    return st.one_of(any_rank, any_rank, any_rank, long, empty)


@st.composite
def random_graphs(
    draw: Draw,
    dtypes: tuple[str, ...] = ("float32", "float32", "float64"),
    most: int = 20,
    families: tuple[str, ...] = tuple(FAMILIES),
    train: bool = False,
    unusual: bool = False,
) -> RandomGraph:
    """A graph of 3 to `most` steps (a step is one operator or few), with one to four outputs."""
    family = draw(st.sampled_from(families))
    rules = FAMILIES[family]
    growing = Growing(draw(st.integers(0, 1000)), train, unusual)
    dtype = draw(st.sampled_from(dtypes))
    for _ in range(draw(st.integers(1, 2))):
        growing.variable(draw(_shapes(family)), dtype)
    for _ in range(draw(st.integers(3, most))):
        recent = growing.values[-6:] if draw(st.booleans()) else growing.values
        x = draw(st.sampled_from(recent))
        rule = draw(st.sampled_from(draw(st.sampled_from(rules))))
        rule(draw, growing, x)
    results = [v.entry for v in growing.values if not v.entry.node.is_variable]
    read = {e for r in results for e in r.node.inputs}
    ends = [e for e in results if e not in read]
    picked = draw(st.lists(st.sampled_from(results), max_size=2)) if results else []
    outputs = [*picked, *ends[-4:]] or [growing.values[-1].entry]
    return RandomGraph(
        Graph(outputs),
        tuple(growing.variables),
        tuple(growing.arrays),
        frozenset(growing.states),
        train,
    )
