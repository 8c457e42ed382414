"""Counts, states, shapes and dtypes, as a library's functions compute them."""

import ctypes
from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np

from gluonic.extension.binary import Argument, Attributes, ExtensionBinary
from gluonic.extension.catalogue import OperatorEntry
from gluonic.graph.dtypes import CODE_OF, CODES
from gluonic.graph.errors import InferenceError, MXNetError, describe
from gluonic.graph.storage.values import KINDS
from gluonic.graph.view import PartialShape, Unknown

PASSABLE = {dtype: code for dtype, code in CODE_OF.items() if code <= 6}
"""The dtypes that can be passed to a library, with their codes."""

Shapes: TypeAlias = "list[PartialShape | None]"
Dtypes: TypeAlias = "list[np.dtype[Any] | None]"
_UNKNOWN_DTYPE = -1
_LONGEST_AXIS = 2**32 - 1


class Inference(Protocol):
    """The interface of inference for an operator."""

    def counts(self) -> tuple[int, int]:
        """Return the numbers of inputs and outputs."""

    def mutated(self, inputs: int) -> tuple[int, ...]:
        """Return the positions of the inputs that the operator changes."""

    def shapes(self, inputs: Shapes, outputs: int) -> tuple[Shapes, Shapes]:
        """Return the known shapes of the inputs and of the outputs."""

    def dtypes(self, inputs: Dtypes, outputs: int) -> tuple[Dtypes, Dtypes]:
        """Return the known dtypes of the inputs and of the outputs."""

    def storage(self, inputs: Sequence[str], outputs: int) -> list[str] | None:
        """Return the storage kinds of outputs from those of inputs; None if only dense arrays are supported."""


class LibraryInference:
    """The answers of the library's own functions.

    Parameters
    ----------
    binary, entry : the operator
    attributes : those of one use of it
    """

    def __init__(
        self, binary: ExtensionBinary, entry: OperatorEntry, attributes: Attributes
    ) -> None:
        self.binary, self.entry, self.attributes = binary, entry, attributes

    def counts(self) -> tuple[int, int]:
        """Return the numbers of inputs and outputs."""
        num_in, num_out = ctypes.c_int(-1), ctypes.c_int(-1)
        self._check("ParseAttrs", self.entry.parse_attrs, num_in, num_out)
        if num_in.value < 0 or num_out.value < 1:
            raise MXNetError(
                describe(
                    f"parseAttrs says {num_in.value} inputs and {num_out.value} outputs",
                    where=self.entry.name,
                    hint="it must set both; an operator has at least one output",
                )
            )
        return num_in.value, num_out.value

    def mutated(self, inputs: int) -> tuple[int, ...]:
        """Return the positions of the inputs that the operator changes."""
        if not self.entry.mutate_inputs:
            return ()
        memory, count = ctypes.c_void_p(), ctypes.c_int()
        self._check("MutateInputs", self.entry.mutate_inputs, memory, count)
        found = tuple(integers(memory, count.value))
        self.binary.free(memory.value)
        wrong = [i for i in found if not 0 <= i < inputs]
        if wrong:
            raise MXNetError(
                describe(
                    f"mutateInputs names input {wrong[0]}, but there are {inputs}",
                    where=self.entry.name,
                )
            )
        return found

    def shapes(self, inputs: Shapes, outputs: int) -> tuple[Shapes, Shapes]:
        """Return the known shapes of the inputs and of the outputs.

        Raises
        ------
        Unknown
            if the library needs the unknown inputs
        InferenceError
            if the inputs' shapes do not fit
        """
        whole = all(shape is not None and None not in shape for shape in inputs)
        if not whole and not any(shape is not None and None not in shape for shape in inputs):
            raise Unknown  # libraries rarely expect inputs of which nothing is known
        given = ShapeArrays([() if shape is None else shape for shape in inputs])
        found = [ctypes.c_void_p() for _ in range(4)]
        self._infer("InferShape", self.entry.infer_shape, whole, *given.arguments, *found, outputs)
        (in_arrays, in_ranks), (out_arrays, out_ranks) = found[:2], found[2:]
        new_inputs = self._taken(in_arrays, in_ranks, len(inputs), whole)
        new_outputs = self._taken(out_arrays, out_ranks, outputs, whole)
        if whole:
            self._check_known(new_outputs, "inferShape", "shape")
        return new_inputs, new_outputs

    def _taken(
        self, arrays: ctypes.c_void_p, ranks: ctypes.c_void_p, count: int, whole: bool
    ) -> Shapes:
        """Read shapes and free the library's arrays; an empty shape is an unknown one."""
        shapes: Shapes = []
        if count and not (arrays.value and ranks.value):
            raise InferenceError(f"{self.entry.name}: inferShape returned no shapes")
        pointers = addresses(arrays, count)
        for pointer, rank in zip(pointers, integers(ranks, count), strict=True):
            axes = (ctypes.c_uint32 * rank).from_address(pointer) if rank > 0 else ()
            shapes.append(tuple(a if whole or a else None for a in axes) if rank > 0 else None)
            self.binary.free(pointer)
        for address in (arrays.value, ranks.value):
            self.binary.free(address)
        return shapes

    def dtypes(self, inputs: Dtypes, outputs: int) -> tuple[Dtypes, Dtypes]:
        """Return the known dtypes of the inputs and of the outputs.

        Raises
        ------
        Unknown
            if the library needs the unknown inputs
        InferenceError
            if the inputs' dtypes do not fit
        """
        if inputs and all(dtype is None for dtype in inputs):
            raise Unknown
        before = [_UNKNOWN_DTYPE if dtype is None else self._code(dtype) for dtype in inputs]
        in_codes = (ctypes.c_int * len(inputs))(*before)
        out_codes = (ctypes.c_int * outputs)(*[_UNKNOWN_DTYPE] * outputs)
        whole = _UNKNOWN_DTYPE not in before
        arguments = (in_codes, len(inputs), out_codes, outputs)
        self._infer("InferType", self.entry.infer_type, whole, *arguments)
        new_outputs = [self._dtype(code, f"output {i}") for i, code in enumerate(out_codes)]
        if whole:
            self._check_known(new_outputs, "inferType", "dtype")
        return [self._dtype(code, f"input {i}") for i, code in enumerate(in_codes)], new_outputs

    def _check_known(self, outputs: Sequence[Any], function: str, what: str) -> None:
        for i, fact in enumerate(outputs):
            if fact is None:  # not `in`: to NumPy, None and float64 are equal
                raise InferenceError(
                    f"{self.entry.name}: {function} leaves output {i} without a {what}"
                )

    def storage(self, inputs: Sequence[str], outputs: int) -> list[str] | None:
        """Return the storage kinds of outputs from those of inputs; None if only dense arrays are supported.

        Raises
        ------
        InferenceError
            if the library does not accept such inputs
        """
        if not self.entry.infer_storage_type:
            return None
        in_types = (ctypes.c_int * len(inputs))(*map(KINDS.index, inputs))
        out_types = (ctypes.c_int * outputs)(*[-1] * outputs)
        arguments = (in_types, len(inputs), out_types, outputs)
        text = self._call("InferSType", self.entry.infer_storage_type, *arguments)
        if text is not None:
            told = f"input storage types = [{', '.join(inputs)}]"
            raise InferenceError(describe(text, facts=[told]))
        for i, code in enumerate(out_types):
            if not 0 <= code < len(KINDS):
                raise InferenceError(
                    f"{self.entry.name}: inferSType gives output {i} the unknown storage type {code}"
                )
        return [KINDS[code] for code in out_types]

    def _code(self, dtype: np.dtype[Any]) -> int:
        if dtype not in PASSABLE:
            known = ", ".join(d.name for d in PASSABLE)
            raise InferenceError(
                f"{self.entry.name} cannot take {dtype.name}: extension libraries know {known}"
            )
        return PASSABLE[dtype]

    def _dtype(self, code: int, what: str) -> np.dtype[Any] | None:
        if code == _UNKNOWN_DTYPE:
            return None
        if code not in PASSABLE.values():
            raise InferenceError(
                f"{self.entry.name}: inferType gives {what} the unknown type {code}"
            )
        return CODES[code]

    def _infer(self, what: str, handle: int, whole: bool, *arguments: Argument) -> None:
        """Call an inference function; if it fails because facts are missing, the rule waits."""
        try:
            text = self._call(what, handle, *arguments)
        except MXNetError as error:
            text = str(error)
        if text is not None:
            if not whole:
                raise Unknown
            raise InferenceError(text)

    def _check(self, what: str, handle: int, *arguments: Argument) -> None:
        text = self._call(what, handle, *arguments)
        if text is not None:
            raise MXNetError(describe(text))

    def _call(self, what: str, handle: int, *arguments: Argument) -> str | None:
        """Call one of the operator's functions; the text of its failure, None if there is none."""
        name = f"_opCall{what}"
        if self.binary.call(name, handle, *self.attributes.arguments, *arguments):
            return None
        return self.binary.failure_text(
            f"Error calling {what} for custom operator '{self.entry.name}'"
        )


class ShapeArrays:
    """Shapes as inference functions take them; 0 is an unknown axis, no axes an unknown shape.

    Attributes
    ----------
    arguments : the arrays of pointers, the ranks and the count
    """

    def __init__(self, shapes: Sequence[PartialShape]) -> None:
        for shape in shapes:
            if any(axis is not None and axis > _LONGEST_AXIS for axis in shape):
                raise InferenceError(f"an axis of {shape} is too long for an extension library")
        self._each = [(ctypes.c_uint32 * len(s))(*[a or 0 for a in s]) for s in shapes]
        self._pointers = (ctypes.c_void_p * len(shapes))(*map(ctypes.addressof, self._each))
        self._ranks = (ctypes.c_int * len(shapes))(*map(len, shapes))
        self.arguments: tuple[Argument, ...] = (self._pointers, self._ranks, len(shapes))


def addresses(pointer: ctypes.c_void_p, count: int) -> list[int]:
    """Read an array of pointers."""
    if not count:
        return []
    return [address or 0 for address in (ctypes.c_void_p * count).from_address(pointer.value or 0)]


def integers(pointer: ctypes.c_void_p, count: int) -> list[int]:
    """Read an array of C ints."""
    return list((ctypes.c_int * count).from_address(pointer.value or 0)) if count else []
