"""Activations of dense layers, applied while the product is still in registers."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.codegen.facts import Facts
from gluonic.codegen.loop import Expression, Read, identity
from gluonic.codegen.semantics import loop_of
from gluonic.graph.node import Entry, Graph, Node
from gluonic.graph.operator import REGISTRY, Application, Array, Operator
from gluonic.graph.view import NodeView

_SOME_SHAPE = (2, 3)
_MOST_STEPS = 8


def _activated(data: Array, weight: Array, bias: Array | None = None, *, then: str) -> Any:
    """A dense layer, and functions of each element of its output, one after the other."""
    raise AssertionError("made by `Activated` alone")


class Activated(Application):
    """A dense layer with the functions that are applied to its output.

    Attributes
    ----------
    dense : the layer
    then : the functions
    """

    __slots__ = ("dense", "then")

    def __init__(self, dense: Application, then: Sequence[Application]) -> None:
        self.dense, self.then = dense, tuple(then)
        super().__init__(_operator(dense), {**dense.settings, "then": self.name})

    @property
    def name(self) -> str:
        """What tells functions apart."""
        return repr([(f.op.name, sorted(f.settings.items())) for f in self.then])

    def execute(self, arrays: Sequence[Array], run: Any) -> tuple[Any, ...]:
        """Run the kernels."""
        (result,) = self.dense.execute(arrays, run)
        for function in self.then:
            (result,) = function.execute([np.asarray(result)], run)
        return (result,)

    def expression(self, m: Any, x: Any) -> Any:
        """The functions of one element."""
        for function in self.then:
            made = function_of(function)
            assert made is not None
            x = made(m, x)
        return x


def _operator(dense: Application) -> Operator:
    """The operator of dense layers with functions, with the shapes of dense layers."""
    plain = dense.op

    def shape(n: NodeView) -> None:
        assert plain.shape is not None
        plain.shape(n)

    return Operator("_activated", _activated, absent=_absent, shape=shape, dtype=plain.dtype)


def _absent(n: Any) -> tuple[str, ...]:
    return ("bias",) if n.no_bias else ()


def function_of(application: Application) -> Expression | None:
    """An operator as a function of one element of its only input; None if it is none."""
    if len(application.inputs) != 1 or len(application.outputs) != 1:
        return None
    loop = loop_of(application, [_SOME_SHAPE], [_SOME_SHAPE])
    plain = loop is not None and loop.space == _SOME_SHAPE and loop.reduction is None
    if loop is None or not plain or loop.indexed or loop.reads != (Read(identity(2)),):
        return None
    return loop.expression


def fold_activations(graph: Graph, facts: Facts) -> Graph:
    """Let dense layers apply the functions that alone read their outputs."""
    uses: dict[Entry, int] = {}
    for entry in (*graph.outputs, *(e for node in graph.nodes for e in node.inputs)):
        uses[entry] = uses.get(entry, 0) + 1
    dense = REGISTRY["FullyConnected"]

    def replace(node: Node, inputs: Sequence[Entry]) -> Node | None:
        application = node.application
        if application is None or len(inputs) != 1 or uses[node.inputs[0]] != 1:
            return None
        layer = inputs[0].node
        if layer.application is None or not _is_float32(node, facts):
            return None
        then: tuple[Application, ...] = ()
        plain = layer.application
        if isinstance(plain, Activated):
            then = plain.then
            plain = plain.dense
        if plain.op is not dense or len(then) >= _MOST_STEPS or function_of(application) is None:
            return None
        made = Activated(plain, (*then, application))
        return Node(made, node.name, layer.inputs, node.attributes, node.location, node.block)

    return graph.rewrite(replace)


def _is_float32(node: Node, facts: Facts) -> bool:
    return all(facts.dtypes[e].name == "float32" for e in (*node.inputs, node.entry()))


__all__ = ["Activated", "fold_activations", "function_of"]
