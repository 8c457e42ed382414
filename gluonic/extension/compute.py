"""Forward and backward of libraries' operators on arrays, and the states of stateful ones.

All arguments of a call except the data are in `CallSlots`, created once for given shapes and dtypes. A call
writes the addresses of the data to them and enters the library. Slots are pooled: two threads never share them.
"""

import ctypes
import itertools
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gluonic.extension.binary import Argument, Attributes, ExtensionBinary
from gluonic.extension.catalogue import CPU, OperatorEntry
from gluonic.extension.guard import CallSlots
from gluonic.extension.inference import PASSABLE, ShapeArrays
from gluonic.extension.random_states import RANDOM_STATES
from gluonic.graph import Array
from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.memory import allocated
from gluonic.graph.storage.values import Value

Signature: TypeAlias = "tuple[tuple[tuple[int, ...], np.dtype[Any]], ...]"

_MOST_POOLS = 256
_serials = itertools.count(1)
COMPUTE, COMPUTE_WITH_STATE = "_opCallFCompute", "_opCallFStatefulCompute"
_CPU_TEXT = ctypes.create_string_buffer(CPU.encode())
_FIRST_NATIVE_VERSION = 1 << 62
_FAILED, _THROWN = 9, 10  # in the context of a native computation
_STATE_SLOT = 3  # in a frame: the callee, the result, is_forward, the state


class TensorArrays:
    """The arrays that describe the tensors on one side of a call."""

    def __init__(self, signature: Signature) -> None:
        count = len(signature)
        self._each = [(ctypes.c_int64 * len(shape))(*shape) for shape, _ in signature]
        pointers = (ctypes.c_void_p * count)(*map(ctypes.addressof, self._each))
        ranks = (ctypes.c_int * count)(*[len(shape) for shape, _ in signature])
        dtypes = (ctypes.c_int * count)(*[PASSABLE[dtype] for _, dtype in signature])
        devices = (ctypes.c_char_p * count)(*[CPU.encode()] * count)
        self.data = (ctypes.c_void_p * count)()
        self.versions = (ctypes.c_size_t * count)()
        self.zeros = (
            ctypes.c_int64 * count
        )()  # device numbers, storage types, sparse parts: all 0
        self.arguments: tuple[Argument, ...] = (
            pointers, ranks, self.data, dtypes, self.versions, devices, self.zeros, count,
        )  # fmt: skip

    def point_at(self, arrays: Sequence[Array]) -> None:
        """Point the tensors at these arrays, with new version numbers."""
        data = self.data
        for i, array in enumerate(arrays):
            data[i] = array.ctypes.data
        self.renew_versions()

    def renew_versions(self) -> None:
        """Give the tensors new version numbers."""
        versions, serial = self.versions, next(_serials)
        for i in range(len(versions)):
            versions[i] = serial


class CallFrame(CallSlots):
    """A frame for `_opCallFCompute` or `_opCallFStatefulCompute`."""

    __slots__ = ("head", "inputs", "outputs", "trampoline", "workspace")

    def __init__(
        self,
        binary: ExtensionBinary,
        function: str,
        head: Sequence[Argument],
        inputs: Signature,
        outputs: Signature,
    ) -> None:
        self.head = head
        self.inputs, self.outputs = TensorArrays(inputs), TensorArrays(outputs)
        self.workspace = (ctypes.c_void_p * 1)()
        left, right = self.inputs.zeros, self.outputs.zeros
        arguments: list[Argument] = [
            *head, *self.inputs.arguments, *self.outputs.arguments,
            binary.guards.allocate, self.workspace, None, None, None, None, None,
            left, right, left, right, left, right, left, right, left, right,
            RANDOM_STATES.address(), None,
        ]  # fmt: skip
        numbers = [
            a if isinstance(a, int) else ctypes.addressof(a) if a is not None else 0
            for a in arguments
        ]
        super().__init__(binary.address(function), numbers)
        self.trampoline = binary.guards.trampolines[binary.signature(function)]


class _Pool(NamedTuple):
    """The outputs for certain inputs, and the idle frames for such calls."""

    outputs: Signature
    frames: list[CallFrame]


class Computation:
    """Forward or backward of one use of an operator.

    Parameters
    ----------
    binary, entry : the operator
    attributes : of this use
    forward : whether to run forward, not backward
    """

    def __init__(
        self, binary: ExtensionBinary, entry: OperatorEntry, attributes: Attributes, forward: bool
    ) -> None:
        self.binary, self.entry = binary, entry
        self.stateful = bool(entry.create_state)
        self._attributes = attributes
        self._functions = entry.forward if forward else entry.backward
        self._forward = forward
        self._pools: dict[Signature, _Pool] = {}

    def __call__(
        self,
        inputs: Sequence[Array],
        infer: Callable[[Sequence[Array]], Signature],
        mutated: Sequence[int] = (),
        state: "OperatorState | None" = None,
    ) -> list[Array]:
        """Compute.

        Parameters
        ----------
        inputs : the arrays
        infer : returns the shapes and dtypes of the outputs for such inputs
        mutated : the positions of inputs that the operator may change
        state : that of a stateful operator

        Raises
        ------
        MXNetError
            with the library's messages or exception
        """
        given = inputs
        for array in inputs:
            if not array.flags.c_contiguous:
                given = [np.ascontiguousarray(a) for a in inputs]
                break
        key = tuple([(a.shape, a.dtype) for a in given])
        pool = self._pools.get(key)
        if pool is None:
            pool = self._new_pool(key, infer(given))
        frame = pool.frames.pop() if pool.frames else self.new_frame(key, pool.outputs)
        results = [allocated(np.empty, s, dtype, "an output") for s, dtype in pool.outputs]
        frame.inputs.point_at(given)
        frame.outputs.point_at(results)
        if state is not None:
            frame.slots[_STATE_SLOT] = state.pointer
        thrown = frame.trampoline(frame.address)
        if frame.workspace[0]:
            self.binary.guards.release(ctypes.addressof(frame.workspace))
        if thrown or not frame.slots[1]:
            raise self.error(thrown)
        pool.frames.append(frame)
        if given is not inputs:
            for i in mutated:
                inputs[i][...] = given[i]
        return results

    def error(self, thrown: int | None) -> MXNetError:
        """Make the error of a call that threw, or that reported failure."""
        what = "FStatefulCompute" if self.stateful else "FCompute"
        if thrown:
            return self.binary.exception(thrown, f"{what} of custom operator '{self.entry.name}'")
        return self.binary.failure(f"Error calling {what} for custom operator '{self.entry.name}'")

    def _new_pool(self, key: Signature, outputs: Signature) -> "_Pool":
        if len(self._pools) > _MOST_POOLS:
            self._pools.clear()
        made = self._pools[key] = _Pool(outputs, [])
        return made

    def native(self, inputs: Signature, outputs: Signature) -> "NativeComputation | None":
        """The computation for compiled graphs; None if they cannot call it."""
        known = all(dtype in PASSABLE for _, dtype in (*inputs, *outputs))
        if self.stateful or not known or CPU not in self._functions:
            return None
        return NativeComputation(self, inputs, outputs)

    def new_frame(self, key: Signature, outputs: Signature) -> CallFrame:
        """Make a frame for inputs and outputs of given shapes and dtypes."""
        function = COMPUTE_WITH_STATE if self.stateful else COMPUTE
        return CallFrame(self.binary, function, self.head(), key, outputs)

    def head(self, state: int | None = None) -> tuple[Argument, ...]:
        """The arguments that identify the computation, before those for its data.

        Parameters
        ----------
        state : the address of the state of a stateful operator, if known
        """
        if self.stateful:
            return int(self._forward), state or 0
        if CPU not in self._functions:
            raise MXNetError(describe(f"Operator {self.entry.name} is not implemented for CPU."))
        return self._functions[CPU], *self._attributes.arguments


class NativeComputation:
    """A computation for given shapes, as compiled graphs call it: no Python is involved.

    Parameters
    ----------
    computation : forward or backward of an operator without a state
    inputs, outputs : the shapes and dtypes

    Attributes
    ----------
    function, context : see `gluonic.graph.operator.NativeCall`
    """

    def __init__(self, computation: Computation, inputs: Signature, outputs: Signature) -> None:
        self._computation = computation
        self._frame = frame = computation.new_frame(inputs, outputs)
        trampoline = ctypes.cast(frame.trampoline, ctypes.c_void_p).value or 0  # type: ignore[arg-type]
        sides = [
            (ctypes.addressof(side.data), len(side.data), ctypes.addressof(side.versions))
            for side in (frame.inputs, frame.outputs)
        ]
        numbers = (
            trampoline, frame.address, *sides[0], *sides[1], ctypes.addressof(frame.workspace),
            0, 0, _FIRST_NATIVE_VERSION,
        )  # fmt: skip
        self._numbers = (ctypes.c_int64 * len(numbers))(*numbers)
        self.function = computation.binary.guards.enter
        self.context = ctypes.addressof(self._numbers)

    def check(self) -> None:
        """Raise the error of a call since the last check, if any."""
        if self._numbers[_FAILED]:
            thrown, self._numbers[_THROWN], self._numbers[_FAILED] = self._numbers[_THROWN], 0, 0
            raise self._computation.error(thrown)


class OperatorState:
    """An instance of a library's stateful operator; freed with its last reference.

    Attributes
    ----------
    pointer : the library's object
    """

    __slots__ = ("__weakref__", "pointer")

    def __init__(self, binary: ExtensionBinary, pointer: int) -> None:
        self.pointer = pointer
        if binary.has("_opCallDestroyOpState"):
            weakref.finalize(self, binary.call, "_opCallDestroyOpState", pointer)


def create_state(
    binary: ExtensionBinary, entry: OperatorEntry, attributes: Attributes, inputs: Sequence[Value]
) -> OperatorState:
    """Make the state of a stateful operator.

    Raises
    ------
    MXNetError
        if the library makes none
    """
    if CPU not in entry.create_state:
        raise MXNetError(describe(f"Operator {entry.name} is not implemented for CPU."))
    shapes = ShapeArrays([a.shape for a in inputs])
    dtypes = (ctypes.c_int * len(inputs))(*[PASSABLE[a.dtype] for a in inputs])
    described: tuple[Argument, ...] = ()
    if binary.version >= 10:
        described = (_CPU_TEXT, 0, *shapes.arguments, dtypes)
    pointer = ctypes.c_void_p()
    binary.check(
        "_opCallCreateOpState",
        f"Error calling CreateOpState CPU for custom operator '{entry.name}'",
        entry.create_state[CPU],
        *attributes.arguments,
        *described,
        pointer,
    )
    if not pointer.value:
        raise binary.failure(
            f"Error custom library failed to create stateful operator '{entry.name}'"
        )
    return OperatorState(binary, pointer.value)
