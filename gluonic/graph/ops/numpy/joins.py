"""Joining and splitting of arrays, with NumPy's rules of axes."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from gluonic.graph.all_gradients import as_list, flowing
from gluonic.graph.attributes import Shape
from gluonic.graph.axes import Extent, axis_of, product
from gluonic.graph.derivation import derived
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import REGISTRY, Array, Operator, operator
from gluonic.graph.ops.numpy.views import at_least
from gluonic.graph.view import PartialShape, Unknown, complete, put, title_of, unify
from gluonic.support.record import record

derived("_npi_stack", "stack")
derived("_npi_dsplit", "_split_v2")

Widened = Callable[[PartialShape], PartialShape]


def _columns(shape: PartialShape) -> PartialShape:
    """A vector as a column."""
    return (*(shape or (1,)), 1) if len(shape) < 2 else shape


def _joined_shape(shapes: Sequence[PartialShape], axis: int, title: str) -> PartialShape:
    """The shape of arrays of one rank that are joined along an axis."""
    ranks = {len(shape) for shape in shapes}
    if len(ranks) > 1:
        raise InferenceError(f"{title}: the inputs have {sorted(ranks)} axes, not equally many")
    blank: Any = None
    for shape in shapes:
        blank = unify(blank, (*shape[:axis], None, *shape[axis + 1 :]), f"{title}: an input")
    parts: list[Extent] = [shape[axis] for shape in shapes]
    total = None if None in parts else sum(part for part in parts if part is not None)
    return (*blank[:axis], total, *blank[axis + 1 :])


@record
class Join:
    """A way of joining arrays.

    Attributes
    ----------
    name : the operator's name
    widened : from the shape of an array, the shape in which it is joined
    axis : from the rank of the widened arrays, the axis along which they are joined
    manner : words for the documentation
    """

    name: str
    widened: Widened
    axis: Callable[[int], int]
    manner: str

    @property
    def backward(self) -> str:
        """The name of the gradient operator."""
        return f"_backward{self.name}"

    def parts(self, arrays: Sequence[Array]) -> tuple[list[Array], int]:
        """The widened arrays, and the axis."""
        wide = [array.reshape(complete(self.widened(array.shape))) for array in arrays]
        return wide, self.axis(wide[0].ndim)

    def shape(self, n: Any) -> None:
        """The shape rule."""
        if any(shape is None for shape in n.data):
            raise Unknown
        shapes = [self.widened(shape) for shape in n.data]
        n.output = _joined_shape(shapes, self.axis(len(shapes[0])), title_of(n))

    def as_concat(self, n: Any, shapes: Sequence[tuple[int, ...]]) -> dict[str, Any] | None:
        """The attributes of the equivalent `Concat`; None where axes are added."""
        if any(len(self.widened(shape)) != len(shape) for shape in shapes):
            return None
        return {"num_args": n.num_args, "dim": self.axis(len(shapes[0]))}


JOINS = [
    Join(
        "_npi_vstack",
        lambda shape: at_least(shape, 2),
        lambda rank: 0,
        "as rows, or along the first axis",
    ),
    Join(
        "_npi_hstack",
        lambda shape: at_least(shape, 1),
        lambda rank: min(rank - 1, 1),
        "along their second axis, vectors along their only one",
    ),
    Join("_npi_dstack", lambda shape: at_least(shape, 3), lambda rank: 2, "along their third axis"),
    Join("_npi_column_stack", _columns, lambda rank: 1, "as columns, or along their second axis"),
]


def _register(join: Join) -> Operator:
    def kernel(*data: Array, num_args: int, dim: int = 1) -> Any:
        wide, axis = join.parts(data)
        return np.concatenate(wide, axis)

    kernel.__doc__ = f"""Join arrays {join.manner}.

    Parameters
    ----------
    data : arrays whose shapes differ only along the axis of joining
    num_args : number of inputs
    """
    base = REGISTRY["Concat"]
    return operator(
        join.name, count="num_args", shape=join.shape, base=base, as_base=join.as_concat
    )(kernel)


def _register_backward(join: Join) -> Operator:
    def back(grad: Array, *data: Array, num_args: int, dim: int = 1) -> tuple[Array, ...]:
        wide, axis = join.parts(data)
        ends = np.cumsum([part.shape[axis] for part in wide])
        pieces = np.split(grad, ends[:-1], axis)
        return tuple(p.reshape(x.shape) for p, x in zip(pieces, data, strict=True))

    def shape(n: Any) -> None:
        for i, known in enumerate(n.data):
            if known is not None:
                put(n, f"output{i}", known)

    back.__doc__ = f"The gradient through {join.name}."
    names = {"outputs": lambda n: [f"output{i}" for i in range(n.num_args)]}
    return operator(join.backward, count="num_args", shape=shape, **names)(back)


def _differentiate(join: Join, op: Operator, back: Operator) -> None:
    @op.all_gradients
    def _(F: Any, n: Any, heads: Sequence[Any]) -> dict[str, Any]:
        return {"data": as_list(getattr(F, join.backward)(heads[0], *n.data))}

    @back.all_gradients
    def _(F: Any, n: Any, heads: Sequence[Any]) -> dict[str, Any]:
        return {"grad": getattr(F, join.name)(*flowing(F, n, heads))}


for _join in JOINS:
    _differentiate(_join, _register(_join), _register_backward(_join))


def _as_concat(n: Any, shapes: Sequence[tuple[int, ...]]) -> dict[str, Any] | None:
    return None if n.axis is None else {"num_args": n.num_args, "dim": n.axis}


@operator("_npi_concatenate", count="num_args", base=REGISTRY["Concat"], as_base=_as_concat)
def concatenate(*data: Array, num_args: int, axis: int | None = 0) -> Any:
    """Join arrays along an axis, or flattened arrays where `axis` is None.

    Parameters
    ----------
    data : arrays of equal shapes except along `axis`
    num_args : number of inputs
    axis : the axis to join along
    """
    return np.concatenate(data, axis)


@concatenate.infer_shape
def _(n: Any) -> None:
    if any(shape is None for shape in n.data):
        raise Unknown
    if n.axis is None:
        sizes = [product(shape) for shape in n.data]
        n.output = (None if None in sizes else sum(size for size in sizes if size is not None),)
    else:
        axis = axis_of(n.axis, len(n.data[0]), title_of(n))
        n.output = _joined_shape(n.data, axis, title_of(n))


@concatenate.all_gradients
def _(F: Any, n: Any, heads: Sequence[Any]) -> dict[str, Any]:
    if n.axis is not None:
        return {"data": as_list(F._backward_Concat(heads[0], *n.data, dim=n.axis))}
    flat = [F._np_reshape(each, newshape=(-1,)) for each in n.data]
    parts = as_list(F._backward_Concat(heads[0], *flat, dim=0))
    return {"data": [F.reshape_like(p, x) for p, x in zip(parts, n.data, strict=True)]}


def _names(n: Any) -> list[str]:
    count = n.sections if n.sections > 0 else len(n.indices)
    return [f"output{i}" for i in range(count)] if count > 1 else ["output"]


def _row_axis(rank: int) -> int:
    return min(rank - 1, 1)


@operator(
    "_npi_hsplit",
    outputs=_names,
    base=REGISTRY["_split_v2"],
    as_base=lambda n, shapes: {
        "indices": n.indices,
        "sections": n.sections,
        "axis": _row_axis(len(shapes[0])),
    },
)
def hsplit(
    data: Array, *, indices: Shape, axis: int = 1, squeeze_axis: bool = False, sections: int = 0
) -> tuple[Array, ...]:
    """Split an array into parts along its second axis, a vector along its only one.

    Parameters
    ----------
    data : an array of at least one axis
    indices : the index where each part begins; the first is 0
    axis, squeeze_axis : without effect
    sections : if positive, the number of parts of almost equal length; `indices` is then ignored
    """
    along = _row_axis(data.ndim)
    if sections > 0:
        return tuple(np.array_split(data, sections, along))
    return tuple(np.split(data, indices, along)[1:])


@hsplit.infer_shape
def _(n: Any) -> None:
    data = n.data
    if not data:
        raise InferenceError(f"{title_of(n)}: an array without axes cannot be split")
    axis = _row_axis(len(data))
    extent = data[axis]
    if n.sections > 0:
        if extent is None:
            return
        parts = [extent // n.sections + (i < extent % n.sections) for i in range(n.sections)]
    else:
        bounds = [*n.indices, extent]
        if None in bounds:
            return
        parts = [len(range(extent)[start:end]) for start, end in pairwise(bounds)]
    for name, part in zip(_names(n), parts, strict=True):
        put(n, name, (*data[:axis], part, *data[axis + 1 :]))


@hsplit.all_gradients
def _(F: Any, n: Any, heads: Sequence[Any]) -> dict[str, Any]:
    return {"data": F._npi_hstack(*flowing(F, n, heads))}
