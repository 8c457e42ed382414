"""Which operators of a graph draw random numbers."""

from collections.abc import Callable
from typing import Any

from gluonic.graph.node import Node
from gluonic.graph.ops.dropout import drops
from gluonic.graph.subgraphs import held_graphs

_DRAWS_NOTHING = {
    "BatchNorm",
    "BatchNorm_v1",
    "_contrib_BatchNormWithReLU",
    "_contrib_SyncBatchNorm",
    "IdentityAttachKLSparseReg",
    "Custom",
}
"""Operators that depend on training mode, but draw no numbers."""


def _drops(settings: dict[str, Any], train: bool) -> bool:
    return drops(train, settings["mode"], settings["p"])


_DRAWS: dict[str, Callable[[dict[str, Any], bool], bool]] = {
    "Dropout": _drops,
    "LeakyReLU": lambda settings, train: train and settings["act_type"] == "rrelu",
    "RNN": lambda settings, train: train and settings["p"] > 0 and settings["num_layers"] > 1,
}
"""For operators that draw only sometimes, the condition."""


_SAMPLERS = "_draw_", "_random_", "_sample_"
_CHOICES = {"_sample_multinomial", "_sample_unique_zipfian"}


def only_draws(node: Node) -> bool:
    """Whether a node only fills an array with numbers of a distribution."""
    name = node.operator_name
    return name.startswith(_SAMPLERS) and name not in _CHOICES and draws(node, train=True)


def draws(node: Node, train: bool) -> bool:
    """Whether a node draws random numbers."""
    application = node.application
    if application is None or application.op.run_name is None:
        return False
    graphs = held_graphs(node)
    if graphs:
        return any(draws(inner, train) for graph in graphs for inner in graph.nodes)
    name = application.op.name
    rule = _DRAWS.get(name)
    return name not in _DRAWS_NOTHING if rule is None else rule(application.settings, train)
