"""Fusing layers for oneDNN, as MXNet does: chains of nodes become one node that holds them as a graph.

    before   data, weight → Convolution → BatchNorm → elemwise_add other → Activation
    after    data, weight, gamma, beta, mean, var, other → _sg_mkldnn_conv

Nodes, names and attributes equal MXNet's, so that files are alike. A value that others read, or that the graph
returns, ends a chain.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from gluonic.graph.groups import CutGroup, Maker, cut_out, replace_groups
from gluonic.graph.infer import infer
from gluonic.graph.node import Entry, Graph, Node
from gluonic.graph.operator import REGISTRY
from gluonic.graph.ops.windows import is_channels_last
from gluonic.graph.subgraphs import Subgraphs

Chain = list[Node]
_OFF = ("", "0", "false", "False")
_FLOATS = ("float32", "bfloat16")


def is_disabled(*switches: str) -> bool:
    """Whether one of MXNet's environment variables ``MXNET_DISABLE_MKLDNN_…`` turns a fusion off."""
    return any(os.environ.get(f"MXNET_DISABLE_MKLDNN_{s}", "") not in _OFF for s in switches)


class Pattern(NamedTuple):
    """Chains of nodes that are fused.

    Attributes
    ----------
    begins : whether a chain begins with a node
    goes_on : whether a node joins a chain that it alone reads
    fused : the operator of the node for a chain, the prefix of its name, and its attributes
    """

    begins: Callable[[Node], bool]
    goes_on: Callable[[Chain, Node], bool]
    fused: Callable[[Chain], tuple[str, str, dict[str, str]]]


def chains(
    graph: Graph, begins: Callable[[Node], bool], goes_on: Callable[[Chain, Node], bool]
) -> list[Chain]:
    """All chains of a pattern, disjoint, in the order of their first nodes."""
    returned = {entry.node for entry in graph.outputs}
    taken: set[Node] = set()
    found: list[Chain] = []
    for node in graph.nodes:
        if node.is_variable or node in taken or not begins(node):
            continue
        chain = [node]
        while chain[-1] not in returned and len(readers := graph.consumers[chain[-1]]) == 1:
            (reader,) = readers
            if reader in taken or not goes_on(chain, reader):
                break
            chain.append(reader)
        taken.update(chain)
        found.append(chain)
    return found


def fuse(graph: Graph, pattern: Pattern) -> Graph:
    """Return a graph in which chains of a pattern are single nodes."""
    makers: list[tuple[CutGroup, Maker]] = []
    names: dict[Node, str] = {}
    for number, chain in enumerate(chains(graph, pattern.begins, pattern.goes_on)):
        operator, prefix, attributes = pattern.fused(chain)
        name = f"{prefix}_{number}"
        cut = _cut(graph, chain, names)
        makers.append((cut, _maker(cut, name, operator, attributes)))
        names[chain[-1]] = name
    return replace_groups(graph, makers)


def _cut(graph: Graph, chain: Chain, names: Mapping[Node, str]) -> CutGroup:
    """Cut a chain out of a graph; its only output is the last node's first, whoever reads it.

    Parameters
    ----------
    names : the names of the nodes for earlier chains, by their last nodes
    """

    def name_of(entry: Entry) -> str:
        return f"{names[entry.node]}_output" if entry.node in names else entry.name

    cut = cut_out(graph, chain, lambda entry: {}, dedup=False, name_of=name_of)
    last = cut.graph.outputs[0].node
    cut.graph = Graph([_summand_last(last).entry()])
    cut.results, cut.readers = [chain[-1].entry()], [[e for edges in cut.readers for e in edges]]
    return cut


def _summand_last(node: Node) -> Node:
    """A chain, given its last node, in which the chain is the left operand of the addition."""
    chain = [node]
    while inner := [e.node for e in chain[-1].inputs if not e.node.is_variable]:
        chain.append(inner[0])
    made: Node | None = None
    for old in reversed(chain):
        inputs = [
            e if e.node.is_variable or made is None else Entry(made, e.index) for e in old.inputs
        ]
        if old.operator_name == "elemwise_add" and inputs[0].node.is_variable:
            inputs.reverse()
        made = old.with_inputs(inputs)
    assert made is not None
    return made


def _maker(cut: CutGroup, name: str, operator: str, attributes: dict[str, str]) -> Maker:
    held = Subgraphs([cut.graph])
    first = cut.group[0]

    def make(inputs: Sequence[Entry]) -> Node:
        application = REGISTRY[operator].apply({**attributes, "subgraphs": held})
        return Node(application, name, inputs, attributes, first.location, first.block)

    return make


def _settings(node: Node) -> Mapping[str, Any]:
    return node.applied.settings


def _kind(node: Node) -> Any:
    return _settings(node).get("act_type")


_ACTIVATIONS = ("relu", "sigmoid", "softrelu", "tanh")


def _is_fused_activation(node: Node, leaky: Iterable[str], *, quantize: bool) -> bool:
    """Whether a chain may end with an activation function.

    Parameters
    ----------
    leaky : the kinds of LeakyReLU that it may be
    quantize : whether the result is to be quantized: other activations than rectifiers are left alone
    """
    match node.operator_name:
        case "Activation":
            return _kind(node) in (("relu",) if quantize else _ACTIVATIONS)
        case "LeakyReLU":
            return _kind(node) in leaky
        case "clip":
            return bool(_settings(node)["a_min"] == 0)
    return False


def _convolution(dtypes: Mapping[Node, Any], *, quantize: bool) -> Pattern:
    """Convolution, then a normalization, then an addition, then an activation; each but the first may lack."""

    def begins(node: Node) -> bool:
        if node.operator_name != "Convolution" or is_disabled("CONV_OPT"):
            return False
        settings = _settings(node)
        is_of_images = len(settings["kernel"]) in (2, 3) and not is_channels_last(
            settings["layout"]
        )
        return is_of_images and _is_float(node, dtypes)

    return Pattern(begins, partial(_follows_convolution, quantize=quantize), _fused_convolution)


def _follows_convolution(chain: Chain, node: Node, *, quantize: bool) -> bool:
    last, name = chain[-1].operator_name, node.operator_name
    if last not in ("Convolution", "BatchNorm", "elemwise_add"):
        return False
    if name == "BatchNorm":
        fits = last == "Convolution" and _settings(node)["axis"] == 1
        return fits and not is_disabled("FUSE_CONV_BN")
    if name == "elemwise_add":
        one, other = (entry.node for entry in node.inputs)
        return last != name and one is not other and not is_disabled("FUSE_CONV_SUM")
    if name == "clip" and quantize and last == "elemwise_add":
        return False
    fits = _is_fused_activation(node, ("leaky", "gelu"), quantize=quantize)
    return fits and not is_disabled("FUSE_CONV_RELU")


def _fused_convolution(chain: Chain) -> tuple[str, str, dict[str, str]]:
    words, attributes = ["conv"], {}
    for node in chain[1:]:
        word, attribute = _CONV_WORDS.get(node.operator_name, ("act", "with_act"))
        if word == "act" and "with_sum" in attributes:
            attribute = "with_postsum_act"
        words.append(word)
        attributes[attribute] = "true"
    return "_sg_mkldnn_conv", "_".join(["sg_mkldnn", *words]), attributes


_CONV_WORDS = {"BatchNorm": ("bn", "with_bn"), "elemwise_add": ("add", "with_sum")}


def _fully_connected(dtypes: Mapping[Node, Any], *, quantize: bool) -> Pattern:
    """A fully connected layer, then a function of each element."""

    def begins(node: Node) -> bool:
        is_layer = node.operator_name == "FullyConnected"
        return is_layer and _is_float(node, dtypes) and not is_disabled("FC_OPT")

    def goes_on(chain: Chain, node: Node) -> bool:
        if len(chain) > 1 or is_disabled("FUSE_FC_ELTWISE"):
            return False
        if node.operator_name in ("square", "sqrt", "exp"):
            return not quantize
        leaky = ("leaky", "elu", "gelu")
        return node.operator_name == "abs" or _is_fused_activation(node, leaky, quantize=quantize)

    def fused(chain: Chain) -> tuple[str, str, dict[str, str]]:
        name = "_sg_mkldnn_fully_connected"
        if len(chain) == 1:
            return name, name[1:], {}
        return name, f"{name[1:]}_eltwise", {"with_eltwise": "True"}

    return Pattern(begins, goes_on, fused)


_ATTENTION = "_contrib_interleaved_matmul_"


def _attention(dtypes: Mapping[Node, Any], *, quantize: bool) -> Pattern:
    """A product of attention, alone."""

    def begins(node: Node) -> bool:
        products = (f"{_ATTENTION}selfatt_qk", f"{_ATTENTION}selfatt_valatt")
        return node.operator_name in products and not is_disabled("TRANSFORMER_OPT")

    def fused(chain: Chain) -> tuple[str, str, dict[str, str]]:
        name = f"sg_mkldnn_{chain[0].operator_name.removeprefix(_ATTENTION)}"
        heads = str(_settings(chain[0])["heads"])
        flags = {"quantized": "False", "enable_float_output": "False"}
        return f"_{name}", name, {"heads": heads, **flags}

    return Pattern(begins, lambda chain, node: False, fused)


def _is_float(node: Node, dtypes: Mapping[Node, Any]) -> bool:
    """Whether a layer's data may be float32, as far as is known."""
    data = node.inputs[0]
    known = dtypes[data.node][data.index] if data.node in dtypes else None
    return known is None or known.name in _FLOATS


def without_copies(graph: Graph) -> Graph:
    """Return a graph without copies and dropout, which do nothing in inference, where an operator precedes."""
    taken: set[Node] = set()

    def replace(node: Node, inputs: Sequence[Entry]) -> Sequence[Entry] | None:
        if not _is_copy(node):
            return None
        before = node.inputs[0].node
        if before.is_variable or _is_copy(before) or before in taken:
            return None
        taken.update((node, before))
        return [inputs[0]] * node.output_count

    return graph.rewrite(replace)


def _is_copy(node: Node) -> bool:
    is_dropout = node.operator_name == "Dropout" and _settings(node)["mode"] == "training"
    return is_dropout or node.operator_name == "_copy"


def fuse_layers(graph: Graph, known: Mapping[str, Any], *, quantize: bool) -> Graph:
    """Return a graph with fused layers.

    Parameters
    ----------
    known : dtypes of variables by name; layers of others than float32 are not fused
    quantize : whether the layers are to be quantized
    """
    graph = without_copies(graph)
    for make in (_convolution, _fully_connected, _attention):
        if make is _attention and quantize:  # the fused layers may have left further ones
            graph = without_copies(graph)
        graph = fuse(graph, make(_dtypes(graph, known), quantize=quantize))
    return graph


def _dtypes(graph: Graph, known: Mapping[str, Any]) -> Mapping[Node, Any]:
    given = {node: known[node.name] for node in graph.variables if node.name in known}
    return infer(graph, "dtype", given) if given else {}
