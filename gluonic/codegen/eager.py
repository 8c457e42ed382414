"""Which eager calls run machine code: those that come again and again.

NumPy computes the first calls of a layer with arrays of certain shapes and dtypes; those that follow run what a
graph of this operator alone is compiled to. Which of the two serves a call depends on how many such calls there
were, and on nothing else: a program gives the same bits whenever it runs. Layers count for themselves, so that
the first calls of two nets with equal weights give the same bits.
"""

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import ref

from gluonic.codegen.gradient_use import GradientUse
from gluonic.codegen.lowerings.entry import known_lowering, lowering_of
from gluonic.codegen.program import interpreting
from gluonic.graph import Application, Array, Run, Signatures, shapes_and_dtypes
from gluonic.support.gc_pause import paused

if TYPE_CHECKING:
    from gluonic.codegen.eager_graph import EagerGraph

CALLS_IN_NUMPY, CALLS_OF_SMALL = 4, 256
"""How many calls NumPy computes of a layer, or of an operator without weights, and of a layer with small
arrays: a call of machine code saves it some fifty microseconds, and compiling takes thousands."""

LEAST_ELEMENTS = 1 << 16
"""How many elements the largest input has at least, or arrays are small. Without weights NumPy's kernels are
quick enough for those."""

_MOST_GRAPHS, _MOST_COUNTS = 512, 4096

_Counts: TypeAlias = "dict[Any, int | EagerGraph | None]"
"""By operator, shapes and dtypes: how many calls NumPy has computed, then what computes them (None: NumPy)."""

_without_weights: _Counts = {}
_by_weights: "dict[int, tuple[ref[Array], _Counts]]" = {}


_compiled: "dict[tuple[Application, GradientUse | None], EagerGraph]" = {}


def may_repay_compiling(application: Application, arrays: Sequence[Array]) -> bool:
    """Whether calls with such arrays may run machine code, if they come often: a quick look."""
    if not application.weights:
        for array in arrays:
            if array.size >= LEAST_ELEMENTS:
                break
        else:
            return False
    known = known_lowering(application.op)
    return (known is None or known.eager != 0) and not interpreting()


def compiled_outputs(
    application: Application, arrays: Sequence[Array], run: Run
) -> list[Array] | None:
    """What machine code computes of a call that may repay compiling; None if NumPy does. Who asks counts."""
    signature = shapes_and_dtypes(arrays)
    found = _graph_of(application, arrays, signature, None)
    return None if found is None else found(arrays, run, signature)


def compiled_gradients(
    application: Application,
    arrays: Sequence[Array],
    heads: Sequence[Array],
    use: GradientUse,
    run: Run,
) -> list[Array | None] | None:
    """The gradients of an operator's inputs by machine code; None if eager operators compute them.

    Parameters
    ----------
    arrays : the operator's inputs, and then its outputs
    heads : what flows into the outputs that anything flows into
    use : what is asked of the rule
    """
    signature = shapes_and_dtypes(arrays)
    found = _graph_of(application, arrays, signature, use)
    if found is None:
        return None
    return found([*arrays, *heads], run, (*signature, *shapes_and_dtypes(heads)))


def _graph_of(
    application: Application,
    arrays: Sequence[Array],
    signature: Signatures,
    use: GradientUse | None,
) -> "EagerGraph | None":
    """What computes a call; None if NumPy does."""
    counts = _without_weights
    if application.weights:
        counts = _counts_with(arrays[application.inputs.index(application.weights[0])])
    key = application, use, signature
    calls = counts.get(key, 0)
    if not isinstance(calls, int):
        return calls
    if calls >= CALLS_IN_NUMPY:  # before, nothing needs to be read about the operator
        limit = _calls_in_numpy(application, arrays)
        if limit is None or calls >= limit:
            counts[key] = made = None if limit is None else _prepared(application, use)
            return made
    if calls == 0 and len(counts) >= _MOST_COUNTS:
        counts.clear()
    counts[key] = calls + 1
    return None


def _calls_in_numpy(application: Application, arrays: Sequence[Array]) -> int | None:
    """How many calls NumPy computes of an operator, or of a layer, with such arrays; None: all."""
    eager = lowering_of(application.op).eager
    shapes = [array.shape for array in arrays]
    work = eager(application.settings, shapes) if callable(eager) else eager
    if work == 0 or any(array.dtype.kind not in "fiub" for array in arrays):
        return None
    is_large = max(map(prod, shapes)) * work >= LEAST_ELEMENTS
    return CALLS_IN_NUMPY if is_large or not application.weights else CALLS_OF_SMALL


def _counts_with(weights: Array) -> _Counts:
    """Where the calls of a layer are counted; forgotten with its weights."""
    key = id(weights)
    found = _by_weights.get(key)
    if found is None:
        found = _by_weights[key] = ref(weights, lambda _: _by_weights.pop(key, None)), {}
    return found[1]


def _prepared(application: Application, use: GradientUse | None) -> "EagerGraph":
    found = _compiled.get((application, use))
    if found is not None:
        return found
    with paused():
        from gluonic.codegen.eager_graph import EagerGraph
    while len(_compiled) >= _MOST_GRAPHS:
        del _compiled[next(iter(_compiled))]
    make = EagerGraph.of_operator
    made = make(application) if use is None else EagerGraph.of_gradient(application, use)
    _compiled[application, use] = made
    return made
