"""One call of an operator made with `customop`, and its gradients."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gluonic.graph import Array
from gluonic.graph.errors import MXNetError, describe
from gluonic.minpy.definition import Definition, Gradient
from gluonic.minpy.template import Template
from gluonic.ndarray import NDArray
from gluonic.ndarray.state import Flags


class NoGradientFuncError(MXNetError, ValueError):
    """A requested gradient is not defined."""


class Call:
    """One call of an operator, with what its gradients need.

    The function receives copies of the arrays, which it may change.

    Attributes
    ----------
    is_tuple : whether the function returned a tuple
    """

    def __init__(self, operator: Definition, template: Template, arrays: Sequence[Array]) -> None:
        self.operator, self.template = operator, template
        self._shapes = [(a.shape, a.dtype) for a in arrays]
        copies = [a.copy() for a in arrays]
        if operator.kind == "mxnet":
            self._args, self._kwargs = template.filled([NDArray(a) for a in copies])
        else:
            self._args, self._kwargs = template.filled(copies)
        self._answer: Any = None
        self._makers: dict[Gradient, Callable[[Any], Any]] = {}
        self.is_tuple = False

    def run(self) -> list[Array]:
        """Compute the results."""
        with Flags(False, None):
            self._answer = self.operator.function(*self._args, **self._kwargs)
        self.is_tuple = isinstance(self._answer, tuple)
        answers = self._answer if self.is_tuple else (self._answer,)
        return [_result(answer, self.operator) for answer in answers]

    def prepare(self, wanted: Sequence[int]) -> None:
        """Make the functions from gradients of the results to those of the wanted arrays."""
        for i in wanted:
            if (defined := self._defined(i)) is not None and defined[0] not in self._makers:
                with Flags(False, None):
                    made = defined[0](self._answer, *self._args, **self._kwargs)
                self._makers[defined[0]] = made

    def _defined(self, i: int) -> tuple[Gradient, tuple[int, ...] | None] | None:
        return self.operator.gradients.get(self.template.argnums[i])

    def gradients(self, heads: Sequence[Array | None], wanted: Sequence[int]) -> dict[int, Array]:
        """Compute the gradients of the wanted arrays.

        Parameters
        ----------
        heads : the gradients of the results, None for zeros

        Raises
        ------
        NoGradientFuncError
            if one is not defined, unless the array holds integers, which have no derivative
        """
        self.prepare(wanted)
        head = self._head(heads)
        computed: dict[Gradient, Any] = {}
        found: dict[int, Array] = {}
        for i in wanted:
            defined = self._defined(i)
            if defined is None:
                self._refuse(i)
                continue
            function, numbers = defined
            if function not in computed:
                with Flags(False, None):
                    computed[function] = self._makers[function](head)
            argnum = self.template.argnums[i]
            value = computed[function]
            if numbers is not None:
                value = value[numbers.index(int(argnum))]
            found[i] = self._fitted(value, i)
        return found

    def _refuse(self, i: int) -> None:
        argnum = self.template.argnums[i]
        if not np.issubdtype(self._shapes[i][1], np.floating):
            return
        kind = "argument" if isinstance(argnum, int) else "keyword argument"
        raise NoGradientFuncError(
            describe(
                f"No partial derivative of customized op {self.operator.__name__} defined on {kind} {argnum}.",
                hint=f"{self.operator.__name__}.def_grad(function, argnum={argnum!r})",
            )
        )

    def _head(self, heads: Sequence[Array | None]) -> Any:
        """The gradients of the results, in their shapes: a scalar for a number."""
        answers = self._answer if self.is_tuple else (self._answer,)
        made = []
        for answer, head in zip(answers, heads, strict=True):
            shape = np.shape(plain(answer))
            values = np.zeros(shape, np.float32) if head is None else head.reshape(shape)
            made.append(NDArray(values) if self.operator.kind == "mxnet" else values[()])
        return tuple(made) if self.is_tuple else made[0]

    def _fitted(self, gradient: Any, i: int) -> Array:
        shape, dtype = self._shapes[i]
        values = np.asarray(plain(gradient))
        if values.ndim == 0:
            values = np.broadcast_to(values, shape)
        elif values.shape != shape:
            argnum = self.template.argnums[i]
            raise MXNetError(
                describe(
                    f"the gradient of argument {argnum!r} has the shape {values.shape}, the argument {shape}",
                    where=self.operator.__name__,
                )
            )
        return np.array(values, dtype)


def plain(value: Any) -> Any:
    """The elements of an NDArray; other values unchanged."""
    return value.elements if isinstance(value, NDArray) else value


def _result(answer: Any, operator: Definition) -> Array:
    """A result as a new array; numbers get one axis, as everywhere in MXNet."""
    values = np.asarray(plain(answer))
    if type(answer) is float:  # a NumPy number has a dtype, a Python one does not
        values = values.astype(np.float32)
    if values.dtype == object:
        raise MXNetError(
            describe(f"returned {type(answer).__name__}, not an array", where=operator.__name__)
        )
    return np.array(values, ndmin=1, order="C")
