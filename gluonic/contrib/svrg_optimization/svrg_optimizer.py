"""The optimizer of `SVRGModule`: one that updates parameters, and one that keeps mean gradients in a store."""

import inspect
from typing import Any

from gluonic import optimizer as optimizers
from gluonic.ndarray import NDArray
from gluonic.optimizer import Optimizer

__all__: list[str] = []

FULL = "_full"
"""What the names of mean gradients end with."""


@Optimizer.register
class _AssignmentOptimizer(Optimizer):
    """Set a weight to its gradient."""

    def create_state(self, index: Any, weight: NDArray) -> None:
        """Return None: there is nothing to remember."""

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        """Set the weight."""
        weight[:] = grad


@Optimizer.register
class _SVRGOptimizer(Optimizer):
    """Update parameters by one optimizer, and set mean gradients, known by their names, to what they are.

    Parameters
    ----------
    default_optimizer : what updates parameters: an optimizer, or the name of one
    settings : as those of `Optimizer`, also for the optimizer that is made
    """

    def __init__(self, default_optimizer: str | Optimizer = "sgd", **settings: Any) -> None:
        known = inspect.signature(Optimizer).parameters
        super().__init__(**{name: value for name, value in settings.items() if name in known})
        if isinstance(default_optimizer, str):
            default_optimizer = optimizers.create(default_optimizer, **settings)
        self.default_opt = default_optimizer
        self.aux_opt = _AssignmentOptimizer()

    def _of(self, index: Any) -> Optimizer:
        """Return what a parameter, or a mean gradient, is updated by."""
        name = index if isinstance(index, str) else self.idx2name.get(index, "")
        return self.aux_opt if name.endswith(FULL) else self.default_opt

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """Return what the optimizer in charge remembers."""
        return self._of(index).create_state(index, weight)

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        """Update by the optimizer in charge."""
        self._of(index).update(index, weight, grad, state)
