"""The interpreter: NumPy kernels, node by node; the reference, fallback and debugger of compiled graphs."""

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter_ns
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gluonic.graph.application import Application, Signature
from gluonic.graph.conforming import conform, conformed
from gluonic.graph.dtypes import BFLOAT16_CODE, CODES, is_bfloat16
from gluonic.graph.errors import InferenceError, MXNetError
from gluonic.graph.events import EVENTS, described
from gluonic.graph.failures import note_failure
from gluonic.graph.infer import check_inputs, infer
from gluonic.graph.inferred_call import InferredCall
from gluonic.graph.kernel_runs import (
    ARRAY_ERRORS,
    as_operators_error,
    name_line,
    run_in_graph,
    signature_for,
    signature_of,
)
from gluonic.graph.node import Graph, Node
from gluonic.graph.open_shapes import has_open_shapes, infer_open_shapes, with_found_shapes
from gluonic.graph.operator import Array, Run, Signatures, shapes_and_dtypes
from gluonic.graph.promotion import WIDENS_SCALARS
from gluonic.support.caches import Cache
from gluonic.support.suppress_fp_warnings import quietly

Observer: TypeAlias = Callable[[Node, list[Array], list[Array]], None]
_MOST_CLOSED = 64


def _plain_call(application: Application) -> Callable[..., Any] | None:
    """A function of the inputs alone that runs the kernel; None if a call needs more."""
    is_plain = application.filler is None and application.op.run_name is None
    runs_itself = type(application).execute is not Application.execute
    return application.call if is_plain and not runs_itself else None


def _reads_given_weights(node: Node) -> bool:
    """Whether no weights of an operator are computed by the graph."""
    application = node.applied
    positions = map(application.inputs.index, application.weights)
    return all(node.inputs[position].node.is_variable for position in positions)


def _with_last_reads(
    steps: Sequence[tuple[Node, list[int], int]], outputs: Sequence[int]
) -> list[tuple[Node, list[int], int, list[int]]]:
    """The steps, each with the values that are released after it because no later step reads them."""
    last_read = {index: step for step, (_, reads, _) in enumerate(steps) for index in reads}
    for index in set(outputs):
        last_read.pop(index, None)
    released: list[list[int]] = [[] for _ in steps]
    for index, step in last_read.items():
        released[step].append(index)
    return [(*step, indices) for step, indices in zip(steps, released, strict=True)]


class FasterOperators(NamedTuple):
    """Another way to compute operators, for those that repay it.

    Attributes
    ----------
    may_repay : whether an operator whose largest input has so many elements may be computed this way
    outputs : its outputs, in new memory; None if its kernel must compute them. The last argument is whether its
        weights are new arrays in each call
    """

    may_repay: Callable[[Application, int], bool]
    outputs: Callable[[Application, Sequence[Array], Run, bool], list[Array] | None]


class Interpretation:
    """A graph prepared to be run operator by operator; the reads and writes of each are computed once.

    The output signatures of the operators are cached by the inputs' shapes and dtypes.

    Parameters
    ----------
    graph : the graph
    inputs : its variables, in the order of the arrays in calls
    predict : returns the output signatures of all operators, in run order, for the shapes and dtypes of new
        inputs, or None
    faster : another way to compute some operators; by default, their kernels compute all
    """

    def __init__(
        self,
        graph: Graph,
        inputs: Sequence[Node],
        predict: Callable[[Signatures], list[Signature] | None] | None = None,
        faster: FasterOperators | None = None,
    ) -> None:
        self._graph, self._inputs, self._predict, self._faster = graph, inputs, predict, faster
        self._closed: dict[Any, Interpretation] | None = {} if has_open_shapes(graph) else None
        self._known: Cache[Signatures, InferredCall] = Cache()
        first = {node: index for index, node in enumerate(inputs)}
        count, steps = len(inputs), []
        for node in graph.run_order:
            application = node.application
            if application is not None:
                reads = [first[entry.node] + entry.index for entry in node.inputs]
                steps.append((node, reads, count))
                first[node] = count
                count += len(application.outputs)
        self._outputs = [first[entry.node] + entry.index for entry in graph.outputs]
        self._steps = _with_last_reads(steps, self._outputs)
        applications = [node.applied for node, *_ in steps]
        calls = {application: _plain_call(application) for application in set(applications)}
        self._calls = [calls[application] for application in applications]
        self._have_new_weights = frozenset(
            node for node, *_ in steps if not _reads_given_weights(node)
        )
        self._are_views = [application.op.is_view for application in applications]
        self._keeps_signatures = not WIDENS_SCALARS and not any(
            application.op.calls_back or application.op.dynamic for application in calls
        )
        self._empty = [None] * (count - len(inputs))

    def __call__(
        self,
        arrays: Sequence[Array],
        run: Run,
        observer: Observer | None = None,
        inferred: InferredCall | None = None,
    ) -> list[Array]:
        """Run the graph; auxiliary states are updated in place.

        Parameters
        ----------
        arrays : one for each variable
        observer : called after each operator with its node, inputs and outputs
        inferred : what `inferred` returns for the arrays, where that is known
        """
        if self._closed is not None:
            return self._with_found_shapes(arrays)(arrays, run, observer, inferred)
        values: list[Any] = [*arrays, *self._empty]
        is_quiet = observer is None and not EVENTS.symbolic
        if inferred is None and is_quiet:
            inferred = self.inferred(arrays)
        if inferred is not None and is_quiet:
            quietly(self._run_quietly, values, arrays, run, inferred)
        else:
            made = self._run_apart(values, arrays, run, observer)
            if inferred is None and self._keeps_signatures:
                self._keep(shapes_and_dtypes(arrays), made)
        return [values[index] for index in self._outputs]

    def inferred(self, arrays: Sequence[Array]) -> InferredCall | None:
        """What follows for a call with such arrays; None if it must run the operators one by one."""
        if not self._keeps_signatures:
            return None
        if self._closed is not None:
            return self._with_found_shapes(arrays).inferred(arrays)
        inputs = shapes_and_dtypes(arrays)
        known = self._known.get(inputs)
        if known is not None:
            return known
        outputs = None if self._predict is None else self._predict(inputs)
        if outputs is None:
            if BFLOAT16_CODE in CODES:
                return None
            outputs = self._infer(arrays, inputs)
        return self._keep(inputs, outputs)

    def _infer(self, arrays: Sequence[Array], inputs: Signatures) -> list[Signature]:
        """Infer the operators' output signatures, once for equivalent nodes."""
        shared: dict[
            Any, Any
        ] = {}  # equal signatures are one object, so that identities distinguish nodes
        known: dict[Any, tuple[Signature, list[Any]]] = {}
        ends = [shared.setdefault(end, end) for end in inputs]
        inferred = []
        for node, reads, *_ in self._steps:
            given = [ends[index] for index in reads]
            key = node.application, *map(id, given)
            if key not in known:
                try:
                    found = signature_for(node.applied, tuple(given))
                except MXNetError as error:
                    raise self._explained(error, node, tuple(given), arrays) from None
                own = zip(found.shapes, found.dtypes, strict=True)
                known[key] = found, [shared.setdefault(end, end) for end in own]
            found, made = known[key]
            inferred.append(found)
            ends += made
        return inferred

    @property
    def operators(self) -> list[tuple[Application, list[int], range]]:
        """The operators in run order, with the indices of inputs and results among the elements of a call."""
        return [
            (node.applied, reads, range(first, first + node.output_count))
            for node, reads, first, _ in self._steps
        ]

    def _run_apart(
        self, values: list[Any], arrays: Sequence[Array], run: Run, observer: Observer | None
    ) -> list[Signature]:
        """Run the operators one by one, each with its own checks; return their output signatures."""
        inferred = []
        for node, reads, first, last in self._steps:
            given = [values[index] for index in reads]
            try:
                expected = signature_of(node.applied, given)
            except MXNetError as error:
                raise self._explained(error, node, shapes_and_dtypes(given), arrays) from None
            try:
                results = self._run_one(node, given, run, expected)
            except MXNetError as error:
                name_line(node, error)
                self._note(error, node, arrays)
                raise
            if observer is not None:
                observer(node, given, results)
            inferred.append(expected)
            values[first : first + len(results)] = results
            for index in last:
                values[index] = None
        return inferred

    def _run_one(
        self, node: Node, given: list[Array], run: Run, expected: Signature
    ) -> list[Array]:
        """Run an operator, in the faster way if that serves it, and record it for the profiler."""
        begin = perf_counter_ns()
        results = self._made_faster(node, given, run)
        if results is None:
            results = run_in_graph(node, given, run, expected)
        if EVENTS.symbolic:
            details = {**described([node]), "inputs": [list(a.shape) for a in given]}
            EVENTS.add("X", node.operator_name, "operator", begin, perf_counter_ns(), details)
        return results

    def _made_faster(self, node: Node, given: list[Array], run: Run) -> list[Array] | None:
        """An operator's outputs, computed in the faster way; None if that does not serve it."""
        largest = max((array.size for array in given), default=0)
        if self._faster is None or not self._faster.may_repay(node.applied, largest):
            return None
        return self._faster.outputs(node.applied, given, run, node in self._have_new_weights)

    def _run_quietly(
        self, values: list[Any], arrays: Sequence[Array], run: Run, inferred: InferredCall
    ) -> None:
        """Run the operators, whose output signatures are known, without warnings."""
        for (node, reads, first, last), call, is_view, expected in zip(
            self._steps, self._calls_for(inferred), self._are_views, inferred.outputs, strict=True
        ):
            given = [values[index] for index in reads]
            made = self._made_faster(node, given, run) if call is None and not is_view else None
            try:
                result: Any
                if is_view:
                    result = given[0].reshape(expected.shapes[0])
                elif call is not None:
                    result = call(*given)
                else:
                    result = node.applied.execute(given, run) if made is None else tuple(made)
                if type(result) is tuple:
                    end = first + len(expected.shapes)
                    values[first:end] = conform(result, expected, node.applied)
                else:
                    (shape,), (dtype,) = expected.shapes, expected.dtypes
                    is_right = type(result) is np.ndarray and result.shape == shape
                    if not is_right or result.dtype is not dtype:
                        result = conformed(result, shape, dtype, node.applied)
                    values[first] = result
                result = made = None  # they would be kept while the next operator runs
            except MXNetError as error:
                name_line(node, error)
                self._note(error, node, arrays)
                raise
            except (MemoryError, *ARRAY_ERRORS) as error:
                if isinstance(error, NotImplementedError):
                    raise
                told = as_operators_error(node.applied, given, expected, error)
                name_line(node, told)
                self._note(told, node, arrays)
                raise told from error
            for index in last:
                values[index] = None

    def _calls_for(self, inferred: InferredCall) -> list[Callable[..., Any] | None]:
        """The functions that run the operators; None for those that may be made in the faster way."""
        if self._faster is None:
            return self._calls
        if inferred.calls is None:
            may_repay, elements = self._faster.may_repay, inferred.elements()
            largest = [max((elements[i] for i in reads), default=0) for _, reads, *_ in self._steps]
            inferred.calls = [
                None if may_repay(node.applied, size) else call
                for (node, *_), size, call in zip(self._steps, largest, self._calls, strict=True)
            ]
        return inferred.calls

    def _explained(
        self, error: MXNetError, node: Node, given: Signatures, arrays: Sequence[Array]
    ) -> MXNetError:
        """The error for inputs that an operator refuses: that of compiling, which names their origins."""
        if isinstance(error, InferenceError):
            known = zip(self._inputs, shapes_and_dtypes(arrays), strict=True)
            read = {node: end for node, end in known if node in self._graph.consumers}
            try:
                infer_open_shapes(self._graph, {node: shape for node, (shape, _) in read.items()})
                infer(self._graph, "dtype", {node: dtype for node, (_, dtype) in read.items()})
                check_inputs(node, given)  # which may depend on the data
            except InferenceError as located:
                error = located
        if error.failed is None:
            name_line(node, error)
            self._note(error, node, arrays)
        return error

    def _note(self, error: MXNetError, node: Node, arrays: Sequence[Array]) -> None:
        given_shapes = [[array.shape] for array in arrays]
        note_failure(error, node, dict(zip(self._inputs, given_shapes, strict=True)))

    def _keep(self, inputs: Signatures, outputs: list[Signature]) -> InferredCall | None:
        """Cache the operators' output signatures for such inputs; None for bfloat16, computed in float32."""
        if BFLOAT16_CODE in CODES:
            dtypes = {dtype for _, dtype in inputs}.union(*[each.dtypes for each in outputs])
            if any(map(is_bfloat16, dtypes)):
                return None
        return self._known.remember(inputs, InferredCall(inputs, outputs))

    def _with_found_shapes(self, arrays: Sequence[Array]) -> "Interpretation":
        """The interpretation of the graph whose open shapes are filled in for the arrays."""
        assert self._closed is not None
        shapes = tuple([array.shape for array in arrays])
        found = self._closed.get(shapes)
        if found is None:
            if len(self._closed) >= _MOST_CLOSED:
                self._closed.clear()
            known = dict(zip(self._inputs, shapes, strict=True))
            graph = with_found_shapes(self._graph, known)
            found = Interpretation(graph, self._inputs, None, self._faster)
            self._closed[shapes] = found
            found._closed = None
        return found


def interpret(
    graph: Graph, inputs: Mapping[Node, Array], run: Run, observer: Observer | None = None
) -> list[Array]:
    """Run a graph on NumPy arrays, one for each variable, as `Interpretation` does."""
    return Interpretation(graph, [*inputs])([*inputs.values()], run, observer)
