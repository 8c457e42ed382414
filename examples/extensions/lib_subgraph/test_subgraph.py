"""Load libsubgraph_lib.so and let its partitioners take over parts of a graph.

make subgraph_lib && python test_subgraph.py
"""

from typing import Any

import numpy as np

import gluonic as mx
from gluonic import gluon, nd, sym

mx.library.load("libsubgraph_lib.so")

a, b = sym.var("a"), sym.var("b")
symbol = sym.log(sym.exp(a + b)) * a + sym.sin(b)
args = {"a": nd.ones((3, 2)), "b": nd.ones((3, 2))}


def run(graph: sym.Symbol) -> np.ndarray:
    """Compute the output of a graph."""
    return graph.bind(mx.cpu(), args, grad_req="null").forward()[0].asnumpy()


def operators(graph: sym.Symbol) -> list[str]:
    """List the operators of a graph."""
    return [node.operator_name for node in graph.graph().nodes if not node.is_variable]


regular = run(symbol)
print("operators:", operators(symbol))
for backend in ("elementwise", "chains"):
    partitioned = symbol.optimize_for(backend, args)
    print(backend, "makes", operators(partitioned))
    assert (run(partitioned) == regular).all()
rejected = symbol.optimize_for("elementwise", args, min_nodes=100)
assert operators(rejected) == operators(symbol)


class Net(gluon.HybridBlock):
    """What the symbol above computes."""

    def hybrid_forward(self, F: Any, a: Any, b: Any) -> Any:
        """Run with F = nd or F = sym."""
        return F.log(F.exp(a + b)) * a + F.sin(b)


net = Net()
net.hybridize(backend="elementwise")
assert (net(args["a"], args["b"]).asnumpy() == regular).all()
print("partitioned graphs compute what the regular one does")
