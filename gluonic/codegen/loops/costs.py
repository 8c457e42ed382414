"""Trial compilation of an operator's expression: whether it has machine code, and of what length."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.codegen.loops.loop import Loop
from gluonic.codegen.machine.assembler import LLVMFunction, LLVMModule
from gluonic.codegen.machine.target import host
from gluonic.codegen.maths.emitter import Emitter
from gluonic.codegen.maths.functions import NotLowered
from gluonic.codegen.maths.values import Dtype, Value
from gluonic.graph import Application
from gluonic.graph.families import Expression
from gluonic.support.record import record

_COSTLY = 12
"""A value of more instructions than this is stored rather than recomputed."""
_MOST_REMEMBERED = 4096

NANOSECONDS_A_BYTE = 0.1
NANOSECONDS_AN_INSTRUCTION = 0.02
NANOSECONDS_A_PRODUCT = 0.02
"""Rough costs on any processor: of moving a byte, of an instruction per element, of a multiply-add."""


def why_no_code(application: Application, loop: Loop, dtypes: Sequence[Dtype]) -> str:
    """Why the expression of a loop has no machine code for elements of these dtypes; empty if it has."""
    found = _trial(application, loop, dtypes)
    return found if isinstance(found, str) else ""


@record
class _Trial:
    """The result of compiling an expression.

    Attributes
    ----------
    length : number of instructions
    split_points : for each split point, where it can be cut in two, the dtype of the value that crosses it
    """

    length: int
    split_points: list[Dtype]


_trials: dict[Any, _Trial | str] = {}


def _trial(application: Any, loop: Loop, dtypes: Sequence[Dtype]) -> _Trial | str:
    """The expression of a loop as code, or the reason why it has none."""
    key = application, tuple(dtypes)
    if key not in _trials:
        if len(_trials) > _MOST_REMEMBERED:
            _trials.clear()
        try:
            _trials[key] = _written(loop.expression, dtypes)
        except NotLowered as error:
            _trials[key] = str(error)
    return _trials[key]


def _code(application: Any, loop: Loop, dtypes: Sequence[Dtype]) -> _Trial:
    """The expression of a loop that has machine code."""
    found = _trial(application, loop, dtypes)
    if isinstance(found, str):
        raise NotLowered(found)
    return found


def _written(expression: Expression, dtypes: Sequence[Dtype]) -> _Trial:
    """Compile the expression into a function that is discarded."""
    function = LLVMFunction(LLVMModule(host()), "trial", [])
    m = _SplitFinder(function)
    expression(_Anywhere(m), *[m.value("undef", dtype, 1) for dtype in dtypes])
    return _Trial(function.length, m.found)


def is_costly(application: Any, loop: Loop, dtypes: Sequence[Dtype]) -> bool:
    """Whether an element of the loop is expensive to compute."""
    return _code(application, loop, dtypes).length > _COSTLY


def split_points_of(application: Any, loop: Loop, dtypes: Sequence[Dtype]) -> list[Dtype]:
    """The dtypes of the values that cross the split points, where the loop's expression can be cut in two."""
    return _code(application, loop, dtypes).split_points


class _SplitFinder(Emitter):
    """An emitter that records the split points of an expression."""

    def __init__(self, function: LLVMFunction) -> None:
        super().__init__(function)
        self.found: list[Dtype] = []

    def split_point(self, value: Value) -> Value:
        """Record the dtype of the value that crosses a split point."""
        self.found.append(value.dtype)
        return value


def instructions_of(application: Any, loop: Loop, dtypes: Sequence[Dtype]) -> int:
    """The number of instructions per element of a loop that has machine code."""
    return _code(application, loop, dtypes).length


class _Anywhere:
    """An emitter outside of any kernel, for which extents and indices are arbitrary numbers."""

    def __init__(self, m: Emitter) -> None:
        self._m = m

    def __getattr__(self, name: str) -> Any:
        return getattr(self._m, name)

    def extent(self, axes: Sequence[int]) -> Any:
        """An arbitrary number of elements."""
        return self._m.value("1", np.dtype(np.int64), 1)

    def index(self, axis: int) -> Any:
        """An arbitrary index."""
        return self._m.value("1", np.dtype(np.int64), 1)
