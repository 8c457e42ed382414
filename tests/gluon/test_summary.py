"""`net.summary` is the same for eager and hybridized nets, and leaves no trace."""

import re
from typing import Any

import pytest

import gluonic as mx
from gluonic import gluon, nd, sym
from gluonic.gluon import nn


def summary(net: Any, *inputs: Any, capsys: pytest.CaptureFixture[str]) -> str:
    net.summary(*inputs)
    return capsys.readouterr().out


def test_a_hybridized_net_gives_the_table_of_the_eager_one(capsys: Any) -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(4, activation="relu"), nn.Dropout(0.5), nn.Dense(2))
    net.initialize()
    x = nd.ones((3, 5))
    eager = summary(net, x, capsys=capsys)
    net.hybridize()
    for _ in range(2):
        assert summary(net, x, capsys=capsys) == eager
        net(x)
    assert "Total params: 34" in eager
    assert not net[0]._forward_hooks


def test_it_initializes_what_was_deferred(capsys: Any) -> None:
    net = nn.Dense(3)
    net.initialize()
    assert "18" in summary(net, nd.ones((1, 5)), capsys=capsys)
    assert net.weight.shape == (3, 5)


def test_nested_inputs_outputs_and_none_are_shown(capsys: Any) -> None:
    class Nested(gluon.HybridBlock):
        def hybrid_forward(self, F: Any, x: Any, y: Any, z: Any) -> Any:
            return [x * 2, (y[0], None)]

    printed = summary(Nested(), nd.ones((1,)), [nd.ones((2, 3))], None, capsys=capsys)
    lines = [" ".join(line.split()) for line in printed.splitlines()]
    assert "Input (1,), [(2, 3)], None 0" in lines
    assert "Nested-1 (1,), [(2, 3), None] 0 1 4" in lines


def test_shared_parameters_are_counted_as_shared(capsys: Any) -> None:
    net = nn.HybridSequential()
    first = nn.Dense(3, in_units=3)
    net.add(first, first, nn.Dense(3, in_units=3, params=first.params))
    net.initialize()
    printed = summary(net, nd.ones((1, 3)), capsys=capsys)
    assert "Total params: 36" in printed
    assert "Shared params in forward computation graph: 24" in printed
    assert "Unique parameters in model: 12" in printed


def test_plain_blocks_and_blocks_of_symbols_are_rows(capsys: Any) -> None:
    class Plain(gluon.Block):
        def __init__(self) -> None:
            super().__init__()
            x = sym.var("x")
            self.inner = gluon.SymbolBlock(sym.FullyConnected(x, num_hidden=2, name="fc"), x)

        def forward(self, x: Any) -> Any:
            return self.inner(x) * 2

    net = Plain()
    net.initialize()
    printed = summary(net, nd.ones((1, 3)), capsys=capsys)
    assert "SymbolBlock-1" in printed
    assert "Plain-2" in printed
    assert "Total params: 8" in printed


def test_a_failing_net_loses_the_hooks_as_well() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(3, in_units=7))
    net.initialize()
    with pytest.raises(mx.MXNetError, match="in_units=5"):
        net.summary(nd.ones((1, 5)))
    assert not net[0]._forward_hooks


def test_an_uninitialized_net_is_reported() -> None:
    with pytest.raises(RuntimeError, match="has not been initialized"):
        nn.Dense(2, in_units=2).summary(nd.ones((1, 2)))


def costs(printed: str) -> dict[str, tuple[int, int]]:
    """The operations and bytes of the layers that have them."""
    rows = re.findall(r"^ *(\w+-\d+) .* ([\d,]+) +([\d,]+)$", printed, re.MULTILINE)
    return {
        name: (int(operations.replace(",", "")), int(results.replace(",", "")))
        for name, operations, results in rows
    }


class Twice(gluon.HybridBlock):
    """Calls one layer for two inputs."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.layer = nn.Dense(3, use_bias=False)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return self.layer(x) + self.layer(F.concat(x, x, dim=0).slice_axis(axis=0, begin=0, end=2))


@pytest.mark.parametrize("hybridize", [False, True])
def test_a_block_costs_what_all_in_it_costs_each_call_for_itself(
    hybridize: bool, capsys: Any
) -> None:
    net = Twice()
    net.initialize()
    if hybridize:
        net.hybridize()
    printed = summary(net, nd.ones((2, 5)), capsys=capsys)
    product, sums = 2 * 3 * (2 * 5 - 1), 2 * 3
    assert costs(printed) == {
        "Dense-1": (product, 24),
        "Dense-2": (product, 24),
        "Twice-3": (2 * product + sums, 3 * 24 + 80 + 40),
    }
    assert f"Total FLOPs: {2 * product + sums}" in printed
    assert "Memory in bytes: parameters 60, results 192" in printed


def test_operations_in_plain_blocks_are_counted_where_hybrid_blocks_do_them(capsys: Any) -> None:
    class ByShape(gluon.HybridBlock):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return x.reshape((x.shape[1], -1))

    net = nn.Sequential()
    net.add(nn.Dense(2, use_bias=False), ByShape(), nn.Dense(4, use_bias=False))
    net.initialize()
    printed = summary(net, nd.ones((1, 3)), capsys=capsys)
    assert costs(printed) == {"Dense-1": (2 * 5, 8), "Dense-3": (2 * 4 * 1, 32)}
    assert "Not counted is what is computed outside of hybrid blocks" in printed


def test_float16_takes_half_of_the_bytes(capsys: Any) -> None:
    net = nn.Dense(4, use_bias=False)
    net.initialize()
    net.cast("float16")
    printed = summary(net, nd.ones((2, 3), dtype="float16"), capsys=capsys)
    assert "Memory in bytes: parameters 24, results 16" in printed
