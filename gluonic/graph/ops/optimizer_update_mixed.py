"""One step of an optimizer for one weight in mixed precision.

The weight and the states are kept in float32; the weight that is returned has its own dtype.
"""

import inspect
from dataclasses import replace
from typing import Any

import numpy as np

from gluonic.graph.operator import Array, Operator, Rule, State, operator
from gluonic.graph.ops.optimizer_update import (
    adamw_update,
    lamb_update_phase1,
    lamb_update_phase2,
    nag_mom_update,
    phase2_shape,
    sgd_mom_update,
    sgd_update,
)
from gluonic.graph.rules import same
from gluonic.graph.update_operators import UPDATES, all_but, narrow


def _mixed_precision(
    op: Operator,
    name: str,
    *,
    shape: Rule = same,
    narrow_ones: tuple[str, ...] = ("weight", "grad", "output"),
    last: tuple[str, ...] = (),
    is_new_weight: bool = True,
) -> Operator:
    """Register an update with a float32 copy of the weight, `weight32`, after its other inputs.

    Parameters
    ----------
    op : the update of a weight without such a copy
    narrow_ones : inputs and outputs of the weight's dtype; the others are float32
    last : inputs that come after `weight32`
    is_new_weight : whether the output is the new weight, which is written to `weight32` too
    """
    parameters = list(inspect.signature(op.kernel).parameters.values())
    inputs = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD and p.name not in last]
    master = inspect.Parameter(
        "weight32", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=State
    )
    others = [p for p in parameters if p not in inputs]
    count = len(inputs)

    def kernel(weight: Array, grad: Array, *arrays: Array, **settings: Any) -> Any:
        given = [grad.astype(np.float32), *arrays]
        weight32 = given.pop(count - 1)
        result = op.kernel(weight32, *given, **settings)
        if is_new_weight:
            weight32[...] = result
        return result

    kernel.__signature__ = inspect.Signature([*inputs, master, *others])  # type: ignore[attr-defined]
    kernel.__doc__ = f"As `{op.name}`, with the weight in float32, kept in `weight32`."
    UPDATES[name] = replace(UPDATES[op.name], is_mixed=True, is_new_weight=is_new_weight)
    return operator(name, shape=shape, dtype=narrow(*narrow_ones))(kernel)


mp_sgd_update = _mixed_precision(sgd_update, "mp_sgd_update")
mp_sgd_mom_update = _mixed_precision(sgd_mom_update, "mp_sgd_mom_update")
mp_nag_mom_update = _mixed_precision(nag_mom_update, "mp_nag_mom_update")
mp_adamw_update = _mixed_precision(
    adamw_update, "_mp_adamw_update", shape=all_but("rescale_grad"), last=("rescale_grad",)
)
mp_lamb_update_phase1 = _mixed_precision(
    lamb_update_phase1, "mp_lamb_update_phase1", narrow_ones=("weight", "grad"), is_new_weight=False
)
mp_lamb_update_phase2 = _mixed_precision(
    lamb_update_phase2,
    "mp_lamb_update_phase2",
    shape=phase2_shape,
    narrow_ones=("weight", "output"),
)
