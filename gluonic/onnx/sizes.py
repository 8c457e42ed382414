"""Extents that depend on the inputs' sizes, as computations of the ONNX graph."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gluonic.codegen import ShapeEnv, SymbolicDim
from gluonic.onnx.errors import NotExportable
from gluonic.onnx.writer import INT64, OnnxValue, OnnxWriter


def is_open(extent: Any) -> bool:
    """Whether an extent depends on the sizes of the inputs."""
    return isinstance(extent, SymbolicDim)


def all_fixed(shape: Sequence[Any]) -> bool:
    """Whether all extents of a shape are numbers."""
    return not any(map(is_open, shape))


def alike(one: Any, other: Any) -> bool:
    """Whether two extents are the same expression; other than `==`, this records no guard."""
    if is_open(one) and is_open(other):
        return bool((one.terms, one.constant) == (other.terms, other.constant))
    return not is_open(one) and not is_open(other) and bool(one == other)


class Sizes:
    """Writes extents as one-element vectors.

    Parameters
    ----------
    writer : the ONNX graph
    env : the unknown sizes
    places : for each unknown size, an input of the graph and its axis
    """

    def __init__(
        self,
        writer: OnnxWriter,
        env: ShapeEnv,
        places: Sequence[tuple[Callable[[], OnnxValue], int]],
    ) -> None:
        self._o, self._env, self._places = writer, env, places
        self._atoms: dict[int, OnnxValue] = {}

    def vector(self, shape: Sequence[Any]) -> OnnxValue:
        """A shape as a vector."""
        if all_fixed(shape):
            return self._o.value(list(shape), INT64)
        parts: list[OnnxValue] = [self.extent(extent) for extent in shape]
        joined: OnnxValue = parts[0] if len(parts) == 1 else self._o.Concat(*parts, axis=0)
        return joined

    def extent(self, extent: Any) -> OnnxValue:
        """An extent as a vector of one element."""
        o = self._o
        if not is_open(extent):
            return o.value([extent], INT64)
        total: OnnxValue | None = None
        for atom, factor in extent.terms:
            if not isinstance(factor, int):
                raise NotExportable("a size is no whole number of others")
            term = self._atom(atom)
            term = term if factor == 1 else o.Mul(term, [factor])
            total = term if total is None else o.Add(total, term)
        assert total is not None
        return o.Add(total, [extent.constant]) if extent.constant else total

    def _atom(self, number: int) -> OnnxValue:
        found = self._atoms.get(number)
        if found is None:
            found = self._atoms[number] = self._written(number)
        return found

    def _written(self, number: int) -> OnnxValue:
        o = self._o
        if number < len(self._places):
            source, axis = self._places[number]
            size: OnnxValue = o.Gather(o.Shape(source()), [axis], axis=0)
            return size
        function, operands = self._env.atoms[number - len(self._places)]
        write = _FUNCTIONS.get(function.__name__)
        if write is None:
            raise NotExportable("a size that is computed by Python")
        return write(o, *[self.extent(operand) for operand in operands])


def _chain(op_type: str) -> Callable[..., OnnxValue]:
    def write(o: OnnxWriter, first: OnnxValue, *others: OnnxValue) -> OnnxValue:
        for other in others:
            first = getattr(o, op_type)(first, other)
        return first

    return write


_FUNCTIONS: Mapping[str, Callable[..., OnnxValue]] = {
    "quotient": _chain("Div"),
    "product": _chain("Mul"),
    "max": _chain("Max"),
    "min": _chain("Min"),
    "chosen": lambda o, x, bound, yes, no: o.Where(
        o.GreaterOrEqual(x, bound), yes, no, result=yes.dtype
    ),
}


def reshape_codes(source: Sequence[Any], target: Sequence[Any]) -> list[int] | None:
    """A target of ONNX's Reshape without computed sizes, 0 for an extent that stays; None if there is none.

    >>> reshape_codes((2, 3, 4), (2, 12))
    [2, 12]
    """
    codes, inferred = [], 0
    for position, extent in enumerate(target):
        if not is_open(extent):
            codes.append(extent)
        elif position < len(source) and alike(extent, source[position]):
            codes.append(0)
        else:
            codes.append(-1)
            inferred += 1
    if inferred > 1 or (any(map(is_open, target)) and 0 in [e for e in target if not is_open(e)]):
        return None
    return codes
