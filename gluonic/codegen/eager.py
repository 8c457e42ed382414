"""Which eager calls run machine code: those that come again and again, with large arrays.

NumPy computes the first calls of a layer with arrays of certain shapes and dtypes; those that follow run what a
graph of this operator alone is compiled to. Which of the two serves a call depends on how many such calls there
were, and on nothing else: a program gives the same bits whenever it runs. Layers count for themselves, so that
the first calls of two nets with equal weights give the same bits.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import ref

from gluonic.codegen.gradient_use import GradientUse
from gluonic.codegen.lowerings.entry import lowering_of
from gluonic.codegen.program import interpreting
from gluonic.graph import Application, Array
from gluonic.support.gc_pause import paused

if TYPE_CHECKING:
    from gluonic.codegen.eager_graph import EagerGraph

CALLS_IN_NUMPY, CALLS_WITHOUT_WEIGHTS = 4, 8
"""How many calls NumPy computes of a layer, and of an operator without weights, which many layers may call."""

LEAST_ELEMENTS = 1 << 16
"""How many elements the largest input has at least; of fewer, NumPy's kernels are quick enough."""

_MOST_GRAPHS, _MOST_COUNTS = 512, 4096

_Counts: TypeAlias = dict[Any, int]
"""By operator, shapes and dtypes: how many calls NumPy has computed."""

_without_weights: _Counts = {}
_by_weights: "dict[int, tuple[ref[Array], _Counts]]" = {}


_compiled: "dict[tuple[Application, GradientUse | None], EagerGraph]" = {}


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
    return all(array.dtype.kind in "fiub" for array in arrays) and not interpreting()


def compiled_operator(application: Application, arrays: Sequence[Array]) -> "EagerGraph | None":
    """What computes this call; None if NumPy does. Whoever asks makes the call."""
    return _repeated(application, arrays, None)


def compiled_gradient(
    application: Application, arrays: Sequence[Array], use: GradientUse
) -> "EagerGraph | None":
    """What computes this call of a gradient rule; None if eager operators do. Whoever asks makes the call.

    Parameters
    ----------
    arrays : the operator's inputs, and then its outputs
    use : what is asked of the rule
    """
    return _repeated(application, arrays, use)


def _repeated(
    application: Application, arrays: Sequence[Array], use: GradientUse | None
) -> "EagerGraph | None":
    what = application, use
    counts, limit = _counts_of(application, arrays)
    key = what, tuple([(array.shape, array.dtype) for array in arrays])
    calls = counts.get(key, 0)
    if calls < limit:
        if len(counts) >= _MOST_COUNTS:
            counts.clear()
        counts[key] = calls + 1
        return None
    return _compiled.get(what) or _prepared(application, use)


def _counts_of(application: Application, arrays: Sequence[Array]) -> tuple[_Counts, int]:
    """Where calls such as this one are counted, and how many of them NumPy computes."""
    for name, array in zip(application.inputs, arrays):  # noqa: B905 (outputs may follow)
        if name in application.weights:
            return _counts_with(array), CALLS_IN_NUMPY
    return _without_weights, CALLS_WITHOUT_WEIGHTS


def _counts_with(weights: Array) -> _Counts:
    """Where the calls of a layer are counted; forgotten with its weights."""
    key = id(weights)
    found = _by_weights.get(key)
    if found is None:
        found = _by_weights[key] = ref(weights, lambda _: _by_weights.pop(key, None)), {}
    return found[1]


def _prepared(application: Application, use: GradientUse | None) -> "EagerGraph":
    with paused():
        from gluonic.codegen.eager_graph import EagerGraph
    while len(_compiled) >= _MOST_GRAPHS:
        del _compiled[next(iter(_compiled))]
    make = EagerGraph.of_operator
    made = make(application) if use is None else EagerGraph.of_gradient(application, use)
    _compiled[application, use] = made
    return made
