"""Checkpoints of nets with symbolic cells hold weights gate by gate."""

from pathlib import Path
from typing import Any

import pytest

from gluonic import nd, rnn, sym


def net_and_weights(cell: Any) -> tuple[Any, dict[str, Any]]:
    net, _ = cell.unroll(2, sym.Variable("data"), layout="TNC", merge_outputs=True)
    shapes = net.infer_shape(data=(2, 3, 4))[0]
    return net, {
        name: nd.random.normal(shape=shape)
        for name, shape in zip(net.list_arguments(), shapes, strict=True)
        if name != "data"
    }


def test_a_checkpoint_of_a_fused_cell_loads_into_its_unfused_stack(tmp_path: Path) -> None:
    fused = rnn.FusedRNNCell(3, 2, "lstm", True, prefix="a_")
    stack = fused.unfuse()
    net, weights = net_and_weights(fused)
    prefix = str(tmp_path / "net")
    rnn.save_rnn_checkpoint(fused, prefix, 3, net, weights, {})
    assert "arg:a_r1_h2h_o_bias" in nd.load(f"{prefix}-0003.params")
    symbol, arguments, states = rnn.load_rnn_checkpoint([stack], prefix, 3)
    assert symbol.tojson() == net.tojson()
    assert states == {}
    assert set(arguments) == set(net_and_weights(stack)[1])
    _, again, _ = rnn.load_rnn_checkpoint(fused, prefix, 3)
    assert (again["a_parameters"] == weights["a_parameters"]).asnumpy().all()


def test_checkpoints_are_saved_every_few_epochs(tmp_path: Path) -> None:
    cells = [rnn.LSTMCell(3, prefix="l_"), rnn.GRUCell(3, prefix="g_")]
    stack = rnn.SequentialRNNCell()
    for cell in cells:
        stack.add(cell)
    net, weights = net_and_weights(stack)
    save = rnn.do_rnn_checkpoint(cells, str(tmp_path / "net"), period=2)
    for epoch in range(4):
        save(epoch, net, weights, {})
    assert sorted(path.name for path in tmp_path.glob("*.params")) == [
        "net-0002.params",
        "net-0004.params",
    ]
    assert "arg:g_i2h_z_weight" in nd.load(str(tmp_path / "net-0004.params"))


def test_unrolling_by_function_is_deprecated() -> None:
    cell = rnn.RNNCell(2)
    with pytest.warns(DeprecationWarning, match=r"cell\.unroll"):
        outputs, _ = rnn.rnn_unroll(cell, 2, sym.Variable("data"))
    assert [output.name for output in outputs] == ["rnn_t0_out", "rnn_t1_out"]
