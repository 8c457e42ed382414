"""The compiler's entries for operators, and their look-up.

    lower("Pooling", step="pooling.steps:PoolingStep.of")

An entry names rules as ``module:name`` within the compiler. A family's file is imported when
the first of its operators is looked up, so nothing is imported before a graph needs it.
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
"""A function, or its ``module:name``."""

FAMILIES = frozenset({
    "activation", "attention", "averages", "batch_norm", "batch_norm_relu", "binary", "boxes", "broadcasting",
    "calibration", "companions", "constants", "contractions", "convolution", "copying", "correlation",
    "creation", "ctc_loss", "decompositions", "deconvolution", "deformable_convolution", "deformable_roi",
    "dense", "differences", "draws", "dropout", "einsum", "fused_attention", "fused_layers",
    "gathering", "hawkes", "image",
    "image_colour", "indexing", "joining", "joins", "layer_norm", "linalg", "linalg_factors", "linalg_parts",
    "matrix", "mixed_precision", "moments", "more_ufuncs", "norms",
    "optimizer_update", "optimizer_update_mixed", "optimizer_update_rows", "optimizer_update_several",
    "ordering", "pooling", "pooling_v1", "proposal", "quantization", "quantized_arithmetic",
    "quantized_layers", "quantized_recurrent", "random_choice", "random_density",
    "rank_moments", "rearrange", "rearrangements", "recurrent", "recurrent_gradients", "reduce", "reductions",
    "regularization", "resizing", "response_norm", "sampling", "selections",
    "sequence", "series", "shape", "signal", "slicing", "softmax", "softmax_output", "sparse_rows",
    "standardization", "statistics", "trials", "unary", "unfolding", "upsampling", "views",
})  # fmt: skip
"""The families of `graph/ops/` that have a file here."""


@record
class LayoutRules:
    """The role of an operator in the choice of image layouts.

    A rule is ``(rewriting, node) → bool``: it rewrites the node to the layout and returns whether it did.

    Attributes
    ----------
    role : ``"decides"`` if images get other layouts because of the operator; ``"reads"`` if it reads blocks
        where they exist; ``"moves"`` if it reads them only where readers of its result do
    plain : the rule for the layout that kernels support: channels first, two or three spatial axes
    blocked : the rule for blocks of channels (NCHWc)
    in_training : whether it has its role in training mode, too
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
        """Whether it reads blocks where they exist."""
        if self.blocked is None or (train and not self.in_training):
            return False
        return self.role in ("decides", "reads")

    def moves_blocks(self, train: bool) -> bool:
        """Whether it only passes blocks on."""
        return self.role == "moves" and (self.in_training or not train)


NO_LAYOUT = LayoutRules()


@record
class OperatorLowering:
    """What the compiler knows about an operator.

    Attributes
    ----------
    loop : ``(settings, input shapes, output shape) → Loop | None``; operators with an expression need none
    is_function : whether attributes can make it a function of one element of each input
    is_view : whether the output is the first input's elements, in order, under another shape
    permutes : whether it is those elements in another order
    selects : whether each result is an input element, an attribute, or an integer, up to its sign;
        or a function of the attributes that decides
    multiplies : whether it multiplies two numbers
    signs : for a sum of two terms, their signs; a number is the second term
    fills : for an operator that creates a constant array, the constant, or the name of its attribute
    product : ``(settings, input shapes) → Product``: the matrix product that it is
    step : ``(node, facts) → Step | None``: the step that runs it as a whole
    from_memory : like `step`, for an operator that is a loop, used if its first input is in memory
    decompose : ``(F, site) → entries | None``: its decomposition into other operators
    on_devices : the same for graphs on devices, and where the host has no code; tried first, and again on what
        it gives
    holds_heads : whether its product reads and writes attention heads in place
    follows_input : whether it is reported in the step that computes its input, not in one that reads its
        result, if a step includes it
    layout : its role in image layouts
    draws_apart : ``(node, inputs, settings) → entries``: the draws, and the arithmetic on them, as separate
        nodes
    eager : its work per element of the largest input, as a multiple of one pass over them, or ``(settings,
        shapes) → multiple``: frequent eager calls run machine code (:mod:`gluonic.codegen.eager`); 0 if NumPy
        is as fast
    float16 : how it computes float16: ``"upcast"`` in float32, ``"upcast maxima"`` likewise, where the maximum
        of no elements is float32's lowest, ``"pairwise"`` as sums of two; otherwise each operation rounds
    python : why Python runs it, always or in the cases that the sentence states
    """

    loop: Rule | None = None
    is_function: bool = False
    is_view: bool = False
    permutes: bool = False
    selects: bool | Callable[[dict[str, Any]], bool] = False
    multiplies: bool = False
    signs: tuple[int, int] | None = None
    fills: float | str | None = None
    product: Rule | None = None
    step: Rule | None = None
    from_memory: Rule | None = None
    decompose: Rule | None = None
    on_devices: Rule | None = None
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
    """Register an entry for operators: by name for those in the registry, as objects for inner operators.

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
    """The entry of an operator; an empty one if there is none."""
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
    """The entry of an operator; None if its family's file has not been imported yet."""
    return _FOUND.get(op)


def lowering_at(node: Node) -> OperatorLowering:
    """The entry of a node's operator; an empty one for a variable."""
    return _NOTHING if node.application is None else lowering_of(node.application.op)


def why_python(op: Operator) -> str:
    """Why Python runs an operator, in the cases where it does."""
    known = lowering_of(op).python
    return known or f"there is no machine code for {op.name} with such attributes, shapes or dtypes"


@cache
def rule_at(rule: Rule) -> Any:
    """Import the function that an entry names."""
    if not isinstance(rule, str):
        return rule
    module, _, name = rule.partition(":")
    return attrgetter(name)(importlib.import_module(f"gluonic.codegen.{module}"))
