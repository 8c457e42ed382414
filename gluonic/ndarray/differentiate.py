"""`backward` and `grad`: differentiation of what the tape has recorded."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.memory import allocated, copied
from gluonic.ndarray.arithmetic import on_arrays
from gluonic.ndarray.array import GRADIENT_REQUESTS, GradientRequestError, NDArray, method
from gluonic.ndarray.frozen import frozen_names
from gluonic.ndarray.handing_over import walk_for
from gluonic.ndarray.placing import on_devices
from gluonic.ndarray.recording import put, wrap
from gluonic.ndarray.shaping import with_shape
from gluonic.ndarray.state import Flags
from gluonic.ndarray.storage.dispatch import leaf_of
from gluonic.ndarray.tape import (
    NOT_IN_GRAPH,
    FunctionRecord,
    Leaf,
    Record,
    TapeEntry,
    Walk,
    entry_of,
    freed_graph,
)

_NOT_RECORDED = f"{NOT_IN_GRAPH}: it was not computed under autograd.record() from a variable"


def _plus(a: NDArray, b: NDArray) -> NDArray:
    return on_arrays("elemwise_add", a, b)


def _head_entries(
    heads: Sequence[NDArray], head_grads: Sequence[NDArray | None] | None
) -> list[tuple[TapeEntry, NDArray]]:
    if head_grads is None:
        head_grads = [None] * len(heads)
    if len(head_grads) != len(heads):
        raise HeadGradientError(
            describe(f"{len(heads)} heads need as many head gradients, not {len(head_grads)}")
        )
    return [
        (_head_entry(head), _head_gradient(head, gradient))
        for head, gradient in zip(heads, head_grads, strict=True)
    ]


class HeadGradientError(MXNetError, ValueError, TypeError, AssertionError):
    """The gradients given for the heads do not match them."""


def _head_entry(head: NDArray) -> TapeEntry:
    entry = entry_of(head)
    if entry is None:
        if head.tape_entry is not None:
            raise freed_graph()
        raise MXNetError(
            describe(
                _NOT_RECORDED,
                where="backward",
                facts=[
                    f"the array: shape {head.shape}, dtype {np.dtype(head.dtype)}",
                    *frozen_names(),
                ],
                hint="`with autograd.record():` around the computation, and before it x.attach_grad() for "
                "variables that are not parameters of a net",
            )
        )
    return entry


def _head_gradient(head: NDArray, gradient: NDArray | None) -> NDArray:
    if gradient is None:
        if head.on_device:
            return on_devices().head_of_ones(head)  # type: ignore[no-any-return]
        ones = allocated(np.empty, head.shape, head.dtype, "the gradient of the head")
        ones.fill(1)  # not `ones_like`, which takes four times as long
        return wrap(ones)
    if not isinstance(gradient, NDArray):
        raise HeadGradientError(
            describe(f"a head gradient must be an NDArray, not {type(gradient).__name__}")
        )
    gradient = gradient.of_program()  # rules compute with arrays of `mx.nd`
    if gradient.shape == head.shape:
        return gradient
    if gradient.size != head.size:
        raise HeadGradientError(
            describe(f"a head of shape {head.shape} was given a gradient of shape {gradient.shape}")
        )
    with Flags(True, None):  # it may be differentiated itself
        return with_shape(gradient, head.shape)


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
    head_grads : the gradients that flow into them, with the same numbers of elements; ones by default
    retain_graph : keep the graph, so that it can be differentiated again
    train_mode : whether gradients are those of training mode

    Raises
    ------
    MXNetError
        if a head was not recorded, or depends on no variable that receives a gradient
    """
    entries = _head_entries(heads, head_grads)
    walk = walk_for(entries, _plus)
    with Flags(False, train_mode):
        walk.flowed(train=train_mode)
    leaves: Sequence[Leaf] = walk.leaves
    if {leaf.req for leaf in leaves} <= {"null"}:
        raise MXNetError(
            describe(
                "There are no inputs in computation graph that require gradients.",
                where="backward",
                facts=frozen_names(),
                hint="x.attach_grad() with grad_req 'write' or 'add'",
            )
        )
    written = [leaf for leaf in leaves if leaf.grad is not None]
    if len({id(leaf.grad) for leaf in written}) < len(written):  # the last one wins
        leaves = _as_first_read([entry[0] for entry, _ in entries], leaves)
    walk.deliver(leaves)
    if not retain_graph:
        _free((*walk.visited, *walk.leaves))


def _as_first_read(heads: Sequence[Record], leaves: Sequence[Leaf]) -> list[Leaf]:
    """The variables in the order in which the expressions of the heads read them."""
    seen: dict[Record, None] = {}
    stack = list(reversed(heads))
    while stack:
        record = stack.pop()
        if record not in seen:
            seen[record] = None
            stack.extend(entry[0] for entry in reversed(record.inputs) if entry is not None)
    reached = set(leaves)
    return [record for record in seen if isinstance(record, Leaf) and record in reached]


def _free(records: Sequence[Record]) -> None:
    for record in records:
        record.free()


def grad(
    heads: Sequence[NDArray],
    variables: Sequence[NDArray],
    head_grads: Sequence[NDArray | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    train_mode: bool = True,
) -> list[NDArray]:
    """Return the gradients of `heads` with respect to `variables`; their buffers do not change.

    Parameters
    ----------
    create_graph : record the computation of the gradients, so that they can be differentiated again
    """
    wanted = [_variable_entry(number, v) for number, v in enumerate(variables, start=1)]
    walk = Walk(_head_entries(heads, head_grads), _plus)
    with Flags(create_graph, train_mode):
        flowing = walk.flowed(train=train_mode)
    found: list[NDArray] = []
    for variable, (record, index) in zip(variables, wanted, strict=True):
        slots = flowing.get(record)
        gradient = None if slots is None else slots[index]
        found.append(_own(gradient, variable, [*found, *(head_grads or ())]))
        if (
            create_graph and found[-1].tape_entry is None
        ):  # it depends on nothing: its gradient is 0
            put(FunctionRecord([(record, index)], 1, lambda heads: [None]), (), found[-1:])
    if not (create_graph if retain_graph is None else retain_graph):
        _free((*walk.visited, *walk.leaves))
    return [f.as_np_ndarray() if v.of_numpy else f for f, v in zip(found, variables, strict=True)]


def _variable_entry(number: int, variable: NDArray) -> TapeEntry:
    entry = entry_of(variable)
    leaf = None if entry is None else entry[0]
    if entry is None or (isinstance(leaf, Leaf) and leaf.req == "null"):
        raise MXNetError(
            describe(
                f"Cannot differentiate with respect to the {number}-th variable because it does not "
                "require gradient.",
                where="grad",
                facts=["its grad_req is 'null'"] if entry is not None else (),
                hint="call attach_grad() on it before the computation is recorded",
            )
        )
    return entry


def _own(gradient: NDArray | None, variable: NDArray, others: Sequence[Any]) -> NDArray:
    """A gradient that shares no memory with others."""
    if gradient is None:
        if variable.on_device:
            return on_devices().filled_like(variable, 0)  # type: ignore[no-any-return]
        return wrap(allocated(np.zeros, variable.shape, variable.dtype, "a gradient"))
    if any(gradient is other for other in others):
        if gradient.on_device:
            copy = gradient.detach().copy()
            copy.tape_entry = gradient.tape_entry
            return copy
        return wrap(copied(gradient.elements), gradient.tape_entry)
    return gradient


def mark_variables(
    variables: Sequence[NDArray], gradients: Sequence[NDArray], grad_reqs: Any = "write"
) -> None:
    """Make arrays variables, with the buffers that receive their gradients.

    Parameters
    ----------
    grad_reqs : ``write``, ``add`` or ``null``, for all or for each

    As in MXNet, buffers without a variable are ignored.
    """
    count = len(variables)
    requests = [grad_reqs] * count if isinstance(grad_reqs, str) else list(grad_reqs)[:count]
    if len(gradients) < count or len(requests) < count:
        raise MXNetError(
            describe(
                f"{len(variables)} variables, {len(gradients)} gradients and {len(requests)} grad_reqs "
                "do not go together",
                where="mark_variables",
            )
        )
    for variable, gradient, request in zip(variables, gradients, requests, strict=False):
        if request not in GRADIENT_REQUESTS:
            raise GradientRequestError(
                f"grad_req={request!r} must be one of {', '.join(GRADIENT_REQUESTS)}"
            )
        if gradient.shape != variable.shape:
            raise MXNetError(
                describe(
                    f"a variable of shape {variable.shape} cannot have a gradient of shape "
                    f"{gradient.shape}",
                    where="mark_variables",
                )
            )
        variable.tape_entry = (leaf_of(gradient, request), 0)


def record_function(
    inputs: Sequence[NDArray],
    outputs: Sequence[NDArray],
    gradients: Callable[[list[NDArray | None]], Sequence[NDArray | None]],
    *,
    is_loss: bool = False,
) -> None:
    """Put a computation with its own gradient on the tape.

    Parameters
    ----------
    gradients : maps the gradients of the outputs (None: none flows in) to those of the inputs
    is_loss : whether to call it even if no gradient flows in
    """
    entries = [entry_of(x) for x in inputs]
    if any(entry is not None for entry in entries):
        made = FunctionRecord(entries, len(outputs), gradients, is_loss=is_loss)
        put(made, inputs, outputs)


@method("backward")
def _backward(
    self: NDArray,
    out_grad: NDArray | None = None,
    retain_graph: bool = False,
    train_mode: bool = True,
) -> None:
    """Compute the gradients of this array with respect to all variables.

    Parameters
    ----------
    out_grad : the gradient that flows in; ones by default
    retain_graph : keep the graph, so that it can be differentiated again
    train_mode : whether gradients are those of training mode
    """
    backward([self], [out_grad], retain_graph, train_mode)
