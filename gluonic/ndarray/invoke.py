"""Calling an operator eagerly: check at the door, run the kernel, wrap the results, record them."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.interpret import conform, signature_of
from gluonic.graph.operator import REGISTRY, Application, Array
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.state import STATE, current_run
from gluonic.ndarray.tape import Entry, OperatorRecord

_quiet = {"all": "ignore"}


def wrap(array: Array, entry: Entry | None = None) -> NDArray:
    """An NDArray around a NumPy array, without a copy."""
    made = NDArray.__new__(NDArray)
    made._data, made._entry, made._context = array, entry, None
    return made


def invoke(application: Application, inputs: Sequence[NDArray]) -> list[NDArray]:
    """Run an operator on arrays now.

    Parameters
    ----------
    application : the operator with its attributes
    inputs : the arrays it reads, those it updates included

    Returns
    -------
    list
        its outputs, hidden ones included

    Raises
    ------
    MXNetError
        when the operator does not take such arrays
    """
    try:
        arrays = [x._data for x in inputs]
    except AttributeError:
        raise MXNetError(_not_arrays(application, inputs)) from None
    if len(arrays) != len(application.inputs):
        raise MXNetError(_wrong_count(application, inputs))
    expected = signature_of(application, arrays)
    op = application.op
    with np.errstate(all="ignore"):
        run = current_run() if op.run_name is not None else None
        results = conform(application.execute(arrays, run), expected, application)
    outputs = []
    context = inputs[0]._context if inputs else None
    for array in results:
        if array.base is not None or not array.flags.c_contiguous:
            array = array.copy()  # an output never shares memory with an input
        made = NDArray.__new__(NDArray)
        made._data, made._entry, made._context = array, None, context
        outputs.append(made)
    if STATE.recording:
        record(application, inputs, arrays, outputs)
    return outputs


def record(
    application: Application,
    inputs: Sequence[NDArray],
    arrays: list[Array],
    outputs: Sequence[NDArray],
) -> None:
    """Put what has just run on the tape, if it depends on anything there."""
    entries = [x._entry for x in inputs]
    if all(entry is None for entry in entries):
        return
    made = OperatorRecord(application, entries, [*arrays, *(o._data for o in outputs)], STATE.training)
    for index, output in enumerate(outputs):
        output._entry = (made, index)


def _not_arrays(application: Application, inputs: Sequence[Any]) -> str:
    name, value = next(
        (name, x)
        for name, x in zip((*application.inputs, *["input"] * len(inputs)), inputs, strict=False)
        if not isinstance(x, NDArray)
    )
    return describe(
        f"{name} must be an NDArray, not {type(value).__name__}",
        where=application.op.name,
        hint="mx.nd.array(value)",
    )


def _wrong_count(application: Application, inputs: Sequence[Any]) -> str:
    names = ", ".join(application.inputs) or "none"
    return describe(
        f"takes {len(application.inputs)} inputs ({names}), not {len(inputs)}",
        where=application.op.name,
    )


class Eager:
    """`F` for gradient rules while the tape runs: ``F.name(arrays…, attribute=value)``."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        op = REGISTRY[name]

        def call(*inputs: NDArray, **attributes: Any) -> Any:
            present = [x for x in inputs if x is not None]
            if op.count is not None and op.count not in attributes:
                attributes[op.count] = len(present) - len(op.inputs)
            outputs = invoke(op.apply(attributes), present)
            return outputs[0] if len(outputs) == 1 else outputs

        setattr(self, name, call)
        return call


EAGER = Eager()
