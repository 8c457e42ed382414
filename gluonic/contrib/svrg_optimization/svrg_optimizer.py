"""The optimizer of `SVRGModule`: it updates parameters, and assigns mean gradients in a store."""

import inspect
from typing import Any

from gluonic import optimizer as optimizers
from gluonic.ndarray import NDArray
from gluonic.optimizer import Optimizer

__all__: list[str] = []

FULL = "_full"
"""The suffix of the names of mean gradients."""


@Optimizer.register
class _AssignmentOptimizer(Optimizer):
    """Set a weight to its gradient."""

    def create_state(self, index: Any, weight: NDArray) -> None:
        """Return None: there is no state."""

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        """Set the weight."""
        weight[:] = grad


@Optimizer.register
class _SVRGOptimizer(Optimizer):
    """Update parameters by an optimizer, and set mean gradients, recognized by name, to the pushed values.

    Parameters
    ----------
    default_optimizer : the optimizer of parameters, or its name
    settings : arguments of `Optimizer`, also for the optimizer that is created by name
    """

    def __init__(self, default_optimizer: str | Optimizer = "sgd", **settings: Any) -> None:
        known = inspect.signature(Optimizer).parameters
        super().__init__(**{name: value for name, value in settings.items() if name in known})
        if isinstance(default_optimizer, str):
            default_optimizer = optimizers.create(default_optimizer, **settings)
        self.default_opt = default_optimizer
        self.aux_opt = _AssignmentOptimizer()

    def _of(self, index: Any) -> Optimizer:
        """Return the optimizer of a parameter or of a mean gradient."""
        name = index if isinstance(index, str) else self.idx2name.get(index, "")
        return self.aux_opt if name.endswith(FULL) else self.default_opt

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """Return the state that the optimizer in charge keeps."""
        return self._of(index).create_state(index, weight)

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        """Update by the optimizer in charge."""
        self._of(index).update(index, weight, grad, state)
