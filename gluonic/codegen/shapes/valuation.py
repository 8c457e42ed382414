"""Repeated evaluation of expressions of sizes: by a Python function, once generating it pays off.

Bindings for new sizes consist of such values; evaluating them one by one took most of the time of a binding.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

from gluonic.codegen.shapes.atoms import written_as_python
from gluonic.codegen.shapes.symbolic import ShapeEnv, SymbolicDim, Terms, valued

_PLAIN = 16
"""The number of evaluations before a function is generated, which takes as long."""


class Valuation:
    """The values of expressions, for one set of sizes after another.

    Parameters
    ----------
    env : the guards, and what the extents follow from
    made : numbers and extents in tuples and lists, and in tuples and lists of these

    Examples
    --------
    >>> env = ShapeEnv(4)
    >>> n = env.size
    >>> ends = Valuation(env, ([n // 2, 7], n * 3 + 1)) if n > 2 else None
    >>> ends(9), ends(2)
    (([4, 7], 28), None)
    """

    def __init__(self, env: ShapeEnv, made: Any) -> None:
        self._env, self._made, self._plain = env, made, _PLAIN
        self._function: Callable[..., Any] | None = None

    def __call__(self, *sizes: int) -> Any:
        """The values, in the same tuples and lists; None if the sizes do not meet the guards."""
        if self._function is None:
            self._plain -= 1
            if self._plain > 0:
                values = self._env.values_at(*sizes)
                return None if values is None else _valued(self._made, values)
            self._function = function_of(self._env, self._made)
        return self._function(*sizes)


def _valued(made: Any, values: Sequence[Any]) -> Any:
    if type(made) in (tuple, list):
        return type(made)([_valued(x, values) for x in made])
    return valued(made, values)


def function_of(env: ShapeEnv, made: Any) -> Callable[..., Any]:
    """A function of the sizes that returns the values of a `Valuation`."""
    names: dict[str, Any] = {}
    exec("\n".join(_Text(env, names).lines(made)), names)
    found: Callable[..., Any] = names["valued"]
    return found


class _Text:
    """The text of a function.

    Parameters
    ----------
    env : as of `Valuation`
    names : what the text has names for
    """

    def __init__(self, env: ShapeEnv, names: dict[str, Any]) -> None:
        self._env, self._names = env, names

    def lines(self, made: Any) -> Iterator[str]:
        """The lines."""
        count = len(self._env.sizes)
        yield f"def valued({', '.join(f'n{i}' for i in range(count))}):"
        yield " try:"
        yield "  pass"
        for number, (function, operands) in enumerate(self._env.atoms, count):
            text = written_as_python(function, [*map(self._of, operands)], self._name)
            yield f"  n{number} = {text}"
        yield " except ZeroDivisionError:"
        yield "  return None"
        for terms, constant, relation in self._env.guards:
            yield f" if not {self._sum(terms, constant)} {relation} 0: return None"
        yield f" return {self._of(made)}"

    def _of(self, made: Any) -> str:
        if type(made) is tuple:
            return f"({''.join(self._of(x) + ', ' for x in made)})"
        if type(made) is list:
            return f"[{', '.join(map(self._of, made))}]"
        if type(made) is SymbolicDim:
            return self._sum(made.terms, made.constant)
        return self._number(made)

    def _sum(self, terms: Terms, constant: Any) -> str:
        """A sum, in the order in which `valued` adds up."""
        parts = [f"n{atom}{self._times(factor)}" for atom, factor in terms]
        return f"({' + '.join([self._number(constant), *parts])})"

    def _times(self, factor: Any) -> str:
        return "" if type(factor) is int and factor == 1 else f" * {self._number(factor)}"

    def _number(self, x: Any) -> str:
        return repr(x) if type(x) is int else self._name(x)

    def _name(self, x: Any) -> str:
        name = f"x{len(self._names)}"
        self._names[name] = x
        return name


def distinct(
    all_of_them: Sequence[Any], key: Callable[[Any], Hashable]
) -> tuple[list[Any], list[int]]:
    """The distinct elements, and for each element the index of its equal among them."""
    numbers: dict[Hashable, int] = {}
    which = [numbers.setdefault(key(x), len(numbers)) for x in all_of_them]
    first = dict(reversed([*zip(which, all_of_them, strict=True)]))
    return [first[number] for number in range(len(first))], which


def are_open(all_of_them: Sequence[Any]) -> list[int]:
    """The indices of the symbolic ones."""
    return [index for index, x in enumerate(all_of_them) if type(x) is SymbolicDim]


__all__ = ["Valuation", "are_open", "distinct", "function_of"]
