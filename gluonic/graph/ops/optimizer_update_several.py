"""One step of an optimizer for several weights at once.

The inputs are in groups, one per weight: the weight, its gradient, its states and, for mixed
precision, its float32 copy. The states are updated in place; the outputs are the new weights, one
per group.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gluonic.graph.errors import AttributeValueError
from gluonic.graph.operator import Array, Operator, operator
from gluonic.graph.ops.optimizer_update import (
    adamw_update,
    lamb_update_phase1,
    lamb_update_phase2,
    sgd_mom_update,
    sgd_update,
)
from gluonic.graph.ops.optimizer_update_mixed import (
    mp_adamw_update,
    mp_lamb_update_phase1,
    mp_lamb_update_phase2,
    mp_sgd_mom_update,
    mp_sgd_update,
)
from gluonic.graph.trust_ratio import norm
from gluonic.graph.update_operators import FLOAT32, UPDATES, unify_all
from gluonic.graph.view import NodeView, put, settings_of, title_of

Floats = tuple[float, ...]


class Groups:
    """How the inputs of one operator are grouped.

    Parameters
    ----------
    op : the operator that updates one weight
    count : the attribute that holds the number of groups
    last : inputs after all groups
    """

    def __init__(self, op: Operator, count: str, last: Sequence[str]) -> None:
        self.updated = op.states
        self.kinds = ("weight", "grad", *self.updated)
        self.narrow = ("weight", "grad") if "weight32" in self.updated else self.kinds
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

    def infer_shape(self, n: NodeView) -> None:
        """The shape rule: all arrays of a group have equal shapes."""
        count = getattr(n, self.count)
        for name, value in settings_of(n).items():
            if isinstance(value, tuple) and len(value) != count:
                raise AttributeValueError(
                    f"{title_of(n)}: {name}={value} must hold {count} numbers"
                )
        for i in range(count):
            unify_all(n, [*(f"{kind}_{i}" for kind in self.kinds), f"output{i}"])
        for name in ("lrs", "wds"):
            if name in self.last:
                put(n, name, (count,))

    def infer_dtype(self, n: NodeView) -> None:
        """The dtype rule: all arrays of a group have one dtype, but in mixed precision states are float32."""
        for i in range(getattr(n, self.count)):
            unify_all(n, [*(f"{kind}_{i}" for kind in self.narrow), f"output{i}"])
            for kind in self.kinds:
                if kind not in self.narrow:
                    put(n, f"{kind}_{i}", FLOAT32)


def _several(
    name: str,
    parts: Sequence[Operator],
    own: Mapping[str, str],
    *,
    update: Callable[..., Any] | None = None,
    count: str = "num_weights",
    last: Sequence[str] = (),
) -> None:
    """Register an update of several weights.

    Parameters
    ----------
    parts : the operators that update one weight, one after the other
    own : their attributes with a value per weight, and the names of the sequences of these values
    update : calls the parts; needed if there are several
    count : the attribute that holds the number of weights
    last : inputs after all groups: the values of `own` as arrays, or inputs that all weights share
    """
    groups = Groups(parts[0], count, last)
    if update is None:
        UPDATES[name] = replace(UPDATES[parts[0].name], count=count, own=own)
    preloaded = set(own.values()) <= set(last)
    step = update or parts[0].kernel

    def kernel(*data: Array, **settings: Any) -> tuple[Array, ...]:
        del settings[count]
        behind = data[len(data) - len(last) :]
        if preloaded:
            values, behind = dict(zip(own, behind, strict=True)), ()
        else:
            values = {one: settings.pop(several) for one, several in own.items()}
        return tuple(
            step(
                *group,
                *behind,
                **{one: float(value[i]) for one, value in values.items()},
                **settings,
            )
            for i, group in enumerate(groups.split(data))
        )

    kernel.__signature__ = _signature(parts, own, count, preloaded)  # type: ignore[attr-defined]
    kernel.__doc__ = f"{' and '.join(f'`{op.name}`' for op in parts)} for several weights."
    if preloaded:
        kernel.__doc__ += f" The last {len(last)} inputs are {' and '.join(last)}."
    operator(name, **groups.options())(kernel)


def _signature(
    parts: Sequence[Operator], own: Mapping[str, str], count: str, preloaded: bool
) -> inspect.Signature:
    """The attributes of `parts`, with sequences for those that have a value per weight."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    given = {
        p.name: p
        for op in parts
        for p in inspect.signature(op.kernel).parameters.values()
        if p.kind is keyword and p.name not in (*own, "lazy_update")
    }
    sequences = [inspect.Parameter(name, keyword, annotation=Floats) for name in own.values()]
    return inspect.Signature(
        [
            inspect.Parameter("data", inspect.Parameter.VAR_POSITIONAL, annotation=Array),
            *([] if preloaded else sequences),
            *given.values(),
            inspect.Parameter(count, keyword, annotation=int, default=1),
        ]
    )


def _lamb(phase1: Operator, phase2: Operator) -> Callable[..., Array]:
    """Both phases of LAMB for one weight, with or without a float32 copy."""

    def update(
        weight: Array,
        *arrays: Array,
        lr: float,
        lower_bound: float,
        upper_bound: float,
        **settings: Any,
    ) -> Array:
        direction = phase1.kernel(weight, *arrays, **settings)
        master = arrays[3:]
        norms = [np.array([norm(array)]) for array in ((*master, weight)[0], direction)]
        bounds = {"lower_bound": lower_bound, "upper_bound": upper_bound}
        result: Array = phase2.kernel(weight, direction, *norms, *master, lr=lr, **bounds)
        return result

    return update


_SGD = {"lr": "lrs", "wd": "wds"}
_ADAMW = {**_SGD, "eta": "etas"}
for _op in (sgd_update, mp_sgd_update, sgd_mom_update, mp_sgd_mom_update):
    _several(f"multi_{_op.name}", [_op], _SGD)
    _several(f"preloaded_multi_{_op.name}", [_op], _SGD, last=("lrs", "wds"))
for _op in (adamw_update, mp_adamw_update):
    _several(f"_multi{_op.name}", [_op], _ADAMW, last=("rescale_grad",))
for _mixed, *_phases in (
    ("", lamb_update_phase1, lamb_update_phase2),
    ("mp_", mp_lamb_update_phase1, mp_lamb_update_phase2),
):
    _several(
        f"_multi_{_mixed}lamb_update",
        _phases,
        {"lr": "learning_rates", "wd": "wds", "t": "step_count"},
        update=_lamb(*_phases),
        count="num_tensors",
    )


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
