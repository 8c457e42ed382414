"""One step of an optimizer for several weights at once.

The inputs stand in groups, a group a weight: the weight, its gradient, its states and, for mixed
precision, its float32 copy. The states are updated in place; there is a new weight in the outputs
for each group.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from gluonic.graph.errors import AttributeValueError
from gluonic.graph.operator import Array, operator
from gluonic.graph.ops.optimizer_update import (
    adamw_update,
    is_usable,
    lamb_update_phase1,
    sgd_mom_update,
    sgd_update,
    trust_ratio,
)
from gluonic.graph.ops.optimizer_update_mixed import FLOAT32, on_master
from gluonic.graph.view import NodeView, unify

Floats = tuple[float, ...]


class Groups:
    """How the inputs of one operator are grouped.

    Parameters
    ----------
    states : the states of a weight
    mixed : whether a float32 copy of the weight follows them
    count : the attribute that holds the number of groups
    last : inputs behind all groups
    """

    def __init__(
        self,
        states: Sequence[str],
        mixed: bool,
        count: str = "num_weights",
        last: Sequence[str] = (),
    ) -> None:
        self.updated = (*states, "weight32") if mixed else tuple(states)
        self.kinds = ("weight", "grad", *self.updated)
        self.narrow = ("weight", "grad") if mixed else self.kinds
        self.count, self.last = count, tuple(last)

    def options(self) -> dict[str, Any]:
        """The fields of the operator."""
        return {
            "arguments": lambda n: [*self._names(n, self.kinds), *self.last],
            "auxiliary": lambda n: self._names(n, self.updated),
            "outputs": lambda n: [f"output{i}" for i in range(getattr(n, self.count))],
            "shape": self.infer_shape,
            "dtype": self.infer_dtype,
        }

    def _names(self, n: Any, kinds: Sequence[str]) -> list[str]:
        return [f"{kind}_{i}" for i in range(getattr(n, self.count)) for kind in kinds]

    def split(self, arrays: Sequence[Array]) -> Iterator[Sequence[Array]]:
        """The arrays of one group after the other."""
        size = len(self.kinds)
        for start in range(0, len(arrays) - len(self.last), size):
            yield arrays[start : start + size]

    def _alike(self, n: NodeView, names: Sequence[str]) -> None:
        common: Any = None
        for name in names:
            common = unify(common, n._known(name), f"{n._title}: {name}")
        for name in names:
            setattr(n, name, common)

    def infer_shape(self, n: NodeView) -> None:
        """All arrays of a group have one shape."""
        count = getattr(n, self.count)
        for name, value in n._settings.items():
            if isinstance(value, tuple) and len(value) != count:
                raise AttributeValueError(f"{n._title}: {name}={value} must hold {count} numbers")
        for i in range(count):
            self._alike(n, [*(f"{kind}_{i}" for kind in self.kinds), f"output{i}"])
        for name in ("lrs", "wds"):
            if name in self.last:
                setattr(n, name, (count,))

    def infer_dtype(self, n: NodeView) -> None:
        """All arrays of a group have one dtype, but in mixed precision the states are float32."""
        for i in range(getattr(n, self.count)):
            self._alike(n, [*(f"{kind}_{i}" for kind in self.narrow), f"output{i}"])
            for kind in self.kinds:
                if kind not in self.narrow:
                    setattr(n, f"{kind}_{i}", FLOAT32)


def _updates(groups: Groups, update: Callable[..., Any], mixed: bool) -> Callable[..., Any]:
    """Apply `update` to each group, with its own settings and the common ones."""
    one = on_master(update) if mixed else update

    def apply(data: Sequence[Array], own: dict[str, Sequence[float]], **common: Any) -> Any:
        results = []
        for i, group in enumerate(groups.split(data)):
            settings = {name: float(values[i]) for name, values in own.items()}
            results.append(one(*group, **settings, **common))
        return tuple(results)

    return apply


def _several_sgd(mixed: bool) -> None:
    groups = Groups((), mixed)
    apply = _updates(groups, sgd_update.kernel, mixed)

    def kernel(
        *data: Array,
        lrs: Floats,
        wds: Floats,
        rescale_grad: float = 1.0,
        clip_gradient: float = -1.0,
        num_weights: int = 1,
    ) -> Any:
        own = {"lr": lrs, "wd": wds}
        return apply(data, own, rescale_grad=rescale_grad, clip_gradient=clip_gradient)

    name = "multi_mp_sgd_update" if mixed else "multi_sgd_update"
    kernel.__doc__ = f"`{'mp_' * mixed}sgd_update` for several weights."
    operator(name, **groups.options())(kernel)


def _several_sgd_mom(mixed: bool) -> None:
    groups = Groups(("mom",), mixed)
    apply = _updates(groups, sgd_mom_update.kernel, mixed)

    def kernel(
        *data: Array,
        lrs: Floats,
        wds: Floats,
        momentum: float = 0.0,
        rescale_grad: float = 1.0,
        clip_gradient: float = -1.0,
        num_weights: int = 1,
    ) -> Any:
        return apply(
            data,
            {"lr": lrs, "wd": wds},
            momentum=momentum,
            rescale_grad=rescale_grad,
            clip_gradient=clip_gradient,
        )

    name = "multi_mp_sgd_mom_update" if mixed else "multi_sgd_mom_update"
    kernel.__doc__ = f"`{'mp_' * mixed}sgd_mom_update` for several weights."
    operator(name, **groups.options())(kernel)


def _preloaded_sgd(mixed: bool) -> None:
    groups = Groups((), mixed, last=("lrs", "wds"))
    apply = _updates(groups, sgd_update.kernel, mixed)

    def kernel(
        *data: Array,
        rescale_grad: float = 1.0,
        clip_gradient: float = -1.0,
        num_weights: int = 1,
    ) -> Any:
        own = {"lr": data[-2], "wd": data[-1]}
        return apply(data, own, rescale_grad=rescale_grad, clip_gradient=clip_gradient)

    name = f"multi_{'mp_' * mixed}sgd_update"
    kernel.__doc__ = f"`{name}` with the learning rates and weight decays as the last two arrays."
    operator(f"preloaded_{name}", **groups.options())(kernel)


def _preloaded_sgd_mom(mixed: bool) -> None:
    groups = Groups(("mom",), mixed, last=("lrs", "wds"))
    apply = _updates(groups, sgd_mom_update.kernel, mixed)

    def kernel(
        *data: Array,
        momentum: float = 0.0,
        rescale_grad: float = 1.0,
        clip_gradient: float = -1.0,
        num_weights: int = 1,
    ) -> Any:
        return apply(
            data,
            {"lr": data[-2], "wd": data[-1]},
            momentum=momentum,
            rescale_grad=rescale_grad,
            clip_gradient=clip_gradient,
        )

    name = f"multi_{'mp_' * mixed}sgd_mom_update"
    kernel.__doc__ = f"`{name}` with the learning rates and weight decays as the last two arrays."
    operator(f"preloaded_{name}", **groups.options())(kernel)


def _several_adamw(mixed: bool) -> None:
    groups = Groups(("mean", "var"), mixed, last=("rescale_grad",))

    def kernel(
        *data: Array,
        lrs: Floats,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        wds: Floats,
        etas: Floats,
        clip_gradient: float = -1.0,
        num_weights: int = 1,
    ) -> Any:
        factor = data[-1]
        common = {
            "beta1": beta1, "beta2": beta2, "epsilon": epsilon, "clip_gradient": clip_gradient,
        }  # fmt: skip

        def one(weight: Array, grad: Array, mean: Array, var: Array, **settings: Any) -> Any:
            return adamw_update.kernel(weight, grad, mean, var, factor, **settings)

        if not is_usable(float(factor.reshape(()))):
            return tuple(group[0] for group in groups.split(data))
        own = {"lr": lrs, "wd": wds, "eta": etas}
        return _updates(groups, one, mixed)(data, own, **common)

    name = f"{'mp_' * mixed}adamw_update"
    kernel.__doc__ = f"`_{name}` for several weights; the last input is `rescale_grad`."
    operator(f"_multi_{name}", **groups.options())(kernel)


def _several_lamb(mixed: bool) -> None:
    groups = Groups(("mean", "var"), mixed, count="num_tensors")

    def kernel(
        *data: Array,
        learning_rates: Floats,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-6,
        wds: Floats,
        rescale_grad: float = 1.0,
        lower_bound: float = -1.0,
        upper_bound: float = -1.0,
        clip_gradient: float = -1.0,
        bias_correction: bool = True,
        step_count: tuple[int, ...],
        num_tensors: int = 1,
    ) -> Any:
        def one(
            weight: Array, grad: Array, mean: Array, var: Array, *, lr: float, wd: float, t: float
        ) -> Any:
            g = lamb_update_phase1.kernel(
                weight, grad, mean, var, beta1=beta1, beta2=beta2, epsilon=epsilon, t=t, wd=wd,
                bias_correction=bias_correction, rescale_grad=rescale_grad,
                clip_gradient=clip_gradient,
            )  # fmt: skip
            r1, r2 = (np.sqrt(np.sum(np.square(a), keepdims=True)) for a in (weight, g))
            return weight - lr * trust_ratio(r1, r2, lower_bound, upper_bound) * g

        own = {"lr": learning_rates, "wd": wds, "t": step_count}
        return _updates(groups, one, mixed)(data, own)

    name = f"_multi_{'mp_' * mixed}lamb_update"
    kernel.__doc__ = """A step of LAMB for several weights, both phases of it."""
    operator(name, **groups.options())(kernel)


for _mixed in (False, True):
    _several_sgd(_mixed)
    _several_sgd_mom(_mixed)
    _preloaded_sgd(_mixed)
    _preloaded_sgd_mom(_mixed)
    _several_adamw(_mixed)
    _several_lamb(_mixed)


@operator(
    "reset_arrays",
    count="num_arrays",
    outputs=(),
    auxiliary=lambda n: [f"data{i}" for i in range(n.num_arrays)],
    shape=lambda n: None,
    dtype=lambda n: None,
)
def reset_arrays(*data: Array, num_arrays: int) -> tuple[()]:
    """Set all elements of some arrays to 0, in place; there is no output."""
    for array in data:
        array[...] = 0
    return ()
