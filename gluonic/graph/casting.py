"""Casts of the inputs of eager operators in mixed precision.

`contrib.amp.init` switches it on; while it is off, `current` is None and calls check nothing else.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np

from gluonic.graph.application import Application
from gluonic.support.record import record

FULL = np.dtype("float32")

Kind = Literal["low", "full", "widest"]


@record
class Casting:
    """The casts of inputs, by operator.

    Attributes
    ----------
    low : the dtype of lower precision
    kinds : by operator: cast all inputs to `low`, to float32 (``"full"``), or to the widest among them
    conditional : by operator, an attribute and those of its values for which inputs are cast to float32
    kept : by operator, the names of inputs that are not cast
    scaled_losses : operators whose gradients are multiplied by ``loss_scale()``
    loss_scale : returns the current factor
    """

    low: np.dtype[Any]
    kinds: Mapping[str, Kind]
    conditional: Mapping[str, tuple[str, tuple[str, ...]]]
    kept: Mapping[str, frozenset[str]]
    scaled_losses: frozenset[str]
    loss_scale: Callable[[], float]

    def concerns(self, operator: str) -> bool:
        """Whether calls of an operator are changed."""
        return (
            operator in self.kinds or operator in self.conditional or operator in self.scaled_losses
        )

    def kind(self, application: Application) -> Kind | None:
        """The cast of an operator's inputs; None for none."""
        name = application.op.name
        condition = self.conditional.get(name)
        if condition is not None:
            attribute, values = condition
            return "full" if str(application.settings.get(attribute)) in values else None
        return self.kinds.get(name)

    def stays(self, application: Application, name: str) -> bool:
        """Whether an input is not cast: a state, which the operator updates, or one in `kept`."""
        return name in application.states or name in self.kept.get(application.op.name, ())


current: Casting | None = None
watchers: list[Callable[[], None]] = []
"""Functions to call after a change, which clear caches of calls."""


def use(casting: Casting | None) -> None:
    """Switch mixed precision on, or off."""
    global current
    current = casting
    for changed in watchers:
        changed()


def concerns(operator: str) -> bool:
    """Whether mixed precision changes calls of an operator."""
    return current is not None and current.concerns(operator)
