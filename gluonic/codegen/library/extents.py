"""Expressions of the batch size as LLVM's text; see :mod:`gluonic.codegen.shapes.symbolic`."""

from collections.abc import Callable, Iterable, Sequence
from math import prod
from operator import eq, ge, lt, ne
from typing import Any

import numpy as np
import numpy.typing as npt

from gluonic.codegen.launch.arguments import Integers
from gluonic.codegen.machine.assembler import LLVMFunction
from gluonic.codegen.shapes.atoms import chosen, product, quotient
from gluonic.codegen.shapes.symbolic import ShapeEnv, SymbolicDim

_PREDICATES = {"==": "eq", "!=": "ne", ">=": "sge", "<": "slt"}


def can_be_written(env: ShapeEnv, extents: Iterable[Any]) -> bool:
    """Whether expressions, and those that they depend on, consist of integers and known functions."""
    operands = [x for _, operands in env.atoms for x in operands]
    guards = [factor for terms, constant, _ in env.guards for factor in _numbers(terms, constant)]
    functions = all(function in _WRITERS for function, _ in env.atoms)
    return functions and all(map(_is_whole, [*operands, *guards, *extents]))


def _numbers(terms: Sequence[tuple[int, Any]], constant: Any) -> list[Any]:
    return [constant, *(factor for _, factor in terms)]


def _is_whole(x: Any) -> bool:
    if type(x) is SymbolicDim:
        return all(type(number) is int for number in _numbers(x.terms, x.constant))
    return isinstance(x, int)


def served(env: ShapeEnv, sizes: Integers) -> npt.NDArray[np.bool_]:
    """Which sizes meet the guards; `can_be_written` holds."""
    values, meet = [sizes], np.ones(len(sizes), bool)

    def value(x: Any) -> Integers:
        total: Integers = np.full(len(sizes), getattr(x, "constant", x), np.int64)
        for atom, factor in getattr(x, "terms", ()):
            total = total + factor * values[atom]
        return total

    for function, operands in env.atoms:
        given = [value(x) for x in operands]
        if function is quotient:
            meet &= given[1] != 0
            given[1] = np.where(given[1] == 0, 1, given[1])
        values.append(_ON_ARRAYS[function](*given))
    for terms, constant, relation in env.guards:
        meet &= _RELATIONS[relation](value(SymbolicDim(env, terms, constant)), 0)
    return meet


_ON_ARRAYS: dict[Callable[..., Any], Callable[..., Any]] = {
    product: lambda *factors: prod(factors),
    quotient: np.floor_divide,
    max: np.maximum,
    chosen: lambda x, bound, yes, no: np.where(x >= bound, yes, no),
}
_RELATIONS = {"==": eq, "!=": ne, ">=": ge, "<": lt}


class ExtentsCode:
    """Writes the values of expressions of a size into a function.

    Parameters
    ----------
    f : the function
    env : what the expressions consist of
    size : the reference of the size
    """

    def __init__(self, f: LLVMFunction, env: ShapeEnv, size: str) -> None:
        self._f, self._env, self._values = f, env, [size]
        self._divides_by_zero: list[str] = []
        for function, operands in env.atoms:
            refs = [self.value(x) for x in operands]
            self._values.append(_WRITERS[function](self, refs))

    def value(self, x: Any) -> str:
        """The reference of an expression's value, or of a number."""
        if type(x) is not SymbolicDim:
            return str(int(x))
        return self._sum(x.terms, x.constant)

    def holds(self) -> str:
        """Whether the size meets all guards, as an ``i1``."""
        f, held = self._f, "true"
        for terms, constant, relation in self._env.guards:
            met = f.compare(_PREDICATES[relation], self._sum(terms, constant), 0)
            held = f.both(held, met)
        for zero in self._divides_by_zero:
            held = f.both(held, f.negated(zero))
        return held

    def product(self, factors: Sequence[str]) -> str:
        """A product."""
        total, *others = factors
        for factor in others:
            total = self._f.mul(total, factor)
        return total

    def quotient(self, operands: Sequence[str]) -> str:
        """A quotient, rounded down; a size for which it divides by zero does not meet the guards."""
        f, (x, y) = self._f, operands
        zero = f.compare("eq", y, 0)
        self._divides_by_zero.append(zero)
        y = f.select(zero, 1, y)
        rest = f.srem(x, y)
        below = f.compare("slt", f.binary("xor", rest, y), 0)
        inexact = f.compare("ne", rest, 0)
        return f.sub(f.binary("sdiv", x, y), f.counted(f.both(below, inexact)))

    def largest(self, operands: Sequence[str]) -> str:
        """The larger of two numbers."""
        return self._f.most(*operands)

    def chosen(self, operands: Sequence[str]) -> str:
        """One of two numbers, depending on whether another has reached a bound."""
        x, bound, yes, no = operands
        return self._f.select(self._f.compare("sge", x, bound), yes, no)

    def _sum(self, terms: Sequence[tuple[int, Any]], constant: Any) -> str:
        total = str(int(constant))
        for atom, factor in terms:
            value = self._values[atom]
            term = value if factor == 1 else self._f.mul(value, int(factor))
            total = term if total == "0" else self._f.add(total, term)
        return total


_WRITERS: dict[Callable[..., Any], Callable[[ExtentsCode, Sequence[str]], str]] = {
    product: ExtentsCode.product,
    quotient: ExtentsCode.quotient,
    max: ExtentsCode.largest,
    chosen: ExtentsCode.chosen,
}
