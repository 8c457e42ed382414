"""The choice of the eager calls that run machine code: those that are repeated often.

NumPy computes the first calls of a layer with arrays of certain shapes and dtypes; later ones run the machine
code of a graph with this operator only. The number of such calls alone decides which of the two serves a call,
so a program gives the same bits in every run. Each layer has its own count, so the first calls of two nets with
equal weights give the same bits.
"""

from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias
from weakref import ref

from gluonic.codegen.compile_budget import BUDGET
from gluonic.codegen.executors import executor, interpreting
from gluonic.codegen.gradient_use import GradientUse
from gluonic.codegen.lowerings.entry import known_lowering, lowering_of
from gluonic.codegen.warm_up import operator_cost
from gluonic.graph import Application, Array, Run, Signatures, shapes_and_dtypes
from gluonic.graph.kernel_runs import signature_of
from gluonic.support.gc_pause import paused

if TYPE_CHECKING:
    from gluonic.codegen.eager_graph import EagerCall, EagerGraph

CALLS_IN_NUMPY, CALLS_OF_SMALL = 4, 256
"""The number of calls that NumPy computes: of a layer, or of an operator without weights; and of a layer with
small arrays, where a call of machine code saves some fifty microseconds, and compiling takes thousands."""
LEAST_ELEMENTS = 1 << 16
"""Arrays are small if the largest input has fewer elements. For operators without weights NumPy's kernels are
then fast enough."""

_MOST_GRAPHS, _MOST_COUNTS, _MOST_LATEST = 512, 4096, 64

_Counts: TypeAlias = "dict[Any, int | EagerGraph | None]"
"""By operator, shapes and dtypes: the number of calls computed by NumPy, later the graph (None: NumPy)."""


class _Layer(NamedTuple):
    """The calls of a layer; dropped with its weights.

    Attributes
    ----------
    weights : its weights; not kept alive
    counts : its calls
    latest : for each operator, the latest call that ran machine code
    """

    weights: "ref[Array]"
    counts: _Counts
    latest: "dict[Application, EagerCall]"


_without_weights: _Counts = {}
_layers: dict[int, _Layer] = {}


_compiled: "dict[tuple[Application, GradientUse | None], EagerGraph]" = {}


def may_repay_compiling(application: Application, arrays: Sequence[Array]) -> bool:
    """Whether calls with such arrays may run machine code if they are frequent: a quick check."""
    if not application.weights:
        for array in arrays:
            if array.size >= LEAST_ELEMENTS:
                break
        else:
            return False
    return _may_have_code(application)


def may_repay_for(application: Application, largest: int) -> bool:
    """Like `may_repay_compiling`, for a largest input of so many elements."""
    is_large = bool(application.weights) or largest >= LEAST_ELEMENTS
    return is_large and _may_have_code(application)


def _may_have_code(application: Application) -> bool:
    known = known_lowering(application.op)
    return (known is None or known.eager != 0) and not interpreting()


def latest_call(application: Application, weights: Array) -> "EagerCall | None":
    """The latest call of an operator with certain weights that ran machine code; None if none has."""
    layer = _layers.get(id(weights))
    return None if layer is None else layer.latest.get(application)


def compiled_outputs(
    application: Application, arrays: Sequence[Array], run: Run
) -> list[Array] | None:
    """The outputs of a call by machine code, if that may pay off; None if NumPy does. Calls are counted."""
    layer = _layer_of(application, arrays)
    return _outputs(application, arrays, run, layer, BUDGET.allows_operator)


def outputs_in_graph(
    application: Application, arrays: Sequence[Array], run: Run, has_new_weights: bool
) -> list[Array] | None:
    """Like `compiled_outputs`, in a call of a graph that is interpreted.

    The calls of a layer, which has its weights, are counted; or, if each call has new weights, those of the
    operator.
    """
    layer = None if has_new_weights else _layer_of(application, arrays)
    return _outputs(application, arrays, run, layer, BUDGET.allows_operator_of_graph)


def _outputs(
    application: Application,
    arrays: Sequence[Array],
    run: Run,
    layer: _Layer | None,
    allows: Callable[[int], bool],
) -> list[Array] | None:
    """The outputs of a call by machine code, pieces of which are made while their costs are allowed."""
    signature = shapes_and_dtypes(arrays)
    graph = _graph_of(application, arrays, signature, None, layer, allows)
    if graph is None:
        return None
    call = graph.call_for(arrays, run, signature, allows)
    if call is None:
        BUDGET.note_operator(_nanoseconds(application, arrays))
        return None
    if layer is not None:
        latest = layer.latest
        if len(latest) >= _MOST_LATEST:
            latest.clear()
        latest[application] = call
    return call(arrays, run)


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
    heads : the gradients of the outputs that have one
    use : the gradients requested from the rule
    """
    signature = shapes_and_dtypes(arrays)
    layer = _layer_of(application, arrays)
    allows = BUDGET.allows_operator
    found = _graph_of(application, arrays, signature, use, layer, allows)
    if found is None:
        return None
    results = found([*arrays, *heads], run, (*signature, *shapes_and_dtypes(heads)), allows)
    if results is None:
        BUDGET.note_operator(_nanoseconds(application, arrays))
    return results


def _graph_of(
    application: Application,
    arrays: Sequence[Array],
    signature: Signatures,
    use: GradientUse | None,
    layer: _Layer | None,
    allows: Callable[[int], bool],
) -> "EagerGraph | None":
    """The compiled graph for a call; None if NumPy computes it."""
    counts = _without_weights if layer is None else layer.counts
    key = application, use, signature
    calls = counts.get(key, 0)
    if not isinstance(calls, int):
        return calls
    if calls >= CALLS_IN_NUMPY:  # before that, the operator's entry is not needed
        limit = _calls_in_numpy(application, _work(application, arrays))
        if limit is None:
            counts[key] = None
            return None
        if calls >= limit:
            BUDGET.note_operator(_nanoseconds(application, arrays))
            if executor() == "compile" or BUDGET.allows_start(allows):
                counts[key] = made = _prepared(application, use)
                return made
    if calls == 0 and len(counts) >= _MOST_COUNTS:
        counts.clear()
    counts[key] = calls + 1
    return None


def _nanoseconds(application: Application, arrays: Sequence[Array]) -> int:
    """The time that NumPy takes for an operator, roughly."""
    made = signature_of(application, arrays[: len(application.inputs)]).shapes
    sizes = [0 if shape is None else prod(shape) for shape in made]
    return operator_cost(application, [array.size for array in arrays], sizes)


def _work(application: Application, arrays: Sequence[Array]) -> int:
    """The elements of the largest input, times the work for each; 0 if NumPy computes all calls."""
    eager = lowering_of(application.op).eager
    shapes = [array.shape for array in arrays]
    work = eager(application.settings, shapes) if callable(eager) else eager
    if work == 0 or any(array.dtype.kind not in "fiub" for array in arrays):
        return 0
    return int(max(map(prod, shapes)) * work)


def _calls_in_numpy(application: Application, work: int) -> int | None:
    """The number of calls of an operator or layer, with so much work, that NumPy computes; None for all."""
    if work == 0:
        return None
    is_large = work >= LEAST_ELEMENTS
    return CALLS_IN_NUMPY if is_large or not application.weights else CALLS_OF_SMALL


def _layer_of(application: Application, arrays: Sequence[Array]) -> _Layer | None:
    """The layer whose weights are among the arrays; None for an operator without weights."""
    if not application.weights:
        return None
    weights = arrays[application.inputs.index(application.weights[0])]
    key = id(weights)
    found = _layers.get(key)
    if found is None:
        found = _Layer(ref(weights, lambda _: _layers.pop(key, None)), {}, {})
        _layers[key] = found
    return found


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
