"""``mx.optimizer`` of MXNet 2.0: 1.x's optimizers with 2.0's names of arguments, and two more.

An optimizer of a program's own overrides `create_state` and `step`.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType, SimpleNamespace
from typing import Any

from gluonic import ndarray as nd
from gluonic import optimizer as of_one
from gluonic.graph import updates
from gluonic.graph.errors import describe
from gluonic.graph.scalar_math import M
from gluonic.graph.trust_ratio import trust_ratio
from gluonic.ndarray import NDArray
from gluonic.optimizer import contrib
from gluonic.optimizer.adaptive import TwoMoments
from gluonic.optimizer.base import run_rule
from gluonic.optimizer.layerwise import norm_of
from gluonic.optimizer.updater import Updater, get_updater

# Arguments that 2.0 renamed, and those that it adds, which only choose how MXNet computes.
_RENAMED: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "AdaGrad": {"epsilon": "eps"},
        "RMSProp": {"rho": "gamma1", "momentum": "gamma2"},
    }
)
_WITHOUT_EFFECT = ("use_fused_step", "aggregate_num")


class OptimizerOfTwo(of_one.Optimizer):
    """The base of optimizers; a new one overrides `create_state` and `step`.

    Parameters
    ----------
    rescale_grad, param_idx2name, wd, clip_gradient, learning_rate, lr_scheduler, begin_num_update : as in 1.x
    multi_precision, param_dict : as in 1.x
    aggregate_num : accepted; optimizers of gluonic choose themselves how many weights they update at once
    use_fused_step : accepted
    """

    def __init__(
        self,
        *args: Any,
        aggregate_num: int | None = None,
        use_fused_step: bool | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.use_fused_step = bool(use_fused_step)
        self.aggregate_num = aggregate_num or 0

    def step(
        self,
        indices: Sequence[Any],
        weights: Sequence[NDArray],
        grads: Sequence[NDArray],
        states: Sequence[Any],
    ) -> None:
        """Update weights in place, and their states.

        Parameters
        ----------
        indices : the numbers of the parameters
        weights, grads, states : lists of the same length
        """
        raise NotImplementedError(
            describe(
                "no step is written",
                where=type(self).__name__,
                hint="def step(self, indices, weights, grads, states): …",
            )
        )

    def fused_step(
        self,
        indices: Sequence[Any],
        weights: Sequence[NDArray],
        grads: Sequence[NDArray],
        states: Sequence[Any],
    ) -> None:
        """Update weights in place; see `step`."""
        self.step(indices, weights, grads, states)

    def update(self, indices: Any, weights: Any, grads: Any, states: Any) -> None:
        """Update one weight, or lists of weights, by `step`."""
        if isinstance(indices, (list, tuple)):
            self.step(indices, weights, grads, states)
        else:
            self.step([indices], [weights], [grads], [states])


class LANS(OptimizerOfTwo):
    """Layer-wise adaptive steps with normalized gradients and Nesterov's momentum (Zheng et al., 2020).

    Parameters
    ----------
    learning_rate : scales the steps
    beta1, beta2 : decay rates of the running averages of the gradient and of its square
    epsilon : added to the root of the square
    lower_bound, upper_bound : limits of the norm of a weight
    kwargs : see `Optimizer`
    """

    def __init__(
        self,
        learning_rate: float | None = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-6,
        lower_bound: float | None = None,
        upper_bound: float | None = None,
        aggregate_num: int = 4,
        use_fused_step: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            learning_rate=learning_rate,
            aggregate_num=aggregate_num,
            use_fused_step=use_fused_step,
            **kwargs,
        )
        self.beta1, self.beta2, self.epsilon = beta1, beta2, epsilon
        self.lower_bound, self.upper_bound = lower_bound, upper_bound

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """Return both averages in float32, which begin as zeros."""
        return tuple(nd.zeros(weight.shape, weight.context, "float32") for _ in range(2))

    def step(
        self,
        indices: Sequence[Any],
        weights: Sequence[NDArray],
        grads: Sequence[NDArray],
        states: Sequence[Any],
    ) -> None:
        """Update weights in place, and their averages."""
        for index, weight, grad, averages in zip(indices, weights, grads, states, strict=True):
            self._update_count(index)
            self._step(index, weight, grad, averages)

    def _step(
        self, index: Any, weight: NDArray, grad: NDArray, averages: Sequence[NDArray]
    ) -> None:
        t, length = self._index_update_count[index], abs(norm_of(grad) * self.rescale_grad)
        numbers = SimpleNamespace(
            wd=self._get_wd(index),
            rescale=self.rescale_grad / length if length else 0.0,
            clip=self.clip_gradient,
            beta1=self.beta1,
            beta2=self.beta2,
            epsilon=self.epsilon,
            bias1=1.0 - self.beta1**t,
            bias2=1.0 - self.beta2**t,
        )
        direction, ahead = weight.copy(), weight.copy()
        run_rule(updates.lamb_direction, numbers, direction, grad, averages)
        run_rule(updates.lans_look_ahead, numbers, ahead, grad, averages[1:])
        size, rate = norm_of(weight), self._get_lr(index)
        ratio, ratio_ahead = (
            float(trust_ratio(M, size, norm_of(one), self.lower_bound, self.upper_bound))
            for one in (direction, ahead)
        )
        step = SimpleNamespace(
            lr=rate * self.beta1 * ratio, lr_ahead=rate * (1.0 - self.beta1) * ratio_ahead
        )
        run_rule(updates.lans, step, weight, direction, [ahead])


class _Steps:
    """`step` for an optimizer of MXNet 1.x, and 2.0's names of its arguments."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        for kind in type(self).__mro__:
            for new, old in _RENAMED.get(kind.__name__, {}).items():
                if new in kwargs:
                    kwargs[old] = kwargs.pop(new)
        held = {name: kwargs.pop(name) for name in _WITHOUT_EFFECT if name in kwargs}
        super().__init__(*args, **kwargs)
        self.use_fused_step = bool(held.get("use_fused_step", True))

    def step(self, indices: Any, weights: Any, grads: Any, states: Any) -> None:
        """Update weights in place, and their states; see `OptimizerOfTwo.step`."""
        for one in zip(indices, weights, grads, states, strict=True):
            self.update(*one)  # type: ignore[attr-defined]

    def fused_step(self, indices: Any, weights: Any, grads: Any, states: Any) -> None:
        """Update weights in place; see `step`."""
        self.step(indices, weights, grads, states)


class AdaBelief(_Steps, TwoMoments):
    """Adam with the deviation of gradients from their average in place of their size (Zhuang et al., 2020).

    Parameters
    ----------
    learning_rate : scales the steps
    beta1, beta2 : decay rates of the running averages of the gradient and of its squared deviation
    epsilon : added to the squared deviation, and to its root
    correct_bias : correct the bias of averages initialized to zero
    kwargs : see `Optimizer`
    """

    rule = staticmethod(updates.adabelief)

    def __init__(
        self,
        learning_rate: float | None = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-6,
        correct_bias: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, **kwargs)
        self.epsilon, self.correct_bias = epsilon, correct_bias

    def _adjust(self, n: SimpleNamespace, t: int) -> None:
        if self.correct_bias:
            n.lr *= self._corrected(t)


def _of_two(kind: Any) -> Any:
    return type(kind.__name__, (_Steps, kind), {"__module__": __name__, "__doc__": kind.__doc__})


_KEPT = (
    "AdaDelta", "AdaGrad", "Adam", "AdamW", "Adamax", "DCASGD", "FTML", "Ftrl", "LAMB", "LARS", "NAG", "Nadam",
    "RMSProp", "SGD", "SGLD", "Signum", "Test",
)  # fmt: skip
_kinds: dict[str, Any] = {name: _of_two(getattr(of_one, name)) for name in _KEPT}
_kinds |= {"AdaBelief": AdaBelief, "LANS": LANS}
globals().update(_kinds)
Optimizer = OptimizerOfTwo
Optimizer.__name__ = Optimizer.__qualname__ = "Optimizer"
_BY_NAME = {name.lower(): kind for name, kind in _kinds.items()}
__all__ = [*_kinds, "Optimizer", "Updater", "contrib", "create", "get_updater", "register"]


def register(klass: Any) -> Any:
    """Register a class under its name in lower case (a decorator)."""
    _BY_NAME.pop(klass.__name__.lower(), None)
    return of_one.Optimizer.register(klass)


def create(name: str, **kwargs: Any) -> Any:
    """Make an optimizer by name.

    Raises
    ------
    ValueError
        if there is no optimizer with that name
    """
    kind = _BY_NAME.get(name.lower())
    return of_one.create(name, **kwargs) if kind is None else kind(**kwargs)
