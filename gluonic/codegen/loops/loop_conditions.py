"""NumPy's selections of elements, by a condition or by position, as loops."""

from collections.abc import Sequence
from typing import Any

from gluonic.codegen.loops.loop import Loop, Read, identity, stretched
from gluonic.graph.attributes import Shape


def where(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    """Elements of one array or the other, all broadcast together."""
    reads = tuple(Read(stretched(shape, output)) for shape in inputs)
    return Loop(output, reads, lambda m, c, x, y: m.where(m.not_equal(c, 0), x, y))


def number_first(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    """A number where the condition holds, elements of an array elsewhere."""
    reads, number = tuple(Read(stretched(shape, output)) for shape in inputs), settings["scalar"]
    return Loop(output, reads, lambda m, c, x: m.where(m.not_equal(c, 0), m.like(number, x), x))


def number_last(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    """Elements of an array where the condition holds, a number elsewhere."""
    reads, number = tuple(Read(stretched(shape, output)) for shape in inputs), settings["scalar"]
    return Loop(output, reads, lambda m, c, y: m.where(m.not_equal(c, 0), y, m.like(number, y)))


def numbers(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    """One number or another."""
    read, x, y = Read(identity(len(output))), settings["x"], settings["y"]
    return Loop(output, (read,), lambda m, c: m.where(m.not_equal(c, 0), x, y))


def below_diagonal(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    """Elements up to a diagonal, zeros after it; a vector is repeated as each row."""
    rank, k = len(output), settings["k"]
    read = Read(identity(rank) if len(inputs[0]) > 1 else (None, 0))

    def expression(m: Any, x: Any) -> Any:
        return m.where(m.index(rank - 1) - m.index(rank - 2) <= k, x, m.like(0, x))

    return Loop(output, (read,), expression, indexed=(rank - 2, rank - 1))
