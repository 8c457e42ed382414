"""Nodes of an ONNX graph under construction: ``o.Conv(data, weight, strides=[2, 2])`` adds one.

Values have no names until the model is assembled; those that nothing reads are never written.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from gluonic.graph import Array
from gluonic.onnx.library import tensor_type

BOOL, INT64 = np.dtype(np.bool_), np.dtype(np.int64)
_TO_BOOL = frozenset(
    {"And", "Equal", "Greater", "GreaterOrEqual", "IsInf", "IsNaN", "Less", "LessOrEqual", "Not", "Or", "Xor"}
)  # fmt: skip
_TO_INT64 = frozenset({"ArgMax", "ArgMin", "NonMaxSuppression", "NonZero", "Shape", "Size"})


@dataclass(eq=False)
class OnnxValue:
    """A tensor of the ONNX graph.

    Attributes
    ----------
    dtype : its NumPy dtype
    name : its name, once it has one
    array : its elements, if they are constant
    maker : the node that computes it
    is_scalar : whether it is an input of a body without axes, which ONNX wants to be stated
    shape : its shape, None if it is not known; it is for inputs, constants and values of gluonic's graph
    """

    dtype: np.dtype[Any]
    name: str = ""
    array: Array | None = None
    maker: "OnnxNode | None" = None
    is_scalar: bool = False
    shape: tuple[Any, ...] | None = None


Operand: TypeAlias = OnnxValue | Array | np.generic | Sequence[int] | int | float | None


@dataclass(eq=False)
class OnnxNode:
    """A node of the ONNX graph.

    Attributes
    ----------
    op_type : ONNX's operator
    inputs : None is an input that is left out
    outputs : the values that it computes
    attributes : by name
    scope : the name of gluonic's node that it is a part of
    definition : the graph that defines it, if it is an operator of gluonic's that ONNX does not have
    """

    op_type: str
    inputs: list[OnnxValue | None]
    outputs: list[OnnxValue]
    attributes: dict[str, Any]
    scope: str
    definition: "OnnxBody | None" = None


@dataclass(eq=False)
class OnnxBody:
    """A graph inside a node: the body of a loop or a branch.

    Attributes
    ----------
    inputs, outputs : its values
    nodes : its nodes, in order
    """

    inputs: list[OnnxValue]
    outputs: list[OnnxValue]
    nodes: list[OnnxNode] = field(default_factory=list)


class OnnxWriter:
    """An ONNX graph under construction.

    Parameters
    ----------
    opset : the version of ONNX's operators

    Attributes
    ----------
    nodes : all nodes, in order
    scope : the name of gluonic's node that is being written
    """

    def __init__(self, opset: int) -> None:
        self.opset, self.scope = opset, ""
        self.nodes: list[OnnxNode] = []
        self._constants: dict[Any, OnnxValue] = {}

    def __getattr__(self, op_type: str) -> Callable[..., Any]:
        if not op_type[0].isupper():
            raise AttributeError(f"ONNX has no operator {op_type!r}", name=op_type, obj=self)

        def add(*inputs: Operand, outputs: int = 1, result: Any = None, **attributes: Any) -> Any:
            return self._add(op_type, inputs, outputs, result, attributes)

        return add

    def _add(
        self,
        op_type: str,
        inputs: Sequence[Operand],
        outputs: int,
        dtype: Any,
        attributes: dict[str, Any],
    ) -> Any:
        like = next((x.dtype for x in inputs if isinstance(x, OnnxValue)), np.dtype(np.float32))
        values = [None if x is None else self.value(x, like) for x in inputs]
        while values and values[-1] is None:
            values.pop()
        if dtype is None:
            dtype = _result_dtype(op_type, like)
        dtypes = dtype if isinstance(dtype, list) else [dtype] * outputs
        made = OnnxNode(
            op_type,
            values,
            [],
            {name: value for name, value in attributes.items() if value is not None},
            self.scope,
        )
        made.outputs = [OnnxValue(np.dtype(each), maker=made) for each in dtypes]
        self.nodes.append(made)
        return made.outputs[0] if len(made.outputs) == 1 else made.outputs

    def value(self, operand: Operand, dtype: np.dtype[Any]) -> OnnxValue:
        """An operand as a value: lists of integers are int64, numbers have the given dtype."""
        if isinstance(operand, OnnxValue):
            return operand
        if isinstance(operand, np.generic):
            return self.constant(np.asarray(operand))
        if isinstance(operand, (int, float)):
            return self.constant(np.array(operand, dtype))
        if not isinstance(operand, np.ndarray):
            return self.constant(np.array(operand, np.int64))
        return self.constant(operand)

    def constant(self, array: Array, name: str = "") -> OnnxValue:
        """A constant; equal ones without a name are one."""
        array = np.asarray(array)
        if name:
            return OnnxValue(array.dtype, name, array, shape=array.shape)
        key = array.dtype.str, array.shape, array.tobytes()
        if key not in self._constants:
            self._constants[key] = OnnxValue(array.dtype, array=array, shape=array.shape)
        return self._constants[key]

    def cast(self, value: OnnxValue, dtype: Any) -> OnnxValue:
        """A value in another dtype."""
        dtype = np.dtype(dtype)
        if value.dtype == dtype:
            return value
        if value.array is not None and not value.name:
            return self.constant(value.array.astype(dtype))
        maker = value.maker
        if maker is not None and maker.op_type == "Cast":
            source = maker.inputs[0]
            if source is not None and source.dtype == BOOL:
                return self.cast(source, dtype)
        made: OnnxValue = self.Cast(value, to=tensor_type(dtype), result=dtype)
        return made

    def reduce(
        self, op_type: str, value: OnnxValue, axes: Sequence[int], *, keepdims: bool = False
    ) -> OnnxValue:
        """A reduction over some axes, in the form that the opset has."""
        takes_axes = self.opset >= 18 or op_type == "ReduceSum"
        add = getattr(self, op_type)
        if takes_axes:
            made: OnnxValue = add(value, list(axes), keepdims=int(keepdims))
        else:
            made = add(value, axes=list(axes), keepdims=int(keepdims))
        return made

    def split(self, value: OnnxValue, lengths: Sequence[int], axis: int) -> list[OnnxValue]:
        """Consecutive parts of a value."""
        if len(lengths) == 1:
            return [value]
        parts: list[OnnxValue] = self.Split(value, list(lengths), outputs=len(lengths), axis=axis)
        return parts

    def slice(
        self,
        value: OnnxValue,
        axes: Sequence[int],
        begin: Operand,
        end: Operand,
        step: Sequence[int] | None = None,
    ) -> OnnxValue:
        """A slice along some axes."""
        made: OnnxValue = self.Slice(value, begin, end, list(axes), step)
        return made

    def unsqueeze(self, value: OnnxValue, *axes: int) -> OnnxValue:
        """Insert axes of length one."""
        made: OnnxValue = self.Unsqueeze(value, list(axes))
        return made

    def squeeze(self, value: OnnxValue, *axes: int) -> OnnxValue:
        """Remove axes of length one."""
        made: OnnxValue = self.Squeeze(value, list(axes))
        return made

    def body(
        self, inputs: Sequence[OnnxValue], write: Callable[[], Sequence[OnnxValue]]
    ) -> OnnxBody:
        """The graph of the nodes that a function writes."""
        outer, self.nodes = self.nodes, []
        try:
            outputs = list(write())
            return OnnxBody(list(inputs), outputs, self.nodes)
        finally:
            self.nodes = outer

    def define(
        self,
        operator: str,
        settings: Mapping[str, Any],
        inputs: Sequence[OnnxValue],
        write: Callable[[Sequence[OnnxValue]], Sequence[OnnxValue]],
    ) -> list[OnnxValue]:
        """A node of an operator of gluonic's, with its definition by ONNX's.

        Parameters
        ----------
        operator, settings : the operator, and its attributes
        inputs : the inputs of the node
        write : writes the definition for inputs of its own

        Returns
        -------
        list of OnnxValue
            the outputs: of the nodes themselves, if the definition reads other values
        """
        formal = [OnnxValue(value.dtype) for value in inputs]
        body = self.body(formal, lambda: write(formal))
        own = {*formal, *(value for node in body.nodes for value in node.outputs)}
        read = [value for node in body.nodes for value in (*node.inputs, *_read_by_bodies(node))]
        outside = [v for v in read if v is not None and v.array is None and v not in own]
        if outside or any(
            isinstance(v, OnnxBody) for n in body.nodes for v in n.attributes.values()
        ):
            return list(write(inputs))
        attributes = {name: str(value) for name, value in settings.items() if value is not None}
        made = OnnxNode(operator, [*inputs], [], attributes, self.scope, body)
        made.outputs = [OnnxValue(value.dtype, maker=made) for value in body.outputs]
        self.nodes.append(made)
        return made.outputs


def _result_dtype(op_type: str, like: np.dtype[Any]) -> np.dtype[Any]:
    if op_type in _TO_BOOL:
        return BOOL
    return INT64 if op_type in _TO_INT64 else like


def needed(nodes: Sequence[OnnxNode], outputs: Iterable[OnnxValue]) -> list[OnnxNode]:
    """The nodes that the outputs depend on, in order."""
    wanted = set(outputs)
    kept = []
    for node in reversed(nodes):
        if wanted.isdisjoint(node.outputs):
            continue
        kept.append(node)
        wanted.update(value for value in node.inputs if value is not None)
        wanted.update(_read_by_bodies(node))
    return kept[::-1]


def _read_by_bodies(node: OnnxNode) -> list[OnnxValue]:
    """The values that graphs inside a node read."""
    read: list[OnnxValue] = []
    for body in node.attributes.values():
        if isinstance(body, OnnxBody):
            read.extend(body.outputs)
            for inner in body.nodes:
                read.extend(value for value in inner.inputs if value is not None)
                read.extend(_read_by_bodies(inner))
    return read
