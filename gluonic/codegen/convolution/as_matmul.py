"""Convolutions as matrix products: for volumes and for float64, which have no kernels on blocks.

A few lines of windows at a time become the columns of a matrix that fits the cache; BLAS multiplies it.
"""

from collections.abc import Callable, Sequence
from typing import Any

from gluonic.codegen.convolution.window_columns import MatrixWriter
from gluonic.codegen.convolution.windows import Windows3, deep
from gluonic.codegen.loops.steps import Step
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.step_function import StepFunction
from gluonic.codegen.machine.target import host
from gluonic.codegen.matmul.blas import multiplies
from gluonic.codegen.matmul.gemm_call import call_gemm
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph import Node
from gluonic.graph.attributes import Shape
from gluonic.graph.ops.windows import windows_of

_MATRIX_BYTES = 1 << 18
"""The bytes of a matrix of windows, which stays in the core's cache."""
_GEOMETRY = ("kernel", "stride", "pad", "dilate", "layout")


class ConvolutionProductStep(Step):
    """A convolution, or one of its gradients.

    Attributes
    ----------
    data, weight, output : the indices of images, filters and output among the operands
    """

    uses_workspace = True
    data, weight, output = 0, 1, 2

    def __init__(self, node: Node, facts: Facts) -> None:
        settings: Any = node.applied.settings
        self.node, self.groups = node, settings["num_group"]
        self.dtype = facts.dtypes[node.entry()]
        windows = windows_of(*(settings[name] for name in _GEOMETRY))
        self.windows = Windows3.of(windows.kernel, windows.stride, windows.dilate, windows.pad)
        self.operands = self._operands()

    def _operands(self) -> Any:
        data, weight, *bias = self.node.inputs
        return data, weight, self.node.entry(), *bias

    @classmethod
    def of(cls, node: Node, facts: Facts) -> "ConvolutionProductStep | None":
        """The step of a convolution with channels first, in a dtype that BLAS supports."""
        if not multiplies(facts.dtypes[node.entry()]):
            return None
        layout = node.applied.settings["layout"]
        entries = (*node.inputs, node.entry())
        if layout is not None and layout[-1] == "C":
            return None
        if any(facts.dtypes[e] != facts.dtypes[node.entry()] for e in entries):
            return None
        return cls(node, facts)

    def shape(self, facts: Facts, position: int) -> Shape:
        """The shape of an operand."""
        return facts.shapes[self.operands[position]]

    def numbers(self, facts: Facts) -> Sequence[int]:
        """The extents of a group's channels, of images and windows; then the number of lines in the matrix."""
        data, output = self.shape(facts, self.data), self.shape(facts, self.output)
        extents, counts = deep(data[2:], 1), deep(output[2:], 1)
        members, filters = data[1] // self.groups, output[1] // self.groups
        lines = counts[0] * counts[1]
        row = max(1, members * self.windows.taps * counts[2] * self.dtype.itemsize)
        fitting = max(1, min(lines, _MATRIX_BYTES // row))
        if self.windows.is_point:
            fitting = max(1, lines)
        return data[0], members, filters, *extents, *counts, fitting

    def workspace(self, facts: Facts) -> int:
        """The matrix, and a register after it."""
        if self.windows.is_point:
            return 0
        _, members, _, *_, columns, lines = self.numbers(facts)
        elements = members * self.windows.taps * columns * lines
        return elements * self.dtype.itemsize + host().vector_bytes

    def units(self, facts: Facts) -> int:
        """One unit per image."""
        return self.shape(facts, self.data)[0]

    def emit(self, module: LLVMModule, name: str) -> None:
        """Write the convolution."""
        _ProductWriter(module, name, self).forward(has_bias=len(self.operands) > 3)


class DataGradientStep(ConvolutionProductStep):
    """The gradient of a convolution's data."""

    data, weight, output = 2, 1, 0

    def _operands(self) -> Any:
        grad, _, weight = self.node.inputs
        return grad, weight, self.node.entry()

    def emit(self, module: LLVMModule, name: str) -> None:
        """Write the gradient."""
        _ProductWriter(module, name, self).data_gradient()


class WeightGradientStep(ConvolutionProductStep):
    """The gradient of a convolution's filters."""

    data, weight, output = 1, 2, 0

    def _operands(self) -> Any:
        grad, data, _ = self.node.inputs
        return grad, data, self.node.entry()

    def units(self, facts: Facts) -> int:
        """One unit per group."""
        return int(self.groups)

    def emit(self, module: LLVMModule, name: str) -> None:
        """Write the gradient."""
        _ProductWriter(module, name, self).weight_gradient()


def _emit_nothing(module: LLVMModule, name: str) -> None:
    StepFunction(module, name).finish()


class ShapeStep(Step):
    """An array of which only the shape matters: nothing is written."""

    def __init__(self, node: Node) -> None:
        self.operands = (node.entry(),)
        self.code = (_emit_nothing,)

    @classmethod
    def of(cls, node: Node, facts: Facts) -> "ShapeStep":
        """The step of a node."""
        return cls(node)

    def emit(self, module: LLVMModule, name: str) -> None:
        """Write a function that does nothing."""
        _emit_nothing(module, name)

    def numbers(self, facts: Facts) -> Sequence[int]:
        """None."""
        return ()


class _ProductWriter(MatrixWriter):
    """Writes a convolution or one of its gradients."""

    def __init__(self, module: LLVMModule, name: str, step: ConvolutionProductStep) -> None:
        super().__init__(module, name, step.dtype, step.windows)
        self.given = step
        self.batch, self.members, self.filters = (self.number(i) for i in range(3))
        self.extents = [self.number(3 + i) for i in range(3)]
        self.counts = [self.number(6 + i) for i in range(3)]
        self.fitting = self.number(9)
        self.depth = self.times(self.members, step.windows.taps)
        self.lines = self.times(self.counts[0], self.counts[1])
        self.length = self.times(self.lines, self.counts[2])
        size = self.times(self.times(self.extents[0], self.extents[1]), self.extents[2])
        self.image_size = self.times(self.members, size)
        self.output_size = self.times(self.filters, self.length)
        self.filter_size = self.times(self.filters, self.depth)
        data, weight, output = step.data, step.weight, step.output
        self.data, self.weight = self.operand(data), self.operand(weight)
        self.output = self.operand(output)
        self.matrix = self.operand(len(step.operands))

    def _part(self, base: str, image: str, group: str, size: str) -> str:
        """The address of a group's channels in an image."""
        number = self.plus(self.times(image, self.given.groups), group)
        return self.at(base, self.times(number, size))

    def _over_lines(self, body: Callable[[tuple[str, str], str, str], None]) -> None:
        """Loop over groups of lines that fit the matrix: their bounds, their start, the number of columns."""
        with self.f.loop("0", self.lines, self.fitting) as first:
            last = self.least(self.plus(first, self.fitting), self.lines)
            width = self.times(self.minus(last, first), self.counts[2])
            body((first, last), self.times(first, self.counts[2]), width)

    def forward(self, *, has_bias: bool) -> None:
        """Write the convolution: a unit is an image."""
        groups = str(self.given.groups)
        with self.f.loop("%begin", "%end") as image, self.f.loop("0", groups) as group:
            data = self._part(self.data, image, group, self.image_size)
            goal = self._part(self.output, image, group, self.output_size)
            weight = self.at(self.weight, self.times(group, self.filter_size))
            if has_bias:
                self._spread_bias(goal, group)

            def product(lines: tuple[str, str], begin: str, width: str) -> None:
                columns, lead = self.matrix, width
                if self.windows.is_point:
                    columns, lead = data, self.length
                else:
                    self.unfold(data, self.members, lines, self.matrix)
                a, b = (weight, self.depth, False), (columns, lead, False)
                c = self.at(goal, begin), self.length
                self._gemm(a, b, c, (self.filters, width, self.depth), adds=has_bias)

            self._over_lines(product)
        self.f.finish()

    def _spread_bias(self, goal: str, group: str) -> None:
        bias = self.operand(3)
        with self.f.loop("0", self.filters) as i:
            number = self.plus(self.times(group, self.filters), i)
            value = self.element(self.at(bias, number))
            row = self.at(goal, self.times(i, self.length))
            self.fill(row, "0", self.length, value)

    def data_gradient(self) -> None:
        """Write the gradient of data: a unit is an image."""
        groups = str(self.given.groups)
        with self.f.loop("%begin", "%end") as image, self.f.loop("0", groups) as group:
            goal = self._part(self.data, image, group, self.image_size)
            grad = self._part(self.output, image, group, self.output_size)
            weight = self.at(self.weight, self.times(group, self.filter_size))
            if not self.windows.is_point:
                self.clear(goal, self.times(self.image_size, self.size))

            def product(lines: tuple[str, str], begin: str, width: str) -> None:
                is_point = self.windows.is_point
                a = weight, self.depth, True
                b = self.at(grad, begin), self.length, False
                c = (goal, self.length) if is_point else (self.matrix, width)
                self._gemm(a, b, c, (self.depth, width, self.filters), adds=False)
                if not is_point:
                    self.fold(self.matrix, self.members, lines, goal)

            self._over_lines(product)
        self.f.finish()

    def weight_gradient(self) -> None:
        """Write the gradient of filters: a unit is a group."""
        with self.f.loop("%begin", "%end") as group:
            goal = self.at(self.weight, self.times(group, self.filter_size))
            self.clear(goal, self.times(self.filter_size, self.size))
            with self.f.loop("0", self.batch) as image:
                data = self._part(self.data, image, group, self.image_size)
                grad = self._part(self.output, image, group, self.output_size)

                def product(
                    lines: tuple[str, str],
                    begin: str,
                    width: str,
                    data: str = data,
                    grad: str = grad,
                ) -> None:
                    columns, lead = self.matrix, width
                    if self.windows.is_point:
                        columns, lead = data, self.length
                    else:
                        self.unfold(data, self.members, lines, self.matrix)
                    a = self.at(grad, begin), self.length, False
                    c = goal, self.depth
                    self._gemm(
                        a, (columns, lead, True), c, (self.filters, self.depth, width), adds=True
                    )

                self._over_lines(product)
        self.f.finish()

    def _gemm(
        self,
        a: tuple[str, str, bool],
        b: tuple[str, str, bool],
        c: tuple[str, str],
        extents: tuple[str, str, str],
        *,
        adds: bool,
    ) -> None:
        """Write ``c = a · b`` or ``c += a · b``; factors are (address, leading dimension, transposed)."""
        call_gemm(self.f, self.dtype, a, b, c, extents, adds=adds)
