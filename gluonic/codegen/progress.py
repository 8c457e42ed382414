"""A message on the console if compiling takes long and standard error is a terminal."""

import sys

from gluonic.codegen.warm_up import compiling_cost
from gluonic.graph import Graph

_LONG = 2.0
"""The estimated time, in seconds, from which on there is a message."""


def tell_if_long(graph: Graph) -> None:
    """Print that a graph is being compiled, if that takes long and standard error is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        return
    seconds = compiling_cost(graph) / 1e9
    if seconds >= _LONG:
        count = sum(not node.is_variable for node in graph.nodes)
        told = f"gluonic compiles a graph of {count:,} operators: some {seconds:.0f} seconds"
        print(told, file=sys.stderr, flush=True)
