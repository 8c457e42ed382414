"""The inputs and outputs of a library, as its header describes them."""

from typing import Any

import numpy as np

from gluonic.codegen.shapes.lines import line_of
from gluonic.codegen.shapes.symbolic import SymbolicDim
from gluonic.graph.attributes import Shape
from gluonic.support.record import record

_C_TYPES = {
    "float16": "uint16_t", "float32": "float", "float64": "double", "bool": "uint8_t",
    "int8": "int8_t", "uint8": "uint8_t", "int32": "int32_t", "int64": "int64_t",
}  # fmt: skip


@record
class Port:
    """An input or an output.

    Attributes
    ----------
    index : its index among all inputs of the graph, or among its outputs
    name : its name, as an identifier of C
    title : its name in the net
    shape : with expressions of the batch size
    dtype : of its elements
    """

    index: int
    name: str
    title: str
    shape: Shape
    dtype: "np.dtype[Any]"

    @property
    def c_type(self) -> str:
        """The type of its elements in C."""
        return _C_TYPES[self.dtype.name]

    @property
    def description(self) -> str:
        """Its dtype and its shape."""
        held = " (IEEE 754 half precision, as bits)" if self.dtype == np.float16 else ""
        return f"{self.dtype.name} ({', '.join(map(_written, self.shape))}){held}"


def _written(extent: Any) -> str:
    if type(extent) is not SymbolicDim:
        return str(extent)
    line = line_of(extent)
    if line is None:
        return "…"
    factor, summand = line
    times = "batch" if factor == 1 else f"{factor} batch"
    return f"{times} + {summand}" if summand else times
