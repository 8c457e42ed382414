"""Reshaping with NumPy's rules: the same elements in the same order."""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from gluonic.graph.all_gradients import flowing
from gluonic.graph.attributes import Axes, Shape
from gluonic.graph.axes import Extent, axes_of, completed, product
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, operator
from gluonic.graph.view import (
    PartialShape,
    Unknown,
    complete,
    peek,
    put,
    title_of,
    written,
)

Order = str


def _solved(codes: Sequence[int], given: PartialShape, title: str) -> PartialShape:
    """A shape whose -1 is inferred from the number of elements."""
    if list(codes).count(-1) > 1:
        raise InferenceError(f"{title}: newshape={tuple(codes)} has more than one -1")
    size, rest = product(given), prod(code for code in codes if code != -1)
    if size is None:
        return tuple(None if code == -1 else code for code in codes)
    if -1 not in codes:
        if rest != size:
            raise InferenceError(
                f"{title}: cannot reshape {written(given)} into {written(tuple(codes))}"
            )
        return tuple(codes)
    if (rest == 0 and size != 0) or (rest and size % rest):
        raise InferenceError(f"{title}: cannot reshape {written(given)} into {tuple(codes)}")
    return tuple((size // rest if rest else 0) if code == -1 else code for code in codes)


@operator("_np_reshape", is_view=True)
def reshape(a: Array, *, newshape: Shape, order: Order = "C") -> Array:
    """Give the elements another shape.

    Parameters
    ----------
    a : any array
    newshape : the new extents; one may be -1, which is inferred from the number of elements
    order : ``"C"``, the order in which elements are read and written
    """
    return a.view()


def require_c(n: Any) -> None:
    """Refuse orders of elements other than C's."""
    if n.order != "C":
        raise InferenceError(f"{title_of(n)}: order={n.order!r} must be 'C'")


@reshape.infer_shape
def _(n: Any) -> None:
    require_c(n)
    if any(code < -1 for code in n.newshape):
        raise InferenceError(f"{title_of(n)}: newshape={n.newshape}: no extent may be less than -1")
    n.output = _solved(n.newshape, n.a, title_of(n))
    n.a = completed(n.a, product(n.output))


reshape.gradient(a=lambda F, n, g: F.reshape_like(g, n.a))


class _Codes:
    """Reads the codes of one `npx.reshape` from left to right against the axes of its input."""

    def __init__(self, source: PartialShape, codes: Sequence[int], title: str) -> None:
        self.source, self.codes, self.title = source, list(codes), title
        self.position, self.at = 0, 0
        self.result: list[Extent | str] = []

    def error(self, what: str) -> InferenceError:
        shape = written(self.source)
        return InferenceError(
            f"{self.title}: newshape={tuple(self.codes)} {what} (the input is {shape})"
        )

    def axis(self) -> Extent:
        """Take the next axis of the input."""
        if self.position >= len(self.source):
            raise self.error("asks for more axes than the input has")
        self.position += 1
        return self.source[self.position - 1]

    def keep(self) -> None:
        """-2: keep the next axis."""
        self.result.append(self.axis())

    def skip(self) -> None:
        """-3: drop the next axis, of length one."""
        if self.axis() not in (1, None):
            raise self.error("drops an axis that is not of length one")

    def rest(self) -> None:
        """-4: keep all remaining axes."""
        self.result.extend(self.source[self.position :])
        self.position = len(self.source)

    def merge(self) -> None:
        """-5: the product of the next two axes."""
        self.result.append(product((self.axis(), self.axis())))

    def split(self) -> None:
        """-6: the next axis as two, whose extents follow; one may be -1."""
        whole, parts = self.axis(), self.codes[self.at : self.at + 2]
        self.at += 2
        if len(parts) < 2 or parts == [-1, -1] or min(parts) < -1:
            raise self.error("needs two extents after -6, at most one of them -1")
        known = [None if part == -1 else part for part in parts]
        other = next((part for part in parts if part != -1), 1)
        if -1 in parts and whole is not None:
            if other == 0 or whole % other:
                raise self.error(f"does not divide an axis of {whole}")
            known = [whole // other if part == -1 else part for part in parts]
        elif whole is not None and prod(parts) != whole:
            raise self.error(f"splits an axis of {whole} into {parts[0]} and {parts[1]}")
        self.result.extend(known)

    def number(self, code: int) -> None:
        """Read an extent, or -1, which replaces the next axis if any remains."""
        self.position = min(self.position + 1, len(self.source))
        self.result.append("inferred" if code == -1 else code)

    def read(self) -> PartialShape:
        """The new shape."""
        while self.at < len(self.codes):
            code, self.at = self.codes[self.at], self.at + 1
            if code in _ACTIONS:
                _ACTIONS[code](self)
            elif code < -6:
                raise self.error(f"has the unknown code {code}")
            else:
                self.number(code)
        if self.result.count("inferred") > 1:
            raise self.error("has more than one -1")
        given: list[Extent] = [-1 if r == "inferred" else r for r in self.result]  # type: ignore[misc]
        if None in given:
            return tuple(None if extent == -1 else extent for extent in given)
        return _solved(given, self.source, self.title)  # type: ignore[arg-type]


_ACTIONS: dict[int, Callable[[_Codes], None]] = {
    -2: _Codes.keep,
    -3: _Codes.skip,
    -4: _Codes.rest,
    -5: _Codes.merge,
    -6: _Codes.split,
}


@operator("_npx_reshape", "_npi_reshape", is_view=True)
def coded_reshape(a: Array, *, newshape: Shape, reverse: bool = False, order: Order = "C") -> Array:
    """Give the elements another shape, which may refer to the input's.

    Parameters
    ----------
    a : any array
    newshape : the new extents, or codes

        ====== ==========================================================================
        -1     inferred from the number of elements; at most once
        -2     keep the input's next axis
        -3     drop the input's next axis, which has length one
        -4     all remaining axes of the input
        -5     the product of the input's next two axes
        -6     the input's next axis, split into the two extents that follow (one may be -1)
        ====== ==========================================================================
    reverse : match `newshape` and the input's axes from right to left
    order : ``"C"``, the order in which elements are read and written
    """
    return a.view()


@coded_reshape.infer_shape
def _(n: Any) -> None:
    require_c(n)
    if n.reverse:
        n.output = _Codes(n.a[::-1], n.newshape[::-1], title_of(n)).read()[::-1]
    else:
        n.output = _Codes(n.a, n.newshape, title_of(n)).read()
    n.a = completed(n.a, product(n.output))


coded_reshape.gradient(a=lambda F, n, g: F.reshape_like(g, n.a))


@operator("_np_squeeze", is_view=True)
def squeeze(a: Array, *, axis: Axes = None) -> Array:
    """Drop axes of length one: all of them, or those in `axis`."""
    return a.view()


@squeeze.infer_shape
def _(n: Any) -> None:
    a = n.a
    if n.axis is None:
        if None in a:
            raise Unknown
        dropped = tuple(i for i, extent in enumerate(a) if extent == 1)
    else:
        named = (n.axis,) if isinstance(n.axis, int) else n.axis
        dropped = axes_of(named, len(a), title_of(n)) if a or set(named) - {0, -1} else ()
    long = [axis for axis in dropped if a[axis] not in (1, None)]
    if long:
        raise InferenceError(f"{title_of(n)}: axis {long[0]} of {written(a)} is not of length one")
    n.output = tuple(extent for i, extent in enumerate(a) if i not in dropped)
    left = iter(n.output)
    n.a = tuple(1 if i in dropped else next(left) for i in range(len(a)))


squeeze.gradient(a=lambda F, n, g: F.reshape_like(g, n.a))


def at_least(shape: PartialShape, rank: int) -> PartialShape:
    """A shape with axes of length one added, as NumPy adds them.

    >>> at_least((3,), 2), at_least((3,), 3), at_least((2, 3), 3)
    ((1, 3), (1, 3, 1), (2, 3, 1))
    """
    if len(shape) >= rank:
        return shape
    if rank < 3 or not shape:
        return (1,) * (rank - len(shape)) + shape
    return (1, *shape, 1) if len(shape) == 1 else (*shape, 1)


def _register_at_least(rank: int) -> None:
    def kernel(*arys: Array, num_args: int) -> tuple[Array, ...]:
        return tuple(array.reshape(complete(at_least(array.shape, rank))) for array in arys)

    kernel.__doc__ = f"""Give arrays at least {rank} axes.

    Parameters
    ----------
    arys : any arrays
    num_args : number of inputs
    """

    def rule(n: Any) -> None:
        for i, shape in enumerate(n.arys):
            if shape is not None:
                put(n, f"output{i}", at_least(shape, rank))

    def dtype(n: Any) -> None:
        for i in range(n.num_args):
            for source, target in ((f"arys{i}", f"output{i}"), (f"output{i}", f"arys{i}")):
                if peek(n, source) is not None:
                    put(n, target, peek(n, source))

    op = operator(
        f"_np_atleast_{rank}d",
        count="num_args",
        outputs=lambda n: [f"output{i}" for i in range(n.num_args)],
        shape=rule,
        dtype=dtype,
    )(kernel)

    @op.all_gradients
    def _(F: Any, n: Any, heads: Sequence[Any]) -> dict[str, Any]:
        given = zip(n.arys, flowing(F, n, heads), strict=True)
        return {f"arys{i}": F.reshape_like(head, array) for i, (array, head) in enumerate(given)}


for _rank in (1, 2, 3):
    _register_at_least(_rank)
