"""Guards: the questions asked of a graph's shapes and their answers, recorded by the shapes themselves.

Code whose decisions depend on a shape need not declare it. Reading an extent records its value as a guard;
comparing two shapes records whether they are equal. An extent that is never read, such as a batch size, may
have any value. Where many extents give the same answer, call `decide` with the question: only its answer is the
guard.

Passes and steps receive such shapes. A rewritten graph and machine code hold the guards; `hold` returns whether
they are valid for other shapes. It also accepts symbolic dimensions (:mod:`gluonic.codegen.shapes.symbolic`):
the comparisons made on them become the guards of a family of bindings.
"""

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from gluonic.codegen.shapes.facts import Decided, Facts
from gluonic.graph import Entry
from gluonic.graph.attributes import Shape

_Part: TypeAlias = tuple[Entry, range]
Question: TypeAlias = Callable[..., bool]


class ShapeGuards:
    """The questions asked about the shapes of a graph's entries, with their answers.

    Parameters
    ----------
    facts : the shapes and dtypes of all entries

    Attributes
    ----------
    observed : the same facts; questions about their shapes are recorded

    Examples
    --------
    >>> from gluonic.graph import Node
    >>> x, y = Node(None, "x").entry(), Node(None, "y").entry()
    >>> guards = ShapeGuards(Facts({x: (4, 3), y: (4, 5)}, {}))
    >>> a, b = guards.observed.shapes[x], guards.observed.shapes[y]
    >>> a[1] < 8, a[:1] == b[:1], guards.observed.decide(lambda facts: facts.shapes[y][1] % 2)
    (True, True, 1)
    >>> others = {x: (7, 3), y: (7, 9)}, {x: (7, 2), y: (7, 5)}, {x: (7, 3), y: (7, 8)}
    >>> [guards.hold(Facts(shapes, {})) for shapes in others]
    [True, False, False]
    """

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.observed: Facts = ObservedFacts(self)
        self._decided: dict[Callable[[Facts], Any], Any] = {}
        self._numbers: dict[Entry, dict[int, int]] = {}
        self._answers: dict[tuple[Question, tuple[_Part, ...]], bool] = {}
        self._without_zero: dict[_Part, None] = {}

    def __bool__(self) -> bool:
        return bool(self._numbers or self._answers or self._without_zero or self._decided)

    def release(self) -> None:
        """Drop the shapes: no more questions will be asked."""
        self.facts = Facts({}, {})
        self.observed.shapes.clear()

    def decide(self, question: Callable[[Facts], Decided]) -> Decided:
        """Ask a question about the facts; only the answer becomes a guard."""
        answer = self._decided[question] = question(self.facts)
        return answer

    def require(self, question: Callable[[Facts], bool]) -> None:
        """Record a guard that is known to hold, without asking the question."""
        self._decided[question] = True

    def number(self, entry: Entry, axis: int) -> int:
        """An extent; it becomes a guard."""
        found = self.facts.shapes[entry][axis]
        self._numbers.setdefault(entry, {})[axis] = found
        return found

    def ask(self, question: Question, *parts: _Part) -> bool:
        """Ask a question about parts of shapes."""
        answer = question(*[_part(self.facts.shapes, part) for part in parts])
        self._answers[question, parts] = answer
        return answer

    def has_zero(self, part: _Part) -> bool:
        """Whether an array with these extents is empty."""
        entry, axes = part
        for axis in axes:
            if self.facts.shapes[entry][axis] == 0:
                return self.number(entry, axis) == 0
        self._without_zero[part] = None
        return False

    def hold(self, facts: Facts, *, exactly: bool = True) -> bool:
        """Whether other shapes of the same ranks give the same answers.

        Parameters
        ----------
        facts : of all entries
        exactly : if False, comparisons that were false may be true: the code is then valid, if not the best
        """
        shapes = facts.shapes
        return (
            all(
                shapes[entry][axis] == number
                for entry, numbers in self._numbers.items()
                for axis, number in numbers.items()
            )
            and not any(n == 0 for part in self._without_zero for n in _part(shapes, part))
            and all(
                question(*[_part(shapes, part) for part in parts]) == answer
                for (question, parts), answer in self._answers.items()
                if answer or exactly
            )
            and all(question(facts) == answer for question, answer in self._decided.items())
        )


def _part(shapes: Mapping[Entry, Shape], part: _Part) -> Shape:
    entry, axes = part
    return shapes[entry][axes.start : axes.stop : axes.step]


class ObservedFacts(Facts):
    """Facts that record questions about shapes; questions about dtypes are not recorded."""

    def __init__(self, guards: ShapeGuards) -> None:
        super().__init__(ObservedShapes(guards), guards.facts.dtypes)
        self._guards = guards

    @property
    def unguarded(self) -> Facts:
        """The facts without recording, for decisions that do not depend on shapes."""
        return self._guards.facts

    def decide(self, question: Callable[[Facts], Decided]) -> Decided:
        """The answer to a question, which is a guard."""
        return self._guards.decide(question)

    def require(self, question: Callable[[Facts], bool]) -> None:
        """Record a guard whose answer is known to be yes."""
        self._guards.require(question)


class ObservedShapes(dict[Entry, Any]):
    """The shapes of entries, each of which records the questions asked of it."""

    def __init__(self, guards: ShapeGuards) -> None:
        super().__init__()
        self._guards = guards

    def __missing__(self, entry: Entry) -> "ObservedShape":
        rank = len(self._guards.facts.shapes[entry])
        found = self[entry] = ObservedShape(self._guards, entry, range(rank))
        return found


class ObservedShape(Sequence[int]):
    """A shape, or a part of one, that records questions about its extents; its rank is not recorded."""

    __slots__ = ("_axes", "_entry", "_guards")

    def __init__(self, guards: ShapeGuards, entry: Entry, axes: range) -> None:
        self._guards, self._entry, self._axes = guards, entry, axes

    def __len__(self) -> int:
        return len(self._axes)

    @property
    def subject(self) -> tuple[Entry, range]:
        """Whose shape it is, and which axes of it."""
        return self._entry, self._axes

    def __getitem__(self, index: Any) -> Any:
        axes = self._axes[index]
        if isinstance(axes, range):
            return ObservedShape(self._guards, self._entry, axes)
        return self._guards.number(self._entry, axes)

    def __iter__(self) -> Iterator[int]:
        return (self._guards.number(self._entry, axis) for axis in self._axes)

    def __contains__(self, number: object) -> bool:
        if number == 0:
            return self._guards.has_zero((self._entry, self._axes))
        return any(each == number for each in self)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ObservedShape) and other._guards is self._guards:
            equal = len(self) == len(other)
            return equal and self._guards.ask(operator.eq, self.subject, other.subject)
        if isinstance(other, (tuple, ObservedShape)):
            pairs = zip(self, other, strict=False)
            return len(self) == len(other) and all(one == another for one, another in pairs)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __add__(self, other: Any) -> Shape:
        return (*self, *other)

    def __radd__(self, other: Any) -> Shape:
        return (*other, *self)

    def __repr__(self) -> str:
        return repr(tuple(self))

    def asked(self, question: Question, *others: "ObservedShape") -> bool:
        """Ask a question about this and other shapes; the answer becomes the guard, not each extent."""
        shapes = (self, *others)
        return self._guards.ask(question, *[shape.subject for shape in shapes])
