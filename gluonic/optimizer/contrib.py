"""Optimizers that MXNet keeps apart."""

from typing import Any

import numpy as np

from gluonic.graph import updates
from gluonic.graph.errors import AttributeValueError, describe
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.kernels import overwrite
from gluonic.optimizer.base import RuleOptimizer, register, run_rule
from gluonic.optimizer.lazy import is_stored, update_stored

__all__ = ["GroupAdaGrad"]


@register
class GroupAdaGrad(RuleOptimizer):
    """`AdaGrad` with one step size for each row of a matrix.

    Parameters
    ----------
    eps : added to the history
    kwargs : see `Optimizer`; weight decay is refused
    """

    rule = staticmethod(updates.group_ada_grad)
    state_count = 1

    def __init__(self, eps: float = 1e-5, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.float_stable_eps = eps

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """Return a zero for each row."""
        if weight.ndim != 2:
            raise AttributeValueError(
                describe(f"the weight must be a matrix, not {weight.shape}", where="GroupAdaGrad")
            )
        return NDArray(np.zeros((weight.shape[0], 1), weight.dtype), weight.context)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Update a weight in place, and its state."""
        self._update_count(index)
        numbers = self.numbers_of(index)
        if numbers.wd != 0:
            raise AttributeValueError("GroupAdaGrad: there is no weight decay; set wd=0")
        numbers.epsilon = self.float_stable_eps
        if is_stored(weight, grad):
            update_stored(self._with_history, numbers, weight, grad, [state], lazy=True)
            return
        scaled = self.rescale_grad * grad.elements
        if numbers.clip:
            scaled = np.clip(scaled, -numbers.clip, numbers.clip)
        overwrite(state, state.elements + np.mean(np.square(scaled), axis=1, keepdims=True))
        run_rule(self.rule, numbers, weight, grad, [state])

    def _with_history(self, m: Any, n: Any, weight: Any, grad: Any, history: Any) -> Any:
        """The rule for some rows, whose history takes in their gradients first."""
        scaled = n.rescale * grad
        if n.clip:
            scaled = np.clip(scaled, -n.clip, n.clip)
        history = history + np.mean(np.square(scaled), axis=1, keepdims=True)
        return self.rule(m, n, weight, grad, history)
