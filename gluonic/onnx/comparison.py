"""Running a model beside the graph that it was written from."""

import os
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gluonic.graph import Array, Entry, Graph, Node, Run
from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.interpret import interpret
from gluonic.graph.open_shapes import infer_open_shapes
from gluonic.graph.random_source import RandomSource
from gluonic.onnx.errors import ONNX, Goal
from gluonic.onnx.inputs import Input, size_name
from gluonic.onnx.library import onnx_library, onnx_runtime

_INDEXED = {"Embedding": "input_dim", "_contrib_SparseEmbedding": "input_dim", "one_hot": "depth"}
_PASSED_ON = {
    "Reshape",
    "_npx_reshape",
    "Cast",
    "transpose",
    "expand_dims",
    "Flatten",
    "SwapAxis",
    "slice_axis",
}
_TOLERANCE = {2: 1e-2, 4: 1e-4, 8: 1e-4}
"""The largest difference that is accepted, by the bytes of the outputs' dtype."""
_SEQUENCES = {"SequenceMask", "SequenceLast", "SequenceReverse", "RNN"}


class ExportMismatchError(MXNetError, ValueError):
    """A model computes other numbers than the graph that it was written from."""


def run_model(model: Any, feed: Mapping[str, Array]) -> tuple[list[Array], str]:
    """The outputs of a model, and the name of what ran it: ONNX Runtime, or else ONNX's reference evaluator."""
    runtime = onnx_runtime()
    if runtime is None:
        from onnx.reference import ReferenceEvaluator

        outputs: Any = ReferenceEvaluator(model).run(None, dict(feed))
        return outputs, "onnx's reference evaluator"
    options = runtime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = _session(runtime, model, options)
    return session.run(None, dict(feed)), "ONNX Runtime"


def _session(runtime: Any, model: Any, options: Any) -> Any:
    providers = ["CPUExecutionProvider"]
    if model.ByteSize() < 2**31 - 2**20:
        return runtime.InferenceSession(model.SerializeToString(), options, providers=providers)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        copy = type(model)()
        copy.CopyFrom(model)
        onnx_library().save_model(copy, path, save_as_external_data=True, location="model.data")
        return runtime.InferenceSession(path, options, providers=providers)


def draws_numbers(model: Any) -> bool:
    """Whether a model draws random numbers, which are others in each runtime."""
    return any(node.op_type.startswith(("Random", "Multinomial")) for node in model.graph.node)


def run_graph(
    graph: Graph, feed: Mapping[str, Array], parameters: Mapping[str, Array], labels: set[str]
) -> list[Array]:
    """The outputs of a graph in inference; labels, which it does not need, are zeros."""
    arrays = {**parameters, **feed}
    missing = [node for node in graph.variables if node.name not in arrays]
    if missing:
        arrays |= _labels(graph, arrays, missing)
    given = {node: np.array(arrays[node.name]) for node in graph.variables}
    assert all(node.name in labels for node in missing)
    return interpret(graph, given, Run(False, RandomSource()))


def _labels(graph: Graph, arrays: Mapping[str, Array], missing: Sequence[Node]) -> dict[str, Array]:
    known = {node: arrays[node.name].shape for node in graph.variables if node.name in arrays}
    facts = infer_open_shapes(graph, known)
    return {node.name: np.zeros(facts[node][0] or (1,), np.float32) for node in missing}


def sample_inputs(
    graph: Graph, inputs: Sequence[Input], hints: Sequence[tuple[int, ...]]
) -> dict[str, Array]:
    """Random inputs of given shapes: indices within the tables that they are looked up in, lengths, numbers."""
    random = np.random.RandomState(42)
    nodes = {node.name: node for node in graph.variables}
    longest = max((shape[axis] for shape in hints for axis in range(len(shape))), default=1)
    feed = {}
    for each, shape in zip(inputs, hints, strict=True):
        node = nodes.get(each.name)
        bound, lengths = (None, False) if node is None else _use(graph, node.entry())
        array: Any
        if lengths:
            steps = min([s[a] for s in hints for a in range(len(s)) if len(s) > 1] or [longest])
            array = random.randint(1, max(2, steps), shape)
        elif bound is not None:
            array = random.randint(0, bound, shape)
        elif each.dtype.kind in "iu":
            array = random.randint(0, 4, shape)
        elif each.dtype.kind == "b":
            array = random.randint(0, 2, shape)
        else:
            array = random.uniform(-1, 1, shape)
        feed[each.name] = np.asarray(array).astype(each.dtype)
    return feed


def _use(graph: Graph, start: Entry) -> tuple[int | None, bool]:
    """The size of the table that an input is looked up in, and whether it counts steps."""
    entries, bound = [start], None
    is_length = False
    while entries:
        entry = entries.pop()
        for reader in graph.consumers[entry.node]:
            name = reader.operator_name
            if name in _INDEXED and reader.inputs[0] == entry:
                size = reader.applied.settings[_INDEXED[name]]
                bound = size if bound is None else min(bound, size)
            elif name in _SEQUENCES and entry in reader.inputs[1:]:
                is_length = True
            elif name in _PASSED_ON:
                entries.append(reader.entry())
    return bound, is_length


def calls_to_compare(
    inputs: Sequence[Input], open_names: Sequence[str]
) -> list[list[tuple[int, ...]]]:
    """The shapes of the calls to compare: those given, and others where sizes may differ."""
    given = [each.hint for each in inputs]
    if not open_names:
        return [given]
    batches = {size_name(each, 0) for each in inputs if each.shape} & set(open_names)
    other = [
        tuple(
            size + 1 if size_name(each, axis) in batches else size
            for axis, size in enumerate(each.hint)
        )
        for each in inputs
    ]
    return [given, other]


def compare(
    names: Sequence[str],
    expected: Sequence[Array],
    found: Sequence[Array],
    runner: str,
    goal: Goal = ONNX,
) -> float:
    """Compare outputs; the largest difference, relative to the largest number of its output.

    Raises
    ------
    ExportMismatchError
        where they differ by more
    """
    narrowest = min((a.dtype.itemsize for a in expected if a.dtype.kind == "f"), default=4)
    tolerance, worst = _TOLERANCE[narrowest], 0.0
    for name, ours, theirs in zip(names, expected, found, strict=True):
        theirs = np.asarray(theirs)
        if ours.shape != theirs.shape:
            raise _mismatch(
                f"{name}: {runner} returns the shape {theirs.shape}, gluonic {ours.shape}", goal
            )
        worst = max(worst, difference(ours, theirs))
        if not worst <= tolerance:
            raise _mismatch(
                f"{name}: {runner} differs from gluonic by {worst:.2g}, more than {tolerance:.2g}",
                goal,
            )
    return worst


def difference(ours: Array, theirs: Array) -> float:
    """The largest difference, relative to the largest finite number; infinite where others differ."""
    a, b = ours.astype(np.float64), np.asarray(theirs).astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        apart = np.where(same, 0.0, np.abs(a - b))
    if apart.size == 0:
        return 0.0
    if not np.isfinite(apart).all():
        return float("inf")
    finite = np.abs(a[np.isfinite(a)])
    return float(apart.max() / max(finite.max(initial=0.0), 1e-30)) if apart.max() else 0.0


def _mismatch(what: str, goal: Goal) -> ExportMismatchError:
    unchecked = f"{goal.function}(…, check=False)"
    return ExportMismatchError(
        describe(
            what,
            where=goal.function,
            facts=["no file was written"],
            hint=f"{unchecked} writes the file without comparing; please report the difference",
        )
    )
