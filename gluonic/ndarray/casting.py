"""Mixed precision of operators that are called on arrays."""

from collections.abc import Sequence
from typing import Any

from gluonic.graph import REGISTRY, Application, casting
from gluonic.graph.casting import FULL
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.invoke import invoke


def cast_inputs(application: Application, inputs: Sequence[Any]) -> Sequence[Any]:
    """Return the inputs of a call as `casting.current` wants them; only floating-point ones are cast."""
    rules = casting.current
    kind = None if rules is None else rules.kind(application)
    if rules is None or kind is None:
        return inputs
    if kind == "widest":
        is_full = any(isinstance(x, NDArray) and x.dtype == FULL for x in inputs)
        wanted = FULL if is_full else rules.low
    else:
        wanted = rules.low if kind == "low" else FULL
    other = rules.low if wanted == FULL else FULL
    return [
        _cast(x, wanted)
        if isinstance(x, NDArray) and x.dtype == other and not rules.stays(application, name)
        else x
        for name, x in zip(application.inputs, inputs, strict=True)
    ]


def _cast(x: NDArray, dtype: Any) -> NDArray:
    return invoke(REGISTRY["amp_cast"].apply({"dtype": dtype}), (x,))[0]


def cast_call(application: Application, inputs: Sequence[Any]) -> tuple[Application, Sequence[Any]]:
    """Return an operator's call as `casting.current` wants it: inputs cast, the gradients of losses scaled."""
    rules = casting.current
    if rules is not None and application.op.name in rules.scaled_losses:
        settings = dict(application.settings)
        settings["grad_scale"] = settings["grad_scale"] * rules.loss_scale()
        application = application.op.apply(settings)
    return application, cast_inputs(application, inputs)
