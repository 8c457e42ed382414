"""Symbolic dimensions: extents as expressions of unknown sizes, such as that of the batch.

Inferring shapes and finding the numbers for machine code is arithmetic on extents, and comparison of them. Done
once with *symbolic dimensions* in the place of sizes, it gives expressions instead of numbers, and
with each comparison a *guard* under which all would have gone the same way. For sizes that meet all
guards the expressions have the values that doing everything again would give.

What has no such answer, such as making an array of that length, raises `NotUniform`.
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
    """Something was asked of an extent that has no one answer for all batch sizes."""


class ShapeEnv:
    """What has been asked of symbolic dimensions, with the answers for certain sizes, the hints.

    Parameters
    ----------
    hints : a number for each size that is not known

    Attributes
    ----------
    atoms : what the atoms behind the sizes are: functions, and their operands
    failed : whether something was asked that has no one answer
    guards : what other sizes must meet, in the order in which it was last asked
    answers : what was found for the same question, for those who ask again

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
        """The unknown size, where there is but one."""
        (size,) = self.sizes
        return size

    def atom(self, function: Callable[..., Any], *operands: Any) -> "SymbolicDim":
        """A new atom: a function's value that is no sum of multiples of the others."""
        key = function, *(written(operand) for operand in operands)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._values)
            self.atoms.append((function, operands))
            self._values.append(function(*(self.value(x) for x in operands)))
        return SymbolicDim(self, ((number, 1),), 0)

    def product(self, one: int, another: int) -> int:
        """The number of the atom that is the product of two, the same in whatever order factors come."""
        factors = sorted([*self._factors.get(one, (one,)), *self._factors.get(another, (another,))])
        made = self.atom(product, *[SymbolicDim(self, ((atom, 1),), 0) for atom in factors])
        ((number, _),) = made.terms
        self._factors[number] = tuple(factors)
        return number

    def value(self, x: Any) -> Any:
        """What something is for the hint."""
        return valued(x, self._values)

    def met(self, extent: "SymbolicDim", relation: Relation) -> bool:
        """Whether a relation to zero holds for the hint; from now on a guard."""
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
        """The sizes and the atoms made of them; None if one of these divides by zero."""
        values: list[Any] = [*sizes]
        try:
            for function, operands in self.atoms:
                values.append(function(*[valued(x, values) for x in operands]))
        except ZeroDivisionError:
            return None
        return values

    def _unmet(self, values: Sequence[Any]) -> Iterator[Guard]:
        """The guards that do not hold for such values of the atoms."""
        for guard in self.guards:
            terms, constant, relation = guard
            if not _RELATIONS[relation](_sum(terms, constant, values)):
                yield guard

    @property
    def is_general(self) -> bool:
        """Whether more than one set of sizes may meet the guards."""
        return not any(relation == "==" for _, _, relation in self.guards)

    def refuse(self) -> NoReturn:
        """Give up."""
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
    """A number, or an extent as something that can be looked up: equal for equal expressions."""
    return (x.terms, x.constant) if type(x) is SymbolicDim else x


def _is_number(x: Any) -> bool:
    return isinstance(x, (int, float))


def _is_whole(x: Any) -> bool:
    """Whether a number or an extent is an integer for sure."""
    if type(x) is SymbolicDim:
        return type(x.constant) is int and all(type(factor) is int for _, factor in x.terms)
    return isinstance(x, int)


class SymbolicDim:
    """A sum of multiples of atoms: the sizes, and products and quotients of such sums.

    Attributes
    ----------
    env : where comparisons are noted
    terms : the numbers of the atoms with their factors
    constant : what is added
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
        """The product of two sums: a sum, so that it is known to be the same however it was found."""
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
        """By which whole number another extent is to be multiplied to give this one, if by any."""
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
        """Whether being greater means being at least one more; gives up if not."""
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
    """Whether an extent is one for sure.

    What is right for several elements is right for one; so for an extent that varies the answer is no.
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

    >>> if_at_least(3, 2, 10, 20)
    10
    """
    if isinstance(x, SymbolicDim):
        return cast(int, x.env.atom(chosen, x, bound, yes, no))
    return yes if x >= bound else no


def at_least(x: Any, least: int) -> Any:
    """An extent, or a number if that is more; no guard for other sizes.

    >>> at_least(3, 5)
    5
    """
    return x.env.atom(max, x, least) if isinstance(x, SymbolicDim) else max(x, least)
