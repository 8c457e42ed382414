"""`backward` and `grad`: differentiating what the tape holds."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.operator import REGISTRY
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.invoke import invoke, wrap
from gluonic.ndarray.state import STATE
from gluonic.ndarray.tape import Entry, FunctionRecord, Leaf, Walk


@contextmanager
def flags(recording: bool | None, training: bool | None) -> Iterator[None]:
    """Set the thread's flags for a while; None leaves a flag as it is."""
    before = STATE.recording, STATE.training
    if recording is not None:
        STATE.recording = recording
    if training is not None:
        STATE.training = training
    try:
        yield
    finally:
        STATE.recording, STATE.training = before


def _plus(a: NDArray, b: NDArray) -> NDArray:
    return invoke(REGISTRY["add_n"].apply({"num_args": 2}), (a, b))[0]


def _head_entries(
    heads: Sequence[NDArray], head_grads: Sequence[NDArray | None] | None
) -> list[tuple[Entry, NDArray]]:
    if head_grads is None:
        head_grads = [None] * len(heads)
    if len(head_grads) != len(heads):
        raise MXNetError(describe(f"{len(heads)} heads need as many head gradients, not {len(head_grads)}"))
    found = []
    for head, gradient in zip(heads, head_grads, strict=True):
        if head._entry is None:
            raise MXNetError(
                describe(
                    "cannot differentiate an array that was not computed under autograd.record()",
                    where="backward",
                    facts=[f"head: shape {head.shape}"],
                    hint="x.attach_grad() before, and `with autograd.record():` around the computation",
                )
            )
        if gradient is None:
            gradient = wrap(np.ones_like(head._data))
        found.append((head._entry, gradient))
    return found


def backward(
    heads: Sequence[NDArray],
    head_grads: Sequence[NDArray | None] | None = None,
    retain_graph: bool = False,
    train_mode: bool = True,
) -> None:
    """Compute the gradients of `heads` with respect to all variables and write them into their buffers.

    Parameters
    ----------
    heads : the arrays to differentiate
    head_grads : the gradients that flow into them; ones by default
    retain_graph : keep what is needed to do so again
    train_mode : whether gradients are those of training mode
    """
    walk = Walk(_head_entries(heads, head_grads), _plus)
    with flags(False, train_mode):
        flowing = walk.run(train=train_mode)
    for record in walk.visited:
        gradient = flowing[record][0]
        if isinstance(record, Leaf) and gradient is not None:
            record.receive(gradient)
    if not retain_graph:
        for record in walk.visited:
            record.free()


def grad(
    heads: Sequence[NDArray],
    variables: Sequence[NDArray],
    head_grads: Sequence[NDArray | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    train_mode: bool = True,
) -> list[NDArray]:
    """Return the gradients of `heads` with respect to `variables`; their buffers stay as they are.

    Parameters
    ----------
    create_graph : record the computation of the gradients, so that they can be differentiated again
    """
    for variable in variables:
        if variable._entry is None:
            raise MXNetError(describe("a variable needs attach_grad() before it is used", where="grad"))
    walk = Walk(_head_entries(heads, head_grads), _plus)
    with flags(create_graph, train_mode):
        flowing = walk.run(train=train_mode)
    found = []
    for variable in variables:
        assert variable._entry is not None
        record, index = variable._entry
        gradient = flowing.get(record, [None] * record.output_count)[index]
        found.append(wrap(np.zeros_like(variable._data)) if gradient is None else gradient)
    if not (create_graph if retain_graph is None else retain_graph):
        for visited in walk.visited:
            visited.free()
    return found


def record_function(
    inputs: Sequence[NDArray],
    outputs: Sequence[NDArray],
    gradients: Callable[[list[NDArray | None]], Sequence[NDArray | None]],
) -> None:
    """Put a computation with a gradient of its own on the tape.

    Parameters
    ----------
    gradients : from the gradients of the outputs (None: none flows in) those of the inputs
    """
    entries = [x._entry for x in inputs]
    if all(entry is None for entry in entries):
        return
    made = FunctionRecord(entries, len(outputs), gradients)
    for index, output in enumerate(outputs):
        output._entry = (made, index)


__all__: list[Any] = ["backward", "flags", "grad", "record_function"]
