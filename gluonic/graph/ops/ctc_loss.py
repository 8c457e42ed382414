"""Connectionist temporal classification."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from gluonic.graph.errors import InferenceError, NotThereError
from gluonic.graph.operator import Array, Operator, operator
from gluonic.graph.ops.layer_rules import both_ways, floating, wide
from gluonic.graph.view import NodeView, put, slots_of, title_of


def _absent(n: Any) -> list[str]:
    absent = [] if n.use_data_lengths else ["data_lengths"]
    return absent if n.use_label_lengths else [*absent, "label_lengths"]


@operator(
    "CTCLoss",
    "ctc_loss",
    "_contrib_CTCLoss",
    "_contrib_ctc_loss",
    absent=_absent,
    outputs=("output0", "output1"),
    visible=1,
)
def ctc_loss(
    data: Array,
    label: Array,
    data_lengths: Array | None = None,
    label_lengths: Array | None = None,
    *,
    use_data_lengths: bool = False,
    use_label_lengths: bool = False,
    blank_label: Literal["first", "last"] = "first",
) -> Any:
    """The loss of sequences whose labels are not aligned with their steps.

    ``-log P(label)``, the probability summed over all alignments of the label with the steps by
    repeating its entries and inserting blanks (ICML 2006, 369-376).

    Parameters
    ----------
    data : array of shape (steps, batch, classes)
        Scores, of which the softmax is taken.
    label : array of shape (batch, labels)
        Class numbers; where they end follows from `label_lengths`, or from a padding of 0 if the
        blank is the first class, and of -1 otherwise.
    data_lengths, label_lengths : arrays of shape (batch,), optional
        The number of steps and of labels of each sequence; only with `use_data_lengths` and
        `use_label_lengths`.
    blank_label : {"first", "last"}, default "first"
        Which class is the blank.

    Returns
    -------
    array of shape (batch,)
        The losses; zero for a label that has no alignment with its steps.
    """
    found = _walk(data, label, data_lengths, label_lengths, blank_label)
    behind = _behind(found.emitted, found.paths, found.ends)
    fits, steps, classes = found.fits, len(data), data.shape[2]
    total = np.where(fits, found.log_share, 0)[:, None]
    weights = np.exp(found.ahead + behind - total)  # of being there
    one_hot = (found.paths.classes[:, :, None] == np.arange(classes)).astype(weights.dtype)
    expected = (weights.swapaxes(0, 1) @ one_hot).swapaxes(0, 1)
    counted = (np.arange(steps)[:, None] < found.ends) & fits
    gradients = np.where(counted[:, :, None], np.exp(found.log_shares) - expected, 0)
    return found.losses, gradients


def _losses(
    data: Array,
    label: Array,
    data_lengths: Array | None = None,
    label_lengths: Array | None = None,
    *,
    use_data_lengths: bool = False,
    use_label_lengths: bool = False,
    blank_label: Literal["first", "last"] = "first",
) -> Any:
    """The losses of `CTCLoss` without what its gradient needs."""
    return _walk(data, label, data_lengths, label_lengths, blank_label).losses


class _Walk(NamedTuple):
    """The forward recursion over all paths from the first step to the last.

    Attributes
    ----------
    paths : the paths
    ends : how many steps each sequence has
    log_shares : the log probabilities of classes
    emitted, ahead : the log probabilities of the classes of states, and of all beginnings that end there
    log_share : the log probability of each label
    """

    paths: "Paths"
    ends: Array
    log_shares: Array
    emitted: Array
    ahead: Array
    log_share: Array

    @property
    def fits(self) -> Array:
        """Whether a label has an alignment with its steps."""
        return np.isfinite(self.log_share)

    @property
    def losses(self) -> Array:
        """The losses."""
        return np.where(self.fits, -self.log_share, 0)


def _walk(
    data: Array,
    label: Array,
    data_lengths: Array | None,
    label_lengths: Array | None,
    blank_label: str,
) -> _Walk:
    scores = wide(data)
    steps, batch, classes = scores.shape
    ends = np.full(batch, steps) if data_lengths is None else data_lengths.astype(np.int64)
    blank = 0 if blank_label == "first" else classes - 1
    counts = _label_counts(label, label_lengths, 0 if blank_label == "first" else -1)
    paths = _paths(label.astype(np.int64), counts, blank)
    shifted = scores - scores.max(axis=2, keepdims=True, initial=-np.inf)
    log_shares = shifted - np.log(np.exp(shifted).sum(axis=2, keepdims=True))
    chosen = np.broadcast_to(paths.classes[None], (steps, *paths.classes.shape))
    emitted = np.take_along_axis(log_shares, chosen, axis=2)
    ahead = _ahead(emitted, paths)
    return _Walk(paths, ends, log_shares, emitted, ahead, _total(ahead, paths, ends))


class Paths(NamedTuple):
    """The label with blanks between its entries and at its ends, which a path may walk along.

    Attributes
    ----------
    classes : the class of each state, (batch, states)
    exists : whether there is such a state
    skips : whether a path may come from the state before the last one, jumping over a blank
    last : the number of the last state, (batch,)
    """

    classes: Array
    exists: Array
    skips: Array
    last: Array


def _label_counts(label: Array, label_lengths: Array | None, padding: int) -> Array:
    if label_lengths is not None:
        return label_lengths.astype(np.int64)
    ended = np.concatenate([label == padding, np.ones((len(label), 1), bool)], axis=1)
    counts: Array = ended.argmax(axis=1)
    return counts


def _paths(label: Array, counts: Array, blank: int) -> Paths:
    batch, longest = label.shape
    classes = np.full((batch, 2 * longest + 1), blank)
    inside = np.arange(longest) < counts[:, None]
    classes[:, 1::2] = np.where(inside, label, blank)
    exists = np.arange(2 * longest + 1) <= 2 * counts[:, None]
    skips = np.zeros(classes.shape, bool)
    skips[:, 2:] = (classes[:, 2:] != blank) & (classes[:, 2:] != classes[:, :-2])
    return Paths(classes, exists, skips, 2 * counts)


def _moved(numbers: Array, by: int) -> Array:
    """The log weights of the states `by` positions before (or after, if negative)."""
    result = np.full_like(numbers, -np.inf)
    if by > 0:
        result[:, by:] = numbers[:, :-by]
    else:
        result[:, :by] = numbers[:, -by:]
    return result


def _ahead(emitted: Array, paths: Paths) -> Array:
    """The log probability of all beginnings that are in a state at a step, the step included."""
    result = np.full_like(emitted, -np.inf)
    if not len(emitted):
        return result
    result[0, :, :2] = np.where(paths.exists, emitted[0], -np.inf)[:, :2]
    for t in range(1, len(emitted)):
        before = result[t - 1]
        jumped = np.where(paths.skips, _moved(before, 2), -np.inf)
        total = np.logaddexp(np.logaddexp(before, _moved(before, 1)), jumped)
        result[t] = np.where(paths.exists, total + emitted[t], -np.inf)
    return result


def _behind(emitted: Array, paths: Paths, ends: Array) -> Array:
    """The log probability of all endings after a state at a step, the step excluded."""
    result = np.full_like(emitted, -np.inf)
    states = np.arange(emitted.shape[2])
    last = paths.last[:, None]
    final = np.where((states == last) | (states == last - 1), 0.0, -np.inf)
    skips = np.zeros_like(paths.skips)
    skips[:, :-2] = paths.skips[:, 2:]
    for t in reversed(range(len(emitted))):
        total = final
        if t + 1 < len(emitted):
            after = np.where(paths.exists, result[t + 1] + emitted[t + 1], -np.inf)
            jumped = np.where(skips, _moved(after, -2), -np.inf)
            going_on = np.logaddexp(np.logaddexp(after, _moved(after, -1)), jumped)
            total = np.where((ends - 1 == t)[:, None], final, going_on)
        result[t] = total
    return result


def _total(ahead: Array, paths: Paths, ends: Array) -> Array:
    """The log probability of the label."""
    at_end = np.take_along_axis(ahead, np.maximum(ends - 1, 0)[None, :, None], axis=0)[0]
    last = np.take_along_axis(at_end, paths.last[:, None], axis=1)[:, 0]
    before = np.take_along_axis(at_end, np.maximum(paths.last - 1, 0)[:, None], axis=1)[:, 0]
    return np.where(paths.last > 0, np.logaddexp(last, before), last)


ctc_losses = Operator("_ctc_losses", _losses, absent=_absent, outputs=("output0",))
"""The operator in rewritten graphs that need no gradient."""


def _shapes(n: NodeView) -> None:
    n.data, n.label = (None, None, None), (None, None)
    n.output0 = (n.data[1],)
    n.label = (n.data[1], None)
    batch = n.label[0]
    for name in ("data_lengths", "label_lengths"):
        put(n, name, (batch,))
    n.data = (None, batch, None)
    if "output1" in slots_of(n):
        both_ways(n, "data", "output1")
    steps, labels = n.data[0], n.label[1]
    if steps is not None and labels is not None and labels > steps:
        raise InferenceError(f"{title_of(n)}: {labels} labels do not fit into {steps} steps")


def _dtypes(n: NodeView) -> None:
    both_ways(n, "data", "output0")
    if "output1" in slots_of(n):
        both_ways(n, "data", "output1")


for _op in (ctc_loss, ctc_losses):
    _op.infer_shape(_shapes)
    _op.infer_dtype(floating(_dtypes))


@ctc_loss.all_gradients
def _(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
    if heads[1] is not None:
        raise NotThereError("CTCLoss: derivatives of its gradient")
    return {"data": F.broadcast_mul(F.reshape(heads[0], shape=(1, -1, 1)), n.output1)}
