"""The spatial extents of images as an array without elements, which keeps sizes out of attributes and code."""

from typing import Any

import numpy as np

from gluonic.codegen.loops.inner_operators import inner_operator
from gluonic.codegen.lowerings.entry import lower
from gluonic.graph import Array
from gluonic.graph.attributes import Shape
from gluonic.graph.view import NodeView, complete


@inner_operator("_spatial_extents", reads_shapes=True)
def spatial_extents(
    images: Array, *, axis: int = 2, steps: Shape = (1, 1), more: Shape = (0, 0)
) -> Any:
    """An array (rows, columns, 0) for images whose rows and columns are the axes from `axis` on.

    Its extents are those of the images times `steps`, plus `more`: so they can be those of other images, which
    depend on them. Volumes have three.
    """
    return np.zeros(_grown(images.shape, axis, steps, more), images.dtype)


def _grown(shape: Shape, axis: int, steps: Shape, more: Shape) -> Shape:
    extents = zip(shape[axis : axis + len(steps)], steps, more, strict=True)
    return (*(extent * step + added for extent, step, added in extents), 0)


@spatial_extents.infer_shape
def _(n: NodeView) -> None:
    n.output = _grown(complete(n.images), n.axis, n.steps, n.more)


lower(spatial_extents, step="convolution.as_matmul:ShapeStep.of")
