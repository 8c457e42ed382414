"""Reverse-mode differentiation of graphs: the operators' gradient rules, read with F = graph builder."""

from collections.abc import Mapping, Sequence
from typing import Any

from gluonic.graph.application import Application
from gluonic.graph.builder import F
from gluonic.graph.errors import MXNetError
from gluonic.graph.node import Entry, Graph, Node
from gluonic.graph.origin import give_origin
from gluonic.graph.view import Titled, title_of


def input_gradients(
    namespace: Any,
    application: Application,
    values: Sequence[Any],
    heads: Sequence[Any],
    *,
    train: bool,
    wanted: Sequence[bool],
    title: str | Titled = "",
) -> list[Any]:
    """The gradients of a node's inputs, None where there is none: the one reader of gradient rules.

    Parameters
    ----------
    namespace : `F`, eager or building a graph
    values : the node's inputs, then its outputs
    heads : a gradient for each output, None where none flows in, which is equivalent to zeros
    wanted : the inputs whose gradients are requested
    """
    op = application.op
    if heads[0] is None and application.is_loss:
        heads = [namespace.zeros_like(values[len(application.inputs)]), *heads[1:]]
    view = application.view(values, title=title, train=train, wanted=wanted)
    if op.backward is not None:
        found = _by_input(application, op.backward(namespace, view, heads))
    elif op.gradients is None:
        raise MXNetError(f"{title_of(view)}: the operator {op.name} has no gradient")
    elif heads[0] is None:
        found = {}
    else:
        asked = dict(zip(application.inputs, wanted, strict=True))
        found = {
            name: rule(namespace, view, heads[0])
            for name, rule in op.gradients.items()
            if asked.get(name) or name == op.variadic
        }
        if op.variadic is not None:
            found = _by_input(application, found)
    return [
        found.get(name) if want else None
        for name, want in zip(application.inputs, wanted, strict=True)
    ]


def _by_input(application: Application, found: Mapping[str, Any]) -> dict[str, Any]:
    """Assign the gradients of a variadic input to its members."""
    spread = dict(found)
    variadic = application.op.variadic
    if variadic is not None and isinstance(spread.get(variadic), (list, tuple)):
        members = [n for n in application.inputs if n not in application.op.inputs]
        spread.update(zip(members, spread.pop(variadic), strict=True))
    return spread


def gradients(
    outputs: Sequence[Entry],
    heads: Sequence[Entry | None],
    wrt: Sequence[Entry],
    *,
    train: bool,
    parts: dict[Node, list[Entry | None]] | None = None,
) -> list[Entry | None]:
    """Extend a graph by the gradients of `outputs`, weighted by `heads`, with respect to `wrt`.

    Parameters
    ----------
    parts : receives, for each operator on the way, its contributions to the gradients of its inputs

    Returns
    -------
    list
        an entry for each of `wrt`, None where the outputs do not depend on it
    """
    graph = Graph(outputs)
    needed = _depends_on(graph, wrt)
    rules = _Rules(train)
    flowing: dict[tuple[Node, int], list[Entry]] = {}
    for output, head in zip(outputs, heads, strict=True):
        if head is not None:
            flowing.setdefault((output.node, output.index), []).append(head)
    for node in reversed(graph.nodes):
        if node.application is None or node not in needed:
            continue
        node_heads = [_total(flowing.get((node, i)), node) for i in range(node.output_count)]
        if node_heads.count(None) == len(node_heads) and not node.application.is_loss:
            continue
        wanted = tuple([entry.node in needed for entry in node.inputs])
        found = rules.applied(node, node_heads, wanted)
        if parts is not None:
            parts[node] = found
        for entry, gradient in zip(node.inputs, found, strict=True):
            if gradient is not None:
                flowing.setdefault((entry.node, entry.index), []).append(gradient)
    return [_total(flowing.get((entry.node, entry.index))) for entry in wrt]


class _Rules:
    """The operators' gradient rules; of equivalent nodes only the first is passed to the rule.

    Parameters
    ----------
    train : whether the graph runs in training mode
    """

    def __init__(self, train: bool) -> None:
        self._train = train
        self._first: dict[Any, tuple[list[Entry], list[Entry | None]]] = {}
        self._patterns: dict[Any, _Pattern] = {}

    def applied(
        self, node: Node, heads: list[Entry | None], wanted: tuple[bool, ...]
    ) -> list[Entry | None]:
        """The gradients of a node's inputs from those of its outputs."""
        application, train = node.applied, self._train
        values = [*node.inputs, *[node.entry(i) for i in range(node.output_count)]]
        flow = [head for head in heads if head is not None]
        given = values + flow
        are_distinct = len(set(given)) == len(given)
        key = application, wanted, tuple([head is None for head in heads])
        first = self._first.get(key)
        if first is not None and are_distinct:
            if key not in self._patterns:
                self._patterns[key] = _Pattern(*first)
            return self._patterns[key].of(given, node)
        found = input_gradients(
            F, application, values, heads, train=train, wanted=wanted, title=node
        )
        give_origin([gradient for gradient in found if gradient is not None], node)
        if are_distinct:
            self._first[key] = given, found
        return found


class _Pattern:
    """The nodes that a rule creates from entries, so that they can be created from others without the rule.

    Parameters
    ----------
    given : the entries that the rule received, all different
    found : the entries that it returned
    """

    def __init__(self, given: Sequence[Entry], found: Sequence[Entry | None]) -> None:
        indices = {entry: index for index, entry in enumerate(given)}
        stack, made = [entry for entry in found if entry is not None], set()
        while stack:
            entry = stack.pop()
            if entry not in indices and entry.node not in made:
                made.add(entry.node)
                stack.extend(entry.node.inputs)
        self._steps: list[tuple[Node, list[int]]] = []
        for node in sorted(made, key=lambda node: node.serial):
            self._steps.append((node, [indices[entry] for entry in node.inputs]))
            for index in range(node.output_count):
                indices[node.entry(index)] = len(indices)
        self._found = [None if entry is None else indices[entry] for entry in found]

    def of(self, given: Sequence[Entry], origin: Node) -> list[Entry | None]:
        """The entries that the rule returns for others; the nodes get the user's line and block of `origin`."""
        entries = [*given]
        for like, indices in self._steps:
            inputs = [entries[index] for index in indices]
            node = Node(like.application, like.name, inputs, None, origin.location, origin.block)
            entries += [node.entry(i) for i in range(node.output_count)]
        return [None if index is None else entries[index] for index in self._found]


def has_losses(graph: Graph) -> bool:
    """Whether inputs have gradients even if none flows into the outputs."""
    return any(n.application is not None and n.application.is_loss for n in graph.nodes)


def _depends_on(graph: Graph, wrt: Sequence[Entry]) -> set[Node]:
    """The nodes through which the outputs depend on `wrt`, including these."""
    needed = {entry.node for entry in wrt}
    for node in graph.nodes:
        if any(entry.node in needed for entry in node.inputs):
            needed.add(node)
    return needed


def _total(parts: list[Entry] | None, reader: Node | None = None) -> Entry | None:
    """The sum of the gradients of an entry, created once, with the origin of the node whose rule reads it."""
    if not parts:
        return None
    if len(parts) > 1:
        parts[:] = [F.add_n(*parts)]
        if reader is not None:
            give_origin(parts, reader)
    return parts[0]
