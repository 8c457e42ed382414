"""CTC loss and strict look-ups: machine code agrees with the interpreter, also in errors."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluonic import MXNetError, autograd, gluon, nd

TOLERANCE = {"float32": 1e-4, "float64": 1e-10}
"""Logarithms of probabilities lose digits of these where sequences are long."""


class Ctc(gluon.HybridBlock):
    """The loss, with lengths or without."""

    def __init__(self, **settings: Any) -> None:
        super().__init__()
        self._settings = settings

    def hybrid_forward(self, F: Any, data: Any, label: Any, *lengths: Any) -> Any:
        """Losses."""
        names = [n for n in ("data_lengths", "label_lengths") if self._settings[f"use_{n}"]]
        return F.CTCLoss(data, label, **dict(zip(names, lengths, strict=True)), **self._settings)


class Take(gluon.HybridBlock):
    """Rows of a table, twice."""

    def hybrid_forward(self, F: Any, table: Any, index: Any) -> Any:
        """Look up."""
        return F.take(table, index, mode="raise") * 2


@st.composite
def sequences(draw: st.DrawFn) -> tuple[dict[str, Any], list[Any]]:
    """Settings, and arrays: scores, labels with a padding, lengths."""
    steps, batch = draw(st.integers(1, 12)), draw(st.integers(1, 3))
    classes, labels = draw(st.integers(2, 20)), draw(st.integers(1, steps))
    dtype, is_first = draw(st.sampled_from(["float32", "float64"])), draw(st.booleans())
    by_length = [draw(st.booleans()), draw(st.booleans())]
    random = np.random.default_rng(draw(st.integers(0, 1000)))
    data = nd.array(3 * random.standard_normal((steps, batch, classes)), dtype=dtype)
    label = random.integers(int(is_first), classes - int(not is_first), (batch, labels))
    for row in label:
        row[random.integers(0, labels + 1) :] = 0 if is_first else (-1, 0)[by_length[1]]
    lengths = [
        nd.array(random.integers(0, most + 1, batch), dtype="int32")
        for most, is_used in zip((steps, labels), by_length, strict=True)
        if is_used
    ]
    names = ("use_data_lengths", "use_label_lengths")
    settings: dict[str, Any] = dict(zip(names, by_length, strict=True))
    settings["blank_label"] = "first" if is_first else "last"
    kind = draw(st.sampled_from(["float32", "int32", "float64"]))
    return settings, [data, nd.array(label, dtype=kind), *lengths]


def results(net: Any, data: Any, *others: Any) -> list[Any]:
    """Losses when predicting and when recording, and the gradient of the scores."""
    predicted = net(data, *others).asnumpy()
    data.attach_grad()
    with autograd.record():
        loss = net(data, *others)
    loss.backward(nd.array(np.arange(1.0, len(predicted) + 1), dtype=data.dtype))
    return [predicted, loss.asnumpy(), data.grad.asnumpy()]


@settings(max_examples=15, deadline=None)
@given(sequences())
def test_ctc_computes_losses_and_gradients(drawn: tuple[dict[str, Any], list[Any]]) -> None:
    chosen, arrays = drawn
    net = Ctc(**chosen)
    expected = results(net, *arrays)
    net.hybridize()
    tolerance = TOLERANCE[np.dtype(arrays[0].dtype).name]
    for found, right in zip(results(net, *arrays), expected, strict=True):
        np.testing.assert_allclose(found, right, rtol=tolerance, atol=tolerance)


def plain_ctc() -> Ctc:
    """The loss of whole sequences."""
    net = Ctc(use_data_lengths=False, use_label_lengths=False, blank_label="first")
    net.hybridize()
    return net


def test_ctc_and_strict_lookups_are_machine_code() -> None:
    data, label = nd.random.uniform(shape=(6, 2, 5)), nd.array([[1, 2], [3, 0]])
    assert "0 in Python" in str(plain_ctc().explain(data, label))
    take = Take()
    take.hybridize()
    assert "0 in Python" in str(take.explain(nd.ones((4, 3)), nd.array([1, 2])))


def test_nan_scores_give_a_nan_loss() -> None:
    data = np.random.default_rng(0).standard_normal((5, 3, 4)).astype("float32")
    data[2, 0, 1], data[1, 1, 3] = np.nan, np.inf
    label = nd.array([[1, 2], [3, 1], [2, 2]])
    net = Ctc(use_data_lengths=False, use_label_lengths=False, blank_label="first")
    expected = results(net, nd.array(data), label)
    for found, right in zip(results(plain_ctc(), nd.array(data), label), expected, strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("label", [[[1, 5], [1, 2]], [[1, -3], [2, 2]]])
def test_labels_beyond_the_classes_do_what_they_do_eagerly(label: Any) -> None:
    data = nd.random.uniform(shape=(6, 2, 4))
    net = Ctc(use_data_lengths=False, use_label_lengths=False, blank_label="first")
    hybrid = plain_ctc()
    try:
        expected = net(data, nd.array(label)).asnumpy()
    except MXNetError as error:
        with pytest.raises(type(error), match="out of bounds"):
            hybrid(data, nd.array(label))
    else:
        np.testing.assert_allclose(hybrid(data, nd.array(label)).asnumpy(), expected, rtol=1e-4)
    fine = nd.array([[1, 2], [3, 3]])
    np.testing.assert_allclose(hybrid(data, fine).asnumpy(), net(data, fine).asnumpy(), rtol=1e-4)


@pytest.mark.parametrize("wrong", [-1, 4])
def test_a_strict_lookup_refuses_positions_and_goes_on(wrong: int) -> None:
    table, net = nd.array(np.arange(12.0).reshape(4, 3)), Take()
    net.hybridize()
    for _ in range(2):
        with pytest.raises(IndexError, match=f"index {wrong} is out of range"):
            net(table, nd.array([0, wrong, 2]))
        found = net(table, nd.array([3, 0])).asnumpy()
        np.testing.assert_array_equal(found, 2 * table.asnumpy()[[3, 0]])
