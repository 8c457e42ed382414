"""``mx.autograd``: recording computations and differentiating them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.memory import allocated
from gluonic.ndarray import NDArray, differentiate
from gluonic.ndarray.history import recorded_graph
from gluonic.ndarray.placing import placed
from gluonic.ndarray.state import STATE, Flags
from gluonic.symbol import Symbol

__all__ = [
    "Function",
    "NDArray",
    "backward",
    "get_symbol",
    "grad",
    "is_recording",
    "is_training",
    "mark_variables",
    "pause",
    "predict_mode",
    "record",
    "set_recording",
    "set_training",
    "train_mode",
]

Arrays = NDArray | Sequence[NDArray]


def set_recording(is_recording: bool) -> bool:
    """Switch recording on or off in this thread; returns what it was.

    Parameters
    ----------
    is_recording : whether operators are recorded
    """
    before, STATE.recording = STATE.recording, bool(is_recording)
    return before


def set_training(train_mode: bool) -> bool:
    """Switch training mode on or off in this thread; returns what it was.

    Parameters
    ----------
    train_mode : whether dropout, batch norms and their like train
    """
    before, STATE.training = STATE.training, bool(train_mode)
    return before


def is_recording() -> bool:
    """Return whether operators are being recorded in this thread."""
    return STATE.recording


def is_training() -> bool:
    """Return whether operators behave as in training in this thread."""
    return STATE.training


def record(train_mode: bool = True) -> Flags:
    """Record what is computed in the ``with`` block.

    Parameters
    ----------
    train_mode : whether operators such as Dropout behave as in training

    Examples
    --------
    >>> from gluonic import autograd, nd
    >>> x = nd.array([3.0])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = x * x
    >>> y.backward()
    >>> x.grad.asscalar().item()
    6.0
    """
    return Flags(True, train_mode)


def pause(train_mode: bool = False) -> Flags:
    """Record nothing in the ``with`` block.

    Parameters
    ----------
    train_mode : whether operators such as Dropout behave as in training
    """
    return Flags(False, train_mode)


def train_mode() -> Flags:
    """Let operators behave as in training in the ``with`` block; recording is unaffected."""
    return Flags(None, True)


def predict_mode() -> Flags:
    """Let operators behave as in prediction in the ``with`` block; recording is unaffected."""
    return Flags(None, False)


def _listed(arrays: Arrays, what: str) -> list[NDArray]:
    found = [arrays] if isinstance(arrays, NDArray) else list(arrays)
    for array in found:
        if not isinstance(array, NDArray):
            raise TypeError(describe(f"{what} must be NDArrays, not {type(array).__name__}"))
    return found


def _gradients(head_grads: Any) -> list[NDArray | None] | None:
    if head_grads is None:
        return None
    return [head_grads] if isinstance(head_grads, NDArray) else list(head_grads)


def mark_variables(variables: Arrays, gradients: Arrays, grad_reqs: Any = "write") -> None:
    """Make arrays variables, with the buffers that receive their gradients.

    Parameters
    ----------
    variables : an array or several
    gradients : a buffer for each, of the same shape
    grad_reqs : ``write``, ``add`` or ``null``, for all or for each
    """
    differentiate.mark_variables(
        _listed(variables, "variables"), _listed(gradients, "gradients"), grad_reqs
    )


def backward(
    heads: Arrays, head_grads: Any = None, retain_graph: bool = False, train_mode: bool = True
) -> None:
    """Compute the gradients of `heads` with respect to all variables they were computed from.

    Parameters
    ----------
    heads : an array or several
    head_grads : the gradients that flow into them; ones by default
    retain_graph : keep the graph, so that it can be differentiated again
    train_mode : whether gradients are those of training mode

    Raises
    ------
    MXNetError
        if a head was not recorded, or its graph has been freed by an earlier backward
    """
    differentiate.backward(
        _listed(heads, "heads"), _gradients(head_grads), retain_graph, train_mode
    )


def grad(
    heads: Arrays,
    variables: Arrays,
    head_grads: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    train_mode: bool = True,
) -> list[NDArray]:
    """Return the gradients of `heads` with respect to `variables`; no buffer is written.

    Parameters
    ----------
    heads : an array or several
    variables : an array or several
    head_grads : the gradients that flow into the heads; ones by default
    retain_graph : keep the graph, so that it can be differentiated again; by default as `create_graph`
    create_graph : record the computation of the gradients, so that they can be differentiated again
    train_mode : whether gradients are those of training mode

    Returns
    -------
    list of NDArray
        one for each variable, also for a single one

    Examples
    --------
    >>> from gluonic import autograd, nd
    >>> x = nd.array([3.0])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = x * x * x
    ...     (dx,) = autograd.grad(y, [x], create_graph=True)
    >>> dx.backward()
    >>> dx.asscalar().item(), x.grad.asscalar().item()
    (27.0, 18.0)
    """
    wanted = _listed(variables, "variables")
    if not wanted:
        raise MXNetError(describe("variables is empty", where="grad"))
    return differentiate.grad(
        _listed(heads, "heads"),
        wanted,
        _gradients(head_grads),
        retain_graph,
        create_graph,
        train_mode,
    )


def get_symbol(x: NDArray) -> Symbol:
    """Return the recorded computation of an array as a Symbol.

    Parameters
    ----------
    x : an array computed under `record`

    Examples
    --------
    >>> from gluonic import autograd, nd
    >>> x = nd.ones((1,))
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = x * x + 2
    >>> autograd.get_symbol(y).list_arguments()
    ['var0']
    """
    if not isinstance(x, NDArray):
        raise TypeError(f"get_symbol: x must be an NDArray, not {type(x).__name__}")
    return Symbol([recorded_graph(x)])


class Function:
    """A computation whose gradient is written by hand.

    Derive a class with `forward`, from NDArrays to one or several, and `backward`, from the gradients of
    its outputs to those of its inputs. An instance is called once.

    Examples
    --------
    >>> from gluonic import autograd, nd
    >>> class Sigmoid(autograd.Function):
    ...     def forward(self, x):
    ...         y = 1 / (1 + nd.exp(-x))
    ...         self.save_for_backward(y)
    ...         return y
    ...
    ...     def backward(self, dy):
    ...         (y,) = self.saved_tensors
    ...         return dy * y * (1 - y)
    >>> x = nd.array([0.0])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = Sigmoid()(x)
    >>> y.backward()
    >>> x.grad.asscalar().item()
    0.25
    """

    def __init__(self) -> None:
        self._used = False
        self.saved_tensors: tuple[Any, ...] = ()

    def save_for_backward(self, *args: Any) -> None:
        """Keep arrays for `backward`, where they are `self.saved_tensors`."""
        self.saved_tensors = args

    def forward(self, *inputs: Any, **keywords: Any) -> Any:
        """Compute the outputs."""
        raise self._unwritten("forward", "def forward(self, x): … return y")

    def backward(self, *output_grads: Any, **keywords: Any) -> Any:
        """Compute the gradients of the inputs from those of the outputs."""
        raise self._unwritten("backward", "def backward(self, dy): … return dx")

    def _unwritten(self, method: str, hint: str) -> NotImplementedError:
        return NotImplementedError(
            describe(
                f"the Function has no {method}",
                where=f"{type(self).__name__}.{method}",
                hint=f"{hint}, with an array for each output or input",
            )
        )

    def __call__(self, *inputs: NDArray) -> Any:
        """Run `forward`, unrecorded; while recording, `backward` becomes its gradient."""
        if self._used:
            raise AssertionError(
                f"Each Function instance can only be called once; make another {type(self).__name__}"
            )
        self._used = True
        with Flags(False, None):
            outputs = self.forward(*inputs)
        if not STATE.recording:
            return outputs
        several = not isinstance(outputs, NDArray)
        # an array that has a history of its own, an input say, begins a new one
        results = [
            y if y.tape_entry is None and not any(y is x for x in inputs) else y.detach()
            for y in (outputs if several else (outputs,))
        ]
        shapes = [(y.shape, np.dtype(y.dtype)) for y in results]
        contexts = [y.stated_context for y in results]
        of_numpy = [y.of_numpy for y in results]

        def gradients(heads: list[NDArray | None]) -> Sequence[NDArray | None]:
            given = [
                placed(allocated(np.zeros, *shape, "the gradient of an output"), context)
                if head is None
                else head
                for head, shape, context in zip(heads, shapes, contexts, strict=True)
            ]
            given = [
                head.as_np_ndarray() if wanted else head
                for head, wanted in zip(given, of_numpy, strict=True)
            ]
            found = self._checked(self.backward(*given), inputs)
            return [gradient.of_program() for gradient in found]

        differentiate.record_function(inputs, results, gradients, is_loss=True)
        return type(outputs)(results) if several else results[0]

    def _checked(self, found: Any, inputs: Sequence[NDArray]) -> Sequence[NDArray]:
        """What `backward` returned, if there is a gradient of the right shape for each input."""
        title = f"{type(self).__name__}.backward"
        gradients = tuple(found) if isinstance(found, (tuple, list)) else (found,)
        if len(gradients) != len(inputs):
            raise MXNetError(
                describe(
                    f"must return a gradient for each of the {len(inputs)} inputs of forward, not "
                    f"{len(gradients)}",
                    where=title,
                )
            )
        for x, gradient in zip(inputs, gradients, strict=True):
            if not isinstance(gradient, NDArray):
                raise TypeError(
                    describe(
                        f"must return NDArrays, not {type(gradient).__name__}",
                        where=title,
                        hint="nd.zeros_like(x) for an input without gradient",
                    )
                )
            if gradient.size != x.size:
                raise MXNetError(
                    describe(
                        f"returned a gradient of shape {gradient.shape} for an input of {x.shape}",
                        where=title,
                    )
                )
        return gradients
