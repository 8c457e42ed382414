"""Operators of rewritten graphs: some only draw random numbers, and one applies the mask of dropout.

Python calls the operators that draw, in order; they read only the shapes of their inputs. Loops compute the
rest.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.codegen.loops.inner_operators import apply, inner_operator
from gluonic.codegen.loops.loop import Loop, Read, identity, stretched
from gluonic.codegen.lowerings.entry import lower
from gluonic.graph import Array, Run
from gluonic.graph.attributes import Shape
from gluonic.graph.attributes import Shape as ShapeAttribute
from gluonic.graph.axes import axis_of
from gluonic.graph.ops.activation import random_slopes
from gluonic.graph.ops.dropout import draw_kept, kept_scale, mask_shape
from gluonic.graph.ops.layer_rules import both_ways, floating
from gluonic.graph.ops.recurrent import draw_masks
from gluonic.graph.rules import like
from gluonic.graph.view import NodeView, title_of


@inner_operator("_draw_kept", reads_shapes=True)
def kept_elements(data: Array, *, p: float, axes: ShapeAttribute = (), run: Run) -> Array:
    """The mask of the elements that dropout keeps."""
    return draw_kept(run.random, data.shape, data.dtype, p, axes)


@kept_elements.infer_shape
def _(n: NodeView) -> None:
    for axis in n.axes:
        axis_of(axis, len(n.data), title_of(n))
    n.output = mask_shape(n.data, n.axes)


@kept_elements.infer_dtype
def _(n: NodeView) -> None:
    n.output = np.dtype(np.bool_)


kept_elements.gradient()


@inner_operator("_drop", dtype=floating(like("data")))
def drop(data: Array, kept: Array, *, p: float) -> Any:
    """An array after dropout with a given mask."""
    return data * np.where(
        kept, data.dtype.type(kept_scale(p)), data.dtype.type(0.0 * kept_scale(p))
    )


@drop.infer_shape
def _(n: NodeView) -> None:
    both_ways(n, "data", "output")


drop.gradient(data=lambda F, n, g: apply(drop, g, n.kept, p=n.p))


def _drop_loop(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    scale = float(kept_scale(settings["p"]))
    reads = Read(identity(len(output))), Read(stretched(inputs[1], output))

    def expression(m: Any, x: Any, kept: Any) -> Any:
        return x * m.where(m.not_equal(kept, 0), m.constant(scale, x.dtype), 0.0 * scale)

    return Loop(output, reads, expression)


@inner_operator("_draw_slopes", shape=like("data"), dtype=like("data"), reads_shapes=True)
def slopes(data: Array, *, lower_bound: float, upper_bound: float, run: Run) -> Array:
    """The random slopes of leaky rectifiers."""
    return random_slopes(run.random, data.shape, data.dtype, lower_bound, upper_bound)


slopes.gradient()


@inner_operator("_draw_masks", dtype=like("data"), reads_shapes=True)
def masks(data: Array, *, layers: int, width: int, p: float, run: Run) -> Array:
    """The dropout masks between the layers of a recurrent network."""
    return draw_masks(run.random, (layers, *data.shape[:2], width), data.dtype, p)


@masks.infer_shape
def _(n: NodeView) -> None:
    n.output = (n.layers, *n.data[:2], n.width)


masks.gradient()

lower(drop, loop=_drop_loop)
