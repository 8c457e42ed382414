"""Guards: the questions asked of a graph's shapes and their answers, recorded by the shapes themselves.

Code that decides by a shape need not say so. Reading an extent records the guard that it is this number;
comparing two shapes records that they are equal, or that they are not. What is never read, such as a batch
size, may be anything. Where many extents give one answer, the question is asked by `decide`, and its answer is
the guard.

Passes and steps are given such shapes; a rewritten graph and machine code hold the guards, and `hold` tells
whether they are right for other shapes. It may be asked with symbolic dimensions
(:mod:`gluonic.codegen.shapes.symbolic`): what is asked of them is what a family of bindings holds.
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
    """What was asked of the shapes of a graph's entries, with the answers.

    Parameters
    ----------
    facts : the shapes and dtypes of all entries

    Attributes
    ----------
    observed : the same facts, of which what is asked is noted

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
        """Forget the shapes: nothing more is asked of them."""
        self.facts = Facts({}, {})
        self.observed.shapes.clear()

    def decide(self, question: Callable[[Facts], Decided]) -> Decided:
        """Ask something of facts; only the answer is a guard."""
        answer = self._decided[question] = question(self.facts)
        return answer

    def require(self, question: Callable[[Facts], bool]) -> None:
        """Note that something is so, without asking again."""
        self._decided[question] = True

    def number(self, entry: Entry, axis: int) -> int:
        """An extent, which is a guard from now on."""
        found = self.facts.shapes[entry][axis]
        self._numbers.setdefault(entry, {})[axis] = found
        return found

    def ask(self, question: Question, *parts: _Part) -> bool:
        """Ask something of parts of shapes."""
        answer = question(*[_part(self.facts.shapes, part) for part in parts])
        self._answers[question, parts] = answer
        return answer

    def has_zero(self, part: _Part) -> bool:
        """Whether an array that has these extents is empty."""
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
        exactly : or whether comparisons that were true still are: what was made is right then, if not the best
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
    """Facts of which what is asked of the shapes is noted; of dtypes anybody may ask."""

    def __init__(self, guards: ShapeGuards) -> None:
        super().__init__(ObservedShapes(guards), guards.facts.dtypes)
        self._guards = guards

    @property
    def unguarded(self) -> Facts:
        """The facts for who decides nothing by shapes."""
        return self._guards.facts

    def decide(self, question: Callable[[Facts], Decided]) -> Decided:
        """The answer to a question, which is a guard."""
        return self._guards.decide(question)

    def require(self, question: Callable[[Facts], bool]) -> None:
        """Note a question of which the answer is known to be yes."""
        self._guards.require(question)


class ObservedShapes(dict[Entry, Any]):
    """The shapes of entries, each of which notes what it is asked."""

    def __init__(self, guards: ShapeGuards) -> None:
        super().__init__()
        self._guards = guards

    def __missing__(self, entry: Entry) -> "ObservedShape":
        rank = len(self._guards.facts.shapes[entry])
        found = self[entry] = ObservedShape(self._guards, entry, range(rank))
        return found


class ObservedShape(Sequence[int]):
    """A shape, or a part of one, that notes what it is asked; how many axes it has is no question."""

    __slots__ = ("_axes", "_entry", "_guards")

    def __init__(self, guards: ShapeGuards, entry: Entry, axes: range) -> None:
        self._guards, self._entry, self._axes = guards, entry, axes

    def __len__(self) -> int:
        return len(self._axes)

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
            own, its = (self._entry, self._axes), (other._entry, other._axes)
            return len(self) == len(other) and self._guards.ask(operator.eq, own, its)
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
        """Ask something of it and other shapes, of which the answer is the guard rather than each extent."""
        shapes = (self, *others)
        return self._guards.ask(question, *[(shape._entry, shape._axes) for shape in shapes])
