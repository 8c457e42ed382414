"""The likelihood of events under Hawkes processes, which every event excites for a while."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from gluonic.graph.all_gradients import by_input, flowing
from gluonic.graph.indices import positions
from gluonic.graph.operator import Array, operator
from gluonic.graph.ops.layer_rules import require_floating
from gluonic.graph.update_operators import unify_all
from gluonic.graph.view import NodeView, put

_FLOATING = ("lda", "alpha", "beta", "state", "lags", "valid_length", "max_time")


@operator("_contrib_hawkesll", outputs=("output", "out_state"))
def hawkesll(
    lda: Array,
    alpha: Array,
    beta: Array,
    state: Array,
    lags: Array,
    marks: Array,
    valid_length: Array,
    max_time: Array,
) -> Any:
    """The log likelihood of sequences of events under self-exciting processes with exponential decay.

    The intensity of process k is ``lda[k] + alpha[k] * beta[k] * Σ exp(-beta[k] * (time since event))``,
    summed over its earlier events; the log likelihood is the sum of the intensities' logarithms at the
    events, less the integral of all intensities (Bacry, Mastromatteo and Muzy, Hawkes processes in
    finance, 2015).

    Parameters
    ----------
    lda : (sequences, processes), the intensities without events
    alpha, beta : (processes,), the expected number of events that an event causes, and the rate of decay
    state : (sequences, processes), the sum above as it is at the start
    lags : (sequences, events), the time since the event before
    marks : (sequences, events), int32, the number of the process
    valid_length : (sequences,), the numbers of events
    max_time : (sequences,), the lengths of the observation

    Returns
    -------
    output : (sequences,), the log likelihoods
    out_state : (sequences, processes), the sum above as it is at the end; `state` for what follows
    """
    total = np.zeros(len(lags), lda.dtype)
    state = state.copy()
    for spot in _spots(lda, alpha, beta, state, lags, marks, valid_length, max_time):
        decayed = state[spot.at] * spot.decay
        integral = spot.lda * spot.passed + spot.alpha * (state[spot.at] - decayed)
        if spot.is_event:
            total[spot.rows] += np.log(spot.lda + spot.alpha * spot.beta * decayed) - integral
        else:
            total -= integral.sum(axis=1)
        state[spot.at] = decayed + spot.is_event
    return total, state


class _Spot(NamedTuple):
    """The next event of some sequences, or the end of all.

    Attributes
    ----------
    at : the processes: an index of arrays (sequences, processes)
    rows : the sequences
    is_event : whether it is an event
    lda, alpha, beta : the processes' parameters
    passed, decay : the time since their last event, and what is left of the excitement
    """

    at: Any
    rows: Any
    is_event: bool
    lda: Array
    alpha: Array
    beta: Array
    passed: Array
    decay: Array


def _spots(
    lda: Array,
    alpha: Array,
    beta: Array,
    state: Array,
    lags: Array,
    marks: Array,
    valid_length: Array,
    max_time: Array,
) -> Iterator[_Spot]:
    last = np.zeros_like(state)
    times = np.cumsum(lags, axis=1, dtype=lags.dtype)
    for j in range(lags.shape[1]):
        rows = np.flatnonzero(j < valid_length)
        kinds = positions(marks[rows, j], lda.shape[1], "raise", "hawkesll")
        passed = times[rows, j] - last[rows, kinds]
        last[rows, kinds] = times[rows, j]
        rates = beta[kinds]
        decay = np.exp(-rates * passed)
        at = (rows, kinds)
        yield _Spot(at, rows, True, lda[at], alpha[kinds], rates, passed, decay)
    passed = max_time[:, None] - last
    yield _Spot(..., ..., False, lda, alpha, beta, passed, np.exp(-beta * passed))


@operator(
    "_backward_hawkesll",
    outputs=("lda_gradient", "alpha_gradient", "beta_gradient", "state_gradient"),
)
def backward_hawkesll(
    grad: Array,
    state_grad: Array,
    lda: Array,
    alpha: Array,
    beta: Array,
    state: Array,
    lags: Array,
    marks: Array,
    valid_length: Array,
    max_time: Array,
) -> Any:
    """The gradients of hawkesll; those of the data are not known."""
    found = [np.zeros_like(state) for _ in range(4)]
    by_lda, by_alpha, by_beta, by_state = found
    state = state.copy()
    of_beta, of_start = np.zeros_like(state), np.ones_like(state)
    for spot in _spots(lda, alpha, beta, state, lags, marks, valid_length, max_time):
        at, before = spot.at, state[spot.at]
        decayed = before * spot.decay
        moved = spot.decay * (of_beta[at] - spot.passed * before)
        left = spot.decay * of_start[at]
        by_lda[at] -= spot.passed
        by_alpha[at] -= before - decayed
        by_beta[at] -= spot.alpha * (of_beta[at] - moved)
        by_state[at] -= spot.alpha * (of_start[at] - left)
        if spot.is_event:
            share = 1 / (spot.lda + spot.alpha * spot.beta * decayed)
            by_lda[at] += share
            by_alpha[at] += spot.beta * decayed * share
            by_beta[at] += spot.alpha * (decayed + spot.beta * moved) * share
            by_state[at] += spot.alpha * spot.beta * left * share
        state[at], of_beta[at], of_start[at] = decayed + spot.is_event, moved, left
    for each in found:
        each *= grad[:, None]
    by_beta += state_grad * of_beta
    by_state += state_grad * of_start
    return by_lda, by_alpha.sum(axis=0), by_beta.sum(axis=0), by_state


def _shapes(n: NodeView) -> None:
    n.lda = n.state = n.out_state = (None, None)
    n.lags = n.marks = (None, None)
    n.alpha = n.beta = (n.lda[1],)
    n.state = n.out_state = n.lda
    n.marks = n.lags
    n.output = n.valid_length = n.max_time = (n.lda[0],)
    n.lags = n.marks = (n.lda[0], None)


hawkesll.infer_shape(_shapes)


@hawkesll.infer_dtype
def _(n: NodeView) -> None:
    unify_all(n, [*_FLOATING, "output", "out_state"])
    require_floating(n)
    n.marks = np.dtype(np.int32)


_GRADIENTS = {f"{name}_gradient": name for name in ("lda", "alpha", "beta", "state")}


@backward_hawkesll.infer_shape
def _(n: NodeView) -> None:
    for gradient, name in _GRADIENTS.items():
        put(n, gradient, getattr(n, name))


@backward_hawkesll.infer_dtype
def _(n: NodeView) -> None:
    for gradient in _GRADIENTS:
        put(n, gradient, n.lda)


@hawkesll.all_gradients
def _(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
    inputs = (getattr(n, name) for name in hawkesll.inputs)
    found = F._backward_hawkesll(*flowing(F, n, heads), *inputs)
    return by_input(_GRADIENTS.values(), found)
