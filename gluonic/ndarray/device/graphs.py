"""Graphs on a device: hybridized blocks, and symbols bound to arrays there."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gluonic.device import Device
from gluonic.graph import Node
from gluonic.graph.errors import MXNetError
from gluonic.graph.kernel_runs import name_line
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.device.calls import check_contexts, invoke_on

if TYPE_CHECKING:
    from gluonic.ndarray.cached_op import CachedGraph


def run_graph(called: "CachedGraph", inputs: Sequence[NDArray]) -> list[NDArray]:
    """Compute the outputs of a graph for arrays on a device; recorded on the tape."""
    device = check_contexts("a hybridized block", inputs)
    values = {node.entry(): x for node, x in zip(called.inputs, inputs, strict=True)}
    for node in called.graph.nodes:
        if not node.is_variable:
            found = _run_node(device, node, [values[entry] for entry in node.inputs])
            values.update((node.entry(i), x) for i, x in enumerate(found))
    outputs = [values[entry] for entry in called.graph.outputs]
    if called.kind.of_numpy:
        return [x.as_np_ndarray() for x in outputs]
    return [x.as_nd_ndarray() for x in outputs]


def _run_node(device: Device, node: Node, inputs: Sequence[NDArray]) -> list[NDArray]:
    try:
        return invoke_on(device, node.applied, inputs, NDArray)
    except MXNetError as error:
        name_line(node, error)
        raise
