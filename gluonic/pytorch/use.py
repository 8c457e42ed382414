"""A node of ONNX's form of the graph, as a rule that writes it as Python sees it."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from gluonic.graph import Array
from gluonic.onnx.errors import NotExportable
from gluonic.onnx.writer import OnnxBody, OnnxNode, OnnxValue
from gluonic.pytorch.code import atom, number


class ModuleParts(Protocol):
    """The module that is being written.

    Attributes
    ----------
    device : where it computes, as an expression
    """

    device: str

    def expression(self, value: OnnxValue) -> str:
        """A value as Python."""
        raise NotImplementedError

    def variable(self, value: OnnxValue) -> str:
        """A value as the name of a variable, or an attribute."""
        raise NotImplementedError

    def sizes(self, value: OnnxValue) -> list[str] | None:
        """The elements of a small vector of integers, each as an expression; None if they come from data."""
        raise NotImplementedError

    def size(self, value: OnnxValue) -> str | None:
        """An integer without axes as an expression; None if it comes from data."""
        raise NotImplementedError

    def shape_source(self, value: OnnxValue) -> str | None:
        """The variable whose whole shape a value is, where its extents are not known one by one."""
        raise NotImplementedError

    def is_owned(self, value: OnnxValue) -> bool:
        """Whether a value is a constant that one node reads; constants without names are copied."""
        raise NotImplementedError

    def layer(self, scope: str, constructor: str, arrays: dict[str, Array]) -> str:
        """Add a module; returns it."""
        raise NotImplementedError

    def helper(self, name: str) -> str:
        """Add a function to the file; returns its name."""
        raise NotImplementedError

    def block(self, body: OnnxBody, inputs: Sequence[str]) -> tuple[list[str], list[str]]:
        """The statements of a graph inside a node, for inputs of given names, and its outputs."""
        raise NotImplementedError

    def targets(self, node: OnnxNode) -> list[str]:
        """New names for the outputs of a node."""
        raise NotImplementedError

    def new_variable(self, proposed: str) -> str:
        """A name that no other variable has."""
        raise NotImplementedError


class TorchUse:
    """One node.

    Parameters
    ----------
    node : the node
    source : the module that is being written

    Attributes
    ----------
    op_type : its operator
    scope : the name of gluonic's node that it is a part of
    output_count : how many outputs it has
    """

    def __init__(self, node: OnnxNode, source: ModuleParts) -> None:
        self._node, self._source = node, source
        self.op_type, self.scope = node.op_type, node.scope
        self.output_count = len(node.outputs)

    def get(self, name: str, default: Any = None) -> Any:
        """An attribute."""
        return self._node.attributes.get(name, default)

    def has(self, index: int) -> bool:
        """Whether an input is there."""
        return index < len(self._node.inputs) and self._node.inputs[index] is not None

    def _value(self, index: int) -> OnnxValue:
        value = self._node.inputs[index]
        assert value is not None
        return value

    def __getitem__(self, index: int) -> str:
        """The tensor of an input, as an argument of a function."""
        return self._source.expression(self._value(index))

    def all(self) -> list[str]:
        """The tensors of all inputs."""
        return [self[index] for index in range(len(self._node.inputs))]

    def atom(self, index: int) -> str:
        """The tensor of an input, as an operand."""
        return atom(self[index])

    def variable(self, index: int) -> str:
        """The tensor of an input, as the name of a variable, which may be written more than once."""
        return self._source.variable(self._value(index))

    def operand(self, index: int, beside: int) -> str:
        """An input as an operand, a number if it is constant and the other operand is none."""
        array, rank = self.array(index), self.rank(beside)
        if array is None:
            return self._source.size(self._value(index)) or self.atom(index)
        if self.array(beside) is not None or array.size != 1:
            return self.atom(index)
        if array.ndim and (rank is None or rank < array.ndim):
            return self.atom(index)
        return number(array)

    def array(self, index: int) -> Array | None:
        """The elements of an input, None if they are not constant."""
        return self._value(index).array

    def constant(self, index: int) -> Array:
        """The elements of an input that must be constant."""
        array = self.array(index)
        if array is None:
            raise NotExportable(f"{self.op_type} with attributes that are computed")
        return array

    def dtype(self, index: int = 0) -> np.dtype[Any]:
        """The dtype of an input."""
        return self._value(index).dtype

    def result(self, index: int = 0) -> np.dtype[Any]:
        """The dtype of an output."""
        return self._node.outputs[index].dtype

    def shape(self, index: int) -> tuple[Any, ...]:
        """The shape of an input that is a parameter."""
        shape = self._value(index).shape
        if shape is None:
            raise NotExportable(f"{self.op_type} with parameters that are computed")
        return shape

    def rank(self, index: int = 0) -> int | None:
        """The number of axes of an input, None if it is not known."""
        shape = self._value(index).shape
        return None if shape is None else len(shape)

    def sizes(self, index: int) -> list[str]:
        """The elements of a small vector of integers, each as an expression."""
        found = self._source.sizes(self._value(index))
        if found is None:
            raise NotExportable(f"{self.op_type} with sizes that are computed from data")
        return found

    def axes(self, index: int) -> list[int]:
        """Axes, or numbers for each: an input, or before some version of ONNX an attribute."""
        if self.has(index):
            return [int(axis) for axis in self.constant(index).reshape(-1)]
        return list(self.get("axes") or ())

    def shape_text(self, index: int) -> str:
        """A shape as the arguments of a call."""
        source = self._source.shape_source(self._value(index))
        return ", ".join(self.sizes(index)) if source is None else f"{source}.shape"

    @property
    def device(self) -> str:
        """Where the model computes."""
        return self._source.device

    def owns(self, *indices: int) -> bool:
        """Whether inputs, as far as they are there, are constants that no other node reads."""
        return all(self._source.is_owned(self._value(i)) for i in indices if self.has(i))

    def layer(self, constructor: str, arrays: Mapping[str, int | Array]) -> str:
        """A module of its own for the node.

        Parameters
        ----------
        constructor : the call that makes it
        arrays : its parameters: inputs of the node, or their values

        Returns
        -------
        str
            the module
        """
        values: dict[str, Array] = {}
        for name, where in arrays.items():
            if not isinstance(where, int):
                values[name] = where
            elif self.has(where):
                values[name] = self.constant(where)
        return self._source.layer(self.scope, constructor, values)

    def block(self, body: OnnxBody, *inputs: str) -> tuple[list[str], list[str]]:
        """The statements of a graph inside the node, for inputs of given names, and its outputs."""
        return self._source.block(body, inputs)

    def targets(self) -> list[str]:
        """New names for the outputs, which the rule's statements assign."""
        return self._source.targets(self._node)

    def new_variable(self, proposed: str) -> str:
        """A name that no other variable has."""
        return self._source.new_variable(proposed)

    def helper(self, name: str) -> str:
        """A function that the file defines because PyTorch has none."""
        return self._source.helper(name)
