"""A pass that computes float16 and bfloat16 like the interpreter: composite operators in float32.

Loops round the result of each operator to its dtype, so an operator that is decomposed into several must run in
float32. Attributes are rounded to float16 where they meet it, but not to bfloat16.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce

import numpy as np

from gluonic.codegen.lowerings.entry import lowering_at, lowering_of
from gluonic.codegen.maths.values import Dtype
from gluonic.codegen.rewriting.passes import Pass, PassContext
from gluonic.graph import Application, Entry, Graph, Node
from gluonic.graph.builder import F
from gluonic.graph.dtypes import is_half_width
from gluonic.graph.half_precision import HALF, rounded_attributes
from gluonic.graph.origin import give_origin

_SINGLE = "float32"
_LOWEST = float(np.finfo(HALF).min)


def _never(application: Application) -> bool:
    return False


class UpcastHalves(Pass):
    """Operators that would round on the way compute 16-bit floats in float32; attributes are rounded first.

    Parameters
    ----------
    rounds_once : which operators read these dtypes and round nothing but their results; by default, none

    Examples
    --------
    >>> x = Node(None, "x").entry()
    >>> print(UpcastHalves().shown(F.softmax(x) * 0.1, x=(2, 3), dtype="float16"))
    softmax = softmax(x)
    mul_scalar = _mul_scalar(softmax, scalar=0.1)
    return mul_scalar
    --------------------
    cast = Cast(x, dtype=dtype('float32'))
    softmax = softmax(cast)
    cast.1 = Cast(softmax, dtype=dtype('float16'))
    mul_scalar = _mul_scalar(cast.1, scalar=0.0999755859375)
    return mul_scalar
    """

    name = "upcast halves"
    contract = "an operator on float16 or bfloat16 rounds its result once, like the interpreter"

    def __init__(self, rounds_once: Callable[[Application], bool] = _never) -> None:
        self._rounds_once = rounds_once

    def apply(self, graph: Graph, context: PassContext) -> Graph:
        """Put conversions around such operators."""
        dtypes = context.facts(graph).dtypes
        if not any(map(is_half_width, set(dtypes.values()))):
            return graph

        def replace(node: Node, inputs: Sequence[Entry]) -> Sequence[Entry] | None:
            rule = _rule_of(node, dtypes)
            if rule is None:
                return None
            if rule is _between_conversions and self._rounds_once(node.applied):
                return None
            found = rule(node, inputs, dtypes)
            give_origin(found, node)
            return found

        return graph.rewrite(replace)


_Rule = Callable[[Node, Sequence[Entry], Mapping[Entry, Dtype]], Sequence[Entry]]


def _rule_of(node: Node, dtypes: Mapping[Entry, Dtype]) -> _Rule | None:
    """The rule for an operator; None if it is unchanged."""
    application = node.application
    if application is None:
        return None
    op, known = application.op, lowering_of(application.op)
    read, result = {dtypes[entry] for entry in node.inputs}, dtypes[node.entry()]
    has_halves = any(map(is_half_width, (*read, result)))
    if known.float16 in ("upcast", "upcast maxima") and has_halves:
        return _between_conversions
    if known.float16 == "pairwise" and is_half_width(result) and len(node.inputs) > 2:
        return _one_after_the_other if result == HALF else _between_conversions
    if (op.scalar is not None or known.is_function) and HALF in read:
        return _with_rounded_numbers if rounded_attributes(application.settings) else None
    return None


def _between_conversions(
    node: Node, inputs: Sequence[Entry], dtypes: Mapping[Entry, Dtype]
) -> Sequence[Entry]:
    pairs = zip(node.inputs, inputs, strict=True)
    wide = [F.Cast(e, dtype=_SINGLE) if is_half_width(dtypes[old]) else e for old, e in pairs]
    give_origin(wide, node)
    made = node.with_inputs(wide)
    entries = [made.entry(i) for i in range(node.output_count)]
    results = [dtypes[node.entry(i)] for i in range(node.output_count)]
    if _takes_largest(node) and results[0] == HALF:  # that of an empty window is float32's lowest
        entries = [F._maximum_scalar(entries[0], scalar=_LOWEST)]
    return [
        F.Cast(entry, dtype=dtype.name) if is_half_width(dtype) else entry
        for entry, dtype in zip(entries, results, strict=True)
    ]


def _one_after_the_other(
    node: Node, inputs: Sequence[Entry], dtypes: Mapping[Entry, Dtype]
) -> Sequence[Entry]:
    return [reduce(F.elemwise_add, inputs)]


def _with_rounded_numbers(
    node: Node, inputs: Sequence[Entry], dtypes: Mapping[Entry, Dtype]
) -> Sequence[Entry]:
    op, settings = node.applied.op, node.applied.settings
    made = node.with_application(op.apply({**settings, **rounded_attributes(settings)}), inputs)
    return [made.entry(i) for i in range(node.output_count)]


def _takes_largest(node: Node) -> bool:
    if lowering_at(node).float16 != "upcast maxima":
        return False
    return bool(node.applied.settings["pool_type"] == "max")
