"""Calls of libraries' operators with sparse arrays, which are passed as MXSparse: parts and lengths."""

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gluonic.extension.binary import Argument
from gluonic.extension.compute import (
    COMPUTE,
    COMPUTE_WITH_STATE,
    Computation,
    OperatorState,
    Signature,
    TensorArrays,
)
from gluonic.extension.guard import CallSlots
from gluonic.extension.random_states import RANDOM_STATES
from gluonic.graph import Array
from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.memory import allocated
from gluonic.graph.storage.stored import FormatError
from gluonic.graph.storage.values import (
    CSR,
    DEFAULT,
    KINDS,
    Csr,
    RowSparse,
    Value,
    kind_of,
    stored_zeros,
)

_Pointers = ctypes.POINTER(ctypes.c_void_p)
_ALLOCATE = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, *(ctypes.c_int,) * 3, _Pointers, _Pointers, _Pointers
)


class StoredTensors(TensorArrays):
    """The arrays that describe tensors of any storage kind on one side of a call.

    Parameters
    ----------
    values : the tensors; those that the library creates are empty
    """

    def __init__(self, values: Sequence[Value]) -> None:
        super().__init__(tuple((value.shape, value.dtype) for value in values))
        count = len(values)
        self.kinds = (ctypes.c_int * count)(*[KINDS.index(kind_of(value)) for value in values])
        self.indices, self.starts = ((ctypes.c_void_p * count)() for _ in range(2))
        self.index_counts, self.start_counts = ((ctypes.c_int64 * count)() for _ in range(2))
        self._held = [self._point(i, value) for i, value in enumerate(values)]

    def _point(self, i: int, value: Value) -> Any:
        """Point a tensor at a value; returns an object that must outlive the call."""
        if isinstance(value, np.ndarray):
            data: Array = np.ascontiguousarray(value)
            self.data[i] = data.ctypes.data
            return data
        value.sound()
        data, indices = np.ascontiguousarray(value.data), np.ascontiguousarray(value.indices)
        self.data[i], self.indices[i] = data.ctypes.data, indices.ctypes.data
        self.index_counts[i] = len(indices)
        starts = np.ascontiguousarray(value.indptr) if isinstance(value, Csr) else indices[:0]
        if isinstance(value, Csr):
            self.starts[i], self.start_counts[i] = starts.ctypes.data, len(starts)
        return data, indices, starts


class _Outputs:
    """The outputs of a call; the library requests memory for the sparse ones.

    Parameters
    ----------
    name : the name of the operator
    signature, kinds : shapes, dtypes and storage kinds of the outputs
    """

    def __init__(self, name: str, signature: Signature, kinds: Sequence[str]) -> None:
        self._name, self._signature, self._kinds = name, signature, kinds
        self.values = [
            allocated(np.empty, *one, "an output") if kind == DEFAULT else stored_zeros(kind, *one)
            for one, kind in zip(signature, kinds, strict=True)
        ]
        self.error: Exception | None = None
        self._spare: list[Array] = []
        self.allocate = _ALLOCATE(self._allocate)

    def _allocate(
        self, _: Any, index: int, count: int, starts: int, data: Any, indices: Any, indptr: Any
    ) -> None:
        """Allocate a sparse output; errors are raised after the call, since no exception may leave it."""
        try:
            parts = self._parts(index, count, starts)
        except Exception as error:
            self.error = error
            parts = [np.zeros(max(n, 0) + 1, np.int64) for n in (count, count, starts)]
            self._spare += parts
        pointers = [data, indices, indptr]
        for pointer, part in zip(pointers, parts, strict=False):
            pointer[0] = part.ctypes.data

    def _parts(self, index: int, count: int, starts: int) -> list[Array]:
        is_there = 0 <= index < len(self._kinds) and self._kinds[index] != DEFAULT
        if not is_there or count < 0 or starts < 0 or (self._kinds[index] == CSR) != (starts > 0):
            raise MXNetError(
                describe(
                    f"alloc_sparse(…, {index}, {count}, {starts}) goes with no output",
                    where=self._name,
                    facts=[f"the outputs are {', '.join(self._kinds)}"],
                    hint="an indptr_len for csr, none for row_sparse",
                )
            )
        shape, dtype = self._signature[index]
        numbers = allocated(np.zeros, (count,), np.int64, "indices")
        if self._kinds[index] == CSR:
            elements = allocated(np.zeros, (count,), dtype, "an output")
            ends = allocated(np.zeros, (starts,), np.int64, "an indptr")
            self.values[index] = Csr(elements, numbers, ends, shape)
            return [elements, numbers, ends]
        elements = allocated(np.zeros, (count, *shape[1:]), dtype, "an output")
        self.values[index] = RowSparse(elements, numbers, shape)
        return [elements, numbers]

    def checked(self) -> list[Value]:
        """The values, if the library has created valid ones."""
        if self.error is not None:
            raise self.error
        for value in self.values:
            if isinstance(value, (Csr, RowSparse)):
                try:
                    value.sound()
                except FormatError as error:
                    raise MXNetError(describe(str(error), where=self._name)) from None
        return self.values


class _StoredFrame(CallSlots):
    """A frame for one call with sparse arrays."""

    __slots__ = ("held", "trampoline", "workspace")

    def __init__(
        self,
        computation: Computation,
        state: OperatorState | None,
        inputs: StoredTensors,
        outputs: StoredTensors,
        allocate: Any,
    ) -> None:
        binary = computation.binary
        self.workspace = (ctypes.c_void_p * 1)()
        function = COMPUTE if state is None else COMPUTE_WITH_STATE
        head = computation.head(None if state is None else state.pointer)
        arguments: list[Argument] = [
            *head, *inputs.arguments, *outputs.arguments,
            binary.guards.allocate, self.workspace, None, None, None,
            ctypes.cast(allocate, ctypes.c_void_p).value or 0, None,
            inputs.kinds, outputs.kinds, inputs.indices, outputs.indices, inputs.starts, outputs.starts,
            inputs.index_counts, outputs.index_counts, inputs.start_counts, outputs.start_counts,
            RANDOM_STATES.address(), None,
        ]  # fmt: skip
        self.held = arguments, allocate
        numbers = [
            a if isinstance(a, int) else ctypes.addressof(a) if a is not None else 0
            for a in arguments
        ]
        super().__init__(binary.address(function), numbers)
        self.trampoline = binary.guards.trampolines[binary.signature(function)]


def call_stored(
    computation: Computation,
    values: Sequence[Value],
    infer: Callable[[Sequence[Any]], Signature],
    kinds: Sequence[str],
    state: OperatorState | None = None,
) -> list[Value]:
    """Compute with values of any storage kinds.

    Parameters
    ----------
    computation : forward of an operator
    values : the inputs
    infer : returns the shapes and dtypes of the outputs for such inputs
    kinds : the storage kinds of the outputs
    state : that of a stateful operator

    Raises
    ------
    MXNetError
        with the library's messages or exception, or for invalid sparse arrays that it creates
    """
    outputs = _Outputs(computation.entry.name, infer(values), kinds)
    given, results = StoredTensors(values), StoredTensors(outputs.values)
    for side in (given, results):
        side.renew_versions()
    frame = _StoredFrame(computation, state, given, results, outputs.allocate)
    thrown = frame.trampoline(frame.address)
    if frame.workspace[0]:
        computation.binary.guards.release(ctypes.addressof(frame.workspace))
    if outputs.error is None and (thrown or not frame.slots[1]):
        raise computation.error(thrown)
    return outputs.checked()
