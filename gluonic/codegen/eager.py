"""Which eager calls run machine code: those that come again and again, with large arrays.

NumPy computes the first calls with arrays of certain shapes and dtypes; those that follow run what a graph of
this operator alone is compiled to. Which of the two serves a call depends on how many such calls there were,
and on nothing else, so a program gives the same bits whenever it runs.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gluonic.codegen.lowerings.entry import lowering_of
from gluonic.codegen.program import interpreting
from gluonic.graph import Application, Array
from gluonic.support.gc_pause import paused

if TYPE_CHECKING:
    from gluonic.codegen.operator_alone import OperatorAlone

CALLS_IN_NUMPY = 4
"""How many calls NumPy computes; compiling takes as long as some tens of them."""

LEAST_ELEMENTS = 1 << 16
"""How many elements the largest input has at least; of fewer, NumPy's kernels are quick enough."""

_MOST_OPERATORS, _MOST_COUNTS = 256, 4096

_compiled: "dict[Application, OperatorAlone]" = {}

_calls: dict[Any, int] = {}
"""By operator, shapes and dtypes: how many calls NumPy has computed."""


def repays_compiling(application: Application, arrays: Sequence[Array]) -> bool:
    """Whether calls with such arrays are to run machine code, if they come often."""
    for array in arrays:
        if array.size >= LEAST_ELEMENTS:
            break
    else:
        return False
    eager = lowering_of(application.op).eager
    if not eager or (callable(eager) and not eager(application.settings)):
        return False
    known = _compiled.get(application)
    if known is not None and known.runs_in_python:
        return False
    return all(array.dtype.kind in "fiub" for array in arrays) and not interpreting()


def compiled_operator(application: Application, arrays: Sequence[Array]) -> "OperatorAlone | None":
    """What computes this call; None if NumPy does. Whoever asks makes the call."""
    key = application, tuple([(array.shape, array.dtype) for array in arrays])
    calls = _calls.get(key, 0)
    if calls < CALLS_IN_NUMPY:
        if len(_calls) >= _MOST_COUNTS:
            _calls.clear()
        _calls[key] = calls + 1
        return None
    found = _compiled.get(application)
    return _prepared(application) if found is None else found


def _prepared(application: Application) -> "OperatorAlone":
    with paused():
        from gluonic.codegen.operator_alone import OperatorAlone
    while len(_compiled) >= _MOST_OPERATORS:
        del _compiled[next(iter(_compiled))]
    made = _compiled[application] = OperatorAlone(application)
    return made
