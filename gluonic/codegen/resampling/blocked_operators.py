"""Resizing of images in blocks of channels, for graphs that the compiler rewrites: operator and step."""

from collections.abc import Callable, Sequence
from typing import Any

from gluonic.codegen.convolution.operators import to_blocks, to_planes
from gluonic.codegen.convolution.steps import BlockStep, strides_of_blocks
from gluonic.codegen.loops.inner_operators import inner_operator
from gluonic.codegen.lowerings.entry import lower
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.resampling.blocked import ResamplingGeometry, emit_resampling
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph import Array, Node
from gluonic.graph.ops.resampling import Averaging, Interpolation, Resampling
from gluonic.graph.ops.resizing import resized, resized_back
from gluonic.graph.view import NodeView, complete

RESAMPLINGS: dict[str, Callable[[], Resampling]] = {
    "average": Averaging,
    "interpolate": lambda: Interpolation(align_corners=False),
    "interpolate between corners": lambda: Interpolation(align_corners=True),
}


@inner_operator("_resample_blocks")
def resample_blocks(data: Array, spatial: Array, *, way: str, back: bool) -> Any:
    """Resize images in blocks to given rows and columns, or compute the gradient of images of that size.

    `spatial` has the rows and columns, from `spatial_extents`.
    """
    planes = to_planes.kernel(data, channels=data.shape[1] * data.shape[4])
    resize = resized_back if back else resized
    made = resize(planes, spatial.shape[:2], RESAMPLINGS[way]()).astype(data.dtype, copy=False)
    return to_blocks.kernel(made, lanes=data.shape[4])


@resample_blocks.infer_shape
def _(n: NodeView) -> None:
    batch, blocks, _, _, lanes = complete(n.data)
    n.output = (batch, blocks, *complete(n.spatial)[:2], lanes)


class ResampleStep(BlockStep):
    """Resizing."""

    uses_workspace = True

    def __init__(self, node: Node, facts: Facts) -> None:
        super().__init__(node, facts)
        self.operands = (node.inputs[0], node.entry())

    def numbers(self, facts: Facts) -> Sequence[int]:
        """Extents and strides."""
        source, goal = self.shape(facts, 0), self.shape(facts, 1)
        return ResamplingGeometry(
            (source[2], source[3]),
            (goal[2], goal[3]),
            source[1],
            strides_of_blocks(source),
            strides_of_blocks(goal),
        ).numbers()

    def units(self, facts: Facts) -> int:
        """One unit per row of the result."""
        batch, blocks, rows, *_ = self.shape(facts, 1)
        return batch * blocks * rows

    def workspace(self, facts: Facts) -> int:
        """The bytes of a line of the images."""
        *_, columns, lanes = self.shape(facts, 0)
        return columns * lanes * 4

    def emit(self, module: LLVMModule, name: str) -> None:
        """Write resizing."""
        emit_resampling(module, name, RESAMPLINGS[self.n.way](), back=self.n.back)


lower(resample_blocks, step=ResampleStep)
