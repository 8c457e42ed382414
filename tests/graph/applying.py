"""Applying one operator by name: to arrays, and to partial shapes."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt

from gluonic.graph import ops  # noqa: F401 - fills the registry
from gluonic.graph.application import Application
from gluonic.graph.kernel_runs import run_node
from gluonic.graph.operator import REGISTRY, Run
from gluonic.graph.random_source import RandomSource
from gluonic.graph.rules import same
from gluonic.graph.view import PartialShape, Unknown, slots_of

Array = npt.NDArray[Any]


def application(name: str, inputs: int, attributes: dict[str, Any]) -> Application:
    op = REGISTRY[name]
    if op.count is not None:
        attributes = {op.count: inputs - len(op.inputs), **attributes}
    return op.apply(attributes)


def apply(name: str, *arrays: Any, **attributes: Any) -> Any:
    """The outputs that a user sees; alone, if there is one."""
    used = application(name, len(arrays), attributes)
    run = Run(train=False, random=RandomSource(0))
    outputs = run_node(used, [np.asarray(array) for array in arrays], run)[: used.visible]
    return outputs[0] if len(outputs) == 1 else outputs


def infer_shapes(
    name: str,
    inputs: Sequence[PartialShape | None],
    outputs: Sequence[PartialShape | None] = (None,),
    **attributes: Any,
) -> list[PartialShape | None]:
    """All that the shape rule finds out, about the inputs and then the outputs."""
    slots: list[Any] = [*inputs, *outputs]
    used = application(name, len(inputs), attributes)
    view = used.view(slots)
    with suppress(Unknown):
        (used.op.shape or same)(view)
    return list(slots_of(view).values())
