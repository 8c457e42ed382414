"""An operator's entry, and how it is found.

    lower("Pooling", step="pooling.steps:PoolingStep.of")

An entry names rules by where they stand, ``module:name`` within the compiler, and a family's file is read when
the first of its operators is met: nothing is imported before a graph needs it.
"""

import importlib
from collections.abc import Callable, Sequence
from functools import cache
from operator import attrgetter
from typing import Any, Literal, TypeAlias

from gluonic.graph import Node, Operator
from gluonic.graph.attributes import Shape
from gluonic.support.record import record

Rule: TypeAlias = str | Callable[..., Any]
"""A function, or where it stands."""

FAMILIES = frozenset({
    "activation", "attention", "averages", "batch_norm", "batch_norm_relu", "binary", "boxes", "broadcasting",
    "calibration", "companions", "constants", "contractions", "convolution", "copying", "correlation",
    "creation", "ctc_loss", "decompositions", "deconvolution", "deformable_convolution",
    "deformable_roi", "dense", "differences", "draws", "dropout", "einsum", "gathering", "hawkes", "image",
    "image_colour", "indexing", "joining", "joins", "layer_norm", "linalg", "linalg_factors", "linalg_parts",
    "loss_layers", "matrix", "mixed_precision", "moments", "more_ufuncs", "multibox", "norms",
    "optimizer_update", "optimizer_update_mixed", "optimizer_update_rows", "optimizer_update_several",
    "ordering", "pooling", "pooling_v1", "proposal", "quantization", "quantized_arithmetic",
    "quantized_layers", "quantized_recurrent", "random_choice", "random_density", "rank_moments",
    "rearrange",
    "rearrangements", "recurrent", "recurrent_gradients", "reduce", "reductions", "regularization",
    "relabellings", "resizing", "response_norm", "roi", "roi_parts", "sampling", "selections",
    "sequence", "series", "shape", "signal", "slicing", "softmax", "softmax_output", "sparse_rows",
    "standardization", "statistics", "trials", "unary", "unfolding", "upsampling",
})  # fmt: skip
"""The families of `graph/ops/` that have a file here."""


@record
class LayoutRules:
    """How an operator takes part in the layouts of images.

    A rule is ``(rewriting, node) → bool``: it leaves the node's results in the layout and says whether it did.

    Attributes
    ----------
    role : ``"decides"`` of an operator because of which images get other layouts; ``"reads"`` of one that reads
        blocks where they are there; ``"moves"`` of one that reads them only if its result is read so
    plain : the rule for the layout that kernels are written for: channels first, two axes of places or three
    blocked : the rule for blocks of channels (NCHWc)
    in_training : whether it plays its role in training mode, too
    """

    role: Literal["decides", "reads", "moves", ""] = ""
    plain: Rule | None = None
    blocked: Rule | None = None
    in_training: bool = True

    @property
    def decides(self) -> bool:
        """Whether images get other layouts because of the operator."""
        return self.role == "decides"

    def reads_blocks(self, train: bool) -> bool:
        """Whether it reads blocks where it can have them."""
        if self.blocked is None or (train and not self.in_training):
            return False
        return self.role in ("decides", "reads")

    def moves_blocks(self, train: bool) -> bool:
        """Whether it passes blocks on, and computes nothing."""
        return self.role == "moves" and (self.in_training or not train)


NO_LAYOUT = LayoutRules()


@record
class OperatorLowering:
    """What the compiler knows of an operator.

    Attributes
    ----------
    loop : ``(settings, input shapes, output shape) → Loop | None``; operators with an expression need none
    is_function : whether attributes can make it a function of one element of each input
    relabels : whether the output is the first input's elements, in order, under another shape
    permutes : whether it is those elements in another order
    selects : whether results are elements that are read, or attributes, or whole numbers, up to the sign;
        or a function of the attributes that tells
    multiplies : whether it multiplies two numbers
    signs : of a sum of two terms, their signs; a number is the second term
    fills : what it fills an array with that it makes from nothing: a number, or the attribute that says
    product : ``(settings, input shapes) → Product``: which product of matrices it is
    step : ``(node, facts) → Step | None``: what runs it as a whole
    from_memory : likewise of a loop, where what it reads first is in memory before
    decompose : ``(F, site) → entries | None``: what it is made of
    holds_heads : whether its product reads and writes attention heads where they lie
    follows_input : whether it runs in the step that makes what it reads, not in one that reads it, where a
        neighbour's step has taken it in
    layout : how it takes part in the layouts of images
    draws_apart : ``(node, inputs, settings) → entries``: its draws, and what is done with them
    eager : how much is done with an element of the largest input, as a multiple of a pass over them, or
        ``(settings, shapes) → multiple``: eager calls run machine code for that, once they have come often
        (:mod:`gluonic.codegen.eager`); 0 where NumPy is as quick
    float16 : how it computes halves: ``"upcast"`` in float32, ``"upcast maxima"`` there, too, and the largest
        of no numbers is float32's lowest, ``"pairwise"`` as sums of two; otherwise loops round them
    python : why Python runs it, always or in the cases that the sentence names
    """

    loop: Rule | None = None
    is_function: bool = False
    relabels: bool = False
    permutes: bool = False
    selects: bool | Callable[[dict[str, Any]], bool] = False
    multiplies: bool = False
    signs: tuple[int, int] | None = None
    fills: float | str | None = None
    product: Rule | None = None
    step: Rule | None = None
    from_memory: Rule | None = None
    decompose: Rule | None = None
    holds_heads: bool = False
    follows_input: bool = False
    layout: LayoutRules = NO_LAYOUT
    draws_apart: Rule | None = None
    eager: float | Callable[[dict[str, Any], Sequence[Shape]], float] = 0
    float16: Literal["upcast", "upcast maxima", "pairwise", ""] = ""
    python: str = ""


_NOTHING = OperatorLowering()
_BY_NAME: dict[str, OperatorLowering] = {}
_FOUND: dict[Operator, OperatorLowering] = {}


def lower(*operators: str | Operator, **known: Any) -> None:
    """Enter what is known of operators: those of the registry by name, those that only passes make themselves.

    Raises
    ------
    ValueError
        for an operator that has an entry
    """
    entry = OperatorLowering(**known)
    for each in operators:
        entries: dict[Any, OperatorLowering] = _BY_NAME if isinstance(each, str) else _FOUND
        if each in entries:
            raise ValueError(f"{each} has an entry")
        entries[each] = entry


def lowering_of(op: Operator) -> OperatorLowering:
    """What the compiler knows of an operator; of most, only that NumPy can run it."""
    found = _FOUND.get(op)
    if found is None:
        family = op.kernel.__module__.rpartition(".")[2]
        if family not in FAMILIES:
            return _BY_NAME.get(op.name, _NOTHING if op.base is None else lowering_of(op.base))
        importlib.import_module(f"gluonic.codegen.lowerings.{family}")
        own = _BY_NAME.get(op.name)
        if own is None:
            own = _NOTHING if op.base is None else lowering_of(op.base)
        found = _FOUND[op] = own
    return found


def known_lowering(op: Operator) -> OperatorLowering | None:
    """What the compiler knows of an operator; None where that has to be read first."""
    return _FOUND.get(op)


def lowering_at(node: Node) -> OperatorLowering:
    """What the compiler knows of a node's operator; nothing of a variable."""
    return _NOTHING if node.application is None else lowering_of(node.application.op)


def why_python(op: Operator) -> str:
    """Why Python runs an operator, where it does."""
    known = lowering_of(op).python
    return known or f"there is no machine code for {op.name} with such attributes, shapes or dtypes"


@cache
def rule_at(rule: Rule) -> Any:
    """The function that an entry names."""
    if not isinstance(rule, str):
        return rule
    module, _, name = rule.partition(":")
    return attrgetter(name)(importlib.import_module(f"gluonic.codegen.{module}"))
