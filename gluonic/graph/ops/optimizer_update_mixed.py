"""One step of an optimizer for one weight in mixed precision.

The weight and the states are kept in float32; the weight that is returned has its own dtype.
"""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, Operator, Rule, State, operator
from gluonic.graph.ops.optimizer_update import (
    adamw_update,
    all_but,
    lamb_update_phase1,
    lamb_update_phase2,
    nag_mom_update,
    phase2_shape,
    sgd_mom_update,
    sgd_update,
)
from gluonic.graph.rules import same
from gluonic.graph.view import NodeView, unify

FLOAT32 = np.dtype(np.float32)
Update = Callable[..., Any]


def narrow(*names: str) -> Rule:
    """The dtype rule: those named have one floating dtype, all others are float32."""

    def rule(n: NodeView) -> None:
        common = None
        for name in names:
            common = unify(common, n._known(name), f"{n._title}: {name}")
        if common is not None and common.kind != "f":
            raise InferenceError(f"{n._title}: weight must be floating, not {common.name}")
        for name in n._slots:
            setattr(n, name, common if name in names else FLOAT32)

    return rule


def on_master(update: Update) -> Update:
    """An update of a float32 copy of the weight, its last array."""

    def mixed(weight: Array, grad: Array, *arrays: Array, **settings: Any) -> Any:
        *states, master = arrays
        master[...] = update(master, grad.astype(np.float32), *states, **settings)
        return master

    return mixed


def mixed_precision(
    name: str, op: Operator, update: Update, *rules: Rule, last: tuple[str, ...] = ()
) -> None:
    """Register `update` with the signature of `op` and a `weight32` behind its inputs.

    Parameters
    ----------
    rules : its shape and its dtype rule
    last : inputs that still come after `weight32`
    """
    parameters = list(inspect.signature(op.kernel).parameters.values())
    inputs = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD and p.name not in last]
    master = inspect.Parameter(
        "weight32", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=State
    )
    others = [p for p in parameters if p not in inputs]

    def kernel(*arrays: Array, **settings: Any) -> Any:
        return update(*arrays, **settings)

    kernel.__signature__ = inspect.Signature([*inputs, master, *others])  # type: ignore[attr-defined]
    kernel.__doc__ = f"As `{op.name}`, with the weight in float32, kept in `weight32`."
    shape, dtype = rules
    operator(name, shape=shape, dtype=dtype)(kernel)


_WEIGHT = ("weight", "grad", "output")
for _op in (sgd_update, sgd_mom_update, nag_mom_update):
    mixed_precision(f"mp_{_op.name}", _op, on_master(_op.kernel), same, narrow(*_WEIGHT))


def _adamw_on_master(
    weight: Array,
    grad: Array,
    mean: Array,
    var: Array,
    weight32: Array,
    *rest: Array,
    **settings: Any,
) -> Any:
    wide = grad.astype(np.float32)
    weight32[...] = adamw_update.kernel(weight32, wide, mean, var, *rest, **settings)
    return weight32


mixed_precision(
    "_mp_adamw_update",
    adamw_update,
    _adamw_on_master,
    all_but("rescale_grad"),
    narrow(*_WEIGHT),
    last=("rescale_grad",),
)


def _lamb_direction(
    weight: Array, grad: Array, mean: Array, var: Array, weight32: Array, **settings: Any
) -> Any:
    wide = grad.astype(np.float32)
    return lamb_update_phase1.kernel(weight32, wide, mean, var, **settings)


mixed_precision(
    "mp_lamb_update_phase1", lamb_update_phase1, _lamb_direction, same, narrow("weight", "grad")
)
mixed_precision(
    "mp_lamb_update_phase2",
    lamb_update_phase2,
    on_master(lamb_update_phase2.kernel),
    phase2_shape,
    narrow("weight", "output"),
)
