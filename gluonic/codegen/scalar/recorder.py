"""The reader that records an operator's expression as a scalar program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np

from gluonic.codegen.maths.expressions import Expressions
from gluonic.codegen.maths.functions import NotLowered, composed
from gluonic.codegen.maths.values import (
    BOOL,
    FLOAT64,
    INT64,
    Dtype,
    Operand,
    Value,
    arithmetic,
    number_of,
    whole_dtype,
)
from gluonic.codegen.scalar.operations import OPERATIONS, Operation
from gluonic.codegen.scalar.program import ProgramBuilder, Ref, ScalarProgram, result_dtype
from gluonic.graph.dtypes import is_half_width

Expression = Callable[..., Any]


class Place(Protocol):
    """What knows the extents and indices of an operator's axes."""

    def extent(self, axes: Sequence[int]) -> Value:
        """The number of elements along axes."""

    def index(self, axis: int) -> Value:
        """The position along an axis."""


class RunTimeNumber(Value):
    """A float64 that is promoted like a Python number: in operations with values it takes their dtype."""

    __slots__ = ()


class Recorder(Expressions):
    """Records what an expression computes.

    Attributes
    ----------
    builder : the program that is recorded
    """

    def __init__(self) -> None:
        self.builder = ProgramBuilder()

    def __getattr__(self, name: str) -> Callable[..., Value]:
        operation = OPERATIONS.get(name)
        if operation is not None:
            return partial(self._compute, name, operation)
        if name.startswith("_"):
            raise AttributeError(name)
        function = composed(name)
        if function is None:
            raise NotLowered(f"{name} has no machine code")
        return partial(function, self)

    def _compute(self, name: str, operation: Operation, *operands: Operand) -> Value:
        if len(operands) != operation.arity:
            raise TypeError(f"{name} takes {operation.arity} operands, not {len(operands)}")
        values = self._promoted(operation, operands)
        dtype = values[-1].dtype
        if dtype.kind not in operation.kinds:
            if dtype.kind == "f":
                raise TypeError(f"{name} needs booleans or integers, not {dtype}")
            raise NotLowered(f"{name} has no machine code for {dtype}")
        result = self._added(name, dtype, values)
        kinds = {*map(type, operands)}
        if RunTimeNumber in kinds and Value not in kinds and result.dtype == FLOAT64:
            return RunTimeNumber(self, result.ref, result.dtype, 1)
        return result

    def kind_of(self, operand: Operand) -> Any:
        """What determines how an operand is promoted."""
        return float if type(operand) is RunTimeNumber else super().kind_of(operand)

    def _promoted(self, operation: Operation, operands: Sequence[Operand]) -> list[Value]:
        if operation.operands == "choice":
            condition, *others = operands
            return [self.truth(condition), *self.common(*others)]
        if operation.operands == "floats":
            return self.floating(*operands)
        values = self.common(*operands)
        if operation.operands == "integers" and values[0].dtype == BOOL:
            return [self.astype(value, np.int8) for value in values]
        return values

    def _added(self, name: str, dtype: Dtype, values: Sequence[Value] = ()) -> Value:
        ref = self.builder.add(name, dtype, tuple([value.ref for value in values]))
        return Value(self, ref, result_dtype(name, dtype), 1)

    def _leaf(self, name: str, dtype: Dtype, *numbers: int) -> Value:
        ref = self.builder.add(name, arithmetic(dtype), tuple(map(str, numbers)))
        return Value(self, ref, arithmetic(dtype), 1)

    # -- what it reads --------------------------------------------------------------------------

    def element(self, number: int, dtype: Dtype) -> Value:
        """The element of an operand whose elements have a dtype."""
        return self._leaf("element", dtype, number)

    def number(self, number: int) -> Value:
        """The element of an operand of float64, as a number."""
        return RunTimeNumber(self, self.element(number, FLOAT64).ref, FLOAT64, 1)

    def left(self, number: int, dtype: Dtype) -> Value:
        """A value that an earlier program left."""
        return self._leaf("value", dtype, number)

    def index(self, axis: int) -> Value:
        """The position along an axis."""
        return self._leaf("index", INT64, axis)

    def extent(self, axes: Sequence[int]) -> Value:
        """The number of elements along axes."""
        return self._leaf("extent", INT64, *axes)

    # -- conversions ----------------------------------------------------------------------------

    def astype(self, a: Operand, dtype: Any) -> Value:
        """Convert like NumPy's ``astype`` on this machine."""
        value, kind = self.asarray(a), arithmetic(np.dtype(dtype))
        if value.dtype == kind:
            return value
        if value.is_literal:
            return self._converted(value, kind)
        if kind == BOOL:
            return self._compute("not_equal", OPERATIONS["not_equal"], value, 0)
        return self._added("convert", kind, [value])

    def _converted(self, value: Value, dtype: Dtype) -> Value:
        """A number in another dtype, converted as the emitter's instructions would."""
        if value.dtype.kind == "f":
            number: Any = number_of(value.ref)
            if dtype.kind in "iu":
                through = np.iinfo(whole_dtype(dtype))
                number = int(number) if abs(number) <= through.max else through.min
        else:
            number = value.ref == "true" if value.dtype == BOOL else int(value.ref)
        if dtype.kind in "iu":
            number = int(np.array(number, np.int64).astype(dtype))
        return self.constant(number, dtype)

    def as_stored(self, value: Value, dtype: Dtype) -> Value:
        """Convert like `astype`, and round like a store to memory of that dtype."""
        is_exact = value.dtype == BOOL
        value = self.astype(value, dtype)
        if is_exact or not is_half_width(dtype):
            return value
        return self._added("rounded", dtype, [value])

    # -- programs -------------------------------------------------------------------------------

    def include(
        self, program: ScalarProgram, elements: Sequence[Value], where: Place | None = None
    ) -> Value:
        """Record another program, with the given values as its elements; return its only result.

        Parameters
        ----------
        where : what its extents and indices are asked from, if not from this
        """
        numbers = {value.ref: value for value in elements if value.is_literal}

        def visit(name: str, dtype: Dtype, operands: tuple[Ref, ...]) -> Ref:
            if name == "element":
                return elements[int(operands[0])].ref
            if name == "extent":
                return (where or self).extent([*map(int, operands)]).ref
            if name == "index":
                return (where or self).index(int(operands[0])).ref
            if name == "convert" and operands[0] in numbers:
                number = self.astype(numbers[operands[0]], dtype)
                numbers[number.ref] = number
                return number.ref
            return self.builder.add(name, dtype, operands)

        ((dtype, ref),) = self.builder.include(program, visit)
        return Value(self, ref, dtype, 1)

    def program(self, results: Sequence[Operand]) -> ScalarProgram:
        """What has been recorded, returning some results."""
        values = [self.asarray(result) for result in results]
        return self.builder.program((value.dtype, value.ref) for value in values)


def recorded(expression: Expression, dtypes: Sequence[Dtype]) -> ScalarProgram:
    """An expression ``(m, *elements) → element`` as a program.

    >>> print(recorded(lambda m, x, y: m.exp(x) * 2 + y, [np.dtype("float32")] * 2))
    %0 = element float32 0
    %1 = element float32 1
    %2 = exp float32 %0
    %3 = multiply float32 %2, 2.0
    %4 = add float32 %3, %1
    return float32 %4

    Raises
    ------
    NotLowered
        if it uses a function without machine code
    """
    m = Recorder()
    elements = [m.element(number, dtype) for number, dtype in enumerate(dtypes)]
    return m.program([expression(m, *elements)])
