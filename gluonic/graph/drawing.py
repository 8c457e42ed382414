"""What a picture of a graph shows: boxes, arrows, colours. How it is laid out and written is elsewhere.

Drawing is total: any graph, with operators that gluonic does not have, with contradicting names, of any
depth. Nothing here recurses.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from gluonic.graph.json_placeholder import Placeholder
from gluonic.graph.node import Entry, Graph, Node
from gluonic.graph.node_attributes import is_own

_PARAMETER_NAMES = (
    "_weight", "_bias", "_beta", "_gamma", "_moving_var", "_moving_mean", "_running_var",
    "_running_mean", "_parameters",
)  # fmt: skip


class Colours(NamedTuple):
    """The colours of a family of operators."""

    fill: str
    line: str
    text: str


FAMILIES = {
    "input": Colours("#ffffff", "#64748b", "#334155"),
    "parameter": Colours("#f8fafc", "#94a3b8", "#475569"),
    "linear": Colours("#dbeafe", "#3b82f6", "#1e3a8a"),
    "normalization": Colours("#ede9fe", "#8b5cf6", "#4c1d95"),
    "activation": Colours("#fef3c7", "#f59e0b", "#78350f"),
    "pooling": Colours("#ccfbf1", "#14b8a6", "#134e4a"),
    "elementwise": Colours("#dcfce7", "#22c55e", "#14532d"),
    "reduction": Colours("#cffafe", "#06b6d4", "#164e63"),
    "shape": Colours("#e5e7eb", "#6b7280", "#1f2937"),
    "loss": Colours("#ffe4e6", "#f43f5e", "#881337"),
    "recurrent": Colours("#e0e7ff", "#6366f1", "#312e81"),
    "random": Colours("#fae8ff", "#d946ef", "#701a75"),
    "custom": Colours("#ffedd5", "#f97316", "#7c2d12"),
    "other": Colours("#f1f5f9", "#475569", "#0f172a"),
    "unknown": Colours("#fff1f2", "#e11d48", "#881337"),
}

_FAMILY_OF = {
    name: family
    for family, names in {
        "linear": "FullyConnected Convolution Deconvolution dot batch_dot Embedding khatri_rao",
        "normalization": "BatchNorm LayerNorm InstanceNorm GroupNorm L2Normalization LRN",
        "activation": "Activation LeakyReLU relu sigmoid tanh softsign hard_sigmoid softrelu gelu",
        "pooling": "Pooling UpSampling ROIPooling BilinearSampler SpatialTransformer",
        "shape": "Concat SliceChannel Flatten Reshape transpose slice slice_axis stack squeeze "
        "expand_dims SwapAxis Pad tile repeat take gather_nd Cast cast",
        "loss": "softmax log_softmax softmin SoftmaxOutput LinearRegressionOutput MakeLoss "
        "LogisticRegressionOutput MAERegressionOutput SVMOutput CTCLoss softmax_cross_entropy",
        "recurrent": "RNN _foreach _while_loop _cond",
        "random": "Dropout",
        "custom": "Custom",
    }.items()
    for name in names.split()
}


class Box(NamedTuple):
    """A node in the picture.

    Attributes
    ----------
    node : the node
    title : the first line: the operator, or the variable's name
    detail : the second line: what matters of its attributes
    name : the third line: the operator node's name
    family : which colours it has
    shape : of its first output, as a text, empty if unknown
    """

    node: Node
    title: str
    detail: str
    name: str
    family: str
    shape: str

    @property
    def tooltip(self) -> str:
        """Everything about the node, a line each."""
        lines = [f"{self.node.operator_name} {self.node.name}"]
        if self.shape:
            lines.append(f"output: {self.shape}")
        lines += [f"{key} = {text[:200]}" for key, text in sorted(self.node.attributes.items())]
        if self.node.location is not None:
            lines.append(str(self.node.location))
        return "\n".join(lines)


class Arrow(NamedTuple):
    """An arrow between two boxes, by their positions in the list of boxes."""

    source: int
    target: int
    label: str


class Picture(NamedTuple):
    """What is drawn.

    Attributes
    ----------
    title : the picture's heading
    boxes : the nodes, inputs before what reads them
    arrows : from what is read to what reads it
    blocks : for each box the path of the block it belongs to
    """

    title: str
    boxes: list[Box]
    arrows: list[Arrow]
    blocks: list[tuple[str, ...]]


Facts = Mapping[Node, Sequence[Any]]


def picture(
    graph: Graph,
    *,
    title: str = "plot",
    shapes: Facts | None = None,
    dtypes: Facts | None = None,
    hide_parameters: bool = True,
) -> Picture:
    """Decide what a picture of a graph shows.

    Parameters
    ----------
    graph : the graph
    title : the heading
    shapes, dtypes : what is known, for the arrows' labels
    hide_parameters : leave out weights, biases and the like
    """
    nodes = [
        node
        for node in graph.nodes
        if not (hide_parameters and node.is_variable and looks_like_parameter(node.name))
    ]
    positions = {node: position for position, node in enumerate(nodes)}
    boxes = [_box(node, fact_text(node.entry(), shapes, None)) for node in nodes]
    arrows = [
        Arrow(positions[entry.node], positions[node], fact_text(entry, shapes, dtypes))
        for node in nodes
        for entry in node.inputs
        if entry.node in positions
    ]
    return Picture(title, boxes, arrows, block_paths(nodes))


def looks_like_parameter(name: str) -> bool:
    """Tell from its name whether a variable is a weight or the like."""
    return name.endswith(_PARAMETER_NAMES)


def fact_text(entry: Entry, shapes: Facts | None, dtypes: Facts | None) -> str:
    """Write the shape and the dtype of an entry as far as they are known: ``2×3 float32``."""
    words = []
    shape = shapes[entry.node][entry.index] if shapes is not None else None
    if shape is not None:
        words.append("×".join("?" if a is None else str(a) for a in shape) or "scalar")
    dtype = dtypes[entry.node][entry.index] if dtypes is not None else None
    if dtype is not None:
        words.append(dtype.name)
    return " ".join(words)


# ------------------------------------------------------------------------------ boxes


def _box(node: Node, shape: str) -> Box:
    family = family_of(node)
    if node.application is None:
        return Box(node, node.name or "(unnamed)", "", "", family, shape)
    attributes = {k: v for k, v in node.attributes.items() if is_own(k)}
    title = attributes.get("op_type") or node.operator_name.lstrip("_")
    return Box(node, title, detail(node.operator_name, attributes), node.name, family, shape)


def family_of(node: Node) -> str:
    """Tell which family of operators, and so which colours, a node belongs to."""
    if node.application is None:
        return "parameter" if looks_like_parameter(node.name) else "input"
    op = node.application.op
    if isinstance(op, Placeholder):
        return "unknown"
    if op.name in _FAMILY_OF:
        return _FAMILY_OF[op.name]
    if op.name.startswith(("_random_", "_sample_")):
        return "random"
    if op.reduction is not None:
        return "reduction"
    if op.relabels:
        return "shape"
    return "elementwise" if op.scalar is not None else "other"


def _product(text: str) -> str:
    """``(3, 3)`` as ``3×3``."""
    return "×".join(re.findall(r"-?\d+", text)[:8])


def _kernel(attributes: Mapping[str, str]) -> str:
    kernel = _product(attributes.get("kernel", ""))
    stride = _product(attributes.get("stride", ""))
    return f"{kernel}/{stride}" if stride else kernel


def _convolution(attributes: Mapping[str, str]) -> str:
    return f"{_kernel(attributes)}, {attributes.get('num_filter', '?')}"


def _pooling(attributes: Mapping[str, str]) -> str:
    kind = attributes.get("pool_type", "max")
    return (
        f"{kind}, global"
        if "rue" in attributes.get("global_pool", "")
        else f"{kind}, {_kernel(attributes)}"
    )


_DETAILS: dict[str, Callable[[Mapping[str, str]], str]] = {
    "Convolution": _convolution,
    "Deconvolution": _convolution,
    "Pooling": _pooling,
    "FullyConnected": lambda a: a.get("num_hidden", ""),
    "Activation": lambda a: a.get("act_type", ""),
    "LeakyReLU": lambda a: a.get("act_type", "leaky"),
    "Dropout": lambda a: a.get("p", "0.5"),
    "Embedding": lambda a: f"{a.get('input_dim', '?')} → {a.get('output_dim', '?')}",
    "Custom": lambda a: "",
}
_LONGEST_DETAIL = 34


def detail(op: str, attributes: Mapping[str, str]) -> str:
    """Say in a few words what matters of an operator's attributes."""
    if op in _DETAILS:
        return shortened(_DETAILS[op](attributes), _LONGEST_DETAIL)
    if op.endswith("_scalar"):
        return shortened(attributes.get("scalar", ""), _LONGEST_DETAIL)
    words = [f"{k}={v}" for k, v in attributes.items() if not k.startswith("num_arg")]
    return shortened(", ".join(words[:6]), _LONGEST_DETAIL)


def shortened(text: str, most: int) -> str:
    """Shorten a text in the middle."""
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most // 2 - 1]}…{text[-(most - most // 2) :]}"


# ------------------------------------------------------------------------------ blocks


def block_paths(nodes: Sequence[Node]) -> list[tuple[str, ...]]:
    """Find for each node the path of the block it belongs to.

    Nodes that were traced know it. In a graph from a file the names tell: Gluon's prefixes end in ``_``.
    A variable belongs where it is read.
    """
    if any(node.block for node in nodes):
        paths = {n: tuple(n.block.split("/")) if n.block else () for n in nodes}
    else:
        paths = _paths_from_names(nodes)
    readers: dict[Node, list[Node]] = {}
    for node in nodes:
        for entry in node.inputs:
            readers.setdefault(entry.node, []).append(node)
    for node in nodes:
        if node.is_variable:
            found = {paths[reader] for reader in readers.get(node, [])}
            paths[node] = found.pop() if len(found) == 1 and family_of(node) == "parameter" else ()
    return [paths[node] for node in nodes]


def _paths_from_names(nodes: Sequence[Node]) -> dict[Node, tuple[str, ...]]:
    counts: dict[tuple[str, ...], int] = {}
    names = {node: tuple(node.name.split("_")[:-1])[:12] for node in nodes if not node.is_variable}
    for words in names.values():
        for length in range(1, len(words) + 1):
            prefix = words[:length]
            counts[prefix] = counts.get(prefix, 0) + 1
    paths: dict[Node, tuple[str, ...]] = dict.fromkeys(nodes, ())
    for node, words in names.items():
        prefixes = [words[:length] for length in range(1, len(words) + 1)]
        path, outer = [], len(names)
        for prefix in prefixes:
            if 1 < counts[prefix] < outer and prefix[-1][-1:].isdigit():
                path.append("_".join(prefix))
                outer = counts[prefix]
        paths[node] = tuple(path)
    _adopt(nodes, paths)
    return paths


def _adopt(nodes: Sequence[Node], paths: dict[Node, tuple[str, ...]]) -> None:
    """Put a node whose name tells nothing (``_plus0``) into the block that it reads from and is read in."""
    readers: dict[Node, set[tuple[str, ...]]] = {}
    for node in reversed(nodes):
        if not node.is_variable and not paths[node]:
            around = readers.get(node, set())
            inputs = {paths[entry.node] for entry in node.inputs if entry.node in paths}
            if len(around) == 1 and around <= inputs:
                paths[node] = around.pop()
        for entry in node.inputs:
            readers.setdefault(entry.node, set()).add(paths[node])
