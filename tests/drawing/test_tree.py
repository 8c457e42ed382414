from gluonic import nd
from gluonic import symbol as sym
from gluonic.drawing.costs import cost_of
from gluonic.drawing.groups import BoxGroup, groups_below, nodes_below
from gluonic.drawing.tree import block_tree, shown
from gluonic.gluon.model_zoo import vision
from gluonic.graph.node import Graph
from gluonic.symbol import Symbol
from gluonic.symbol.inference import SHAPE
from gluonic.symbol.plotting import facts_of
from tests.drawing import nets


def tree_of(symbol: Symbol) -> BoxGroup:
    return block_tree(shown(symbol.graph().nodes, hide_parameters=True))


def titles(group: BoxGroup) -> list[str]:
    return [f"{m.kind} {m.name}".strip() for m in group.members if isinstance(m, BoxGroup)]


def test_blocks_of_a_trace_keep_their_classes_and_calls_apart() -> None:
    tree = tree_of(vision.resnet18_v1(prefix="net_")(sym.var("data")))
    stages = [m for m in tree.members if isinstance(m, BoxGroup)]
    assert [stage.name for stage in stages] == [f"net_stage{i}_" for i in (1, 2, 3, 4)]
    assert titles(stages[0]) == ["×2"]
    assert [m.kind for m in stages[0].members[0].members] == ["BasicBlockV1"] * 2  # type: ignore[union-attr]
    kinds = [m.kind for m in stages[1].members if isinstance(m, BoxGroup)]
    assert kinds == ["BasicBlockV1"] * 2  # no repetition: the first one has a convolution more


def test_residual_units_of_a_file_are_found_without_names() -> None:
    written = vision.resnet18_v1(prefix="net_")(sym.var("data")).tojson()
    tree = tree_of(sym.load_json(written))
    stages = [m for m in tree.members if isinstance(m, BoxGroup)]
    assert [stage.name for stage in stages] == [f"net_stage{i}_" for i in (1, 2, 3, 4)]
    units = [list(nodes_below(m)) for m in stages[1].members if isinstance(m, BoxGroup)]
    assert [len(unit) for unit in units] == [9, 7]
    assert [unit[-1].operator_name for unit in units] == ["Activation"] * 2


def test_every_node_appears_once() -> None:
    for symbol in (nets.unrolled(6), nets.large(600), nets.encoder(2)(sym.var("data"))):
        nodes = shown(symbol.graph().nodes, hide_parameters=True)
        placed = list(nodes_below(block_tree(nodes)))
        assert sorted(n.serial for n in placed) == sorted(n.serial for n in nodes)


def test_steps_of_an_unrolled_net_are_one_box() -> None:
    tree = tree_of(nets.unrolled(20))
    repeats = [group for group in groups_below(tree) if group.role == "repeat"]
    assert [repeat.name for repeat in repeats] == ["×20"]
    assert [m.name for m in repeats[0].members][:3] == ["t0", "t1", "t2"]
    assert {m.role for m in repeats[0].members if isinstance(m, BoxGroup)} == {"step"}


def test_equal_neighbours_without_blocks_are_one_box() -> None:
    tree = tree_of(vision.mobilenet1_0(prefix="net_")(sym.var("data")))
    (repeat,) = [group for group in groups_below(tree) if group.role == "repeat"]
    assert repeat.name == "×27"
    assert [len(list(nodes_below(unit))) for unit in repeat.members] == [3] * 27  # type: ignore[arg-type]


def test_no_group_holds_more_than_can_be_looked_at() -> None:
    for symbol in (nets.large(4000), sym.Group([sym.var(f"x{i}") * i for i in range(2000)])):
        assert max(len(group.members) for group in groups_below(tree_of(symbol))) <= 160


def costs(symbol: Symbol, **shapes: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    graph = symbol.graph()
    facts = facts_of(graph, SHAPE, shapes)
    found = {node.name: cost_of(node, facts) for node in graph.nodes}
    return {name: tuple(cost) for name, cost in found.items() if cost is not None}


def test_costs_count_products_sums_and_bytes() -> None:
    x = sym.var("x")
    dense = sym.FullyConnected(x, num_hidden=5, name="dense")
    assert costs(dense, x=(2, 3))["dense"] == (2 * 5 * 6, 4 * (6 + 15 + 5), 4 * 10)
    conv = sym.Convolution(x, kernel=(3, 3), num_filter=8, num_group=2, no_bias=True, name="conv")
    assert costs(conv, x=(1, 4, 5, 5))["conv"][0] == 8 * 9 * (2 * 2 * 9 - 1)
    dot = sym.batch_dot(x, sym.var("y"), transpose_a=True, name="dot")
    assert costs(dot, x=(2, 3, 4), y=(2, 3, 5))["dot"][0] == 2 * 4 * 5 * (2 * 3 - 1)
    assert costs(sym.reshape(x, (-1,), name="r"), x=(2, 3))["r"] == (0, 24, 24)
    assert costs(sym.tanh(x, name="t"), x=(2, 3))["t"] == (6, 24, 24)


def test_costs_of_resnet_are_those_of_the_literature() -> None:
    net = vision.resnet50_v1(prefix="net_")
    found = costs(net(sym.var("data")), data=(1, 3, 224, 224))
    assert 7.6e9 < sum(cost[0] for cost in found.values()) < 8.3e9  # 3.8 billion multiply-adds


def test_nodes_without_shape_have_no_cost() -> None:
    assert costs(sym.tanh(sym.var("x"), name="t")) == {}


def test_blocks_of_a_hybridized_net_are_known_to_its_graph() -> None:
    net = nets.lenet()
    page = net.plot(nd.zeros((1, 1, 28, 28))).page
    assert isinstance(page.graph, Graph)
    assert titles(block_tree(shown(page.graph.nodes, hide_parameters=True))) == [
        "Conv2D lenet_conv0_",
        "Conv2D lenet_conv1_",
        "Dense lenet_dense0_",
    ]
