"""A node of ONNX as a rule that reads it sees it."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gluonic.codegen import SymbolicDim
from gluonic.graph import Array, Entry
from gluonic.onnx.errors import NotImportable
from gluonic.onnx.library import onnx_library
from gluonic.onnx.tensors import Tensor


class OnnxUse:
    """A node of ONNX's graph as a rule that reads it sees it.

    Attributes
    ----------
    reading : the model being read
    node : the node
    inputs : its values; None where an input is left out
    attributes : by name, as in the file
    scope : all values by name
    """

    def __init__(
        self,
        reading: Any,
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
        version: int = self.reading.opsets.get("", 1)
        return version

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
        shape: tuple[Any, ...] | None
        shape, _ = self.reading.signature(entry)
        if shape is None:
            raise NotImportable("the shape of an input depends on the data")
        return shape

    def rank(self, index: int = 0) -> int:
        """The number of axes of an input."""
        return len(self.shape(index))

    def fixed_shape(self, index: int = 0, first: int = 0) -> tuple[int, ...]:
        """The shape of an input from an axis on, which must not depend on open sizes."""
        shape = self.shape(index)[first:]
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
        dtype: np.dtype[Any]
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
