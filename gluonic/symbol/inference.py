"""Shapes and dtypes of symbols, in MXNet's conventions."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from gluonic.graph import Graph, Node
from gluonic.graph.attributes import OptionalInts, parse
from gluonic.graph.dtypes import as_dtype
from gluonic.graph.errors import MXNetError, describe, nearest
from gluonic.graph.infer import Facts, infer
from gluonic.graph.json.placeholder import unknown_operators
from gluonic.graph.shape_semantics import inward, is_np_shape, outward
from gluonic.graph.view import PartialShape

Result = tuple[list[Any] | None, list[Any] | None, list[Any] | None]
_MOST_LISTED = 10


def declared_shape(node: Node) -> PartialShape | None:
    """Read the declared shape of a variable; None if it has none."""
    text = node.attributes.get("__shape__")
    if text is None or text == "None":
        return None
    try:
        return inward(parse(OptionalInts, text))
    except (ValueError, TypeError):
        raise MXNetError(
            f"the variable {node.name!r} has the shape {text!r}, which is none"
        ) from None


def declared_dtype(node: Node) -> Any:
    """Read the declared dtype of a variable; None if it has none."""
    text = node.attributes.get("__dtype__")
    if text is None or text == "-1":
        return None
    try:
        return as_dtype(text)
    except (ValueError, TypeError):
        raise MXNetError(
            f"the variable {node.name!r} has the dtype {text!r}, which is none"
        ) from None


class Kind(NamedTuple):
    """The differences between inference of shapes and of dtypes.

    Attributes
    ----------
    name : ``"shape"`` or ``"dtype"``
    declared : reads a variable's own declaration
    """

    name: str
    declared: Any

    def is_known(self, fact: Any) -> bool:
        """Whether a fact is completely known."""
        return fact is not None and (self.name == "dtype" or None not in fact)

    def read(self, value: Any, argument: str) -> Any:
        """Read a fact in the user's form."""
        if value is None:
            return None
        if self.name == "dtype":
            return as_dtype(value)
        if not isinstance(value, tuple):
            raise TypeError(
                f"the shape of {argument} must be a tuple, not {type(value).__name__} ({value!r})"
            )
        return inward(value)

    def write(self, fact: Any) -> Any:
        """Convert a fact to the user's form."""
        if self.name == "dtype":
            return None if fact is None else fact.type
        return outward(fact)


SHAPE = Kind("shape", declared_shape)
DTYPE = Kind("dtype", declared_dtype)


def known_facts(graph: Graph, kind: Kind, given: Mapping[str, Any]) -> dict[Node, Any]:
    """Collect the variables' declarations by name, overridden by `given`."""
    known = {}
    for node in graph.variables:
        fact = given.get(node.name)
        if fact is None:
            fact = kind.declared(node)
        if fact is not None:
            known[node] = fact
    return known


def given_facts(
    graph: Graph, kind: Kind, positional: Sequence[Any], named: Mapping[str, Any]
) -> dict[str, Any]:
    """Facts by variable, from positional arguments or from keywords."""
    if positional and named:
        raise ValueError(f"give {kind.name}s by position or by keyword, not both")
    arguments = [node.name for node in graph.arguments]
    if len(positional) > len(arguments):
        raise MXNetError(
            describe(
                f"{len(positional)} {kind.name}s were given for {len(arguments)} arguments",
                where=f"infer_{kind.name}",
                facts=[f"the arguments: {', '.join(arguments[:20])}"],
            )
        )
    if positional:
        named = dict(zip(arguments, positional, strict=False))
    variables = {node.name for node in graph.variables}
    for name in named:
        if name not in variables:
            raise MXNetError(
                describe(
                    f"there is no argument {name!r}{nearest(name, variables)}",
                    where=f"infer_{kind.name}",
                    facts=[f"the arguments: {', '.join(arguments[:20])}"],
                )
            )
    return {name: kind.read(value, name) for name, value in named.items()}


def infer_facts(graph: Graph, kind: Kind, given: Mapping[str, Any]) -> Facts:
    """Infer all facts of a graph."""
    return infer(graph, kind.name, known_facts(graph, kind, given))


def result(
    graph: Graph, kind: Kind, positional: Sequence[Any], named: Mapping[str, Any], *, partial: bool
) -> Result:
    """Compute the results of ``infer_shape`` and similar methods.

    Returns
    -------
    tuple
        lists for the arguments, the outputs and the auxiliary states; three None, and a warning,
        when a required fact is unknown
    """
    given = given_facts(graph, kind, positional, named)
    if not partial:
        _refuse_unknown_operators(graph, kind)
    facts = infer_facts(graph, kind, given)
    found = (
        [facts[node][0] for node in graph.arguments],
        [facts[entry.node][entry.index] for entry in graph.outputs],
        [facts[node][0] for node in graph.states],
    )
    if not partial and not all(kind.is_known(fact) for group in found for fact in group):
        _warn_unknown(graph, kind, facts)
        return None, None, None
    arguments, outputs, states = ([kind.write(fact) for fact in group] for group in found)
    return arguments, outputs, states


def _refuse_unknown_operators(graph: Graph, kind: Kind) -> None:
    unknown = unknown_operators(graph)
    if unknown:
        names = ", ".join(sorted({node.operator_name for node in unknown}))
        raise MXNetError(
            describe(
                f"the graph has operators that gluonic does not know: {names}",
                where=f"infer_{kind.name}",
                facts=[f"node {node.name!r}" for node in unknown[:5]],
                hint=f"infer_{kind.name}_partial, which infers what it can",
            )
        )


def _warn_unknown(graph: Graph, kind: Kind, facts: Facts) -> None:
    lines = [
        f"{node.name}: {kind.write(facts[node][0])}"
        for node in graph.arguments
        if not kind.is_known(facts[node][0])
    ]
    if len(lines) > _MOST_LISTED:
        lines[_MOST_LISTED:] = ["..."]
    legend = ""
    if kind.name == "shape":
        legend = " (-1 is unknown)" if is_np_shape() else " (0 is unknown)"
    warnings.warn(
        f"the {kind.name}s of these arguments do not follow from what is known{legend}; "
        "give some of them:\n\t" + "\n\t".join(lines),
        stacklevel=4,
    )
