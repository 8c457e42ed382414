"""Load libpass_lib.so and let its passes rewrite a graph.

make pass_lib && python test_pass.py
"""

import numpy as np

import gluonic as mx
from gluonic import nd, sym

mx.library.load("libpass_lib.so")

a, b = sym.var("a"), sym.var("b")
symbol = sym.log(sym.exp(a + b)) * b
args = {"a": nd.ones((3, 2)), "b": nd.full((3, 2), 2)}


def run(graph: sym.Symbol) -> np.ndarray:
    """Compute the output of a graph."""
    return graph.bind(mx.cpu(), dict(args), grad_req="null").forward()[0].asnumpy()


def operators(graph: sym.Symbol) -> list[str]:
    """List the operators of a graph."""
    return [node.operator_name for node in graph.graph().nodes if not node.is_variable]


regular = run(symbol)
shorter = symbol.optimize_for("cancelExpLog", args, {})
print(operators(symbol), "becomes", operators(shorter))
assert np.allclose(run(shorter), regular)

shifted = shorter.optimize_for("addShift", args, {}, shift=0.5)
print("new arguments:", shifted.list_arguments())
assert np.allclose(run(shifted), regular + 0.5)
print("the passes' graphs compute what they should")
