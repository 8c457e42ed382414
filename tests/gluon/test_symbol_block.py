"""Exporting nets and creating blocks from symbols: files are read, run, trained and written again."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd, sym
from gluonic.gluon import SymbolBlock, nn, rnn


def conv_net() -> Any:
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(4, 3, activation="relu"), nn.BatchNorm(), nn.MaxPool2D(), nn.Flatten())
        net.add(nn.Dense(5), nn.Dropout(0.5), nn.LayerNorm())
    return net


class TwoInputs(gluon.HybridBlock):
    def __init__(self) -> None:
        super().__init__(prefix="two_")
        with self.name_scope():
            self.dense = nn.Dense(3)
            self.shift = self.params.get_constant("shift", [[1.0, 2.0, 3.0]])

    def hybrid_forward(self, F: Any, x: Any, y: Any, shift: Any) -> Any:
        both = self.dense(x) + self.dense(y)
        return F.broadcast_add(both, shift), F.concat(x, y, dim=1)


def tied() -> Any:
    net = nn.HybridSequential(prefix="tied_")
    with net.name_scope():
        first = nn.Dense(4, in_units=4)
        net.add(first, nn.Dense(4, in_units=4, params=first.params))
    return net


def recurrent() -> Any:
    net = nn.HybridSequential(prefix="rec_")
    with net.name_scope():
        net.add(rnn.LSTM(4, layout="NTC"), nn.Dense(2))
    return net


NETS: dict[str, tuple[Callable[[], Any], list[tuple[int, ...]]]] = {
    "convolutional": (conv_net, [(2, 1, 8, 8)]),
    "two inputs": (TwoInputs, [(2, 4), (2, 4)]),
    "tied": (tied, [(2, 4)]),
    "recurrent": (recurrent, [(2, 3, 5)]),
}
every_net = pytest.mark.parametrize("name", NETS)


def arrays(name: str, seed: int = 0) -> list[Any]:
    draw = np.random.RandomState(seed)
    return [nd.array(draw.uniform(-1, 1, shape)) for shape in NETS[name][1]]


def results(net: Any, inputs: list[Any]) -> list[Any]:
    found = net(*inputs)
    return [one.asnumpy() for one in (found if isinstance(found, (list, tuple)) else [found])]


def exported(name: str, folder: Path, epoch: int = 0) -> tuple[Any, list[str], list[str]]:
    net, inputs = NETS[name][0](), arrays(name)
    net.initialize(mx.init.Xavier())
    net.hybridize()
    net(*inputs)
    files = list(net.export(str(folder / "net"), epoch))
    names = ["data"] if len(inputs) == 1 else [f"data{i}" for i in range(len(inputs))]
    return net, files, names


@every_net
def test_exported_nets_are_loaded_bit_for_bit(name: str, tmp_path: Path) -> None:
    net, (graph, values), names = exported(name, tmp_path)
    block = SymbolBlock.imports(graph, names, values)
    for seed in (0, 1):
        for a, b in zip(
            results(net, arrays(name, seed)), results(block, arrays(name, seed)), strict=True
        ):
            assert np.array_equal(a, b)
    assert sorted(block.collect_params()) == sorted(net.collect_params())


def test_the_inference_graph_is_exported_even_after_training(tmp_path: Path) -> None:
    class Doubling(gluon.HybridBlock):
        def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
            return x if autograd.is_training() else 2 * x

    net, x = Doubling(), nd.array([3.0])
    net.hybridize()
    for training in (True, False, True):
        with autograd.record(training):
            assert net(x).asscalar() == (3 if training else 6)
    net(x)
    block = SymbolBlock.imports(net.export(str(tmp_path / "net"))[0], ["data"])
    assert block(x).asscalar() == 6


@every_net
def test_export_import_export_is_a_fixed_point(name: str, tmp_path: Path) -> None:
    _, (graph, values), names = exported(name, tmp_path)
    first = Path(graph).read_bytes(), nd.load(values)
    for turn in range(2):
        block = SymbolBlock.imports(graph, names, values)
        block.hybridize()
        block(*arrays(name))
        graph, values = block.export(str(tmp_path / f"again{turn}"), 7)
        assert values.endswith(f"again{turn}-0007.params")
        assert Path(graph).read_bytes() == first[0]
        assert {n: v.asnumpy().tolist() for n, v in nd.load(values).items()} == {
            n: v.asnumpy().tolist() for n, v in first[1].items()
        }


@every_net
def test_an_imported_net_learns_as_the_original(name: str, tmp_path: Path) -> None:
    net, (graph, values), names = exported(name, tmp_path)
    block = SymbolBlock.imports(graph, names, values)
    for one in (net, block):
        trainer = gluon.Trainer(one.collect_params(), "sgd", {"learning_rate": 0.1})
        for _ in range(2):
            mx.random.seed(3)
            with autograd.record():
                found = one(*arrays(name))
                loss = nd.square(found[0] if isinstance(found, (list, tuple)) else found).mean()
            loss.backward()
            trainer.step(1, ignore_stale_grad=True)
    ours = {n: p.data().asnumpy() for n, p in block.collect_params().items()}
    for n, p in net.collect_params().items():
        np.testing.assert_array_equal(p.data().asnumpy(), ours[n], err_msg=n)


def test_states_are_not_trained_after_import(tmp_path: Path) -> None:
    _, (graph, values), names = exported("convolutional", tmp_path)
    block = SymbolBlock.imports(graph, names, values)
    requests = {n.rpartition("_")[2]: p.grad_req for n, p in block.collect_params().items()}
    assert requests["mean"] == requests["var"] == "null"
    assert requests["gamma"] == requests["weight"] == "write"


def test_states_are_saved_as_such(tmp_path: Path) -> None:
    _, (_, values), _ = exported("convolutional", tmp_path)
    kinds = {name.partition(":")[2].partition("_")[2]: name[:3] for name in nd.load(values)}
    assert kinds["batchnorm0_running_mean"] == kinds["batchnorm0_running_var"] == "aux"
    assert kinds["conv0_weight"] == kinds["batchnorm0_gamma"] == "arg"


def test_a_shared_parameter_is_saved_once(tmp_path: Path) -> None:
    _, (graph, values), _ = exported("tied", tmp_path)
    assert sorted(nd.load(values)) == ["arg:tied_dense0_bias", "arg:tied_dense0_weight"]
    names = [node["name"] for node in json.loads(Path(graph).read_text())["nodes"]]
    assert names.count("tied_dense0_weight") == 1


def test_other_shapes_and_dtypes_are_taken_after_import(tmp_path: Path) -> None:
    net, (graph, values), _ = exported("tied", tmp_path)
    block = SymbolBlock.imports(graph, "data", values)
    assert block(nd.ones((7, 4))).shape == (7, 4)
    for one in (net, block):
        one.cast("float64")
    x = nd.ones((2, 4), dtype="float64")
    assert np.array_equal(block(x).asnumpy(), net(x).asnumpy())


def test_half_precision_files_make_half_precision_blocks(tmp_path: Path) -> None:
    net = tied()
    net.cast("float16")
    net.initialize()
    net.hybridize()
    x = nd.ones((1, 4), dtype="float16")
    expected = net(x).asnumpy()
    graph, values = net.export(str(tmp_path / "half"))
    block = SymbolBlock.imports(graph, ["data"], values)
    assert {p.data().dtype for p in block.collect_params().values()} == {np.float16}
    assert np.array_equal(block(x).asnumpy(), expected)


# -------------------------------------------------------------------------------- from symbols


def test_a_block_is_made_from_symbols_in_the_middle_of_a_net() -> None:
    net = conv_net()
    internals = net(sym.var("data")).get_internals()
    features = SymbolBlock(
        internals["net_flatten0_flatten0_output"], sym.var("data"), net.collect_params()
    )
    net.initialize()
    x = arrays("convolutional")[0]
    assert net(x).shape == (2, 5)
    found = features(x)
    assert found.shape == (2, 4 * 3 * 3)
    whole = x
    for layer in list(net)[:4]:
        whole = layer(whole)
    np.testing.assert_allclose(found.asnumpy(), whole.asnumpy(), rtol=1e-5)
    assert features.collect_params()["net_conv0_weight"] is net[0].weight


def test_parameters_that_are_given_are_taken_as_they_are() -> None:
    dense = nn.Dense(2, in_units=2, weight_initializer=mx.init.Constant(3), prefix="d_")
    dense.weight.grad_req = "null"
    dense.initialize()
    block = SymbolBlock(dense(sym.var("data")), sym.var("data"), dense.collect_params())
    assert block.collect_params()["d_weight"] is dense.weight
    assert dense.weight.grad_req == "null"
    assert block(nd.ones((1, 2))).asnumpy().tolist() == [[6, 6]]


def test_inputs_and_outputs_may_be_several() -> None:
    a, b = sym.var("a"), sym.var("b")
    block = SymbolBlock([a + b, [a * b]], [a, b])
    total, (product,) = block(nd.array([2.0]), nd.array([3.0]))
    assert (total.asscalar(), product.asscalar()) == (5, 6)
    grouped = SymbolBlock(sym.Group([a + b, a - b]), [a, b])
    assert [y.asscalar() for y in grouped(nd.array([2.0]), nd.array([3.0]))] == [5, -1]
    split = SymbolBlock(sym.split(a, num_outputs=2, axis=0), a)
    assert [y.asscalar() for y in split(nd.array([2.0, 3.0]))] == [2, 3]


def test_a_block_of_symbols_is_a_part_of_nets_and_graphs() -> None:
    a = sym.var("a")
    weight = sym.var("w", shape=(3, 2))
    block = SymbolBlock(sym.FullyConnected(a, weight, num_hidden=3, no_bias=True, name="fc"), a)
    net = nn.HybridSequential()
    net.add(block, nn.Activation("relu"))
    net.initialize(mx.init.One())
    expected = [[2, 2, 2]]
    assert net(nd.ones((1, 2))).asnumpy().tolist() == expected
    net.hybridize()
    assert net(nd.ones((1, 2))).asnumpy().tolist() == expected
    assert net(sym.var("x")).list_arguments() == ["x", "w"]
    with autograd.record():
        net(nd.ones((1, 2))).backward()
    assert block.collect_params()["w"].grad().asnumpy().tolist() == [[1, 1]] * 3


def test_shapes_of_parameters_follow_from_the_first_batch() -> None:
    x = sym.var("x")
    block = SymbolBlock(sym.FullyConnected(x, num_hidden=3, name="fc"), x)
    block.initialize(mx.init.One())
    assert block(nd.ones((2, 5))).shape == (2, 3)
    assert block.collect_params()["fc_weight"].shape == (3, 5)


def test_an_initializer_given_as_an_attribute_of_an_operator_is_ignored() -> None:
    y = sym.FullyConnected(
        sym.var("data"),
        num_hidden=2,
        name="fc",
        attr={"__init__": mx.init.Xavier()},  # type: ignore[dict-item]
    )
    net = gluon.SymbolBlock(y, sym.var("data"))
    net.initialize(mx.init.One())  # Xavier's takes no vectors, such as the bias
    assert net(nd.ones((1, 3))).asnumpy().tolist() == [[4, 4]]


def test_declarations_of_variables_are_respected() -> None:
    x = sym.var("x")
    w = sym.var("w", shape=(1,), init=mx.init.Constant(4), lr_mult=0.5, dtype="float64")
    block = SymbolBlock(sym.broadcast_mul(x, w), x)
    block.initialize()
    assert block(nd.ones((1,), dtype="float64")).asscalar() == 4
    assert block.collect_params()["w"].data().dtype == np.float64


# ----------------------------------------------------------------------------------- faults


def test_wrong_input_names_are_corrected(tmp_path: Path) -> None:
    _, (graph, values), _ = exported("two inputs", tmp_path)
    with pytest.raises(
        mx.MXNetError, match=r"no input 'data'[\s\S]*input_names=\['data0', 'data1'\]"
    ):
        SymbolBlock.imports(graph, ["data"], values)
    with pytest.raises(
        AssertionError, match=r"input_names=\['data0', 'data1'\] if they are inputs"
    ):
        SymbolBlock.imports(graph, ["data0"], values)
    block = SymbolBlock.imports(graph, ["data0", "data1"], values)
    with pytest.raises(ValueError, match=r"takes 2 arrays \(data0, data1\), not 1"):
        block(nd.ones((2, 4)))


def test_missing_and_extra_parameters_may_be_allowed(tmp_path: Path) -> None:
    _, (graph, values), _ = exported("tied", tmp_path)
    held = nd.load(values)
    bias = held.pop("arg:tied_dense0_bias")
    nd.save(values, {**held, "arg:other": bias})
    with pytest.raises(AssertionError, match="tied_dense0_bias"):
        SymbolBlock.imports(graph, "data", values)
    with pytest.raises(ValueError, match="not in the net: other"):
        SymbolBlock.imports(graph, "data", values, allow_missing=True)
    block = SymbolBlock.imports(graph, "data", values, allow_missing=True, ignore_extra=True)
    assert block.collect_params()["tied_dense0_weight"].data().shape == (4, 4)


def test_a_graph_without_parameters_is_initialized_by_hand(tmp_path: Path) -> None:
    _, (graph, _), _ = exported("tied", tmp_path)
    block = SymbolBlock.imports(graph, "data")
    with pytest.raises(RuntimeError, match="has not been initialized"):
        block(nd.ones((1, 4)))
    block.initialize(mx.init.One())
    assert block(nd.ones((1, 4))).shape == (1, 4)


def test_inputs_must_be_variables() -> None:
    x = sym.var("x")
    with pytest.raises(AssertionError, match="is computed; inputs must be variables"):
        SymbolBlock(x * 2, x + 1)
    with pytest.raises(AssertionError, match="'s' is declared as sparse"):
        SymbolBlock(x * sym.var("s", stype="row_sparse"), x)


def test_a_net_that_has_not_run_cannot_be_exported(tmp_path: Path) -> None:
    net = tied()
    net.initialize()
    for prepare in (lambda: None, net.hybridize, lambda: net.hybridize(False)):
        prepare()
        with pytest.raises(RuntimeError, match="one batch through the net before export"):
            net.export(str(tmp_path / "net"))
    assert not list(tmp_path.iterdir())


def test_the_error_about_a_damaged_file_names_it(tmp_path: Path) -> None:
    _, (graph, values), _ = exported("tied", tmp_path)
    whole = Path(graph).read_text()
    for length in range(0, len(whole), 97):
        Path(graph).write_text(whole[:length])
        with pytest.raises(mx.MXNetError, match=r"net-symbol\.json"):
            SymbolBlock.imports(graph, "data", values)
    Path(graph).write_text(whole)
    Path(values).write_bytes(Path(values).read_bytes()[:-3])
    with pytest.raises(mx.MXNetError, match=r"net-0000\.params"):
        SymbolBlock.imports(graph, "data", values)
