"""Partitioners, subgraph operators and graph passes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd, sym
from gluonic.gluon.traces import traces_of
from gluonic.graph.errors import FileFormatError, MXNetError
from gluonic.symbol import Symbol
from tests.extension.building import Builder


@pytest.fixture(autouse=True)
def libraries(build: Builder) -> None:
    for name in ("graphs", "subgraph", "pass"):
        mx.library.load(build(name), verbose=False)


def operators(symbol: Symbol) -> list[str]:
    return sorted(n.operator_name for n in symbol.graph().nodes if not n.is_variable)


def run(symbol: Symbol, **args: mx.nd.NDArray) -> list[np.ndarray]:
    return [out.asnumpy() for out in symbol.eval(**args)]


@pytest.fixture
def x() -> mx.nd.NDArray:
    return nd.array(np.random.default_rng(0).normal(size=(2, 3)))


def same(one: list[np.ndarray], other: list[np.ndarray]) -> None:
    for a, b in zip(one, other, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)


def test_a_group_is_replaced_by_one_node_that_computes_the_same(x: mx.nd.NDArray) -> None:
    v = sym.var("x")
    symbol = sym.sin(sym.negative(sym.relu(v)) + v)
    made = symbol.optimize_for("groups", {"x": x}, {})
    assert operators(made) == ["_run_graph", "sin"]
    same(run(made, x=x), run(symbol, x=x))
    assert operators(symbol) == ["elemwise_add", "negative", "relu", "sin"]


def test_a_group_never_depends_on_itself(x: mx.nd.NDArray) -> None:
    top = sym.relu(sym.var("x"))
    symbol = sym.negative(top) + sym.sin(top)  # relu -> sin -> add would come back into the group
    made = symbol.optimize_for("groups", {"x": x}, {})
    same(run(made, x=x), run(symbol, x=x))
    assert operators(made) == ["_run_graph", "_run_graph", "sin"]


def test_groups_never_depend_on_each_other(x: mx.nd.NDArray) -> None:
    v, w = sym.var("x"), sym.var("w")
    a0 = sym.relu(v, attr={"__group__": "0"})
    b0 = sym.relu(w, attr={"__group__": "1"})
    a1 = sym.elemwise_add(a0, b0, attr={"__group__": "0"})
    b1 = sym.elemwise_add(b0, a0, attr={"__group__": "1"})
    symbol = sym.Group([a1, b1])  # group 0 as one node would need group 1, and the other way round
    made = symbol.optimize_for("groups", {}, {})
    same(run(made, x=x, w=x + 1), run(symbol, x=x, w=x + 1))
    assert operators(made).count("_run_graph") >= 2


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("backend", ["groups", "keeping"])
@pytest.mark.parametrize("dedup", [False, True])
def test_any_graph_computes_the_same_after_partitioning(
    seed: int, backend: str, dedup: bool, x: mx.nd.NDArray
) -> None:
    generator = np.random.default_rng(seed)
    values = [sym.var("x"), sym.var("w")]
    for _ in range(12):
        group = {"__group__": str(generator.integers(-1, 3))}
        one, other = (values[i] for i in generator.integers(0, len(values), 2))
        kind = generator.integers(0, 4)
        if kind == 0:
            values.append(sym.elemwise_add(one, other, attr=group))
        else:
            name = ("relu", "negative", "sin")[kind - 1]
            values.append(getattr(sym, name)(one, attr=group))
    symbol = sym.Group([values[-1], values[-3], values[-1] + values[5]])
    args = {"x": x, "w": x * 2}
    made = symbol.optimize_for(backend, dict(args), {}, dedup_subgraph=dedup)
    same(run(made, **args), run(symbol, **args))
    same(run(sym.load_json(made.tojson()), **args), run(symbol, **args))


def test_duplicates_are_joined_if_asked_for(x: mx.nd.NDArray) -> None:
    v = sym.var("x")
    symbol = sym.sin(sym.relu(v) + sym.negative(v))
    for dedup, inputs in ((False, 2), (True, 1)):
        made = symbol.optimize_for("groups", {"x": x}, {}, dedup_subgraph=dedup)
        node = next(n for n in made.graph().nodes if n.operator_name == "_run_graph")
        assert len(node.inputs) == inputs
        same(run(made, x=x), run(symbol, x=x))


def test_a_partitioner_sees_values_shapes_and_dtypes(x: mx.nd.NDArray) -> None:
    symbol = sym.sin(sym.relu(sym.var("x") + sym.var("w")))
    rejected = symbol.optimize_for("reviewing", {"x": x, "w": x * 0}, {})
    assert operators(rejected) == operators(symbol)
    args = {"x": x, "w": nd.ones((2, 3))}
    made = symbol.optimize_for("reviewing", args, {})
    node = next(n for n in made.graph().nodes if n.operator_name == "_run_graph")
    assert node.attributes["reviewed"] == "0 of 2+0"
    assert node.attributes["has_shape"] == "yes"
    assert node.attributes["__ext_shape__"] == "[[2,3]]"
    assert node.attributes["__ext_dtype__"] == "[0]"
    same(run(made, **args), run(symbol, **args))
    untold = symbol.optimize_for("reviewing", args, {}, skip_infer=True)
    node = next(n for n in untold.graph().nodes if n.operator_name == "_run_graph")
    assert node.attributes["has_shape"] == "no"


def test_shapes_can_be_given_without_values(x: mx.nd.NDArray) -> None:
    symbol = sym.relu(sym.var("x") + sym.var("w"))
    made = symbol.optimize_for("reviewing", {"w": nd.ones((2, 3))}, {}, shape_dict={"x": (2, 3)})
    node = next(n for n in made.graph().nodes if n.operator_name == "_run_graph")
    assert node.attributes["__ext_shape__"] == "[[2,3]]"


@pytest.mark.parametrize(
    ("backend", "options", "message"),
    [
        ("groups", {"fail": 1}, "Error calling supported_ops for 'numbered'"),
        ("groups", {"wrong": 1}, "in subgraph -7"),
        ("keeping", {"throw": 1}, "thrown while selecting"),
        ("keeping", {"keep": "unknown"}, "Filter keeps 1000"),
        ("keeping", {"none": 1}, "made no selector"),
        ("text_pass", {"text": "garbage"}, "no JSON"),
        ("text_pass", {"text": "[]"}, "no graph"),
        ("text_pass", {"text": '{"nodes": [], "heads": []}'}, "no graph"),
        ("text_pass", {"text": '{"nodes": [{"op": "null"}], "heads": [[3, 0]]}'}, "from nowhere"),
    ],
)
def test_a_failing_backend_is_reported(
    backend: str, options: dict[str, object], message: str
) -> None:
    symbol = sym.relu(sym.var("x"))
    with pytest.raises(MXNetError, match=message):
        symbol.optimize_for(backend, {}, {}, **options)  # type: ignore[arg-type]


def test_a_pass_may_not_make_a_cycle() -> None:
    text = (
        '{"nodes": [{"op": "relu", "name": "a", "inputs": [[1, 0, 0]]},'
        ' {"op": "relu", "name": "b", "inputs": [[0, 0, 0]]}], "heads": [[0, 0, 0]]}'
    )
    with pytest.raises(FileFormatError):
        sym.var("x").optimize_for("text_pass", {}, {}, text=text)


def test_a_filter_may_keep_only_some(x: mx.nd.NDArray) -> None:
    symbol = sym.relu(sym.negative(sym.relu(sym.negative(sym.var("x")))))
    made = symbol.optimize_for("keeping", {"x": x}, {}, keep="ends")
    same(run(made, x=x), run(symbol, x=x))
    assert "_run_graph" in operators(made)


def test_an_unknown_backend_changes_nothing_and_warns() -> None:
    symbol = sym.relu(sym.var("x"))
    with pytest.warns(UserWarning, match="Error optimizing for backend 'grops' cannot be found"):
        made = symbol.optimize_for("grops")
    assert made.tojson() == symbol.tojson()


def test_auxiliary_states_stay_auxiliary(x: mx.nd.NDArray) -> None:
    symbol = sym.relu(sym.BatchNorm(sym.negative(sym.var("x")), name="bn"))
    made = symbol.optimize_for("groups", {"x": x}, {})
    assert made.list_auxiliary_states() == symbol.list_auxiliary_states()


def test_a_subgraph_operator_is_not_called_by_hand() -> None:
    with pytest.raises(MXNetError, match="stands for a subgraph and has none"):
        nd._internal._run_graph(nd.ones(2))


def test_the_gradient_of_a_subgraph_is_the_library_s(x: mx.nd.NDArray) -> None:
    made = sym.relu(sym.var("x")).optimize_for("groups", {"x": x}, {})
    grad = nd.zeros((2, 3))
    executor = made.bind(mx.cpu(), {"x": x}, args_grad={"x": grad})
    executor.forward(is_train=True)
    with pytest.raises(MXNetError, match="does not support backward"):
        executor.backward([nd.ones((2, 3))])


def test_a_pass_makes_parameters_and_removes_them(x: mx.nd.NDArray) -> None:
    symbol = sym.relu(sym.var("x") + sym.var("w"))
    args, aux = {"x": x, "w": x}, dict[str, mx.nd.NDArray]()
    symbol.optimize_for("text_pass", args, aux, make=1)
    assert args["made_arg"].asnumpy().tolist() == [[0, 0, 0], [0, 0, 7]]
    assert args["made_arg"].dtype == np.int32
    assert aux["made_aux"].dtype == np.float64
    with pytest.raises(
        RuntimeError, match="Cannot add new args in optimize_for since args is None"
    ):
        symbol.optimize_for("text_pass", make=1)
    only_x = sym.relu(sym.var("x")).tojson()
    symbol.optimize_for("text_pass", args, aux, text=only_x)
    assert "w" not in args
    with pytest.warns(UserWarning, match="removed the parameter w"):
        symbol.optimize_for("text_pass", text=only_x)


def test_a_pass_gets_arguments_and_states_apart() -> None:
    symbol = sym.BatchNorm(sym.var("x"), name="bn")
    args = {n: nd.ones(2) for n in ("bn_gamma", "bn_beta")}
    aux = {n: nd.ones(2) for n in ("bn_moving_mean", "bn_moving_var")}
    with pytest.raises(MXNetError, match="2 and 2"):
        symbol.optimize_for("text_pass", {**args, **aux}, {**args, **aux}, count=1)


def test_a_pass_may_change_values_in_place(x: mx.nd.NDArray) -> None:
    args = {"x": x, "w": nd.ones((2, 3))}
    (sym.var("x") + sym.var("w")).optimize_for("double_pass", args, {})
    assert (args["w"].asnumpy() == 2).all()


def test_text_passes_through_a_library_unchanged(x: mx.nd.NDArray) -> None:
    symbol = sym.relu(sym.var("x", attr={"__told__": 'back\\slash "quote" é'}), name="näme")
    made = symbol.optimize_for("mark_pass", {"x": x}, {})
    assert made.attr_dict()["x"]["__told__"] == 'back\\slash "quote" é'
    assert made.attr_dict()["näme"]["__mark__"] == 'a "quoted" \\ line\nand ü'
    same(run(made, x=x), run(symbol, x=x))


def test_passes_work_on_partitioned_graphs(x: mx.nd.NDArray) -> None:
    symbol = sym.sin(sym.relu(sym.var("x")))
    made = symbol.optimize_for("groups", {"x": x}, {}).optimize_for("mark_pass", {"x": x}, {})
    assert operators(made) == ["_run_graph", "sin"]
    same(run(made, x=x), run(symbol, x=x))


class Net(gluon.HybridBlock):
    """A net with parameters of unknown shape, parts of which a library runs."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.dense = gluon.nn.Dense(3)

    def hybrid_forward(self, F, x):  # type: ignore[no-untyped-def]
        return F.sin(F.negative(F.relu(self.dense(x))))


def graph_of(net: gluon.HybridBlock) -> list[str]:
    trace = traces_of(net).latest
    assert trace is not None
    return operators(trace.output)


@pytest.fixture
def net() -> Net:
    made = Net()
    made.initialize(mx.init.One())
    return made


def test_a_block_is_partitioned_when_it_is_hybridized(net: Net, x: mx.nd.NDArray) -> None:
    regular = net(x).asnumpy()
    net.hybridize(backend="groups", backend_opts={"dedup_subgraph": True})
    np.testing.assert_allclose(net(x).asnumpy(), regular, rtol=1e-6)
    assert graph_of(net) == ["FullyConnected", "_run_graph", "sin"]
    net.hybridize()
    net(x)
    assert "_run_graph" not in graph_of(net)


def test_optimize_for_prepares_a_block_and_computes_nothing(net: Net, x: mx.nd.NDArray) -> None:
    net.optimize_for(x, backend="groups", reject="no")
    assert graph_of(net) == ["FullyConnected", "_run_graph", "sin"]
    regular = np.sin(-np.maximum(x.asnumpy().sum(1, keepdims=True).repeat(3, 1), 0))
    np.testing.assert_allclose(net(x).asnumpy(), regular, rtol=1e-5)


def test_backends_work_one_after_the_other(net: Net, x: mx.nd.NDArray, tmp_path: Path) -> None:
    regular = net(x).asnumpy()
    net.optimize_for(x, backend="groups")
    net.optimize_for(x, backend="addShift", clear=False, shift=0.5)
    np.testing.assert_allclose(net(x).asnumpy(), regular + 0.5, rtol=1e-6)
    assert graph_of(net) == ["FullyConnected", "_run_graph", "broadcast_add", "sin"]
    files = net.export(str(tmp_path / "net"))
    again = gluon.SymbolBlock.imports(files[0], ["data"], files[1])
    np.testing.assert_allclose(again(x).asnumpy(), regular + 0.5, rtol=1e-6)
    net.optimize_for(x, backend="addShift", clear=True, shift=1)
    np.testing.assert_allclose(net(x).asnumpy(), regular + 1, rtol=1e-6)


def test_an_optimized_block_trains_its_remaining_parameters(net: Net, x: mx.nd.NDArray) -> None:
    net(x)
    net.hybridize(backend="addShift", shift=2)
    with autograd.record():
        loss = net(x)
    loss.backward()
    optimized = net.dense.weight.grad().asnumpy()
    net.hybridize(False)
    with autograd.record():
        loss = net(x)
    loss.backward()
    np.testing.assert_allclose(optimized, net.dense.weight.grad().asnumpy(), rtol=1e-6)


def test_the_example_s_partitioners_and_passes_keep_the_values(x: mx.nd.NDArray) -> None:
    a = sym.var("x")
    symbol = sym.log(sym.exp(a)) * sym.exp(a) + sym.cos(a)
    for backend in ("elementwise", "chains", "cancelExpLog"):
        made = symbol.optimize_for(backend, {"x": x}, {})
        assert operators(made) != operators(symbol)
        for one, other in zip(run(made, x=x), run(symbol, x=x), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-5)


def test_a_backend_rewrites_the_graph_of_a_block_whose_attributes_have_changed(
    x: mx.nd.NDArray, tmp_path: Path
) -> None:
    class Scaled(gluon.HybridBlock):
        scale = 1.0

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return F.sin(F.relu(x) * self.scale)

    net = Scaled()
    net.hybridize(backend="groups")
    for net.scale in (1.0, 2.0, 1.0):
        expected = np.sin(np.maximum(x.asnumpy(), 0) * net.scale)
        np.testing.assert_allclose(net(x).asnumpy(), expected, rtol=1e-6)
        assert "_run_graph" in graph_of(net)
    net.scale = 3.0
    with pytest.raises(MXNetError, match="an attribute has changed since the backend"):
        net.export(str(tmp_path / "net"))
    net(x)
    net.export(str(tmp_path / "net"))
