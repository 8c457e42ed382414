"""To which dtype the inputs of operators are cast as they are called, where mixed precision is switched on.

`contrib.amp.init` switches it on; as long as it is off, `current` is None and calls look at nothing else.
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
    """What becomes of the inputs of operators.

    Attributes
    ----------
    low : the dtype of less precision
    kinds : by operator: cast all inputs to `low`, to float32 (``"full"``), or to the widest among them
    conditional : by operator an attribute and its values with which inputs are cast to float32
    kept : by operator the names of inputs that stay
    scaled_losses : operators whose gradients are multiplied by `loss_scale` ()
    """

    low: np.dtype[Any]
    kinds: Mapping[str, Kind]
    conditional: Mapping[str, tuple[str, tuple[str, ...]]]
    kept: Mapping[str, frozenset[str]]
    scaled_losses: frozenset[str]
    loss_scale: Callable[[], float]

    def concerns(self, operator: str) -> bool:
        """Whether anything is done where an operator is called."""
        return (
            operator in self.kinds or operator in self.conditional or operator in self.scaled_losses
        )

    def kind(self, application: Application) -> Kind | None:
        """What to do with the inputs of an operator; None: nothing."""
        name = application.op.name
        condition = self.conditional.get(name)
        if condition is not None:
            attribute, values = condition
            return "full" if str(application.settings.get(attribute)) in values else None
        return self.kinds.get(name)

    def stays(self, application: Application, name: str) -> bool:
        """Whether an input stays as it is: a state, which the operator updates, or one in `kept`."""
        return name in application.states or name in self.kept.get(application.op.name, ())


current: Casting | None = None
watchers: list[Callable[[], None]] = []
"""Called after a change, by which functions forget what they know of calls."""


def use(casting: Casting | None) -> None:
    """Switch mixed precision on, or off."""
    global current
    current = casting
    for changed in watchers:
        changed()


def concerns(operator: str) -> bool:
    """Whether mixed precision does anything where an operator is called."""
    return current is not None and current.concerns(operator)
