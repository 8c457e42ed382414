"""The emitter that evaluates the expressions of a kernel."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from gluonic.codegen.machine.assembler import LLVMFunction
from gluonic.codegen.maths.emitter import Emitter
from gluonic.codegen.maths.values import INT64, Value


class KernelEmitter(Emitter):
    """An emitter whose expressions can ask for the extents of the kernel's axes."""

    def __init__(self, function: LLVMFunction, extents: Sequence[str]) -> None:
        super().__init__(function)
        self.extents = [self.value(ref, INT64, 1) for ref in extents]
        self._at_split: Callable[[Value], Value] | None = None

    def split_point(self, value: Value) -> Value:
        """Mark a point at which the expression may be cut in two; cut it here within `cutting`."""
        return value if self._at_split is None else self._at_split(value)

    @contextmanager
    def cutting(self, at_split: Callable[[Value], Value]) -> Iterator[None]:
        """Inside the block, replace the value at each split point by the result of `at_split`."""
        self._at_split = at_split
        yield
        self._at_split = None

    def extent(self, axes: Sequence[int]) -> Value:
        """Return the number of elements along `axes`."""
        result = self.constant(1, INT64)
        for axis in axes:
            result = result * self.extents[axis]
        return result
