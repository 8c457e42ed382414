"""Dense layers with more to them: activations in registers, a weight packed once for several layers."""

import functools
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from gluonic.codegen.loops.semantics import function_of
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph.application import Application
from gluonic.graph.attributes import Shape
from gluonic.graph.node import Entry, Graph, Node
from gluonic.graph.operator import REGISTRY, Array, Operator
from gluonic.graph.view import NodeView

_MOST_STEPS = 8


def _extended(
    data: Array,
    weight: Array,
    bias: Array | None = None,
    packed: Array | None = None,
    *,
    then: str,
    is_packed: bool,
) -> Any:
    """A dense layer, functions of each element of its output, and its weight in another order."""
    raise AssertionError("run by `Extended`")


class Extended(Application):
    """A dense layer with functions that are applied to its output, and perhaps its weight packed.

    Attributes
    ----------
    dense : the layer
    then : the functions, one after the other
    is_packed : whether the last input is the packed weight
    """

    __slots__ = ("dense", "is_packed", "then")

    def __init__(
        self, dense: Application, then: Sequence[Application] = (), *, is_packed: bool = False
    ) -> None:
        self.dense, self.then, self.is_packed = dense, tuple(then), is_packed
        own = {"then": self.name, "is_packed": is_packed}
        super().__init__(_operator(dense), {**dense.settings, **own})

    @classmethod
    def of(cls, application: Application) -> "Extended | None":
        """A dense layer as one with no functions yet; None for anything else."""
        if isinstance(application, Extended):
            return application
        return cls(application) if application.op is REGISTRY["FullyConnected"] else None

    @property
    def name(self) -> str:
        """What tells functions apart."""
        return repr([(f.op.name, sorted(f.settings.items())) for f in self.then])

    def execute(self, arrays: Sequence[Array], run: Any) -> tuple[Any, ...]:
        """Run the kernels."""
        (result,) = self.dense.execute(arrays[: len(self.dense.inputs)], run)
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
    """The operator of extended layers, with the shapes of dense layers."""
    plain = dense.op

    def shape(n: NodeView) -> None:
        assert plain.shape is not None
        plain.shape(n)

    def dtype(n: NodeView) -> None:
        n.output = n.data

    return Operator("_extended", _extended, absent=_absent, shape=shape, dtype=dtype)


def _absent(n: Any) -> tuple[str, ...]:
    missing = {"bias": n.no_bias, "packed": not n.is_packed}
    return tuple(name for name, is_missing in missing.items() if is_missing)


@functools.cache
def _packer(size: Callable[[Shape], int]) -> Operator:
    def kernel(weight: Array) -> Any:
        """A weight in the order in which products read it: memory that machine code alone understands."""
        raise AssertionError("packing is for machine code")

    def shape(n: NodeView) -> None:
        n.output = (size(n.weight),)

    def dtype(n: NodeView) -> None:
        n.output = np.dtype(np.uint8)

    return Operator("_packed", kernel, shape=shape, dtype=dtype)


def share_packing(
    graph: Graph,
    facts: Facts,
    size: Callable[[Shape], int],
    is_worth_it: Callable[[Shape], bool],
    parameters: Collection[Node] = (),
) -> Graph:
    """Pack a weight apart from the layers if several read it, or if it will be the same at the next call.

    Parameters
    ----------
    size : of a packed weight in bytes, by the weight's shape
    is_worth_it : whether a weight of a shape is packed at all
    parameters : the variables that seldom change
    """
    layers = [n for n in graph.nodes if n.application and Extended.of(n.application)]
    counts = Counter(n.inputs[1] for n in layers if facts.dtypes[n.inputs[0]] == np.float32)
    shared = {
        e
        for e, count in counts.items()
        if (count > 1 or e.node in parameters) and is_worth_it(facts.shapes[e])
    }
    packed: dict[Entry, Entry] = {}

    def replace(node: Node, inputs: Sequence[Entry]) -> Node | None:
        layer = Extended.of(node.application) if node.application is not None else None
        if layer is None or node.inputs[1] not in shared:
            return None
        weight = inputs[1]
        if weight not in packed:
            packed[weight] = Node(_packer(size).apply({}), "packed", [weight]).entry()
        made = Extended(layer.dense, layer.then, is_packed=True)
        entries = [*inputs, packed[weight]]
        return node.with_application(made, entries)

    return graph.rewrite(replace) if shared else graph


def fold_activations(graph: Graph, facts: Facts) -> Graph:
    """Let dense layers apply the functions that alone read their outputs."""

    def replace(node: Node, inputs: Sequence[Entry]) -> Node | None:
        application = node.application
        if application is None or len(inputs) != 1:
            return None
        before = inputs[0].node
        layer = None if before.application is None else Extended.of(before.application)
        if layer is None or len(layer.then) >= _MOST_STEPS or function_of(application) is None:
            return None
        if graph.reads[node.inputs[0]] != 1 or not _is_float32(node, facts):
            return None
        made = Extended(layer.dense, (*layer.then, application))
        return node.with_application(made, before.inputs)

    return graph.rewrite(replace)


def _is_float32(node: Node, facts: Facts) -> bool:
    return all(facts.dtypes[e] == np.float32 for e in (*node.inputs, node.entry()))


__all__ = ["Extended", "fold_activations", "share_packing"]
