"""The loss of unaligned sequences, against the sum over all alignments."""

import itertools
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from gluonic.graph import ops  # noqa: F401 - fills the registry
from gluonic.graph.errors import InferenceError
from gluonic.graph.kernel_runs import run_node
from gluonic.graph.operator import REGISTRY, Run
from gluonic.graph.random_source import RandomSource
from tests.graph.samples.sample import uniform

Array = npt.NDArray[Any]
RUN = Run(train=True, random=RandomSource(0))


def ctc_loss(*arrays: Array, **attributes: Any) -> list[Array]:
    return run_node(REGISTRY["CTCLoss"].apply(attributes), arrays, RUN)


def collapsed(path: tuple[int, ...], blank: int) -> list[int]:
    """What a path stands for: repetitions merged, then blanks left out."""
    return [c for c, _ in itertools.groupby(path) if c != blank]


def by_enumeration(scores: Array, label: list[int], blank: int) -> float:
    shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    total = 0.0
    for path in itertools.product(range(scores.shape[1]), repeat=len(scores)):
        if collapsed(path, blank) == label:
            total += float(np.prod([shares[t, c] for t, c in enumerate(path)]))
    return -float(np.log(total))


@pytest.mark.parametrize("label", [[1], [1, 2], [2, 2], [3, 1, 3], []])
def test_the_loss_sums_over_all_alignments(label: list[int]) -> None:
    scores = uniform(5, 1, 4)
    padded = np.array([label + [0] * (3 - len(label))])
    found = ctc_loss(scores, padded)[0]
    np.testing.assert_allclose(found, by_enumeration(scores[:, 0], label, 0))
    last = np.array([[c - 1 for c in label] + [-1] * (3 - len(label))])
    found = ctc_loss(scores, last, blank_label="last")[0]
    np.testing.assert_allclose(found, by_enumeration(scores[:, 0], [c - 1 for c in label], 3))


def test_lengths_cut_steps_and_labels_off() -> None:
    scores, label = uniform(5, 2, 4), np.array([[1, 2, 3], [2, 2, 1]])
    steps, counts = np.array([3, 5]), np.array([2, 1])
    lengths = {"use_data_lengths": True, "use_label_lengths": True}
    losses, gradient = ctc_loss(scores, label, steps, counts, **lengths)
    for i in range(2):
        part = scores[: steps[i], i]
        expected = by_enumeration(part, label[i, : counts[i]].tolist(), 0)
        np.testing.assert_allclose(losses[i], expected)
    assert not gradient[3:, 0].any()
    assert gradient[3:, 1].any()


def test_a_label_that_cannot_fit_costs_nothing() -> None:
    losses, gradient = ctc_loss(uniform(3, 1, 5), np.array([[1, 1, 1]]))  # needs 2 blanks more
    assert losses.tolist() == [0]
    assert not gradient.any()


def test_values_are_those_of_mxnet() -> None:
    random = np.random.RandomState(0)
    scores = random.uniform(-1, 1, (6, 2, 5)).astype(np.float32)
    losses = ctc_loss(scores, np.array([[1, 2, 0], [3, 3, 1]]))[0]
    np.testing.assert_allclose(losses, [4.30597, 5.60667], atol=1e-5)
    losses = ctc_loss(scores, np.array([[0, 2, -1], [3, 3, 1]]), blank_label="last")[0]
    np.testing.assert_allclose(losses, [5.33799, 5.44368], atol=1e-5)


def test_more_labels_than_steps_are_refused() -> None:
    with pytest.raises(InferenceError, match="3 labels do not fit into 2 steps"):
        ctc_loss(uniform(2, 1, 5), np.array([[1, 2, 3]]))
