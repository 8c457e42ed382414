"""Loops and branches."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic import symbol as sym
from gluonic.graph import Entry
from gluonic.onnx.errors import NotImportable
from gluonic.onnx.sizes import is_open
from gluonic.onnx.table import family
from gluonic.onnx.tensors import Tensor
from gluonic.onnx.use import output_shape, shape_of, write_body
from gluonic.onnx.writer import BOOL, INT64, OnnxBody, OnnxValue

control_flow = family("loops and branches")
control_flow.leave_out("its code is Python", "Custom")
_MOST_UNROLLED = 4096
"""The most steps of a loop that is written out while a model is read."""
_MOST_REPEATED = 1 << 20
"""The largest limit of the steps of a loop whose stacked outputs have that length."""


def _variables(
    n: Any, body: Any, states: dict[int, OnnxValue], slices: dict[int, OnnxValue]
) -> list[OnnxValue]:
    """The values of a body's variables: states and slices, and values from outside."""
    return [
        states.get(position) or slices.get(position) or n.inputs[source]
        for position, source in enumerate(body.outer)
    ]


def _own(o: Any, outputs: Sequence[OnnxValue], inside: Sequence[Any]) -> list[OnnxValue]:
    """Outputs of a body, each a value of its own that the body computes."""
    made = {value for node in inside for value in node.outputs}
    seen: set[OnnxValue] = set()
    copies = []
    for value in outputs:
        copies.append(o.Identity(value) if value in seen or value not in made else value)
        seen.add(value)
    return copies


@control_flow.write("_foreach")
def _(o: Any, n: Any) -> Any:
    (body,) = n.subgraphs.bodies
    stacked, count = body.stacked, len(body.states)
    states = {p: OnnxValue(n.inputs[body.outer[p]].dtype) for p in body.states}
    vectors = {p for p in body.slices if len(shape_of(n, body.outer[p])) == 1}
    slices = {
        p: OnnxValue(n.inputs[body.outer[p]].dtype, is_scalar=p in vectors) for p in body.slices
    }

    def write() -> list[OnnxValue]:
        # A slice of a vector has no axis in ONNX, and one in MXNet.
        shown = {p: o.Reshape(x, [1]) if p in vectors else x for p, x in slices.items()}
        found = write_body(n, body, _variables(n, body, states, shown))
        return _own(o, [*found[stacked:], *found[:stacked]], o.nodes)

    inner = o.body([*states.values(), *slices.values()], write)
    inputs = [n.inputs[body.outer[p]] for p in (*body.states, *body.slices)]
    results = o.Scan(
        *inputs,
        outputs=count + stacked,
        result=[value.dtype for value in inner.outputs],
        body=inner,
        num_scan_inputs=len(body.slices),
    )
    results = [results] if isinstance(results, OnnxValue) else results
    return [*results[count:], *results[:count]]


@control_flow.write("_while_loop")
def _(o: Any, n: Any) -> Any:
    step, condition = n.subgraphs.bodies
    stacked, count = step.stacked, len(step.states)
    begin = [n.inputs[step.outer[p]] for p in step.states]

    def holds(current: Sequence[OnnxValue]) -> OnnxValue:
        """Whether to take another step, for values of the loop variables."""
        sources = {step.outer[p]: value for p, value in zip(step.states, current, strict=True)}
        values = [sources.get(source, n.inputs[source]) for source in condition.outer]
        (found,) = write_body(n, condition, values)
        truth: OnnxValue = o.Reshape(o.cast(found, BOOL), np.array([], np.int64))
        return truth

    states = {p: OnnxValue(value.dtype) for p, value in zip(step.states, begin, strict=True)}

    def write() -> list[OnnxValue]:
        found = write_body(n, step, _variables(n, step, states, {}))
        new = found[stacked:]
        return _own(o, [holds(new), *new, *found[:stacked]], o.nodes)

    counter, truth = OnnxValue(INT64, is_scalar=True), OnnxValue(BOOL, is_scalar=True)
    inner = o.body([counter, truth, *states.values()], write)
    limit = np.array(n.max_iterations, np.int64)
    results = o.Loop(
        limit,
        holds(begin),
        *begin,
        outputs=count + stacked,
        result=[value.dtype for value in inner.outputs[1:]],
        body=inner,
    )
    results = [results] if isinstance(results, OnnxValue) else results
    shown = [
        _with_zeros(o, n, value, len(output_shape(n, index)))
        for index, value in enumerate(results[count:])
    ]
    return [*shown, *results[:count]]


def _with_zeros(o: Any, n: Any, value: OnnxValue, rank: int) -> OnnxValue:
    """A stacked output, with zeros after the last step."""
    steps = o.slice(o.Shape(value), [0], [0], [1])
    left = o.Sub(np.array([n.max_iterations], np.int64), steps)
    pads = o.Concat(*[[0] * rank, left, [0] * (rank - 1)][: 3 if rank > 1 else 2], axis=0)
    padded: OnnxValue = o.Pad(value, pads)
    return padded


@control_flow.write("_cond")
def _(o: Any, n: Any) -> Any:
    then, otherwise, predicate = n.subgraphs.bodies

    def branch(body: Any) -> OnnxBody:
        def write() -> list[OnnxValue]:
            return _own(
                o, write_body(n, body, [n.inputs[source] for source in body.outer]), o.nodes
            )

        made: OnnxBody = o.body([], write)
        return made

    (found,) = write_body(n, predicate, [n.inputs[source] for source in predicate.outer])
    truth = o.Reshape(o.cast(found, BOOL), np.array([], np.int64))
    branches = branch(then), branch(otherwise)
    return o.If(
        truth,
        outputs=len(branches[0].outputs),
        result=[value.dtype for value in branches[0].outputs],
        then_branch=branches[0],
        else_branch=branches[1],
    )


# ------------------------------------------------------------------------ reading


def _graph(n: Any, name: str) -> Any:
    return n.attributes[name].g


def _symbols(n: Any, values: Sequence[Any]) -> list[Any]:
    """The outputs of a body as symbols."""
    if not all(isinstance(value, Tensor) for value in values):
        raise NotImportable("its body computes sequences")
    return [sym.Symbol([n.reading.entry_of(value)]) for value in values]


def _entries(found: Any) -> list[Entry]:
    symbols = found if isinstance(found, (list, tuple)) else [found]
    return [symbol.entries[0] for symbol in symbols]


@control_flow.read("If")
def _(F: Any, n: Any) -> Any:
    condition = n.known_or_none(0)
    if condition is not None:
        name = "then_branch" if condition.all() else "else_branch"
        return n.reading.body(_graph(n, name), [], n.scope)

    def branch(name: str) -> Any:
        return lambda: _symbols(n, n.reading.body(_graph(n, name), [], n.scope))

    F.fresh.clear()
    return _entries(
        sym.contrib.cond(sym.Symbol([n[0]]), branch("then_branch"), branch("else_branch"))
    )


@control_flow.read("Scan")
def _(F: Any, n: Any) -> Any:
    if n.opset < 9:
        raise NotImportable("Scan before opset 9")
    graph, count = _graph(n, "body"), n.attribute("num_scan_inputs")
    if not 0 < count <= len(n.inputs):
        raise NotImportable(f"num_scan_inputs={count} with {len(n.inputs)} inputs")
    states = n.inputs[: len(n.inputs) - count]
    axes = n.attribute("scan_input_axes") or [0] * count
    backward = n.attribute("scan_input_directions") or [0] * count
    ranks = [n.rank(len(states) + i) for i in range(count)]
    axes = [axis % rank for axis, rank in zip(axes, ranks, strict=True)]
    turned = []
    for position, (axis, rank, back) in enumerate(zip(axes, ranks, backward, strict=True)):
        entry = n[len(states) + position]
        if axis:
            entry = F.transpose(entry, axes=(axis, *[i for i in range(rank) if i != axis]))
        turned.append(F.reverse(entry, axis=(0,)) if back else entry)
    stacked = len(graph.output) - len(states)
    results = _scanned(n, graph, states, turned)
    out_axes = n.attribute("scan_output_axes") or [0] * stacked
    out_back = n.attribute("scan_output_directions") or [0] * stacked
    shown = []
    for entry, axis, back in zip(results[len(states) :], out_axes, out_back, strict=True):
        entry = F.reverse(entry, axis=(0,)) if back else entry
        rank = len(n.shape_of(entry))
        axis %= rank
        order = [*range(1, axis + 1), 0, *range(axis + 1, rank)]
        shown.append(F.transpose(entry, axes=tuple(order)) if axis else entry)
    return [*results[: len(states)], *shown]


def _scanned(n: Any, graph: Any, states: Sequence[Any], data: Sequence[Entry]) -> list[Entry]:
    """The last states and the stacked outputs of a loop over the first axis."""
    n.reading.F.fresh.clear()

    def body(slices: Any, current: Any) -> Any:
        given: list[Tensor] = []
        for symbol, entry in zip([*current, *slices], [*begin, *data], strict=True):
            shape, dtype = n.reading.signature(entry)
            inner = symbol.entries[0]
            is_state = len(given) < len(begin)
            is_number = not is_state and len(shape) == 1  # which has an axis in MXNet
            n.reading.declare(inner, shape if is_state else shape[1:] or (1,), dtype)
            given.append(Tensor(entry=n.reading.F._np_squeeze(inner) if is_number else inner))
        found = _symbols(n, n.reading.body(graph, given, n.scope))
        return found[len(begin) :], found[: len(begin)]

    begin = [n.reading.entry_of(state) for state in states]
    try:
        outputs, last = sym.contrib.foreach(
            body, [sym.Symbol([e]) for e in data], [sym.Symbol([e]) for e in begin]
        )
    except AssertionError as error:
        raise NotImportable(f"its body: {error}") from None
    return [*_entries(last), *_entries(outputs)]


@control_flow.read("Loop")
def _(F: Any, n: Any) -> Any:
    graph = _graph(n, "body")
    limit = n.known_or_none(0) if n.has(0) else None
    values: list[Any] = n.inputs[2:]
    state_count = len(values)
    stacked: list[list[Any]] = [[] for _ in graph.output[1 + state_count :]]
    goes_on: Any = n.inputs[1] if n.has(1) else Tensor(array=np.array(True))
    step = 0
    while limit is None or (not is_open(limit.item()) and step < limit.item()):
        truth = _truth(n, goes_on)
        if truth is None and step == 0:
            return _repeated(F, n, graph, limit)
        if truth is None:
            raise NotImportable("a loop whose number of steps depends on the data after the first")
        if not truth:
            break
        if step >= _MOST_UNROLLED:
            raise NotImportable(f"a loop of more than {_MOST_UNROLLED:,} steps")
        given = [Tensor(array=np.array(step)), goes_on, *values]
        found = n.reading.body(graph, given, n.scope)
        goes_on, values = found[0], found[1 : 1 + state_count]
        for parts, value in zip(stacked, found[1 + state_count :], strict=True):
            parts.append(value)
        step += 1
    if limit is not None and is_open(limit.item()):
        raise NotImportable("a loop whose number of steps is an open size")
    if step == 0 and stacked:
        raise NotImportable("a loop without steps")
    return [*values, *(_stack(F, n, parts) for parts in stacked)]


def _repeated(F: Any, n: Any, graph: Any, limit: Any) -> list[Entry]:
    """A loop that runs as long as the data say, as MXNet's, whose stacked outputs end with zeros."""
    if limit is None or is_open(limit.item()) or limit.item() > _MOST_REPEATED:
        raise NotImportable("a loop without a limit of its steps")
    count = len(n.inputs) - 2
    for name in n.node.output[count:]:
        if not n.reading.readers.get(name, set()) <= {"Shape", "Pad"}:
            raise NotImportable(
                "stacked outputs of a loop whose number of steps depends on the data"
            )
    begin = [n[i] for i in range(1, 2 + count)]
    counts = any(graph.input[0].name in node.input for node in graph.node)
    if counts:
        begin.append(n.constant(np.zeros(1, np.int64)))
    F.fresh.clear()

    def func(*symbols: Any) -> Any:
        given = []
        for symbol, entry in zip(symbols, begin, strict=True):
            n.reading.declare(symbol.entries[0], *n.reading.signature(entry))
            given.append(Tensor(entry=symbol.entries[0]))
        step = given.pop() if counts else Tensor(array=np.array(0))
        number = Tensor(entry=F._np_squeeze(step.entry)) if counts else step
        found = _symbols(n, n.reading.body(graph, [number, *given], n.scope))
        new = [sym.Symbol([step.entry]) + 1] if counts else []
        goes_on = sym.broadcast_logical_and(symbols[0], found[0])
        return found[1 + count :], [goes_on, *found[1 : 1 + count], *new]

    variables = [sym.Symbol([entry]) for entry in begin]
    try:
        outputs, last = sym.contrib.while_loop(
            lambda *symbols: sym.cast(symbols[0], dtype="float32"),
            func,
            variables,
            max_iterations=int(limit.item()),
        )
    except ValueError as error:
        raise NotImportable(f"its body: {error}") from None
    return [*_entries(last)[1 : 1 + count], *_entries(outputs)]


def _truth(n: Any, value: Any) -> bool | None:
    """Whether a condition holds; None if it is not constant."""
    if value.array is None:
        value.array = n.reading.values_of(value.entry)
    return None if value.array is None else bool(value.array.all())


def _stack(F: Any, n: Any, parts: Sequence[Tensor]) -> Any:
    if all(part.array is not None for part in parts):
        return np.stack([part.array for part in parts if part.array is not None])
    return F.stack(*[n.reading.entry_of(part) for part in parts], axis=0)
