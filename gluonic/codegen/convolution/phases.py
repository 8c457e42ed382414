"""The gradient of a strided convolution: the positions of each remainder are a phase, a separate convolution.

With a stride of s along an axis, the windows of adjacent outputs are s apart. The gradient at a position y sums
the taps i for which (y + pad - i · dilate) is divisible by s. All y of one remainder sum the same taps, at
adjacent positions of the output's gradient. A remainder without taps gives zeros.
"""

from collections.abc import Sequence
from math import gcd

from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.writers.writer import Writer
from gluonic.support.record import record


@record
class Phase:
    """The sums for the positions of one remainder, along one axis.

    Attributes
    ----------
    taps, last, step : the number of taps they sum; the last tap, which comes first; the distance of taps
    dilate : the distance between the positions that these taps read
    start : the first position that the first sum reads; negative in the padding
    """

    taps: int
    last: int
    step: int
    dilate: int
    start: int


def phases_of(shortest: int, kernel: int, stride: int, dilate: int, pad: int) -> list[Phase | None]:
    """The phases of an axis of the data, by remainder; None where nothing is summed.

    Parameters
    ----------
    shortest : the size of the axis, but at most the stride: the number of remainders

    >>> [phase and (phase.taps, phase.start) for phase in phases_of(2, 3, 2, 1, 1)]
    [(1, 0), (2, 0)]
    """
    found: list[Phase | None] = []
    for first in range(stride):
        taps = [i for i in range(kernel) if (first + pad - i * dilate) % stride == 0]
        if not taps or first >= shortest:
            found.append(None)
            continue
        shared = gcd(stride, dilate)
        start = (first + pad - taps[-1] * dilate) // stride
        found.append(Phase(len(taps), taps[-1], stride // shared, dilate // shared, start))
    return found


def position_count(size: int, first: int, stride: int) -> int:
    """The number of positions of an axis with a remainder.

    >>> [position_count(7, first, 3) for first in range(3)]
    [3, 2, 2]
    """
    return (size + stride - 1 - first) // stride


def padding_of(
    phases: Sequence[Phase | None], kernel: int, stride: int, dilate: int, pad: int
) -> tuple[int, int]:
    """The most zeros that phases read before and after an axis of the output's gradient.

    The number after it depends on the remainder of the data's axis after the last window, which is less than
    the stride.
    """
    before = behind = 0
    for first, phase in enumerate(phases):
        if phase is None:
            continue
        before = max(before, -phase.start)
        reach = phase.start + (phase.taps - 1) * phase.dilate
        for rest in range(stride):
            windows = (rest + 2 * pad - (kernel - 1) * dilate - 1) // stride + 1
            behind = max(behind, reach + position_count(rest, first, stride) - windows)
    return before, behind


def emit_interleave(
    module: LLVMModule, name: str, steps: Sequence[int], present: Sequence[int]
) -> None:
    """Write the function that interleaves the phases of images in blocks.

    Operands are the phases and the result; numbers are the rows and columns of the result. A unit of work is
    a block of an image.

    Parameters
    ----------
    steps : the numbers of phases along rows and columns
    present : for each phase, in row-major order, whether it is an operand; otherwise it is zero
    """
    w = Writer(module, name)
    rows, columns = w.number(0), w.number(1)
    goal = w.operand(sum(present))
    down, across = steps

    def count(size: str, first: int, step: int) -> str:
        return w.divided(w.plus(size, step - 1 - first), step)[0]

    with w.f.loop("%begin", "%end") as unit:
        by_row = w.times(columns, w.step)
        end = w.moved(goal, unit, w.times(rows, by_row))
        for top in range(down):
            number_of_rows = count(rows, top, down)
            with w.f.loop("0", number_of_rows) as row:
                there = w.moved(end, w.plus(w.times(row, down), top), by_row)
                for left in range(across):
                    number = top * across + left
                    width = count(columns, left, across)
                    here = ""
                    if present[number]:
                        lines = w.plus(w.times(unit, number_of_rows), row)
                        source = w.operand(sum(present[:number]))
                        here = w.moved(source, lines, w.times(width, w.step))
                    with w.f.loop("0", width) as column:
                        position = w.plus(w.times(column, across), left)
                        vector = (
                            w.load(w.moved(here, column, w.step)) if here else "zeroinitializer"
                        )
                        w.store(vector, w.moved(there, position, w.step))
    w.f.finish()


def emit_subsample(module: LLVMModule, name: str, steps: Sequence[int]) -> None:
    """Write the function that takes every step-th position of images in blocks.

    Numbers are the rows and columns of the images. A unit of work is a block of an image.
    """
    w = Writer(module, name)
    source, goal = w.operand(0), w.operand(1)
    rows, columns = w.number(0), w.number(1)
    height, width = (
        w.divided(w.plus(size, step - 1), step)[0]
        for size, step in zip((rows, columns), steps, strict=True)
    )
    with w.f.loop("%begin", "%end") as unit, w.f.loop("0", height) as row:
        line = w.plus(w.times(unit, rows), w.times(row, steps[0]))
        here = w.moved(source, line, w.times(columns, w.step))
        there = w.moved(goal, w.plus(w.times(unit, height), row), w.times(width, w.step))
        with w.f.loop("0", width) as column:
            vector = w.load(w.moved(here, column, steps[1] * w.step))
            w.store(vector, w.moved(there, column, w.step))
    w.f.finish()
