"""Which eager calls run machine code: those that come again and again, with large arrays.

NumPy computes the first calls of a layer with arrays of certain shapes and dtypes; those that follow run what a
graph of this operator alone is compiled to. Which of the two serves a call depends on how many such calls there
were, and on nothing else: a program gives the same bits whenever it runs. Layers count for themselves, so that
the first calls of two nets with equal weights give the same bits.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import ref

from gluonic.codegen.lowerings.entry import lowering_of
from gluonic.codegen.program import interpreting
from gluonic.graph import Application, Array
from gluonic.support.gc_pause import paused

if TYPE_CHECKING:
    from gluonic.codegen.operator_alone import OperatorAlone

CALLS_IN_NUMPY, CALLS_WITHOUT_WEIGHTS = 4, 8
"""How many calls NumPy computes of a layer, and of an operator without weights, which many layers may call."""

LEAST_ELEMENTS = 1 << 16
"""How many elements the largest input has at least; of fewer, NumPy's kernels are quick enough."""

_MOST_OPERATORS, _MOST_COUNTS = 256, 4096

_OF_ONE_LAYER = frozenset({"weight", "gamma"})
"""Inputs that tell layers apart."""

_compiled: "dict[Application, OperatorAlone]" = {}

_Counts: TypeAlias = dict[Any, int]
"""By operator, shapes and dtypes: how many calls NumPy has computed."""

_without_weights: _Counts = {}
_by_weights: "dict[int, tuple[ref[Array], _Counts]]" = {}


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
    counts, limit = _counts_of(application, arrays)
    key = application, tuple([(array.shape, array.dtype) for array in arrays])
    calls = counts.get(key, 0)
    if calls < limit:
        if len(counts) >= _MOST_COUNTS:
            counts.clear()
        counts[key] = calls + 1
        return None
    found = _compiled.get(application)
    return _prepared(application) if found is None else found


def _counts_of(application: Application, arrays: Sequence[Array]) -> tuple[_Counts, int]:
    """Where calls such as this one are counted, and how many of them NumPy computes."""
    for name, array in zip(application.inputs, arrays, strict=True):
        if name in _OF_ONE_LAYER:
            return _counts_with(array), CALLS_IN_NUMPY
    return _without_weights, CALLS_WITHOUT_WEIGHTS


def _counts_with(weights: Array) -> _Counts:
    """Where the calls of a layer are counted; forgotten with its weights."""
    key = id(weights)
    found = _by_weights.get(key)
    if found is None:
        found = _by_weights[key] = ref(weights, lambda _: _by_weights.pop(key, None)), {}
    return found[1]


def _prepared(application: Application) -> "OperatorAlone":
    with paused():
        from gluonic.codegen.operator_alone import OperatorAlone
    while len(_compiled) >= _MOST_OPERATORS:
        del _compiled[next(iter(_compiled))]
    made = _compiled[application] = OperatorAlone(application)
    return made
