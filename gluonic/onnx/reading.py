"""From ONNX's graph to gluonic's: each node's rule makes gluonic's nodes; what is constant is computed.

Sizes that ONNX leaves open are symbolic, also as elements of the vectors from which models compute shapes, so
that a reshaping by computed shapes becomes one with MXNet's codes.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from gluonic.codegen import NotUniform, ShapeEnv, SymbolicDim
from gluonic.graph import Array, Entry, Graph, Node, Run
from gluonic.graph.builder import Builder
from gluonic.graph.dtypes import CODE_OF
from gluonic.graph.errors import MXNetError, NotThereError
from gluonic.graph.infer import signature
from gluonic.graph.interpret import interpret
from gluonic.graph.random_source import RandomSource
from gluonic.graph.view import slots_of
from gluonic.onnx.errors import NotImportable
from gluonic.onnx.folding import fold
from gluonic.onnx.functions import bound, schema_function, without_absent
from gluonic.onnx.onnx_node import OnnxUse, as_tensors
from gluonic.onnx.sizes import alike, is_open
from gluonic.onnx.table import DOMAIN, READS, WHOLE
from gluonic.onnx.tensors import MOST_ELEMENTS, Tensor, plain, supported, tensor_array

_MOST_NODES = 100_000
"""The most nodes that loops may unroll to, so that a small file cannot fill the memory."""
_MOST_DEPTH = 40
"""The deepest nesting of functions and graphs in nodes."""


class OnnxImportError(NotThereError):
    """Some nodes of a model have no counterpart in gluonic."""


class OnnxReading:
    """One model being read.

    Parameters
    ----------
    opsets : the version of each set of operators, by domain
    functions : the model's own functions, by domain and name

    Attributes
    ----------
    readers : the operators of the outer graph that read each value, by its name
    parameters : values of the variables that the graph needs, by name
    problems : for each node that cannot be read, its operator and the reason
    """

    def __init__(self, opsets: Mapping[str, int], functions: Mapping[tuple[str, str], Any]) -> None:
        self.opsets, self.functions = dict(opsets), functions
        self.parameters: dict[str, Array] = {}
        self.problems: dict[str, tuple[str, str]] = {}
        self.env = ShapeEnv()
        self.F = Maker()
        self._signatures: dict[Entry, tuple[tuple[Any, ...] | None, np.dtype[Any]]] = {}
        self._names: set[str] = set()
        self._count = self._depth = 0
        self.readers: dict[str, set[str]] = {}

    # ------------------------------------------------------------------------ values

    def input(self, name: str, shape: Sequence[Any] | None, dtype: np.dtype[Any]) -> Tensor:
        """An input of the model."""
        attributes = {"__dtype__": str(CODE_OF[dtype])}
        if shape:
            extents = [0 if isinstance(extent, SymbolicDim) else extent for extent in shape]
            attributes["__shape__"] = str(tuple(extents))
        node = Node(None, self.unique(name), attributes=attributes)
        self._signatures[node.entry()] = None if shape is None else tuple(shape), dtype
        return Tensor(entry=node.entry(), name=name)

    def declare(self, entry: Entry, shape: Any, dtype: np.dtype[Any]) -> None:
        """State the shape and dtype of a variable that stands for a value inside a loop."""
        self._signatures[entry] = shape, dtype

    def unique(self, name: str) -> str:
        """A name that no other node has."""
        name = name or "value"
        proposed, number = name, 1
        while proposed in self._names:
            proposed, number = f"{name}_{number}", number + 1
        self._names.add(proposed)
        return proposed

    def entry_of(self, tensor: Tensor) -> Entry:
        """A value as an output of a node; a constant becomes a variable with a value."""
        if tensor.entry is None:
            assert tensor.array is not None
            array = plain(tensor.array)
            dtype = supported(array.dtype)
            node = Node(
                None,
                self.unique(tensor.name or "constant"),
                attributes={"__shape__": str(array.shape), "__dtype__": str(CODE_OF[dtype])},
            )
            self.parameters[node.name] = array
            tensor.entry = node.entry()
            self._signatures[tensor.entry] = array.shape, dtype
        return tensor.entry

    def signature(self, entry: Entry) -> tuple[tuple[Any, ...] | None, np.dtype[Any]]:
        """The shape and dtype of an entry; the shape is None if it depends on the data."""
        waiting = [entry.node]
        while waiting:
            node = waiting[-1]
            if node.entry() in self._signatures:
                waiting.pop()
                continue
            missing = [e.node for e in node.inputs if e not in self._signatures]
            if missing:
                waiting.extend(missing)
                continue
            waiting.pop()
            self._infer(node)
        return self._signatures[entry]

    def _infer(self, node: Node) -> None:
        read = [self._signatures[entry] for entry in node.inputs]
        if any(shape is None for shape, _ in read):
            shapes: Sequence[Any] = [None] * node.output_count
            dtypes = signature_dtypes(node, [dtype for _, dtype in read])
        else:
            found = signature(node.applied, [s for s, _ in read], [dtype for _, dtype in read])
            shapes, dtypes = found.shapes, found.dtypes
        for index, (shape, dtype) in enumerate(zip(shapes, dtypes, strict=True)):
            self._signatures[node.entry(index)] = shape, dtype

    def value_with(self, extents: Sequence[Any], at: int | None = None) -> tuple[Entry, int] | None:
        """The first value with open extents on consecutive axes, from axis `at` on, and the first of these."""
        count = len(extents)
        for entry, (shape, _) in self._signatures.items():
            for axis in range(len(shape or ()) - count + 1):
                assert shape is not None
                if at in (None, axis) and all(map(alike, shape[axis : axis + count], extents)):
                    return entry, axis
        return None

    def values_of(self, entry: Entry) -> Array | None:
        """The elements of an entry that depends on constants alone."""
        graph = Graph([entry])
        for node in graph.nodes:
            if node.is_variable and node.name not in self.parameters:
                return None
            if node.application is not None and (
                node.application.op.run_name or node.application.op.calls_back
            ):
                return None
            shapes = [self.signature(node.entry(i))[0] or (0,) for i in range(node.visible_count)]
            if any(map(is_open, (extent for shape in shapes for extent in shape))):
                return None
            if sum(map(prod, shapes)) > MOST_ELEMENTS:
                return None
        given = {node: self.parameters[node.name] for node in graph.variables}
        return interpret(graph, given, Run(False, RandomSource()))[0]

    # ------------------------------------------------------------------------ nodes

    def run(self, nodes: Iterable[Any], scope: dict[str, Any], prefix: str = "") -> None:
        """Read nodes in order; `scope` has the values by name."""
        for node in nodes:
            self._count += 1
            if self._count > _MOST_NODES:
                raise MXNetError(f"import_model: the model has more than {_MOST_NODES:,} nodes")
            missing = [name for name in node.input if name and name not in scope]
            if missing:
                if not all(name in self.problems for name in missing):
                    raise MXNetError(f"import_model: nothing computes {missing[0]!r}")
                for name in node.output:
                    self.problems[name] = ("", "")
                continue
            self._read(node, scope, prefix)

    def _read(self, node: Any, scope: dict[str, Any], prefix: str) -> None:
        inputs = [scope[name] if name else None for name in node.input]
        attributes = {a.name: a for a in node.attribute}
        use = OnnxUse(self, node, inputs, attributes, scope)
        try:
            outputs = self._outputs(use)
        except NotImportable as reason:
            self._note(node, str(reason))
            return
        except NotUniform:
            self._note(node, "its shapes depend on open sizes in a way that has no expression")
            return
        except MXNetError as error:
            self._note(node, str(error).splitlines()[0])
            return
        for name, value in zip(node.output, outputs, strict=False):
            if name and value is not None:
                scope[name] = self._named(value, prefix + name)
        for name in node.output:
            if name and name not in scope:
                self.problems[name] = (_title(node), f"its output {name!r} is not computed")

    def _note(self, node: Any, reason: str) -> None:
        for name in node.output:
            self.problems[name] = (_title(node), reason)

    def _named(self, value: Any, name: str) -> Any:
        if isinstance(value, Tensor):
            if not value.name:
                value.name = name
            entry = value.entry
            if entry is not None and not entry.node.is_variable and entry.node in self.F.fresh:
                entry.node.name = self.unique(name)
        entry = value.entry if isinstance(value, Tensor) else None
        for number, node in enumerate(self.F.fresh):
            if entry is None or node is not entry.node:
                node.name = self.unique(f"{name}_{node.operator_name.strip('_').lower()}{number}")
        self.F.fresh.clear()
        return value

    def _outputs(self, use: "OnnxUse") -> Sequence[Any]:
        node = use.node
        if node.domain == DOMAIN and node.op_type.rpartition("-")[0] in WHOLE:
            return self._of_gluonic(use)
        function = self.functions.get((node.domain, node.op_type))
        if function is not None:
            return self._called(function, use)
        if node.domain in ("", "ai.onnx"):
            folded = fold(use)
            if folded is not None:
                return [Tensor(array=array) for array in folded]
        rule = READS.get(_title(node))
        if rule is not None:
            return as_tensors(rule(self.F, use))
        body = schema_function(use)
        if body is None:
            raise NotImportable("gluonic has no such operator")
        return self._called(body, use)

    def _of_gluonic(self, use: OnnxUse) -> Sequence[Any]:
        """The outputs of an operator of gluonic's that the model also defines by ONNX's."""
        operator = use.node.op_type.rpartition("-")[0]
        settings = {name: use.attribute(name) for name in use.attributes}
        found = getattr(self.F, operator)(*use.entries, **settings)
        return as_tensors(found)[: use.output_count]

    def _called(self, function: Any, use: "OnnxUse") -> Sequence[Any]:
        """The outputs of a function: its nodes, read with the node's inputs and attributes."""
        self._check_depth()
        scope: dict[str, Any] = {}
        for name, value in zip(function.input, use.inputs, strict=False):
            scope[name] = value
        for name in function.input:
            scope.setdefault(name, None)
        nodes = [bound(node, use.attributes, function) for node in function.node]
        outer = self.opsets
        self._depth += 1
        if function.opset_import:
            self.opsets = {**outer, **{o.domain: o.version for o in function.opset_import}}
        try:
            before = dict(self.problems)
            self.run(without_absent(nodes, scope), scope, f"{use.output_name}/")
            news = {k: v for k, v in self.problems.items() if k not in before and v[0]}
            if any(name in self.problems and name not in before for name in function.output):
                operator, reason = next(iter(news.values()), ("", "unknown"))
                self.problems = before
                raise NotImportable(f"in its definition, {operator}: {reason}")
            self.problems = before
            return [scope.get(name) for name in function.output]
        finally:
            self.opsets = outer
            self._depth -= 1

    def _check_depth(self) -> None:
        if self._depth >= _MOST_DEPTH:
            raise NotImportable(f"graphs or functions nested more than {_MOST_DEPTH} deep")

    def body(self, graph: Any, inputs: Sequence[Any], scope: Mapping[str, Any]) -> list[Any]:
        """The outputs of a graph inside a node, for given inputs."""
        self._check_depth()
        inner = dict(scope)
        for value in graph.initializer:
            inner[value.name] = Tensor(array=tensor_array(value), name=value.name)
        for given, value in zip(graph.input, inputs, strict=False):
            inner[given.name] = value
        before = dict(self.problems)
        self._depth += 1
        try:
            self.run(graph.node, inner)
            for output in graph.output:
                if output.name not in inner:
                    operator, reason = self.problems.get(output.name, ("", "nothing computes it"))
                    raise NotImportable(f"in its body, {operator}: {reason}")
        finally:
            self._depth -= 1
        self.problems = before
        return [inner[output.name] for output in graph.output]


def _title(node: Any) -> str:
    return node.op_type if node.domain in ("", "ai.onnx") else f"{node.domain}.{node.op_type}"


class Maker(Builder):
    """`F` for rules: makes nodes, which it remembers until they are named."""

    def __init__(self) -> None:
        self.fresh: list[Node] = []

    def __getattr__(self, name: str) -> Callable[..., Any]:
        apply = super().__getattr__(name)

        def make(*inputs: Any, **attributes: Any) -> Any:
            result = apply(*inputs, **attributes)
            first = result[0] if isinstance(result, list) else result
            _check_inputs(first.node)
            self.fresh.append(first.node)
            return result

        return make


def _check_inputs(node: Node) -> None:
    """Refuse a node with more or fewer inputs than its operator takes, which a damaged model may ask for."""
    taken = node.applied.inputs
    if len(node.inputs) != len(taken) or (node.applied.op.variadic and not taken):
        wanted = len(taken) or "one or more"
        raise NotImportable(f"{len(node.inputs)} inputs of {node.operator_name}, not {wanted}")


def signature_dtypes(node: Node, dtypes: Sequence[np.dtype[Any]]) -> Sequence[np.dtype[Any]]:
    """The dtypes of a node's outputs where shapes are not known."""
    application = node.applied
    view = application.view([*dtypes, *[None] * node.output_count])
    rule = application.op.dtype
    if rule is None:
        return [dtypes[0]] * node.output_count
    rule(view)
    return list(slots_of(view).values())[len(dtypes) :]
