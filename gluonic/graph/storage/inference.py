"""Storage kinds of a graph: those of variables, of operators' outputs, and of gradients."""

from collections.abc import Mapping

from gluonic.graph.node import Entry, Graph, Node
from gluonic.graph.storage.forms import given_kind
from gluonic.graph.storage.values import CSR, DEFAULT, KINDS, ROW_SPARSE

_BY_NUMBER = dict(zip("012", KINDS, strict=True))


def declared_kind(node: Node) -> str:
    """The declared storage kind of a variable, ``"default"`` if there is none."""
    return _BY_NUMBER.get(node.attributes.get("__storage_type__", "0"), DEFAULT)


def infer_kinds(graph: Graph, given: Mapping[str, str]) -> dict[Entry, str]:
    """Infer the storage kind of every entry of a graph.

    Parameters
    ----------
    given : kinds of variables by name; those of the others are as declared
    """
    kinds: dict[Entry, str] = {}
    for node in graph.nodes:
        if node.application is None:
            kinds[node.entry()] = given.get(node.name) or declared_kind(node)
            continue
        found = given_kind(node.application, [kinds[entry] for entry in node.inputs])
        for index in range(node.output_count):
            kind = found[index] if isinstance(found, tuple) else found
            kinds[node.entry(index)] = kind or DEFAULT
    return kinds


def is_sparse(graph: Graph, given: Mapping[str, str]) -> bool:
    """Whether any entry of a graph is sparse."""
    return any(kind != DEFAULT for kind in infer_kinds(graph, given).values())


def gradient_kinds(graph: Graph, kinds: Mapping[Entry, str]) -> dict[Node, str]:
    """The storage kinds of the gradients of variables: row_sparse, if all contributions are."""
    flowing: dict[Node, set[str]] = {}
    for node in graph.nodes:
        for position, entry in enumerate(node.inputs):
            if entry.node.application is None:
                flowing.setdefault(entry.node, set()).add(_flowing(node, position, kinds))
    return {
        node: ROW_SPARSE if flowing.get(node) == {ROW_SPARSE} else DEFAULT
        for node in graph.variables
    }


def gives_rows(node: Node, position: int, kinds: Mapping[Entry, str]) -> bool:
    """Whether an operator's contribution to the gradient of an input is row_sparse."""
    return _flowing(node, position, kinds) == ROW_SPARSE


def _flowing(node: Node, position: int, kinds: Mapping[Entry, str]) -> str:
    """The storage kind of an operator's contribution to the gradient of an input."""
    application = node.applied
    name, settings = application.op.name, application.settings
    if name == "_square_sum":
        kind = kinds[node.inputs[0]]
        return DEFAULT if given_kind(application, [kind]) is None else kind
    if position != 1:
        return DEFAULT
    if name == "dot" and kinds[node.inputs[0]] == CSR:
        transposed = settings["transpose_a"] or settings["transpose_b"]
        return DEFAULT if transposed else ROW_SPARSE
    is_sparse = name == "_contrib_SparseEmbedding" or settings.get("sparse_grad", False)
    return ROW_SPARSE if is_sparse and "Embedding" in name else DEFAULT
