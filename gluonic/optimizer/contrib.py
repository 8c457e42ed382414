"""Contributed optimizers."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from gluonic.graph import updates
from gluonic.graph.errors import AttributeValueError, describe
from gluonic.ndarray.array import NDArray
from gluonic.optimizer.base import RuleOptimizer, register

__all__ = ["GroupAdaGrad"]


@register
class GroupAdaGrad(RuleOptimizer):
    """`AdaGrad` with one step size for each row of a matrix.

    Parameters
    ----------
    eps : added to the history
    kwargs : see `Optimizer`; there is no weight decay
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

    def _adjust(self, n: SimpleNamespace, t: int) -> None:
        if n.wd != 0:
            raise AttributeValueError("GroupAdaGrad: there is no weight decay; set wd=0")
        n.epsilon = self.float_stable_eps

    def _is_lazy(self, weight: NDArray) -> bool:
        return True
