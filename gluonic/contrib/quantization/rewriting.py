"""Quantization of a float32 graph.

    before   data, weight, bias → Convolution → Activation → softmax
    after    data → quantize_v2 ⎫
             weight_quantize, … ⎬→ quantized_conv → requantize → quantized_act → dequantize → softmax

Nodes and names equal those of MXNet's pass, so that files are alike.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gluonic.contrib.numbered_outputs import output_suffix
from gluonic.contrib.quantization.layers import Form, form_of
from gluonic.graph import REGISTRY, Entry, Graph, Node
from gluonic.graph.errors import warn
from gluonic.graph.onednn import range_texts, with_attributes
from gluonic.graph.subgraphs import held_graphs

_FIRST_ROUNDING = "_contrib_quantize_v2"
_ROUNDING = (_FIRST_ROUNDING, "_contrib_quantize_asym", "_contrib_requantize")
_NORM = "_contrib_quantized_batch_norm"
_PREFIX = "quantized_"


class Quantizing(NamedTuple):
    """The options of a quantization.

    Attributes
    ----------
    excluded : names of nodes that stay float32
    excluded_operators : names of operators that stay float32
    offline : parameters that are passed quantized, so that calls do not quantize them
    out_type : the quantized dtype: ``int8``, ``uint8`` or ``auto``
    everything : whether to quantize all operators that can be, not only layers with weights and the
        operators between them
    by_channel : whether fused fully connected layers have a range for each row of their weights
    """

    excluded: frozenset[str] = frozenset()
    excluded_operators: frozenset[str] = frozenset()
    offline: frozenset[str] = frozenset()
    out_type: str = "int8"
    everything: bool = False
    by_channel: bool = False


class Quantized(NamedTuple):
    """A quantized graph.

    Attributes
    ----------
    graph : the graph
    calibrated : the names of the float32 graph's values whose ranges it needs
    """

    graph: Graph
    calibrated: list[str]


class _Small(NamedTuple):
    """Quantized numbers, with their minimum and maximum."""

    numbers: Entry
    low: Entry
    high: Entry


def quantize(graph: Graph, options: Quantizing) -> Quantized:
    """Return a quantized graph of new nodes; its outputs are float32."""
    made = _Quantization(_forms(graph, options), options)
    for node in graph.nodes:
        made.add(node)
    result = Graph([made.plain(entry) for entry in graph.outputs])
    return Quantized(result, [made.sources[n].name for n in result.nodes if n in made.sources])


def _forms(graph: Graph, options: Quantizing) -> dict[Node, Form]:
    """The nodes to quantize."""
    found: dict[Node, Form] = {}
    for node in graph.nodes:
        form = form_of(node, by_channel=options.by_channel)
        names = {node.name, *(inner.name for graph in held_graphs(node) for inner in graph.nodes)}
        is_excluded = names & options.excluded or node.operator_name in options.excluded_operators
        if form is not None and not is_excluded:
            found[node] = form
    # the statistics of a normalization have no quantized form
    for entry in (*graph.reads, *graph.outputs):
        if entry.index and entry.node in found and not found[entry.node].floats:
            del found[entry.node]
    return found if options.everything else _between(found)


def _between(forms: dict[Node, Form]) -> dict[Node, Form]:
    """The nodes that are worthwhile to quantize, and those on paths between two of them."""
    import networkx

    network: networkx.DiGraph[Node] = networkx.DiGraph()
    network.add_nodes_from(forms)
    network.add_edges_from(
        (entry.node, node) for node in forms for entry in node.inputs if entry.node in forms
    )
    worth = [node for node, form in forms.items() if form.is_worthwhile]
    after, before = (
        {node for layer in networkx.bfs_layers(one, worth) for node in layer}
        for one in (network, network.reverse(copy=False))
    )
    return {node: form for node, form in forms.items() if node in after and node in before}


def _made(op: str, name: str, inputs: Sequence[Entry], attributes: Mapping[str, str]) -> Node:
    return Node(REGISTRY[op].apply(attributes), name, inputs, attributes)


def _is_weight(node: Node, index: int) -> bool:
    """Whether an input must be int8."""
    return node.applied.inputs[index] in ("weight", "bias")


class _Quantization:
    """The new graph during its construction.

    Attributes
    ----------
    nodes : the new node of each old one
    small : by old entry and by whether the quantization is asymmetric, its quantized value, if it has been
        requested
    floats : by old entry of a quantized node, its dequantized value, if it has been requested
    sources : by new node that quantizes, the old entry whose range it needs
    """

    def __init__(self, forms: Mapping[Node, Form], options: Quantizing) -> None:
        self.forms, self.options = forms, options
        self.nodes: dict[Node, Node] = {}
        self.small: dict[tuple[Entry, bool], _Small] = {}
        self.floats: dict[Entry, Entry] = {}
        self.sources: dict[Node, Entry] = {}

    def add(self, node: Node) -> None:
        """Create the new node of an old one."""
        form = self.forms.get(node)
        if form is None:
            self.nodes[node] = node.with_inputs([self.plain(entry) for entry in node.inputs])
            return
        inputs: list[Entry] = []
        ranges: list[Entry] = []
        for index, entry in enumerate(node.inputs):
            if index in form.kept:
                inputs.append(self.plain(entry))
            else:
                small = self._rounded(entry, index in form.asymmetric, _is_weight(node, index))
                inputs.append(small.numbers)
                ranges += small.low, small.high
        new = self._quantized(node, form, [*inputs, *ranges])
        if not form.floats:
            small = _Small(*(new.entry(i) for i in range(3)))
            if form.wide:
                rounding = _made(
                    "_contrib_requantize",
                    f"requantize_{node.name}",
                    small,
                    {"out_type": self.options.out_type},
                )
                self.sources[rounding] = node.entry()
                small = _Small(*(rounding.entry(i) for i in range(3)))
            self.small[node.entry(), False] = small
        self.nodes[node] = new

    def _quantized(self, node: Node, form: Form, inputs: Sequence[Entry]) -> Node:
        settings = node.applied.settings
        op = REGISTRY[form.name]
        known = {name: value for name, value in settings.items() if name in op.attributes}
        application = op.apply({**known, **form.attributes})
        attributes = {**node.attributes, **form.attributes}
        name = f"{_PREFIX}{node.name}"
        made = Node(application, name, inputs, attributes, node.location, node.block)
        if form.name == _NORM:
            self.sources[made] = node.entry()
        return made

    def plain(self, entry: Entry) -> Entry:
        """The floating-point value of an old entry."""
        form = self.forms.get(entry.node)
        if form is None or form.floats:
            return self.nodes[entry.node].entry(entry.index)
        if entry not in self.floats:
            small = self.small[entry, False]
            name = f"{entry.node.name}_dequantize"
            self.floats[entry] = _made("_contrib_dequantize", name, small, {}).entry()
        return self.floats[entry]

    def _rounded(self, entry: Entry, asymmetric: bool, is_weight: bool) -> _Small:
        """The quantized value of an old entry."""
        found = self.small.get((entry, asymmetric))
        if found is not None:
            return found
        value = self.plain(entry)
        name = f"{entry.node.name}{output_suffix(entry)}_quantize"
        if entry.node.is_variable and entry.node.name in self.options.offline and not asymmetric:
            names = (name, f"{name}_min", f"{name}_max")
            found = _Small(*(Node(None, one).entry() for one in names))
        else:
            out_type = "int8" if is_weight else self.options.out_type
            op = "_contrib_quantize_asym" if asymmetric else _FIRST_ROUNDING
            rounding = _made(op, name, [value], {} if asymmetric else {"out_type": out_type})
            self.sources[rounding] = entry
            found = _Small(*(rounding.entry(i) for i in range(3)))
        self.small[entry, asymmetric] = found
        return found


def calibrate(graph: Graph, ranges: Mapping[str, tuple[float, float]]) -> Graph:
    """Return a quantized graph with the given ranges in its nodes; warn of negative numbers in uint8.

    Parameters
    ----------
    ranges : the minimum and maximum of values of the float32 graph, by name
    """
    clipped: dict[str, float] = {}

    def replace(node: Node, inputs: Sequence[Entry]) -> Node | None:
        if node.operator_name in _ROUNDING:
            source = node.inputs[0]
        elif node.operator_name == _NORM:
            source = node.entry()
        else:
            return None
        found = ranges.get(source.name.removeprefix(_PREFIX))
        if found is None:
            return None
        unsigned = node.applied.settings.get("out_type") == "uint8"
        if found[0] < 0 and unsigned and node.operator_name == _FIRST_ROUNDING:
            clipped[source.name] = found[0]
        return with_attributes(node.with_inputs(inputs), range_texts(*found))

    calibrated = graph.rewrite(replace)
    if clipped:
        lowest = ", ".join(f"{name} (down to {low:.3g})" for name, low in clipped.items())
        warn(f"uint8 makes 0 of the negative numbers of {lowest}. Try: quantized_dtype='auto'")
    return calibrated
