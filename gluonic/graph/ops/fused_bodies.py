"""Operators that MXNet fuses for oneDNN: the node holds a graph of its operators, which is what it computes.

The first inputs are the graph's variables; further inputs of a quantized node are the ranges of small integers.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gluonic.graph.errors import MXNetError
from gluonic.graph.infer import Facts, infer, infer_through
from gluonic.graph.interpret import Interpretation
from gluonic.graph.node import Entry, Graph, Node
from gluonic.graph.operator import Array, Rule, Run
from gluonic.graph.ops.layer_rules import set_all
from gluonic.graph.origin import give_origin
from gluonic.graph.quantized_numbers import FLOAT32, SMALL, require_small, result_dtype
from gluonic.graph.subgraphs import held_graphs
from gluonic.graph.view import NodeView, peek, put, slots_of
from gluonic.support.cached_property import cached_property

RANGE = (1,)
_SHORTER = {"moving_mean": "mean", "moving_var": "var", "lhs": "sum", "rhs": "sum"}


class FusedKind(NamedTuple):
    """A kind of fused operators.

    Attributes
    ----------
    layer : the operator that each has
    followers : operators that may follow it, at most one of each
    integers : the dtypes that inputs of a quantized use may have; all others are float32
    ranges : the inputs of a quantized use that hold minima and maxima
    ends : the outputs of a quantized use that hold the minimum and the maximum of its result
    """

    layer: str
    followers: frozenset[str]
    integers: Callable[[Any], Mapping[str, Collection[np.dtype[Any]]]]
    ranges: Callable[[Any, Collection[str]], Sequence[str]]
    ends: tuple[str, str] = ("min_output", "max_output")


class FusedBody:
    """The graph of a fused operator.

    Attributes
    ----------
    graph : the graph, with one output
    names : the names of its variables as inputs of the operator
    members : its nodes, by operator
    """

    def __init__(self, graph: Graph, kind: FusedKind) -> None:
        nodes = [node for node in graph.nodes if not node.is_variable]
        self.graph = graph
        self.members = {node.operator_name: node for node in nodes}
        others = self.members.keys() - kind.followers - {kind.layer}
        if others or kind.layer not in self.members or len(self.members) < len(nodes):
            listed = ", ".join(node.operator_name for node in nodes)
            raise MXNetError(
                f"needs a graph of {kind.layer} and at most one each of "
                f"{', '.join(sorted(kind.followers)) or 'nothing else'}; it has {listed or 'nothing'}"
            )
        if len(graph.outputs) != 1:
            raise MXNetError(f"needs a graph with one output, not {len(graph.outputs)}")
        names = {
            entry.node: _SHORTER.get(name, name)
            for node in nodes
            for name, entry in zip(node.applied.inputs, node.inputs, strict=True)
        }
        self.names = tuple(names[node] for node in graph.variables)
        if len(set(self.names)) < len(self.names):
            raise MXNetError(f"needs a graph that reads one array for each of {self.names}")

    def facts(self, kind: str, inputs: Sequence[Any]) -> Facts:
        """The known facts about all nodes, for those known about the operator's inputs."""
        known = zip(self.graph.variables, map(_as_float, inputs), strict=False)
        return infer(self.graph, kind, {node: fact for node, fact in known if fact is not None})

    @cached_property
    def for_inference(self) -> Graph:
        """The graph that is run: fused normalizations always use their running statistics."""
        return self.graph.rewrite(_with_running_statistics)

    @cached_property
    def _interpretation(self) -> Interpretation:
        return Interpretation(self.for_inference, self.graph.variables)

    def run(self, arrays: Sequence[Array], run: Run) -> Array:
        """Run the graph."""
        (output,) = self._interpretation(arrays, run)
        return output

    def member(self, *operators: str) -> Node | None:
        """The node of one of some operators, if there is one."""
        return next((node for name, node in self.members.items() if name in operators), None)


def _with_running_statistics(node: Node, inputs: Sequence[Entry]) -> Node | None:
    if node.operator_name != "BatchNorm":
        return None
    application = node.applied.op.apply({**node.applied.settings, "use_global_stats": True})
    return node.with_application(application, inputs)


def open_fused(graph: Graph) -> Graph:
    """Return a graph in which the operators of fused nodes in float32 are nodes themselves."""

    def replace(node: Node, inputs: Sequence[Entry]) -> Sequence[Entry] | None:
        bodies = held_graphs(node) and held_graphs(node).bodies
        if not bodies or not isinstance(bodies[0], FusedBody) or node.applied.settings["quantized"]:
            return None
        body = bodies[0].for_inference
        made = body.called_anew(dict(zip(body.variables, inputs, strict=True)))
        give_origin(made, node)
        return made

    return graph.rewrite(replace)


def _as_float(fact: Any) -> Any:
    return FLOAT32 if fact in SMALL else fact


def body_of(n: Any) -> FusedBody:
    """The body of a use of a fused operator."""
    (body,) = n.subgraphs.bodies
    assert isinstance(body, FusedBody)
    return body


def gives_float(n: Any) -> bool:
    """Whether the result of a use is floating-point, although it may compute with integers."""
    return not n.quantized or getattr(n, "enable_float_output", False)


def input_names(kind: FusedKind) -> Callable[[Any], list[str]]:
    """The rule for an operator's inputs, which checks its graph first."""

    def names(n: Any) -> list[str]:
        if len(n.subgraphs) != 1:
            raise MXNetError(f"needs one graph, not {len(n.subgraphs)}")
        if not n.subgraphs.bodies:
            n.subgraphs.bodies = (FusedBody(n.subgraphs[0], kind),)
            n.subgraphs.counts_versions = False
        own = body_of(n).names
        return [*own, *(kind.ranges(n, own) if n.quantized else ())]

    return names


def output_names(kind: FusedKind) -> Callable[[Any], tuple[str, ...]]:
    """The rule for an operator's outputs."""
    return lambda n: ("output",) if gives_float(n) else ("output", *kind.ends)


def states_of(n: Any) -> tuple[str, ...]:
    """The auxiliary states, of a normalization."""
    return ("mean", "var")


def infer_shape(n: NodeView) -> None:
    """Infer shapes through the graph; ranges have one number."""
    body = body_of(n)
    own = (*body.names, "output")
    set_all(n, slots_of(n).keys() - set(own), RANGE)
    found, outputs = infer_through(body.graph, "shape", [peek(n, name) for name in body.names])
    for name, shape in zip(own, (*found, *outputs), strict=True):
        put(n, name, shape)


def dtype_rule(kind: FusedKind, is_unsigned: Callable[[Any], bool]) -> Rule:
    """The rule for dtypes.

    Parameters
    ----------
    is_unsigned : whether a use whose range is given returns uint8, not int8
    """

    def rule(n: NodeView) -> None:
        body = body_of(n)
        if not n.quantized:
            given = [peek(n, name) for name in body.names]
            found, outputs = infer_through(body.graph, "dtype", given)
            for name, dtype in zip((*body.names, "output"), (*found, *outputs), strict=True):
                put(n, name, dtype)
            return
        integers = kind.integers(n)
        set_all(n, slots_of(n).keys() - integers.keys() - {"output"}, FLOAT32)
        n.output = result_dtype(
            n.min_calib_range, n.max_calib_range, unsigned=is_unsigned(n), floating=gives_float(n)
        )
        for name in integers.keys() & set(body.names):
            if len(integers[name]) == 1:
                (dtype,) = integers[name]
                put(n, name, dtype)
            else:
                require_small(n, name)

    return rule
