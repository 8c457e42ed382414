"""Symbolic dimensions: extents as expressions of unknown sizes, such as that of the batch.

Inferring shapes and computing the numbers of machine code consists of arithmetic on extents and of comparisons.
Done once with *symbolic dimensions* instead of sizes, it results in expressions instead of numbers, and each
comparison in a *guard* under which the computation would have taken the same path. For sizes that meet all
guards, the expressions have the values that the whole computation would return.

An operation without such a result, such as creating an array of that length, raises `NotUniform`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, NoReturn, cast

from gluonic.codegen.shapes.atoms import chosen, product, quotient

Terms = tuple[tuple[int, Any], ...]
Relation = Literal["==", "!=", ">=", "<"]
Guard = tuple[Terms, Any, Relation]
_FORBIDDEN = (
    *("__int__", "__index__", "__float__", "__hash__", "__bytes__", "__complex__", "__round__"),
    *("__trunc__", "__floor__", "__ceil__", "__truediv__", "__rtruediv__", "__pow__", "__rpow__"),
    *("__lshift__", "__rlshift__", "__rshift__", "__rrshift__", "__and__", "__rand__", "__or__"),
    *("__ror__", "__xor__", "__rxor__", "__invert__", "__matmul__", "__rmatmul__", "__array__"),
)


class NotUniform(Exception):
    """An operation on an extent has no result that is the same for all batch sizes."""


class ShapeEnv:
    """The guards of symbolic dimensions: comparisons, with their results for certain sizes, the hints.

    Parameters
    ----------
    hints : a number for each unknown size

    Attributes
    ----------
    atoms : the atoms after the sizes: functions, and their operands
    failed : whether an operation had no uniform result
    guards : the conditions on other sizes, in the order in which they were last recorded
    answers : a cache of the results of comparisons

    Examples
    --------
    >>> env = ShapeEnv(2, 2)
    >>> rows, columns = env.sizes
    >>> rows * 3 < 7, rows == columns, columns == 1
    (True, True, False)
    >>> env.values_at(1, 1), env.sizes_in_conflict(1, 1), env.sizes_in_conflict(3, 3)
    (None, {1}, {0})
    """

    def __init__(self, *hints: int) -> None:
        self.atoms: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []
        self._numbers: dict[Any, int] = {}
        self._factors: dict[int, tuple[int, ...]] = {}
        self._values: list[Any] = [*hints]
        self._count = len(hints)
        self.failed = False
        self.guards: dict[Guard, None] = {}
        self.answers: dict[Any, Any] = {}

    @property
    def sizes(self) -> "list[SymbolicDim]":
        """The unknown sizes themselves."""
        return [SymbolicDim(self, ((i, 1),), 0) for i in range(self._count)]

    @property
    def size(self) -> "SymbolicDim":
        """The unknown size, if there is only one."""
        (size,) = self.sizes
        return size

    def atom(self, function: Callable[..., Any], *operands: Any) -> "SymbolicDim":
        """A new atom: a value of a function that is not a linear combination of the other atoms."""
        key = function, *(written(operand) for operand in operands)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._values)
            self.atoms.append((function, operands))
            self._values.append(function(*(self.value(x) for x in operands)))
        return SymbolicDim(self, ((number, 1),), 0)

    def product(self, one: int, another: int) -> int:
        """The number of the atom that is the product of two, regardless of their order."""
        factors = sorted([*self._factors.get(one, (one,)), *self._factors.get(another, (another,))])
        made = self.atom(product, *[SymbolicDim(self, ((atom, 1),), 0) for atom in factors])
        ((number, _),) = made.terms
        self._factors[number] = tuple(factors)
        return number

    def value(self, x: Any) -> Any:
        """The value of an expression for the hints."""
        return valued(x, self._values)

    def met(self, extent: "SymbolicDim", relation: Relation) -> bool:
        """Whether a relation to zero holds for the hints; it becomes a guard."""
        holds = _RELATIONS[relation](self.value(extent))
        guard = extent.terms, extent.constant, relation if holds else _OPPOSITE[relation]
        self.guards.pop(guard, None)
        self.guards[guard] = None
        return holds

    def values_at(self, *sizes: int) -> list[Any] | None:
        """The values of all atoms for certain sizes; None if these do not meet the guards."""
        values = self._values_of_atoms(sizes)
        return None if values is None or next(self._unmet(values), None) else values

    def sizes_in_conflict(self, *sizes: int) -> set[int]:
        """The positions of the sizes in the last guard that is not met; empty if all are."""
        values = self._values_of_atoms(sizes)
        if values is None:
            return {*range(len(sizes))}
        unmet = [*self._unmet(values)][-1:]
        open_atoms, found = [atom for terms, _, _ in unmet for atom, _ in terms], set()
        while open_atoms:
            atom = open_atoms.pop()
            if atom < len(sizes):
                found.add(atom)
                continue
            _, operands = self.atoms[atom - len(sizes)]
            for operand in operands:
                open_atoms += [a for a, _ in getattr(operand, "terms", ())]
        return found

    def _values_of_atoms(self, sizes: Sequence[int]) -> list[Any] | None:
        """The sizes and the atoms computed from them; None if one of these divides by zero."""
        values: list[Any] = [*sizes]
        try:
            for function, operands in self.atoms:
                values.append(function(*[valued(x, values) for x in operands]))
        except ZeroDivisionError:
            return None
        return values

    def _unmet(self, values: Sequence[Any]) -> Iterator[Guard]:
        """The guards that do not hold for these values of the atoms."""
        for guard in self.guards:
            terms, constant, relation = guard
            if not _RELATIONS[relation](_sum(terms, constant, values)):
                yield guard

    @property
    def is_general(self) -> bool:
        """Whether several sets of sizes may meet the guards."""
        return not any(relation == "==" for _, _, relation in self.guards)

    def refuse(self) -> NoReturn:
        """Raise `NotUniform`."""
        self.failed = True
        raise NotUniform


_RELATIONS: dict[Relation, Callable[[Any], bool]] = {
    "==": lambda x: x == 0,
    "!=": lambda x: x != 0,
    ">=": lambda x: x >= 0,
    "<": lambda x: x < 0,
}
_OPPOSITE: dict[Relation, Relation] = {"==": "!=", "!=": "==", ">=": "<", "<": ">="}


def _sum(terms: Terms, constant: Any, values: Sequence[Any]) -> Any:
    for atom, factor in terms:
        constant += factor * values[atom]
    return constant


def valued(x: Any, values: Sequence[Any]) -> Any:
    """The value of an extent, or of a number, given those of the atoms."""
    return _sum(x.terms, x.constant, values) if type(x) is SymbolicDim else x


def written(x: Any) -> Any:
    """A number, or an extent as a hashable key that is equal for equal expressions."""
    return (x.terms, x.constant) if type(x) is SymbolicDim else x


def _is_number(x: Any) -> bool:
    return isinstance(x, (int, float))


def _is_whole(x: Any) -> bool:
    """Whether a number or an extent is known to be an integer."""
    if type(x) is SymbolicDim:
        return type(x.constant) is int and all(type(factor) is int for _, factor in x.terms)
    return isinstance(x, int)


class SymbolicDim:
    """A linear combination of atoms: the sizes, and products and quotients of such combinations.

    Attributes
    ----------
    env : records the comparisons
    terms : the numbers of the atoms with their factors
    constant : the constant term
    """

    __slots__ = ("constant", "env", "terms")

    def __init__(self, env: ShapeEnv, terms: Terms, constant: Any) -> None:
        self.env, self.terms, self.constant = env, terms, constant

    def _made(self, terms: Iterable[tuple[int, Any]], constant: Any) -> Any:
        kept = tuple(term for term in terms if term[1])
        return SymbolicDim(self.env, kept, constant) if kept else constant

    def __add__(self, other: Any) -> Any:
        if type(other) is SymbolicDim:
            factors = dict(self.terms)
            for atom, factor in other.terms:
                factors[atom] = factors.get(atom, 0) + factor
            return self._made(sorted(factors.items()), self.constant + other.constant)
        if _is_number(other):
            return SymbolicDim(self.env, self.terms, self.constant + other)
        return self.env.refuse()

    __radd__ = __add__

    def __neg__(self) -> Any:
        return self * -1

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return self if self >= 0 else -self

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if type(other) is SymbolicDim:
            return self._times(other)
        if _is_number(other):
            scaled = [(atom, factor * other) for atom, factor in self.terms]
            return self._made(scaled, self.constant * other)
        return self.env.refuse()

    __rmul__ = __mul__

    def _times(self, other: "SymbolicDim") -> Any:
        """The product of two sums, expanded to a sum, so that equal products have equal expressions."""
        factors: Counter[int] = Counter()
        for atom, factor in self.terms:
            factors[atom] += factor * other.constant
            for another, its in other.terms:
                factors[self.env.product(atom, another)] += factor * its
        for another, its in other.terms:
            factors[another] += its * self.constant
        return self._made(sorted(factors.items()), self.constant * other.constant)

    def __floordiv__(self, other: Any) -> Any:
        if type(other) is int and other > 0 and _is_whole(self):
            even = [(atom, factor // other) for atom, factor in self.terms if not factor % other]
            odd = [(atom, factor) for atom, factor in self.terms if factor % other]
            whole = self._made(even, self.constant // other)
            if not odd:
                return whole
            rest = SymbolicDim(self.env, tuple(odd), self.constant % other)
            return whole + self.env.atom(quotient, rest, other)
        times = self._multiple_of(other) if type(other) is SymbolicDim else None
        if times is not None and other != 0:
            return times
        return self.env.atom(quotient, self, other)

    def _multiple_of(self, other: "SymbolicDim") -> int | None:
        """The integer by which another extent is multiplied to give this one, if there is one."""
        ((_, factor), *_), ((_, its), *_) = self.terms, other.terms
        if not (_is_whole(self) and _is_whole(other)) or factor % its:
            return None
        times: int = factor // its
        multiple = tuple([(atom, times * each) for atom, each in other.terms])
        return times if (multiple, times * other.constant) == (self.terms, self.constant) else None

    def __rfloordiv__(self, other: Any) -> Any:
        return self.env.atom(quotient, other, self)

    def __mod__(self, other: Any) -> Any:
        return self - self // other * other

    def __rmod__(self, other: Any) -> Any:
        return other - other // self * self

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def _compared(self, difference: Any, relation: Relation) -> bool:
        if type(difference) is SymbolicDim:
            return self.env.met(difference, relation)
        return _RELATIONS[relation](difference)

    def __eq__(self, other: object) -> bool:
        if other is None or isinstance(other, (str, tuple, list)):
            return False
        return self._compared(self - other, "==")

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __ge__(self, other: Any) -> bool:
        return self._compared(self - other, ">=")

    def __lt__(self, other: Any) -> bool:
        return self._compared(self - other, "<")

    def __gt__(self, other: Any) -> bool:
        return self._one_more(other) and self._compared(self - other - 1, ">=")

    def __le__(self, other: Any) -> bool:
        return self._one_more(other) and self._compared(self - other - 1, "<")

    def _one_more(self, other: Any) -> bool:
        """Whether greater means at least one more, as for integers; otherwise raises `NotUniform`."""
        return True if _is_whole(self) and _is_whole(other) else self.env.refuse()

    def __bool__(self) -> bool:
        return self != 0

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self.env.refuse()

    def __repr__(self) -> str:
        terms = [f"{factor}·n{atom}" for atom, factor in self.terms]
        return " + ".join([*terms, str(self.constant)])


def _refusing(name: str) -> Callable[..., NoReturn]:
    def refuse(self: SymbolicDim, *others: Any, **options: Any) -> NoReturn:
        self.env.refuse()

    refuse.__name__ = name
    return refuse


for _name in _FORBIDDEN:
    setattr(SymbolicDim, _name, _refusing(_name))


def is_one(extent: Any) -> bool:
    """Whether an extent is known to be one.

    Code for several elements is also valid for one; so the result for a symbolic extent is False.
    """
    return type(extent) is not SymbolicDim and bool(extent == 1)


def varies(shape: Sequence[Any]) -> bool:
    """Whether some extent of a shape is not known yet."""
    return any(type(extent) is SymbolicDim for extent in shape)


def env_of(shapes: Iterable[Sequence[Any]]) -> ShapeEnv | None:
    """Where comparisons with the extents of shapes are noted; None if all of these are known."""
    extents = (extent for shape in shapes for extent in shape if type(extent) is SymbolicDim)
    found = next(extents, None)
    return None if found is None else found.env


def if_at_least(x: Any, bound: int, yes: int, no: int) -> int:
    """`yes` if an extent is at least so large, else `no`; no guard for other sizes.

    Between equal values nothing is chosen: a number stays one, so that comparing it is no guard either.

    >>> if_at_least(3, 2, 10, 20)
    10
    """
    if isinstance(x, SymbolicDim):
        if written(yes) == written(no):
            return yes
        return cast(int, x.env.atom(chosen, x, bound, yes, no))
    return yes if x >= bound else no


def at_least(x: Any, least: int) -> Any:
    """An extent, or a number if that is more; no guard for other sizes.

    >>> at_least(3, 5)
    5
    """
    return x.env.atom(max, x, least) if isinstance(x, SymbolicDim) else max(x, least)
