"""Calls of a graph that is one operator, which Python runs: eagerly, for that takes less than a graph."""

from collections.abc import Callable, Sequence
from typing import Any

from gluonic.graph.application import Application
from gluonic.graph.events import EVENTS
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.custom_eager import again
from gluonic.ndarray.custom_node import custom
from gluonic.ndarray.invoke import fast_call, invoke
from gluonic.ndarray.state import STATE


class OperatorRepeat:
    """The short way of such calls, recorded or not.

    Parameters
    ----------
    application : the operator, which has one output that is seen
    order : for each of its inputs, which array of a call it is
    """

    __slots__ = ("_call", "_count", "_order", "_recording", "_training")

    def __init__(self, application: Application, order: Sequence[int]) -> None:
        self._call, self._count = _eagerly(application), len(set(order))
        self._order = None if [*order] == [*range(len(order))] else order
        self._recording, self._training = STATE.recording, STATE.training

    def __call__(self, inputs: Sequence[NDArray]) -> NDArray | None:
        """Run the operator; None if the inputs have to go the long way."""
        if (
            STATE.recording is not self._recording
            or STATE.training is not self._training
            or EVENTS.active
            or len(inputs) != self._count
        ):
            return None
        for x in inputs:
            if type(x) is not NDArray:
                return None
            if x._context is not inputs[0]._context and x.context != inputs[0].context:
                return None
        if self._order is not None:
            inputs = [inputs[position] for position in self._order]
        return self._call(*inputs)


def _eagerly(application: Application) -> Callable[..., NDArray]:
    """A function that runs an operator as its namespace would."""
    if application.op is custom:
        return again(application)
    fast = fast_call(application)
    if fast is not None:
        return fast

    def call(*inputs: Any) -> NDArray:
        return invoke(application, inputs)[0]

    return call
