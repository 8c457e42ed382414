"""The costs of operators, from shapes: floating-point operations and bytes.

A multiplication and an addition are two operations. Matrix products and convolutions count their products and
sums, pooling and reductions one operation per element read, all others one per element written. Moves and
reshapes of elements cost none.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from gluonic.drawing.bodies import runs_of
from gluonic.drawing.families import family_of
from gluonic.graph import Entry, Node
from gluonic.graph.infer import Facts
from gluonic.graph.subgraphs import facts_in, held_graphs

Shape = tuple[int, ...]


class Cost(NamedTuple):
    """The cost of a node.

    Attributes
    ----------
    operations : floating-point operations
    read, written : bytes read and written
    """

    operations: int
    read: int
    written: int


def cost_of(node: Node, shapes: Facts, dtypes: Facts | None = None) -> Cost | None:
    """The cost of a node; None if a shape is unknown, and for variables.

    Parameters
    ----------
    node : the node
    shapes, dtypes : those of all outputs, by node; an unknown dtype counts as float32
    """
    if node.application is None:
        return None
    if held_graphs(node):
        return _of_bodies(node, shapes, dtypes)
    inputs = [_known(shapes, entry) for entry in node.inputs]
    outputs = [_known(shapes, node.entry(i)) for i in range(node.visible_count)]
    known_in = [shape for shape in inputs if shape is not None]
    known_out = [shape for shape in outputs if shape is not None]
    if len(known_in) < len(inputs) or len(known_out) < len(outputs) or not outputs:
        return None
    read = sum(map(bytes_of, known_in, (_itemsize(dtypes, e) for e in node.inputs)))
    sizes = (_itemsize(dtypes, node.entry(i)) for i in range(len(outputs)))
    written = sum(map(bytes_of, known_out, sizes))
    return Cost(_operations(node, known_in, known_out), read, written)


def _of_bodies(node: Node, shapes: Facts, dtypes: Facts | None) -> Cost | None:
    """The cost of the bodies of a loop or a branch, over all steps; for while loops, an upper bound."""
    total, branches = Cost(0, 0, 0), [Cost(0, 0, 0)]
    for run in runs_of(node, shapes):
        inside = facts_in(node, run.graph, "shape", shapes)
        kinds = facts_in(node, run.graph, "dtype", dtypes)
        operators = [n for n in run.graph.nodes if not n.is_variable]
        costs = [None if inside is None else cost_of(n, inside, kinds) for n in operators]
        known = [cost for cost in costs if cost is not None]
        if run.times is None or len(known) < len(costs):
            return None
        once = (
            Cost(*(sum(column) for column in zip(*known, strict=True))) if known else Cost(0, 0, 0)
        )
        if run.role == "branch":
            branches.append(once)
        else:
            total = Cost(*(a + run.times * b for a, b in zip(total, once, strict=True)))
    return Cost(*(a + b for a, b in zip(total, max(branches), strict=True)))


def bytes_of(shape: Sequence[int], itemsize: int = 4) -> int:
    """The size of an array in bytes."""
    return math.prod(shape) * itemsize


def _known(shapes: Facts, entry: Entry) -> Shape | None:
    shape = shapes[entry.node][entry.index]
    return None if shape is None or None in shape else tuple(shape)


def _itemsize(dtypes: Facts | None, entry: Entry) -> int:
    dtype = dtypes[entry.node][entry.index] if dtypes is not None else None
    return 4 if dtype is None else int(dtype.itemsize)


def _operations(node: Node, inputs: list[Shape], outputs: list[Shape]) -> int:
    name, settings = node.operator_name, node.applied.settings
    if name in _COUNTED:
        return _COUNTED[name](settings, inputs, outputs)
    family = family_of(node)
    if family == "shape":
        return 0
    if family in ("reduction", "loss"):
        return math.prod(inputs[0]) if inputs else 0
    return sum(map(math.prod, outputs))


def _convolution(settings: Any, inputs: list[Shape], outputs: list[Shape]) -> int:
    """Each output element sums over a filter: ``2 · channels / groups · kernel``, and the bias."""
    weight = inputs[1]
    has_bias = len(inputs) > 2
    return math.prod(outputs[0]) * (2 * math.prod(weight[1:]) - 1 + has_bias)


def _deconvolution(settings: Any, inputs: list[Shape], outputs: list[Shape]) -> int:
    """Each input element is multiplied by a filter; the weight is ``(channels, filters / groups, *kernel)``."""
    has_bias = len(inputs) > 2
    return 2 * math.prod(inputs[0]) * math.prod(inputs[1][1:]) + has_bias * math.prod(outputs[0])


def _fully_connected(settings: Any, inputs: list[Shape], outputs: list[Shape]) -> int:
    has_bias = len(inputs) > 2
    return math.prod(outputs[0]) * (2 * inputs[1][-1] - 1 + has_bias)


def _product(settings: Any, inputs: list[Shape], outputs: list[Shape]) -> int:
    """The axis of the sum is the last of the left factor, or the first if that is transposed."""
    left = inputs[0]
    transposed = settings.get("transpose_a")
    batched = len(outputs[0]) == 3 and len(left) == 3
    summed = (left[1] if batched else left[0]) if transposed else left[-1]
    return math.prod(outputs[0]) * max(2 * summed - 1, 0)


def _pooling(settings: Any, inputs: list[Shape], outputs: list[Shape]) -> int:
    if settings.get("global_pool"):
        return math.prod(inputs[0])
    return math.prod(outputs[0]) * math.prod(settings.get("kernel") or (1,))


def _batch_norm(settings: Any, inputs: list[Shape], outputs: list[Shape]) -> int:
    """A factor and a summand for each element, as in inference."""
    return 2 * math.prod(outputs[0])


def _recurrent(settings: Any, inputs: list[Shape], outputs: list[Shape]) -> int:
    """Two operations per weight, step and sample; biases are negligible."""
    steps, samples = inputs[0][:2]
    return 2 * steps * samples * math.prod(inputs[1])


def _nothing(settings: Any, inputs: list[Shape], outputs: list[Shape]) -> int:
    return 0


_COUNTED: dict[str, Callable[[Any, list[Shape], list[Shape]], int]] = {
    "Convolution": _convolution,
    "Deconvolution": _deconvolution,
    "FullyConnected": _fully_connected,
    "dot": _product,
    "batch_dot": _product,
    "Pooling": _pooling,
    "BatchNorm": _batch_norm,
    "RNN": _recurrent,
    "Embedding": _nothing,
    "Dropout": _nothing,
}
