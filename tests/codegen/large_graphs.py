"""Random graphs of thousands of nodes: chains, hubs that many nodes read, joins of many, dense layers between.

``python -m tests.codegen.large_graphs --nodes 10000 --seeds 3`` compiles each with its gradient, compares it
with the interpreter, and prints the seconds that the first calls took.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.codegen.compiled import CompiledGraph
from gluonic.graph.builder import F
from gluonic.graph.gradient import gradients
from gluonic.graph.interpret import interpret
from gluonic.graph.node import Entry, Graph, Node
from tests.codegen.agreement import Array, assert_alike, new_run

_WIDTHS = (4, 8, 24)
_ROWS = 3
_MOST_JOINED = 40


class LargeGraph:
    """A graph that grows at random to some number of operators; values stay between -1 and 1.

    Parameters
    ----------
    count : how many operators it has, about
    seed : of the random choices
    """

    def __init__(self, count: int, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.variables: list[Node] = []
        self.arrays: list[Array] = []
        self.values: dict[int, list[Entry]] = {
            width: [self._variable("x", _ROWS, width)] for width in _WIDTHS
        }
        self.weights = {
            (a, b): self._variable("w", b, a, scale=1 / a) for a in _WIDTHS for b in _WIDTHS
        }
        self.hubs = {width: found[0] for width, found in self.values.items()}
        made = 0
        while made < count:
            made += self._grow()
        ends = [F.add_n(*found[-8:]) for found in self.values.values()]
        self.graph = Graph(ends)

    def _variable(self, name: str, *shape: int, scale: float = 1.0) -> Entry:
        node = Node(None, f"{name}{len(self.variables)}")
        self.variables.append(node)
        self.arrays.append(np.asarray(self.random.uniform(-scale, scale, shape), np.float32))
        return node.entry()

    def _any(self, width: int) -> Entry:
        """Mostly a late result, sometimes the hub, sometimes any."""
        found, choice = self.values[width], self.random.random()
        if choice < 0.1:
            return self.hubs[width]
        first = 0 if choice < 0.2 else max(len(found) - 6, 0)
        return found[int(self.random.integers(first, len(found)))]

    def _grow(self) -> int:
        """Add one operator or a few; how many."""
        width = int(self.random.choice(_WIDTHS))
        x, kind = self._any(width), int(self.random.integers(0, 20))
        if kind == 0:
            parts = [self._any(width) for _ in range(int(self.random.integers(3, _MOST_JOINED)))]
            made = F.add_n(*parts) * (1 / len(parts))
        elif kind == 1 and self.random.random() < 0.1:
            made = self.hubs[width] = F.tanh(x)
        elif kind == 2:
            other = int(self.random.choice(_WIDTHS))
            weight = self.weights[other, width]
            made = F.FullyConnected(self._any(other), weight, num_hidden=width, no_bias=True)
        elif kind == 3:
            made = F.broadcast_sub(x, F.mean(x, axis=1, keepdims=True)) * 0.5
        elif kind < 8:
            made = F.elemwise_add(x, self._any(width)) * 0.5
        elif kind < 12:
            made = F.elemwise_mul(x, self._any(width))
        else:
            made = (F.sin, F.tanh, F.sigmoid, F.softsign)[kind % 4](x)
        self.values[width].append(made)
        return 2 if kind in (0, 3) or 3 < kind < 8 else 1

    def with_gradients(self) -> Graph:
        """The outputs, and the gradients of their sums with respect to all variables that they depend on."""
        heads: Sequence[Any] = [F.ones_like(entry) for entry in self.graph.outputs]
        wanted = [node.entry() for node in self.variables]
        found = gradients(list(self.graph.outputs), heads, wanted, train=False)
        return Graph([*self.graph.outputs, *(entry for entry in found if entry is not None)])


def check(large: LargeGraph, graph: Graph) -> float:
    """Compare what is compiled with the interpreter; the seconds that the first call took."""
    compiled = CompiledGraph(graph, large.variables)
    begin = time.perf_counter()
    found = compiled([a.copy() for a in large.arrays], new_run())
    seconds = time.perf_counter() - begin
    given = dict(zip(large.variables, large.arrays, strict=True))
    exact = {node: array.astype(np.float64) for node, array in given.items()}
    expected = [np.asarray(a, np.float32) for a in interpret(graph, exact, new_run())]
    assert_alike(found, expected, inputs=[np.zeros(0, np.float16)])
    return seconds


def main() -> int:
    """Check graphs of as many nodes as were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=1, help="how many graphs")
    chosen = parser.parse_args()
    for seed in range(chosen.seed, chosen.seed + chosen.seeds):
        large = LargeGraph(chosen.nodes, seed)
        both = large.with_gradients()
        forward, training = check(large, large.graph), check(large, both)
        sizes = f"{len(large.graph.nodes)} nodes, {len(both.nodes)} with gradients"
        print(f"seed {seed}: {sizes}: {forward:.2f} s, {training:.2f} s", flush=True)
    return 0


if __name__ == "__main__":
    os.environ.setdefault("GLUONIC_EXECUTOR", "compile")
    sys.exit(main())
