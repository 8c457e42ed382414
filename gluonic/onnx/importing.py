"""`import_model` and `import_to_gluon`: ONNX files as symbols and as blocks."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from gluonic import ndarray as nd
from gluonic import symbol as sym
from gluonic.codegen import ShapeEnv
from gluonic.graph import Array, Entry, Graph
from gluonic.graph.errors import FileFormatError, MXNetError, describe
from gluonic.graph.files import read_bytes
from gluonic.onnx import families
from gluonic.onnx.errors import NotImportable
from gluonic.onnx.library import onnx_library
from gluonic.onnx.reading import OnnxImportError, OnnxReading
from gluonic.onnx.tensors import Tensor, dtype_of_type, tensor_array

assert families  # its files have filled the table
_MOST_LISTED = 12
_OF_DAMAGE = (ValueError, TypeError, KeyError, IndexError, AttributeError, ArithmeticError)
"""What libraries below raise where a file contradicts itself."""


def load(model: Any) -> Any:
    """A model from a file, from bytes, or as it is.

    Raises
    ------
    FileFormatError
        if it is no ONNX model
    """
    onnx = onnx_library()
    if isinstance(model, onnx.ModelProto):
        return model
    if isinstance(model, bytes):
        return _parsed(onnx, model, "the model")
    path = os.fspath(model)
    loaded = _parsed(onnx, read_bytes(path), path)
    try:
        onnx.external_data_helper.load_external_data_for_model(loaded, os.path.dirname(path))
    except Exception as error:
        raise FileFormatError(
            f"{path}: the file of its parameters cannot be read: {error}"
        ) from error
    return loaded


def _parsed(onnx: Any, contents: bytes, name: str) -> Any:
    model = onnx.ModelProto()
    try:
        model.ParseFromString(contents)
    except Exception as error:  # protobuf's DecodeError
        raise FileFormatError(f"{name} is no ONNX model: {error}") from error
    if not model.graph.output:
        raise FileFormatError(f"{name} is no ONNX model: it has no outputs")
    return model


class Imported:
    """A model that has been read.

    Attributes
    ----------
    inputs : the names of its inputs
    outputs : its outputs, in order; a constant has an array
    parameters : the values of its other variables
    """

    def __init__(self, inputs: list[str], outputs: list[Tensor], reading: OnnxReading) -> None:
        self.inputs, self.outputs = inputs, outputs
        self.entries: list[Entry] = [reading.entry_of(output) for output in outputs]
        names = {node.name for node in Graph(self.entries).variables}
        self.parameters = {k: v for k, v in reading.parameters.items() if k in names}


def read_model(model: Any, values: Mapping[str, Array] | None = None) -> Imported:
    """Read a model.

    Parameters
    ----------
    model : a path, bytes, or a model of the package onnx
    values : values of inputs that are to be constants, such as shapes

    Raises
    ------
    OnnxImportError
        listing all nodes that cannot be read
    FileFormatError
        if the file is no ONNX model, or a damaged one
    """
    proto = load(model)
    try:
        return _read(proto, values or {})
    except (MXNetError, MemoryError):
        raise
    except (
        ValueError,
        TypeError,
        KeyError,
        IndexError,
        AttributeError,
        OverflowError,
        ArithmeticError,
    ) as error:
        raise FileFormatError(
            describe(
                f"the model is damaged, or uses an operator in a way that it does not allow: {error}",
                where="import_model",
                hint="onnx.checker.check_model(model), which names the place",
            )
        ) from error


def _read(proto: Any, values: Mapping[str, Array]) -> Imported:
    graph = proto.graph
    reading = OnnxReading(
        {each.domain: each.version for each in proto.opset_import},
        {(function.domain, function.name): function for function in proto.functions},
    )
    scope: dict[str, Any] = {
        tensor.name: Tensor(array=tensor_array(tensor), name=tensor.name)
        for tensor in graph.initializer
    }
    given = [value for value in graph.input if value.name not in scope]
    names = [value.name for value in given]
    if len({*names}) < len(names):
        raise FileFormatError("import_model: the model is damaged: two inputs have one name")
    scope |= {name: Tensor(array=array, name=name) for name, array in values.items()}
    inputs = [value for value in given if value.name not in values]
    reading.env, shapes = _open_shapes(inputs)
    for value in inputs:
        try:
            dtype = dtype_of_type(_tensor_type(value).elem_type)
        except NotImportable as reason:
            raise _cannot_be_read({value.name: ("input", str(reason))}) from None
        scope[value.name] = reading.input(value.name, shapes[value.name], dtype)
    _note_readers(reading, graph)
    reading.run(graph.node, scope)
    outputs = _outputs(reading, graph, scope)
    return Imported([value.name for value in inputs], outputs, reading)


def _note_readers(reading: OnnxReading, graph: Any) -> None:
    for node in graph.node:
        for name in node.input:
            reading.readers.setdefault(name, set()).add(node.op_type)
    for value in graph.output:
        reading.readers.setdefault(value.name, set()).add("output")


def _outputs(reading: OnnxReading, graph: Any, scope: Mapping[str, Any]) -> list[Tensor]:
    """The outputs of a graph whose nodes have been read."""
    missing = [value.name for value in graph.output if value.name not in scope]
    if missing:
        problems = {name: why for name, why in reading.problems.items() if why[0]}
        if not problems:
            raise FileFormatError(f"import_model: nothing computes the output {missing[0]!r}")
        raise _cannot_be_read(problems)
    outputs = [scope[value.name] for value in graph.output]
    for value, output in zip(graph.output, outputs, strict=True):
        try:
            if not isinstance(output, Tensor):
                raise NotImportable("it is a sequence or an optional value")
            reading.entry_of(output)
        except NotImportable as reason:
            raise _cannot_be_read({value.name: ("output", str(reason))}) from None
    return outputs


def _tensor_type(value: Any) -> Any:
    if not value.type.HasField("tensor_type"):
        raise NotImportable("an input that is a sequence or an optional value")
    return value.type.tensor_type


def _open_shapes(values: Sequence[Any]) -> tuple[ShapeEnv, dict[str, Any]]:
    """The shapes of the inputs, with one symbol for each open size."""
    names: dict[str, int] = {}
    for value in values:
        shape = value.type.tensor_type.shape.dim if value.type.HasField("tensor_type") else ()
        for axis, dim in enumerate(shape):
            if dim.WhichOneof("value") != "dim_value":
                names.setdefault(_size_name(value, axis, dim), _hint(axis, len(shape)))
    env = ShapeEnv(*names.values())
    symbols = dict(zip(names, env.sizes, strict=True))
    shapes: dict[str, Any] = {}
    for value in values:
        tensor = value.type.tensor_type
        shapes[value.name] = (
            tuple(
                dim.dim_value
                if dim.WhichOneof("value") == "dim_value"
                else symbols[_size_name(value, axis, dim)]
                for axis, dim in enumerate(tensor.shape.dim)
            )
            if value.type.HasField("tensor_type") and tensor.HasField("shape")
            else None
        )
    return env, shapes


def _size_name(value: Any, axis: int, dim: Any) -> str:
    return dim.dim_param or f"{value.name}_{axis}"


def _hint(axis: int, rank: int) -> int:
    """A size that stands for an open one: large along the height and width of images."""
    if rank >= 4 and axis >= 2:
        return 224
    return 2 if axis == 0 else 7


def _cannot_be_read(problems: Mapping[str, tuple[str, str]]) -> OnnxImportError:
    groups: dict[tuple[str, str], list[str]] = {}
    for name, (operator, reason) in problems.items():
        groups.setdefault((operator, reason), []).append(name)
    facts = [
        f"{operator} ×{len(names)}: {reason}; for example {names[0]!r}"
        for (operator, reason), names in sorted(groups.items(), key=lambda item: -len(item[1]))
    ]
    count = len(problems)
    return OnnxImportError(
        describe(
            f"{count} {'value' if count == 1 else 'values'} of the model cannot be computed by gluonic",
            where="import_model",
            facts=facts[:_MOST_LISTED],
        )
    )


def import_model(model_file: Any) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """Read an ONNX file as a symbol and parameters.

    Parameters
    ----------
    model_file : a path; bytes or a model of the package onnx also do

    Returns
    -------
    symbol : the outputs
    arg_params, aux_params : the values of its arguments and auxiliary states, by name

    Raises
    ------
    OnnxImportError
        a NotImplementedError that lists all nodes that gluonic has no counterpart of
    FileFormatError
        for a file that is no ONNX model, or damaged
    """
    found = read_model(model_file)
    symbol = sym.Symbol(found.entries)
    states = set(symbol.list_auxiliary_states())
    arrays = {name: nd.array(array, dtype=array.dtype) for name, array in found.parameters.items()}
    arguments = {name: array for name, array in arrays.items() if name not in states}
    return symbol, arguments, {name: array for name, array in arrays.items() if name in states}


def get_model_metadata(model_file: Any) -> dict[str, list[tuple[str, tuple[int, ...]]]]:
    """Return the names and shapes of a model's inputs and outputs; 0 is an open size.

    Parameters
    ----------
    model_file : the path of the model, or the model

    Returns
    -------
    dict
        ``input_tensor_data`` and ``output_tensor_data``, lists of pairs
    """
    graph = load(model_file).graph
    constants = {tensor.name for tensor in graph.initializer}

    def described(values: Any) -> list[tuple[str, tuple[int, ...]]]:
        return [
            (value.name, tuple(dim.dim_value for dim in value.type.tensor_type.shape.dim))
            for value in values
            if value.name not in constants
        ]

    return {
        "input_tensor_data": described(graph.input),
        "output_tensor_data": described(graph.output),
    }
