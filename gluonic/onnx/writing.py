"""From gluonic's graph to ONNX's: shapes and dtypes are inferred, then each node's rule writes it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from gluonic.codegen import NotUniform
from gluonic.graph import Application, Array, Entry, Graph, Node, Run
from gluonic.graph.infer import infer
from gluonic.graph.interpret import interpret
from gluonic.graph.open_shapes import infer_open_shapes
from gluonic.graph.ops.fused_bodies import open_fused
from gluonic.graph.random_source import RandomSource
from gluonic.onnx.errors import ONNX, Goal, NotExportable, cannot_be_written
from gluonic.onnx.inputs import Input, OpenSizes, label_names, size_name
from gluonic.onnx.scalars import Scalar, ScalarWriter
from gluonic.onnx.sizes import Sizes, is_open
from gluonic.onnx.table import LEFT_OUT, WHOLE, WRITES, WriteRule
from gluonic.onnx.use import Surroundings, Use, output_shape, reshaped, shape_of
from gluonic.onnx.writer import OnnxValue, OnnxWriter

_FILLS = frozenset({"_zeros", "_ones", "_full", "_zeros_without_dtype"})
_MOST_FOLDED = 1 << 16
"""The most elements of a constant that is computed from smaller ones."""


@dataclass
class Written:
    """A graph that has been written.

    Attributes
    ----------
    writer : ONNX's nodes
    inputs, outputs : the values at its ends
    size_names : the names of the open sizes
    fixed : names of sizes that the graph pins to the number in the hint
    """

    writer: OnnxWriter
    inputs: list[OnnxValue]
    outputs: list[OnnxValue]
    size_names: list[str]
    fixed: dict[str, int]


def write_graph(
    graph: Graph,
    inputs: Sequence[Input],
    parameters: Mapping[str, Array],
    opset: int,
    goal: Goal = ONNX,
    rules: Mapping[str, WriteRule] = WRITES,
) -> Written:
    """Write a graph.

    Parameters
    ----------
    graph : the graph
    inputs : those of its variables that are inputs of the model
    parameters : the values of all other variables that anything needs
    opset : the version of ONNX's operators
    goal : where the graph goes, for messages
    rules : how operators are written, by gluonic's names

    Raises
    ------
    ExportError
        listing all nodes that cannot be written
    InferenceError
        where the shapes do not fit the graph
    """
    graph = open_fused(graph)
    pinned: dict[str, int] = {}
    while True:
        sizes = OpenSizes(inputs, pinned)
        try:
            facts = _infer(graph, inputs, sizes.shapes, parameters)
        except NotUniform:
            raise goal.refusal(
                "the shapes in the graph are no expressions of the sizes of its inputs",
                hint="fewer open sizes in dynamic_input_shapes",
            ) from None
        further = sizes.pinned()
        if not further:
            break
        for each in inputs:
            for axis, hint in enumerate(each.hint):
                if size_name(each, axis) in further:
                    pinned[size_name(each, axis)] = hint
    writing = _Writing(graph, inputs, parameters, opset, sizes, facts, rules)
    return writing.written(pinned, goal)


_Facts = tuple[dict[Entry, Any], dict[Entry, np.dtype[Any]]]


def _infer(
    graph: Graph,
    inputs: Sequence[Input],
    shapes: Sequence[tuple[Any, ...]],
    parameters: Mapping[str, Array],
) -> _Facts:
    by_name = {each.name: (shape, each.dtype) for each, shape in zip(inputs, shapes, strict=True)}
    by_name |= {name: (array.shape, array.dtype) for name, array in parameters.items()}
    given = {node: by_name[node.name] for node in graph.variables if node.name in by_name}
    known: dict[Node, Any] = {node: shape for node, (shape, _) in given.items()}
    found_shapes = infer_open_shapes(graph, known)
    found_dtypes = infer(graph, "dtype", {node: dtype for node, (_, dtype) in given.items()})
    entries = [node.entry(i) for node in graph.nodes for i in range(node.output_count)]
    return (
        {entry: found_shapes[entry.node][entry.index] for entry in entries},
        {entry: found_dtypes[entry.node][entry.index] or np.dtype(np.float32) for entry in entries},
    )


class _Writing(Surroundings):
    """One graph being written."""

    def __init__(
        self,
        graph: Graph,
        inputs: Sequence[Input],
        parameters: Mapping[str, Array],
        opset: int,
        sizes: OpenSizes,
        facts: _Facts,
        rules: Mapping[str, WriteRule],
    ) -> None:
        self.writer = OnnxWriter(opset)
        self.shapes, self.dtypes = facts
        self.reads = graph.reads
        self._graph, self._parameters, self._rules = graph, parameters, rules
        self._values: dict[Entry, OnnxValue] = {}
        self._problems: dict[Node, str] = {}
        labels = label_names(graph)
        self._labels = {node for node in graph.variables if node.name in labels}
        self._inputs = [
            OnnxValue(each.dtype, each.name, shape=shape)
            for each, shape in zip(inputs, sizes.shapes, strict=True)
        ]
        self._by_name = {value.name: value for value in self._inputs}
        self._names = sizes.names
        places = [
            (lambda value=self._inputs[position]: value, axis)
            for position, axis in sizes.places.values()
        ]
        self.sizes = Sizes(self.writer, sizes.env, places)

    def written(self, pinned: dict[str, int], goal: Goal) -> Written:
        """Write all nodes."""
        for node in self._graph.nodes:
            self._write(node)
        if self._problems:
            raise cannot_be_written(self._problems, goal)
        for entry in (
            *self._graph.outputs,
            *(e for node in self._graph.nodes for e in node.inputs),
        ):
            if entry not in self._values and entry.node not in (*self._problems, *self._labels):
                self._problems[entry.node] = f"its output {entry.name} has no counterpart"
        if self._problems:
            raise cannot_be_written(self._problems, goal)
        outputs = [self._values[entry] for entry in self._graph.outputs]
        return Written(self.writer, self._inputs, outputs, self._names, pinned)

    # ------------------------------------------------------------------------ nodes

    def _write(self, node: Node) -> None:
        if node.is_variable:
            self._write_variable(node)
            return
        if self._fold(node):
            return
        if any(
            entry not in self._values and entry.node not in self._labels for entry in node.inputs
        ):
            return  # what makes it is a problem already
        self.writer.scope = node.name
        try:
            values = self.apply(node, node.applied, [self._values.get(e) for e in node.inputs])
        except NotExportable as reason:
            self._refuse(node, str(reason))
            return
        except NotUniform:
            self._refuse(node, "its attributes depend on the sizes of the inputs")
            return
        for index, value in enumerate(values):
            entry = node.entry(index)
            if value is not None:
                self._values[entry] = self._finished(entry, value)

    def _refuse(self, node: Node, reason: str) -> None:
        """Note that a node cannot be written; what reads it is looked at nevertheless."""
        self._problems[node] = reason
        for index in range(node.output_count):
            entry = node.entry(index)
            self._values[entry] = OnnxValue(np.dtype(self.dtypes[entry]))

    def _finished(self, entry: Entry, value: OnnxValue) -> OnnxValue:
        """The value in the entry's dtype, with its node's name."""
        value = self.writer.cast(value, self.dtypes[entry])
        value.shape = self.shapes[entry]
        if not value.name and value.maker is not None and value.maker.scope == self.writer.scope:
            value.name = entry.node.name if entry.index == 0 else entry.name
        return value

    def _write_variable(self, node: Node) -> None:
        value = self._by_name.get(node.name)
        if value is None and node.name in self._parameters:
            value = self.writer.constant(self._parameters[node.name], node.name)
        if value is not None:
            self._values[node.entry()] = value

    def apply(
        self, node: Node, application: Application, inputs: Sequence[OnnxValue | None]
    ) -> list[OnnxValue | None]:
        """The outputs of an operator: by its own rule, its base's, or its scalar expression."""
        op = application.op
        rule = self._rules.get(op.name)
        if rule is None and op.base is not None:
            return self._apply_base(node, application, inputs)
        use = Use(node, application, inputs, self)
        result: Any
        if rule is not None and op.name in WHOLE:
            result = self._defined(node, application, inputs)
        elif rule is not None:
            result = rule(self.writer, use)
        elif op.is_view:
            data = use.inputs[0]
            result = reshaped(self.writer, use, data, shape_of(use, 0), output_shape(use))
            result = self.writer.Identity(result) if result is data else result
        elif op.scalar is not None:
            result = self._by_expression(application, inputs)
        else:
            raise NotExportable(LEFT_OUT.get(op.name, "there is no rule for it"))
        return list(result) if isinstance(result, (list, tuple)) else [result]

    def _defined(
        self, node: Node, application: Application, inputs: Sequence[Any]
    ) -> list[OnnxValue]:
        """The outputs of an operator that is a node of its own in the model."""
        rule = self._rules[application.op.name]

        def write(values: Sequence[OnnxValue]) -> list[OnnxValue]:
            result = rule(self.writer, Use(node, application, values, self))
            return list(result) if isinstance(result, (list, tuple)) else [result]

        return self.writer.define(application.op.name, application.settings, inputs, write)

    def _apply_base(
        self, node: Node, application: Application, inputs: Sequence[OnnxValue | None]
    ) -> list[OnnxValue | None]:
        op = application.op
        base = op.base
        assert base is not None
        settings: Mapping[str, Any] | None = application.settings
        if op.as_base is not None:
            shapes = [self.shapes[entry] for entry in node.inputs]
            settings = op.as_base(_Names(application.settings), shapes)
        if op.as_base is None:
            settings, inputs = self._settings_of_base(application, inputs)
        if settings is None:
            raise NotExportable("there is no rule for it with these attributes")
        if op.casts:
            dtype = self._cast_to(node, inputs)
            inputs = [None if x is None else self.writer.cast(x, dtype) for x in inputs]
        return self.apply(node, base.apply(settings), inputs)

    def _settings_of_base(
        self, application: Application, inputs: Sequence[OnnxValue | None]
    ) -> tuple[dict[str, Any], Sequence[OnnxValue | None]]:
        """The attributes that the base has; the others must not matter. A dtype is that of the computation."""
        op, settings = application.op, application.settings
        assert op.base is not None
        if settings.get("axis", 0) == ():
            raise NotExportable("axis=(), which is no axis")
        own = {name: value for name, value in settings.items() if name in op.base.attributes}
        for name in settings.keys() - own.keys() - {"dtype"}:
            if settings[name] != op.attributes[name].default:
                raise NotExportable(f"{name}={settings[name]!r}")
        dtype = settings.get("dtype")
        if "dtype" not in own and dtype is not None:
            inputs = [None if x is None else self.writer.cast(x, dtype) for x in inputs]
        return own, inputs

    def _cast_to(self, node: Node, inputs: Sequence[Any]) -> np.dtype[Any]:
        """The dtype of the computation; that of the output, unless that is of truth values."""
        dtype = self.dtypes[node.entry()]
        return np.result_type(*[x.dtype for x in inputs]) if dtype.kind == "b" else dtype

    def _by_expression(self, application: Application, inputs: Sequence[Any]) -> OnnxValue:
        op = application.op
        assert op.scalar is not None
        operands = [Scalar(self.writer, value) for value in inputs]
        settings = {n: v for n, v in application.settings.items() if n in op.attributes}
        result = op.scalar(ScalarWriter(self.writer), *operands, **settings)
        if not isinstance(result, Scalar):
            raise NotExportable("its expression is a number")
        if result.value in inputs:
            made: OnnxValue = self.writer.Identity(result.value)
            return made
        return result.value

    # ------------------------------------------------------------------------ constants

    def _fold(self, node: Node) -> bool:
        """Compute a node whose inputs are constant, unless the result is far larger than these."""
        op = node.applied.op
        values = [self._values.get(entry) for entry in node.inputs]
        if op.name in _FILLS and not node.inputs:
            return False
        if op.run_name or op.calls_back or "subgraphs" in node.applied.settings:
            return False
        if not all(value is not None and value.array is not None for value in values):
            return False
        size = sum(
            value.array.size for value in values if value is not None and value.array is not None
        )
        shapes = [self.shapes[node.entry(i)] for i in range(node.visible_count)]
        if any(shape is None or any(map(is_open, shape)) or None in shape for shape in shapes):
            return False
        if node.inputs and sum(map(prod, shapes)) > size + _MOST_FOLDED:
            return False
        for index, array in enumerate(self._computed(node)):
            self._values[node.entry(index)] = self.writer.constant(array)
        return True

    def _computed(self, node: Node) -> list[Array]:
        stand_ins = [Node(None, f"input{i}") for i in range(len(node.inputs))]
        made = node.with_inputs([each.entry() for each in stand_ins])
        arrays = [self._values[entry].array for entry in node.inputs]
        given = {
            each: array for each, array in zip(stand_ins, arrays, strict=True) if array is not None
        }
        graph = Graph([made.entry(i) for i in range(made.visible_count)])
        shape = self.shapes[node.entry()]
        if not node.inputs and "shape" in node.applied.settings and shape is not None:
            application = node.applied.op.apply({**node.applied.settings, "shape": shape})
            graph = Graph([Node(application, node.name).entry()])
        return interpret(graph, given, Run(False, RandomSource()))

    def body(
        self, body: Any, inputs: Sequence[Entry], values: Sequence[OnnxValue]
    ) -> list[OnnxValue]:
        """Write the nodes of a loop's or a branch's graph; return its outputs.

        Parameters
        ----------
        body : the graph with the sources of its variables
        inputs : the inputs of the node that holds it
        values : the values of its variables
        """
        shapes = body.facts("shape", [self.shapes[entry] for entry in inputs])
        dtypes = body.facts("dtype", [self.dtypes[entry] for entry in inputs])
        entries = [node.entry(i) for node in body.graph.nodes for i in range(node.output_count)]
        facts = (
            {entry: shapes[entry.node][entry.index] for entry in entries},
            {entry: dtypes[entry.node][entry.index] for entry in entries},
        )
        inner = _Writing.__new__(_Writing)
        vars(inner).update(vars(self))
        inner.shapes, inner.dtypes = facts
        inner.reads, inner._graph, inner._problems = body.graph.reads, body.graph, {}
        pairs = zip(body.graph.variables, values, strict=True)
        inner._values = {node.entry(): value for node, value in pairs}
        scope = self.writer.scope
        for node in body.graph.nodes:
            if not node.is_variable:
                inner._write(node)
        self.writer.scope = scope
        if inner._problems:
            raise NotExportable(
                "in its body: "
                + "; ".join(f"{n.operator_name}: {why}" for n, why in inner._problems.items())
            )
        return [inner._values[entry] for entry in body.graph.outputs]

    def constant(self, entry: Entry) -> Array | None:
        """The elements of an entry, None if they are not constant."""
        value = self._values.get(entry)
        return None if value is None else value.array


class _Names:
    """Attributes of an operator by name."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        vars(self).update(settings)
