"""Reverse-mode differentiation of graphs: the operators' gradient rules, read with F = graph builder."""

from collections.abc import Mapping, Sequence
from typing import Any

from gluonic.graph.application import Application
from gluonic.graph.builder import F
from gluonic.graph.errors import MXNetError
from gluonic.graph.node import Entry, Graph, Node
from gluonic.graph.origin import give_origin


def input_gradients(
    namespace: Any,
    application: Application,
    values: Sequence[Any],
    heads: Sequence[Any],
    *,
    train: bool,
    wanted: Sequence[bool],
    title: str = "",
) -> list[Any]:
    """The gradients of a node's inputs, None where there is none: the one reader of gradient rules.

    Parameters
    ----------
    namespace : `F`, eager or building a graph
    values : the node's inputs, then its outputs
    heads : a gradient for each output, None where none flows in, which is as good as zeros
    wanted : which inputs' gradients are asked for
    """
    op = application.op
    if heads[0] is None and application.is_loss:
        heads = [namespace.zeros_like(values[len(application.inputs)]), *heads[1:]]
    view = application.view(values, title=title, train=train, wanted=wanted)
    if op.backward is not None:
        found = _by_input(application, op.backward(namespace, view, heads))
    elif op.gradients is None:
        raise MXNetError(f"{title or op.name}: the operator {op.name} has no gradient")
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
    """Spread the gradients of a variadic input over its members."""
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
    parts : takes, for each operator on the way, what it contributes to the gradients of its inputs

    Returns
    -------
    list
        an entry for each of `wrt`, None where the outputs do not depend on it
    """
    graph = Graph(outputs)
    needed = _depends_on(graph, wrt)
    flowing: dict[Entry, list[Entry]] = {}
    for output, head in zip(outputs, heads, strict=True):
        if head is not None:
            flowing.setdefault(output, []).append(head)
    for node in reversed(graph.nodes):
        if node.application is None or node not in needed:
            continue
        node_heads = [_total(flowing.get(node.entry(i), [])) for i in range(node.output_count)]
        if all(head is None for head in node_heads) and not node.application.is_loss:
            continue
        found = input_gradients(
            F,
            node.application,
            [*node.inputs, *(node.entry(i) for i in range(node.output_count))],
            node_heads,
            train=train,
            wanted=[entry.node in needed for entry in node.inputs],
            title=node.title,
        )
        if parts is not None:
            parts[node] = found
        for entry, gradient in zip(node.inputs, found, strict=True):
            if gradient is not None:
                give_origin([gradient], node)
                flowing.setdefault(entry, []).append(gradient)
    return [_total(flowing.get(entry, [])) for entry in wrt]


def has_losses(graph: Graph) -> bool:
    """Whether there are gradients though none flows into the outputs."""
    return any(n.application is not None and n.application.is_loss for n in graph.nodes)


def _depends_on(graph: Graph, wrt: Sequence[Entry]) -> set[Node]:
    """The nodes through which the outputs depend on `wrt`, these included."""
    needed = {entry.node for entry in wrt}
    for node in graph.nodes:
        if any(entry.node in needed for entry in node.inputs):
            needed.add(node)
    return needed


def _total(parts: list[Entry]) -> Entry | None:
    if len(parts) > 1:
        total = F.add_n(*parts)
        parts[:] = [total]
    return parts[0] if parts else None
