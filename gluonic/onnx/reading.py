"""From ONNX's graph to gluonic's: each node's rule makes gluonic's nodes; what is constant is computed.

Sizes that ONNX leaves open are symbolic, also as elements of the vectors from which models compute shapes, so
that a reshaping by computed shapes becomes one with MXNet's codes.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gluonic.codegen import NotUniform, ShapeEnv, SymbolicDim
from gluonic.graph import Array, Entry, Graph, Node, Run
from gluonic.graph.builder import Builder
from gluonic.graph.dtypes import CODE_OF, bfloat16
from gluonic.graph.errors import MXNetError, NotThereError
from gluonic.graph.infer import signature
from gluonic.graph.interpret import interpret
from gluonic.graph.random_source import RandomSource
from gluonic.onnx.errors import NotImportable
from gluonic.onnx.folding import fold
from gluonic.onnx.library import onnx_library
from gluonic.onnx.table import READS

_MOST_NODES = 100_000
"""The most nodes that loops may unroll to, so that a small file cannot fill the memory."""
_MOST_DEPTH = 40
"""The deepest nesting of functions and graphs in nodes."""
_HINTS = {0: 2, 1: 3}
"""Sizes that stand for open ones while a model is read, by axis; later axes of images are large."""


class OnnxImportError(NotThereError):
    """Some nodes of a model have no counterpart in gluonic."""


@dataclass(eq=False)
class Tensor:
    """A value of ONNX's graph.

    Attributes
    ----------
    array : its elements, if they are constant; sizes among them may be symbolic
    entry : the node's output that computes it; made from `array` when it is first needed
    name : its name
    """

    array: Array | None = None
    entry: Entry | None = None
    name: str = ""


@dataclass(eq=False)
class Sequence_:
    """A sequence of tensors, which exists only while a model is read."""

    members: list[Tensor] = field(default_factory=list)


class Reading:
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
        function = self.functions.get((node.domain, node.op_type))
        if function is not None:
            return self._called(function, use)
        if node.domain in ("", "ai.onnx"):
            folded = fold(use)
            if folded is not None:
                return [Tensor(array=array) for array in folded]
            rule = READS.get(node.op_type)
            if rule is not None:
                return as_tensors(rule(self.F, use))
        body = schema_function(self, use)
        if body is None:
            raise NotImportable("gluonic has no such operator")
        return self._called(body, use)

    def _called(self, function: Any, use: "OnnxUse") -> Sequence[Any]:
        """The outputs of a function: its nodes, read with the node's inputs and attributes."""
        self._depth += 1
        if self._depth > _MOST_DEPTH:
            raise MXNetError("import_model: functions are nested too deeply")
        scope: dict[str, Any] = {}
        for name, value in zip(function.input, use.inputs, strict=False):
            scope[name] = value
        for name in function.input:
            scope.setdefault(name, None)
        nodes = [bound(node, use.attributes, function) for node in function.node]
        outer = self.opsets
        if function.opset_import:
            self.opsets = {**outer, **{o.domain: o.version for o in function.opset_import}}
        try:
            before = dict(self.problems)
            self.run(_without_absent(nodes, scope), scope, f"{use.output_name}/")
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

    def body(self, graph: Any, inputs: Sequence[Any], scope: Mapping[str, Any]) -> list[Any]:
        """The outputs of a graph inside a node, for given inputs."""
        self._depth += 1
        if self._depth > _MOST_DEPTH:
            raise MXNetError("import_model: graphs are nested too deeply")
        inner = dict(scope)
        for value in graph.initializer:
            inner[value.name] = Tensor(array=tensor_array(value), name=value.name)
        for given, value in zip(graph.input, inputs, strict=False):
            inner[given.name] = value
        before = dict(self.problems)
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


def _without_absent(nodes: Sequence[Any], scope: dict[str, Any]) -> list[Any]:
    """Nodes of a function whose absent inputs are left out."""
    absent = {name for name, value in scope.items() if value is None}
    for name in absent:
        del scope[name]
    for node in nodes:
        for index, name in enumerate(node.input):
            if name in absent:
                node.input[index] = ""
    return list(nodes)


def bound(node: Any, attributes: Mapping[str, Any], function: Any) -> Any:
    """A node of a function with the attributes of the call."""
    made = type(node)()
    made.CopyFrom(node)
    defaults = {a.name: a for a in function.attribute_proto}
    kept = []
    for attribute in made.attribute:
        if attribute.ref_attr_name:
            given = attributes.get(attribute.ref_attr_name) or defaults.get(attribute.ref_attr_name)
            if given is None:
                continue
            renamed = type(attribute)()
            renamed.CopyFrom(given)
            renamed.name = attribute.name
            kept.append(renamed)
        else:
            kept.append(attribute)
    kept = [type(a).FromString(a.SerializeToString()) for a in kept]
    del made.attribute[:]
    made.attribute.extend(kept)
    return made


class Maker(Builder):
    """`F` for rules: makes nodes, which it remembers until they are named."""

    def __init__(self) -> None:
        self.fresh: list[Node] = []

    def __getattr__(self, name: str) -> Callable[..., Any]:
        apply = super().__getattr__(name)

        def make(*inputs: Any, **attributes: Any) -> Any:
            result = apply(*inputs, **attributes)
            first = result[0] if isinstance(result, list) else result
            self.fresh.append(first.node)
            return result

        return make


class OnnxUse:
    """A node of ONNX's graph as a rule that reads it sees it.

    Attributes
    ----------
    node : the node
    inputs : its values; None where an input is left out
    attributes : by name, as in the file
    scope : all values by name
    """

    def __init__(
        self,
        reading: Reading,
        node: Any,
        inputs: Sequence[Any],
        attributes: Mapping[str, Any],
        scope: Mapping[str, Any],
    ) -> None:
        self.reading, self.node, self.inputs = reading, node, list(inputs)
        self.attributes, self.scope = attributes, scope

    @property
    def opset(self) -> int:
        """The version of ONNX's operators."""
        return self.reading.opsets.get("", 1)

    @property
    def output_name(self) -> str:
        """The name of its first output."""
        return next((name for name in self.node.output if name), "")

    @property
    def output_count(self) -> int:
        """The number of outputs."""
        return len(self.node.output)

    @property
    def entries(self) -> list[Any]:
        """All inputs as entries."""
        return [self[i] for i in range(len(self.inputs))]

    def has(self, index: int) -> bool:
        """Whether an input is given."""
        return index < len(self.inputs) and self.inputs[index] is not None

    def __getitem__(self, index: int) -> Any:
        """An input as an entry; None if it is left out."""
        if not self.has(index):
            return None
        if not isinstance(self.inputs[index], Tensor):
            raise NotImportable("an input is a sequence or an optional value")
        return self.reading.entry_of(self.inputs[index])

    def shape(self, index: int = 0) -> tuple[Any, ...]:
        """The shape of an input."""
        if not isinstance(self.inputs[index], Tensor):
            raise NotImportable("an input is a sequence or an optional value")
        array = self.inputs[index].array
        if array is not None:
            return tuple(array.shape)
        return self.shape_of(self[index])

    def shape_of(self, entry: Entry) -> tuple[Any, ...]:
        """The shape of an entry."""
        shape, _ = self.reading.signature(entry)
        if shape is None:
            raise NotImportable("the shape of an input depends on the data")
        return shape

    def rank(self, index: int = 0) -> int:
        """The number of axes of an input."""
        return len(self.shape(index))

    def fixed_shape(self, index: int = 0) -> tuple[int, ...]:
        """The shape of an input, which must not depend on open sizes."""
        shape = self.shape(index)
        if any(isinstance(extent, SymbolicDim) for extent in shape):
            raise NotImportable("an input's sizes are open")
        return shape

    def dtype(self, index: int = 0) -> np.dtype[Any]:
        """The dtype of an input."""
        if not isinstance(self.inputs[index], Tensor):
            raise NotImportable("an input is a sequence or an optional value")
        array = self.inputs[index].array
        if array is not None:
            return np.dtype(np.int64) if array.dtype == object else array.dtype
        _, dtype = self.reading.signature(self[index])
        return dtype

    def known_or_none(self, index: int) -> Array | None:
        """The elements of an input, None if they are not constant; sizes among them may be symbolic."""
        if not self.has(index) or not isinstance(self.inputs[index], Tensor):
            return None
        tensor = self.inputs[index]
        if tensor.array is None:
            tensor.array = self.reading.values_of(tensor.entry)
        found: Array | None = tensor.array
        return found

    def known(self, index: int) -> Array:
        """The elements of an input that must be constant."""
        array = self.known_or_none(index)
        if array is None:
            raise NotImportable(f"input {index} must be constant")
        return array

    def numbers(self, index: int) -> list[Any] | None:
        """The elements of a constant vector as a list; None if the input is left out."""
        return list(self.known(index).reshape(-1).tolist()) if self.has(index) else None

    def constant(self, array: Array, name: str = "") -> Any:
        """A constant as an entry."""
        return self.reading.entry_of(Tensor(array=np.asarray(array), name=name))

    def attribute(self, name: str, default: Any = None) -> Any:
        """An attribute as a Python value."""
        found = self.attributes.get(name)
        if found is None:
            return default
        value = onnx_library().helper.get_attribute_value(found)
        if isinstance(value, bytes):
            return value.decode()
        return (
            list(value)
            if not isinstance(value, (int, float, str)) and hasattr(value, "__len__")
            else value
        )

    def refuse(self, *names: str) -> None:
        """Refuse attributes that gluonic has no counterpart of."""
        for name in names:
            if self.attribute(name):
                raise NotImportable(f"the attribute {name}")


def as_tensors(result: Any) -> list[Any]:
    """What a rule returns, as values."""
    results = result if isinstance(result, (list, tuple)) else [result]
    return [
        Tensor(entry=r)
        if isinstance(r, Entry)
        else Tensor(array=r)
        if isinstance(r, np.ndarray)
        else r
        for r in results
    ]


def plain(array: Array) -> Array:
    """An array without symbolic sizes."""
    if array.dtype != object:
        return array
    if any(isinstance(element, SymbolicDim) for element in array.reshape(-1)):
        raise NotImportable("an open size is used as data")
    return array.astype(np.int64)


def supported(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """A dtype that gluonic computes with."""
    if dtype in CODE_OF:
        return dtype
    if dtype.name == "bfloat16":
        return bfloat16()
    raise NotImportable(f"the dtype {dtype.name if dtype != object else 'string'}")


def dtype_of_type(code: int) -> np.dtype[Any]:
    """The dtype of ONNX's number of one."""
    onnx = onnx_library()
    if code == onnx.TensorProto.STRING:
        raise NotImportable("the dtype string")
    try:
        dtype = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(code))
    except (KeyError, TypeError) as error:
        raise NotImportable(f"the dtype number {code}") from error
    name = onnx.TensorProto.DataType.Name(code).lower()
    if name not in ("float", "double", "bool") and dtype.name != name:
        raise NotImportable(f"the dtype {name}")
    return supported(dtype)


def tensor_array(tensor: Any) -> Array:
    """The elements of a tensor in the file."""
    array: Array = onnx_library().numpy_helper.to_array(tensor)
    return array


def signature_dtypes(node: Node, dtypes: Sequence[np.dtype[Any]]) -> Sequence[np.dtype[Any]]:
    """The dtypes of a node's outputs where shapes are not known."""
    application = node.applied
    view = application.view([*dtypes, *[None] * node.output_count])
    rule = application.op.dtype
    if rule is None:
        return [dtypes[0]] * node.output_count
    rule(view)
    from gluonic.graph.view import slots_of

    return list(slots_of(view).values())[len(dtypes) :]


def schema_function(reading: Reading, use: OnnxUse) -> Any:
    """The definition of an operator by others, None if it has none."""
    onnx = onnx_library()
    node = use.node
    version = reading.opsets.get(node.domain, reading.opsets.get("", 1))
    try:
        schema = onnx.defs.get_schema(node.op_type, version, node.domain)
    except Exception as error:  # the library's own class, which moved between releases
        if "schema" not in str(error).lower():
            raise
        return None
    if schema.has_function:
        return with_defaults(schema, schema.function_body, use)
    if not schema.has_context_dependent_function:
        return None
    types = []
    for index, value in enumerate(use.inputs):
        if not isinstance(value, Tensor):
            types.append(onnx.TypeProto().SerializeToString())
            continue
        code = onnx.helper.np_dtype_to_tensor_dtype(use.dtype(index))
        shape = [e if isinstance(e, int) else None for e in use.shape(index)]
        types.append(onnx.helper.make_tensor_type_proto(code, shape).SerializeToString())
    try:
        made = schema.get_context_dependent_function(node.SerializeToString(), types)
    except Exception as error:
        raise NotImportable(f"its definition: {error}") from error
    return with_defaults(schema, onnx.FunctionProto.FromString(made), use)


def with_defaults(schema: Any, function: Any, use: OnnxUse) -> Any:
    """A function, with the operator's default attributes for the node."""
    given = dict(use.attributes)
    for name, attribute in schema.attributes.items():
        if name not in given and attribute.default_value.name:
            given[name] = attribute.default_value
    use.attributes = given
    return function
