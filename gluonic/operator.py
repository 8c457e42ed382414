"""``mx.operator``: operators written in Python.

`NumpyOp` and `NDArrayOp` are MXNet's predecessors of `CustomOp`: objects that create symbols.
"""

import itertools
from typing import Any

import numpy as np

from gluonic import symbol
from gluonic.graph import REGISTRY
from gluonic.graph.argument_types import OperatorArguments, get_operator_arguments
from gluonic.ndarray import NDArray
from gluonic.ndarray.custom import CustomOp, CustomOpProp, register, registered_names

__all__ = [
    "CustomOp",
    "CustomOpProp",
    "NDArrayOp",
    "NumpyOp",
    "OperatorArguments",
    "PythonOp",
    "get_all_registered_operators",
    "get_operator_arguments",
    "register",
]
_numbers = itertools.count()


def get_all_registered_operators() -> list[str]:
    """Return the names of all operators, those written in Python last."""
    return [*REGISTRY, *registered_names()]


class PythonOp:
    """The base of operators whose objects make symbols: use `NumpyOp` or `NDArrayOp`, or better `CustomOp`.

    Parameters
    ----------
    need_top_grad : whether `backward` reads the gradients of the outputs (a loss does not)
    """

    def __init__(self, need_top_grad: bool = True) -> None:
        self.need_top_grad_ = need_top_grad
        self._op_type = ""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return `get_symbol` of the same arguments."""
        return self.get_symbol(*args, **kwargs)

    def get_symbol(self, *args: Any, **kwargs: Any) -> Any:
        """Return a symbol of this operator, given symbols of its inputs."""
        if not self._op_type:
            self._op_type = f"{type(self).__name__}-{next(_numbers)}"
            register(self._op_type)(_prop_of(self))
        return symbol.Custom(*args, op_type=self._op_type, **kwargs)

    def list_arguments(self) -> list[str]:
        """Return the names of the inputs."""
        return ["data"]

    def list_outputs(self) -> list[str]:
        """Return the names of the outputs."""
        return ["output"]

    def infer_shape(self, in_shape: list[Any]) -> Any:
        """Return the shapes of inputs and outputs; by default the output's is that of the first input."""
        return in_shape, [in_shape[0]]

    def need_top_grad(self) -> bool:
        """Whether `backward` reads the gradients of the outputs."""
        return self.need_top_grad_

    def forward(self, in_data: Any, out_data: Any) -> None:
        """Write the outputs; by default the only one is the first input."""
        out_data[0][:] = in_data[0]

    def backward(self, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any) -> None:
        """Write the gradients of the inputs; by default that of the first one is one."""
        in_grad[0][:] = 1.0


class NumpyOp(PythonOp):
    """An operator that reads and writes NumPy arrays."""


class NDArrayOp(PythonOp):
    """An operator that reads and writes arrays: `NDArray` objects."""

    def declare_backward_dependency(
        self, out_grad: list[int], in_data: list[int], out_data: list[int]
    ) -> list[int]:
        """Return those of these numbers that `backward` reads."""
        return [*(out_grad if self.need_top_grad() else []), *in_data, *out_data]


class _Calling(CustomOp):
    """Calls the methods of a `PythonOp`, and assigns what they write as requested."""

    def __init__(self, operator: PythonOp) -> None:
        self._operator = operator

    def _read(self, arrays: list[NDArray]) -> list[Any]:
        """Arrays of the kind that the operator takes."""
        if isinstance(self._operator, NDArrayOp):
            return arrays
        return [array.asnumpy() for array in arrays]

    def _written(self, arrays: list[NDArray]) -> list[Any]:
        """Arrays to be written, of the kind that the operator takes."""
        if isinstance(self._operator, NDArrayOp):
            return [array.zeros_like() for array in arrays]
        return [np.zeros(array.shape, array.dtype) for array in arrays]

    def forward(self, is_train: bool, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        """Compute the outputs."""
        written = self._written(out_data)
        self._operator.forward(in_data=self._read(in_data), out_data=written)
        for array, how, values in zip(out_data, req, written, strict=True):
            self.assign(array, how, values)

    def backward(
        self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
    ) -> None:
        """Compute the gradients of the inputs."""
        written = self._written(in_grad)
        self._operator.backward(
            out_grad=self._read(out_grad if self._operator.need_top_grad() else []),
            in_data=self._read(in_data),
            out_data=self._read(out_data),
            in_grad=written,
        )
        for array, how, values in zip(in_grad, req, written, strict=True):
            self.assign(array, how, values)


def _prop_of(operator: PythonOp) -> type[CustomOpProp]:
    """The properties of an operator that is an object."""

    class Prop(CustomOpProp):
        def __init__(self) -> None:
            super().__init__(need_top_grad=operator.need_top_grad())

        def list_arguments(self) -> list[str]:
            return operator.list_arguments()

        def list_outputs(self) -> list[str]:
            return operator.list_outputs()

        def infer_shape(self, in_shape: list[list[int]]) -> Any:
            return (*operator.infer_shape(in_shape), ())

        def declare_backward_dependency(
            self, out_grad: list[int], in_data: list[int], out_data: list[int]
        ) -> list[int]:
            declared = getattr(operator, "declare_backward_dependency", None)
            declare = declared or super().declare_backward_dependency
            return list(declare(out_grad, in_data, out_data))

        def create_operator(self, ctx: Any, in_shapes: list[Any], in_dtypes: list[Any]) -> CustomOp:
            return _Calling(operator)

    return Prop
