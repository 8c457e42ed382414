"""Native steps of pooling of images in planes: any rank, float32 and float64."""

from collections.abc import Sequence
from math import prod
from typing import Any

from gluonic.codegen.convolution.windows import Windows3, deep
from gluonic.codegen.loops.steps import Step
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.target import host
from gluonic.codegen.maths.values import Dtype
from gluonic.codegen.pooling.lines import Pooling
from gluonic.codegen.pooling.whole import emit_pooling, emit_scatter, emit_spread
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph import Entry, Node
from gluonic.graph.attributes import Shape
from gluonic.graph.ops.pooling import _GEOMETRY, pool_of
from gluonic.graph.ops.pooling_kernels import Pool

_DTYPES = ("float32", "float64")


class PoolingStep(Step):
    """Pooling.

    Attributes
    ----------
    data, pooled : the entries with the shapes of images and of windows
    """

    uses_workspace = True

    def __init__(self, node: Node, facts: Facts) -> None:
        self.node = node
        self.operands = (*node.inputs, node.entry())
        self.data, self.pooled = self._ends()
        self.dtype: Dtype = facts.dtypes[node.entry()]
        self.pooling = facts.decide(self._pooling)

    def _ends(self) -> tuple[Entry, Entry]:
        return self.node.inputs[0], self.node.entry()

    @classmethod
    def of(cls, node: Node, facts: Facts) -> "PoolingStep | None":
        """The step of pooling with channels first, in a dtype that has machine code."""
        if facts.dtypes[node.entry()].name not in _DTYPES:
            return None
        layout = node.applied.settings["layout"]
        if layout is not None and layout[-1] == "C":
            return None
        if any(0 in facts.shapes[e] for e in (*node.inputs, node.entry())):
            return None
        return cls(node, facts)

    def _settings(self) -> Any:
        return self.node.applied.settings

    def _pool(self, facts: Facts) -> Pool:
        settings = self._settings()
        geometry = {name: settings[name] for name in _GEOMETRY}
        return pool_of(facts.shapes[self.data], "", **geometry).complete()

    def _pooling(self, facts: Facts) -> Pooling:
        settings, pool = self._settings(), self._pool(facts)
        ones, whole = (1,) * len(pool.kernel), bool(settings["global_pool"])
        kernel = ones if whole else pool.kernel
        kind = settings["pool_type"]
        return Pooling(
            kind,
            Windows3.of(kernel, pool.stride, ones, pool.pad),
            whole,
            settings["count_include_pad"] is not False,
            (settings["p_value"] or 1) if kind == "lp" else 1,
        )

    def _extents(self, facts: Facts) -> tuple[Shape, Shape]:
        return deep(facts.shapes[self.data][2:], 1), deep(facts.shapes[self.pooled][2:], 1)

    def numbers(self, facts: Facts) -> Sequence[int]:
        """Extents of images and of windows, and the length of a combined line."""
        extents, counts = self._extents(facts)
        return *extents, *counts, self.pooling.line_length(extents, counts)

    def units(self, facts: Facts) -> int:
        """One unit per plane."""
        return prod(facts.shapes[self.data][:2])

    def workspace(self, facts: Facts) -> int:
        """A combined line and a line of windows, with two spare registers after each."""
        extents, counts = self._extents(facts)
        length = self.pooling.line_length(extents, counts) + counts[2]
        return length * self.dtype.itemsize + 4 * host().vector_bytes

    def emit(self, module: LLVMModule, name: str) -> None:
        """Write pooling."""
        emit_pooling(module, name, self.dtype, self.pooling)


class SpreadStep(PoolingStep):
    """The gradient of sums and means."""

    def __init__(self, node: Node, facts: Facts) -> None:
        super().__init__(node, facts)
        self.operands = (node.inputs[0], node.entry())

    def _ends(self) -> tuple[Entry, Entry]:
        return self.node.inputs[1], self.node.inputs[0]

    def emit(self, module: LLVMModule, name: str) -> None:
        """Write the gradient."""
        emit_spread(module, name, self.dtype, self.pooling)


class ScatterStep(PoolingStep):
    """The gradient of maxima."""

    def _ends(self) -> tuple[Entry, Entry]:
        return self.node.inputs[1], self.node.inputs[0]

    def emit(self, module: LLVMModule, name: str) -> None:
        """Write the gradient."""
        emit_scatter(module, name, self.dtype, self.pooling)
