"""The codes of MXNet's `reshape`: 0, -1, -2, -3 and -4 inside a shape."""

from collections.abc import Callable, Iterator, Sequence
from math import prod

from gluonic.graph.axes import Extent, product
from gluonic.graph.errors import InferenceError
from gluonic.graph.view import PartialShape, written


class _Reader:
    """Reads the codes of one `reshape` from left to right against the axes of its input.

    Attributes
    ----------
    result : the extents found so far
    inferred : the index in `result` of the extent to infer (-1)
    given : the extents that are given as numbers
    left : the input's extents that no code copied; their product is that of `given` times the inferred one
    """

    def __init__(self, source: PartialShape, codes: Sequence[int], title: str) -> None:
        self.source, self.title = source, f"{title}: shape {tuple(codes)}"
        self.codes = iter(codes)
        self.position = 0
        self.result: list[Extent] = []
        self.inferred: int | None = None
        self.given: list[int] = []
        self.left: list[Extent] = []

    def error(self, what: str) -> InferenceError:
        return InferenceError(f"{self.title} {what} (the input is {written(self.source)})")

    def next_axis(self) -> Extent:
        """Take the next axis of the input."""
        if self.position >= len(self.source):
            raise self.error("asks for more axes than the input has")
        self.position += 1
        return self.source[self.position - 1]

    def number(self, code: int) -> None:
        """Read a number, which replaces the next axis if any remains."""
        self.result.append(code)
        self.given.append(code)
        self._leave_axis()

    def _leave_axis(self) -> None:
        if self.position < len(self.source):
            self.left.append(self.next_axis())

    def keep(self) -> None:
        """Read 0: keep the next axis."""
        self.result.append(self.next_axis())

    def infer(self) -> None:
        """Read -1: infer the extent from the number of elements."""
        if self.inferred is not None:
            raise self.error("has more than one -1")
        self.inferred = len(self.result)
        self.result.append(None)
        self._leave_axis()

    def rest(self) -> None:
        """Read -2: keep all remaining axes."""
        self.result.extend(self.source[self.position :])
        self.position = len(self.source)

    def merge(self) -> None:
        """Read -3: the product of the next two axes."""
        self.result.append(product((self.next_axis(), self.next_axis())))

    def split(self) -> None:
        """Read -4: the next axis as two, whose extents follow; one may be -1."""
        whole = self.next_axis()
        parts = [next(self.codes, None), next(self.codes, None)]
        if None in parts or parts == [-1, -1] or 0 in parts:
            raise self.error("needs two extents after -4, at most one of them -1")
        first, second = parts
        if whole is not None:
            first = whole // second if first == -1 else first  # type: ignore[operator]
            second = whole // first if second == -1 else second  # type: ignore[operator]
            if first * second != whole:  # type: ignore[operator]
                raise self.error(f"splits an axis of {whole} into {first} and {second}")
        self.result.extend(None if part == -1 else part for part in (first, second))

    def finish(self) -> PartialShape:
        """Return the new shape; the input's remaining extents determine that of the -1."""
        left, given = product((*self.left, *self.source[self.position :])), prod(self.given)
        if left is None:
            return tuple(self.result)
        if self.inferred is None:
            if left != given:
                raise self.error("has another number of elements")
        elif given == 0:
            raise self.error("leaves -1 undetermined")
        elif left % given:
            raise self.error("does not divide the number of elements")
        else:
            self.result[self.inferred] = left // given
        return tuple(self.result)


_CODES: dict[int, Callable[[_Reader], None]] = {
    0: _Reader.keep,
    -1: _Reader.infer,
    -2: _Reader.rest,
    -3: _Reader.merge,
    -4: _Reader.split,
}


def reshaped(source: PartialShape, codes: Sequence[int], title: str) -> PartialShape:
    """Apply `codes` to the shape `source`.

    Parameters
    ----------
    source : a shape, possibly with unknown axes; extents that do not depend on these are still found
    codes : extents, and 0 (keep this axis), -1 (infer), -2 (all remaining axes), -3 (merge two
        axes), -4 (split an axis into the two extents that follow)
    title : the operator or node at fault, for messages

    Examples
    --------
    >>> reshaped((2, 3, 4, None), (-3, -4, 2, -1, 0), "reshape")
    (6, 2, 2, None)
    """
    reader = _Reader(source, codes, title)
    for code in reader.codes:
        if code < -4:
            raise reader.error(f"has the unknown code {code}")
        action = _CODES.get(code)
        if action is None:
            reader.number(code)
        else:
            action(reader)
    return reader.finish()


def reshaped_backwards(source: PartialShape, codes: Sequence[int], title: str) -> PartialShape:
    """Like `reshaped`, with the codes and the axes read from right to left."""
    return reshaped(source[::-1], codes[::-1], title)[::-1]


def legacy_reshaped(
    source: PartialShape, target: Sequence[int], keep_highest: bool, title: str
) -> PartialShape:
    """Apply `target_shape` and `keep_highest` of old models.

    One 0 in the target is inferred; `keep_highest` keeps the first axis, whatever the target has there.

    >>> legacy_reshaped((2, 3, 4), (0, 0), True, "reshape")
    (2, 12)
    """
    codes = list(_legacy_codes(target, keep_highest))
    if codes.count(-1) > 1:
        raise InferenceError(f"{title}: target_shape {tuple(target)} has more than one 0")
    return reshaped(source, codes, title)


def _legacy_codes(target: Sequence[int], keep_highest: bool) -> Iterator[int]:
    for position, extent in enumerate(target):
        if position == 0 and keep_highest:
            yield 0
        else:
            yield extent or -1
