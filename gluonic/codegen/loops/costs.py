"""Trial compilation of an operator's expression: whether it has machine code, and how long that is."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.codegen.loops.loop import Loop
from gluonic.codegen.machine.assembler import LLVMFunction, LLVMModule
from gluonic.codegen.machine.target import host
from gluonic.codegen.maths.emitter import Emitter
from gluonic.codegen.maths.functions import NotLowered
from gluonic.codegen.maths.values import FLOAT32, Dtype, Value
from gluonic.graph import Application
from gluonic.graph.families import Expression
from gluonic.support.record import record

_COSTLY = 12
"""From so many instructions on a value is rather kept than computed again."""
_MOST_REMEMBERED = 4096

NANOSECONDS_A_BYTE = 0.1
NANOSECONDS_AN_INSTRUCTION = 0.02
NANOSECONDS_A_PRODUCT = 0.02
"""What moving a byte, an instruction for an element, and a multiply-add take, roughly, on any processor."""


def why_no_code(application: Application, loop: Loop, dtypes: Sequence[Dtype]) -> str:
    """Why the expression of a loop has no machine code for elements of such dtypes; empty if it has."""
    found = _trial(application, loop, dtypes)
    return found if isinstance(found, str) else ""


@record
class _Trial:
    """What an expression is as code.

    Attributes
    ----------
    length : how many instructions
    seams : the dtypes of what crosses the places at which it can be cut in two
    """

    length: int
    seams: list[Dtype]


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
    """Write the expression into a function that is thrown away."""
    function = LLVMFunction(LLVMModule(host()), "trial", [])
    m = _SeamFinder(function)
    expression(_Anywhere(m), *[m.value("undef", dtype, 1) for dtype in dtypes])
    return _Trial(function.length, m.found)


def is_costly(application: Any, loop: Loop) -> bool:
    """Whether computing an element of the loop takes long."""
    count = sum(read is not None for read in loop.reads)
    return _code(application, loop, [FLOAT32] * count).length > _COSTLY


def seams_of(application: Any, loop: Loop, dtypes: Sequence[Dtype]) -> list[Dtype]:
    """The dtypes of what crosses the places at which the loop's expression can be cut in two."""
    return _code(application, loop, dtypes).seams


class _SeamFinder(Emitter):
    """An emitter that notes the seams of what is written with it."""

    def __init__(self, function: LLVMFunction) -> None:
        super().__init__(function)
        self.found: list[Dtype] = []

    def seam(self, value: Value) -> Value:
        """Note what crosses a seam."""
        self.found.append(value.dtype)
        return value


def instructions_of(application: Any, loop: Loop, dtypes: Sequence[Dtype]) -> int:
    """How many instructions an element of a loop that has machine code takes."""
    return _code(application, loop, dtypes).length


class _Anywhere:
    """An emitter outside of any kernel, for which extents and indices are arbitrary numbers."""

    def __init__(self, m: Emitter) -> None:
        self._m = m

    def __getattr__(self, name: str) -> Any:
        return getattr(self._m, name)

    def extent(self, axes: Sequence[int]) -> Any:
        """Some number of elements."""
        return self._m.value("1", np.dtype(np.int64), 1)

    def index(self, axis: int) -> Any:
        """Some position."""
        return self._m.value("1", np.dtype(np.int64), 1)
