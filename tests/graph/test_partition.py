"""Graphs with sparse arrays are divided so that each part finds what it reads, and effects keep their order."""

from gluonic.graph.node import Entry, Graph, Node, make_node
from gluonic.graph.storage.partition import Part, parts_of

ALL: frozenset[str] = frozenset()


def chain(x: Entry, *names: str) -> Entry:
    for name in names:
        settings = {"p": 0.5} if name == "Dropout" else {}
        x = make_node(name, [x], settings).entry()
    return x


def names(parts: list[Part]) -> list[list[str]]:
    return [[node.operator_name for node in part.nodes] for part in parts]


def machine(*before: str) -> Graph:
    """Two dense branches, one of which goes through a product with a csr matrix."""
    x, w, y = (Node(None, name).entry() for name in "xwy")
    scores = make_node("dot", [x, chain(w, "square", "tanh")], {}).entry()
    side = chain(y, *before, "exp", "sin")
    total = make_node("elemwise_add", [chain(scores, "relu", "sqrt"), side], {}).entry()
    return Graph([total])


def test_dense_operators_run_together_before_and_behind_what_is_sparse() -> None:
    parts = parts_of(machine(), {"x": "csr"}, ALL)
    assert [part.is_dense for part in parts] == [True, False, True]
    assert [sorted(one) for one in names(parts)] == [
        ["exp", "sin", "square", "tanh"],
        ["dot"],
        ["elemwise_add", "relu", "sqrt"],
    ]


def test_every_operator_is_in_one_part_and_finds_what_it_reads() -> None:
    graph = machine("tanh", "cos")
    known = {node.entry() for node in graph.variables}
    parts = parts_of(graph, {"x": "csr"}, ALL)
    for part in parts:
        assert set(part.given()) <= known
        known.update(part.read_elsewhere(graph))
    assert set(graph.outputs) <= known
    nodes = [node for part in parts for node in part.nodes]
    assert len(nodes) == len(set(nodes)) == len(graph.nodes) - len(graph.variables)


def test_without_sparse_arrays_all_is_one_part() -> None:
    assert len(parts_of(machine(), {}, ALL)) == 1


def test_a_table_whose_gradient_is_sparse_is_looked_up_apart() -> None:
    x, w = (Node(None, name).entry() for name in "xw")
    settings = {"input_dim": 5, "output_dim": 2, "sparse_grad": True}
    graph = Graph([chain(make_node("Embedding", [x, w], settings).entry(), "tanh", "exp")])
    assert names(parts_of(graph, {}, frozenset("w"))) == [["Embedding"], ["tanh", "exp"]]
    assert names(parts_of(graph, {}, ALL)) == [["Embedding", "tanh", "exp"]]


def test_where_parts_would_draw_in_another_order_operators_run_one_by_one() -> None:
    x, w, y = (Node(None, name).entry() for name in "xwy")
    first = chain(make_node("dot", [x, w], {}).entry(), "relu", "sqrt")
    first = chain(chain(make_node("dot", [x, first], {}).entry(), "Dropout"), "tanh")
    second = chain(y, "exp", "Dropout")
    parts = parts_of(Graph([first, second]), {"x": "csr"}, ALL)
    assert all(len(part.nodes) == 1 and not part.is_dense for part in parts)
    drawn = [node for part in parts for node in part.nodes if node.operator_name == "Dropout"]
    assert drawn == [first.node.inputs[0].node, second.node]
