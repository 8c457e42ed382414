"""Recording operators on the tape, and protecting the arrays that a backward needs."""

from collections.abc import Sequence
from typing import Any, ClassVar
from weakref import ref

from gluonic.codegen import GradientUse, compiled_gradients, may_repay_compiling
from gluonic.graph import Application, Array
from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.gradient import input_gradients
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.context import Context
from gluonic.ndarray.state import STATE, current_run
from gluonic.ndarray.tape import Record, TapeEntry, entry_of

_IN_USE = (
    "Assigning to NDArrays that are already in a computational graph would spoil its gradients "
    "(this includes +=, *=, relu(x, out=x), y[idx]=x inside a record section)"
)
_IN_PLACE = "Inplace operations (+=, -=, x[:]=, etc) are not supported when recording with autograd"

_new = NDArray.__new__


def wrap(
    array: Array,
    entry: TapeEntry | None = None,
    context: Context | None = None,
    kind: type[NDArray] = NDArray,
) -> NDArray:
    """An NDArray around a (contiguous) NumPy array, without a copy."""
    made = _new(kind)
    made.elements, made.tape_entry = array, entry
    made.stated_context, made.last_reader = context, None
    return made


class OperatorRecord(Record):
    """An operator that ran; its gradient is the operator's rule with F = nd.

    Attributes
    ----------
    arrays : the values of the inputs and then of the outputs
    train : whether it ran in training mode
    namespace : `F` for gradient rules (of the class; set where operators can be called)
    """

    namespace: ClassVar[Any]
    takes_stored = True

    __slots__ = ("application", "arrays", "train")

    def __init__(
        self,
        application: Application,
        inputs: Sequence[TapeEntry | None],
        arrays: list[Array],
        train: bool,
    ) -> None:
        super().__init__(inputs)
        self.application, self.arrays, self.train = application, arrays, train

    @property
    def output_count(self) -> int:
        """The number of outputs."""
        return len(self.application.outputs)

    @property
    def is_loss(self) -> bool:
        """Whether the operator is a loss."""
        return self.application.is_loss

    def free(self) -> None:
        """Release the values."""
        super().free()
        self.arrays = []

    def gradients(self, heads: list[NDArray | None], *, train: bool) -> Sequence[NDArray | None]:
        """Apply the operator's gradient rule."""
        if may_repay_compiling(self.application, self.arrays) and not STATE.recording:
            found = self._compiled_gradients(heads)
            if found is not None:
                return found
        if STATE.recording:  # the rule's computation may be differentiated again
            entries = [*self.inputs, *((self, i) for i in range(self.output_count))]
            values = [wrap(a, entry) for a, entry in zip(self.arrays, entries, strict=True)]
        else:
            values = list(map(wrap, self.arrays))
        wanted = [entry is not None for entry in self.inputs]
        return input_gradients(
            self.namespace, self.application, values, heads, train=self.train, wanted=wanted
        )

    def _compiled_gradients(self, heads: list[NDArray | None]) -> list[NDArray | None] | None:
        """The gradients computed by machine code; None if operators compute them one by one."""
        flowing = [head for head in heads if head is not None]
        if any(head.stype != "default" for head in flowing):
            return None
        wanted = tuple([entry is not None for entry in self.inputs])
        use = GradientUse(wanted, tuple([head is not None for head in heads]), self.train)
        given = [head.elements for head in flowing]
        results = compiled_gradients(self.application, self.arrays, given, use, current_run())
        if results is None:
            return None
        return [None if array is None else wrap(array) for array in results]


def record(
    application: Application,
    inputs: Sequence[NDArray],
    arrays: list[Array],
    outputs: Sequence[NDArray],
) -> None:
    """Put an operator that has just run on the tape, if it depends on anything recorded."""
    entries = [None if x.tape_entry is None else entry_of(x) for x in inputs]
    for entry in entries:
        if entry is not None:
            break
    else:
        return
    made = OperatorRecord(
        application, entries, [*arrays, *[o.elements for o in outputs]], STATE.training
    )
    put(made, inputs, outputs)


def put(made: Record, inputs: Sequence[NDArray], outputs: Sequence[NDArray]) -> None:
    """Mark arrays as the outputs of a record, and protect the constants that it reads from writes."""
    reader = None
    for x, entry in zip(inputs, made.inputs, strict=False):
        if entry is None:
            if reader is None:
                reader = ref(made)
            x.last_reader = reader
    for index, output in enumerate(outputs):
        output.tape_entry = (made, index)


def check_writable(target: NDArray, inputs: Sequence[NDArray] = ()) -> None:
    """Raise an error for overwriting, while recording, an array that a later backward needs.

    Parameters
    ----------
    target : the array to be written
    inputs : the arrays that the new elements are computed from

    Raises
    ------
    MXNetError
        while recording, if `target` is a variable, or a result or an operand of a recorded computation
    """
    if not STATE.recording:
        return
    reader = None if target.last_reader is None else target.last_reader()
    if entry_of(target) is not None or (reader is not None and not reader.freed):
        raise MXNetError(
            describe(
                _IN_USE,
                facts=[f"the array assigned to: shape {target.shape}"],
                hint="assign under autograd.pause(), or make a new array (x = x + y)",
            )
        )
    if any(x is target for x in inputs) and any(entry_of(x) is not None for x in inputs):
        raise MXNetError(describe(_IN_PLACE, hint="make a new array: x = x + y"))
