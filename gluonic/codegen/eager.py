"""Which eager calls run machine code: those that come again and again.

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
from gluonic.graph import Application, Array, Run, Signatures, shapes_and_dtypes
from gluonic.support.gc_pause import paused

if TYPE_CHECKING:
    from gluonic.codegen.eager_graph import EagerGraph

CALLS_IN_NUMPY, CALLS_WITHOUT_WEIGHTS, CALLS_OF_SMALL = 4, 8, 256
"""How many calls NumPy computes of a layer, of an operator without weights, which many layers may call, and of
a layer with small arrays: a call of machine code saves it some fifty microseconds, and compiling takes
thousands."""

LEAST_ELEMENTS = 1 << 16
"""How many elements the largest input has at least, or arrays are small. Without weights NumPy's kernels are
quick enough for those."""

_MOST_GRAPHS, _MOST_COUNTS = 512, 4096

_Counts: TypeAlias = dict[Any, int]
"""By operator, shapes and dtypes: how many calls NumPy has computed."""

_without_weights: _Counts = {}
_by_weights: "dict[int, tuple[ref[Array], _Counts]]" = {}


_compiled: "dict[tuple[Application, GradientUse | None], EagerGraph]" = {}


def repays_compiling(application: Application, arrays: Sequence[Array]) -> bool:
    """Whether calls with such arrays are to run machine code, if they come often."""
    if not application.weights and _are_small(arrays):
        return False
    if not _work(application):
        return False
    return all(array.dtype.kind in "fiub" for array in arrays) and not interpreting()


def compiled_outputs(
    application: Application, arrays: Sequence[Array], run: Run
) -> list[Array] | None:
    """What machine code computes of a call that repays compiling; None if NumPy does. Whoever asks counts."""
    signature = shapes_and_dtypes(arrays)
    found = _repeated(application, arrays, signature, None)
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
    found = _repeated(application, arrays, signature, use)
    if found is None:
        return None
    return found([*arrays, *heads], run, (*signature, *shapes_and_dtypes(heads)))


def _are_small(arrays: Sequence[Array], work: float = 1) -> bool:
    for array in arrays:  # noqa: SIM110 (a generator takes twice as long)
        if array.size * work >= LEAST_ELEMENTS:
            return False
    return True


def _work(application: Application) -> float:
    """How much is done with each element of the largest input, as a multiple of a pass over them."""
    eager = lowering_of(application.op).eager
    return eager(application.settings) if callable(eager) else eager


def _repeated(
    application: Application,
    arrays: Sequence[Array],
    signature: Signatures,
    use: GradientUse | None,
) -> "EagerGraph | None":
    what = application, use
    counts, limit = _counts_of(application, arrays)
    key = what, signature
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
            small = _are_small(arrays, _work(application))
            return _counts_with(array), CALLS_OF_SMALL if small else CALLS_IN_NUMPY
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
