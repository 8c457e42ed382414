"""An operator of a library with given attributes: its inputs and outputs, its forward and backward."""

from collections.abc import Callable, Sequence
from typing import Any

from gluonic.extension.binary import Attributes, ExtensionBinary
from gluonic.extension.catalogue import OperatorEntry
from gluonic.extension.compute import Computation, OperatorState, create_state
from gluonic.extension.inference import Inference
from gluonic.extension.stored import call_stored
from gluonic.graph import Application, Array
from gluonic.graph.carried import carried
from gluonic.graph.errors import AttributeValueError, InferenceError, describe
from gluonic.graph.storage.values import DEFAULT, Value
from gluonic.support.cached_property import cached_property

EXTRA_INPUTS = "__ext_extra_inputs__"


class OperatorUse:
    """An operator with given attributes, as the library sees it.

    Attributes
    ----------
    inputs : the names of its inputs
    inferred : number of inputs that take part in inference; the rest are extra inputs
    outputs : the names of its outputs
    mutated : the positions of the inputs it changes
    """

    def __init__(
        self,
        binary: ExtensionBinary,
        entry: OperatorEntry,
        attributes: Attributes,
        inference: Inference,
    ) -> None:
        self.binary, self.entry = binary, entry
        self.attributes, self.inference = attributes, inference
        count, num_out = inference.counts()
        self.inferred = count
        self.inputs = [f"data{i}" for i in range(count + _extra_inputs(attributes, entry.name))]
        self.outputs = output_names(num_out)
        self.mutated = self.inference.mutated(len(self.inputs))
        self.forward = Computation(binary, entry, self.attributes, forward=True)
        self.backward = Computation(binary, entry, self.attributes, forward=False)

    @cached_property
    def dense_fault(self) -> InferenceError | None:
        """The error for calls with dense inputs and outputs; None if they are supported."""
        return self._dense_fault(self.entry.name, self.kinds, len(self.inputs))

    @cached_property
    def dense_gradient_fault(self) -> InferenceError | None:
        """The error for dense gradients of dense arrays; None if they are supported."""
        count = len(self.inputs) + 2 * len(self.outputs)
        return self._dense_fault(f"the backward of {self.entry.name}", self.gradient_kinds, count)

    @staticmethod
    def _dense_fault(
        name: str, kinds: Callable[[Sequence[str]], list[str] | None], count: int
    ) -> InferenceError | None:
        try:
            found = kinds([DEFAULT] * count) or []
        except InferenceError as error:
            return error
        for i, kind in enumerate(found):
            if kind != DEFAULT:
                return InferenceError(
                    f"{name} makes output {i} {kind}, which a compiled graph cannot hold"
                )
        return None

    @property
    def stateful(self) -> bool:
        """Whether the operator has a state."""
        return self.forward.stateful

    def new_state(self, arrays: Sequence[Value]) -> OperatorState:
        """Make a state for inputs such as these."""
        return create_state(self.binary, self.entry, self.attributes, arrays)

    def compute(self, arrays: Sequence[Array], state: OperatorState | None = None) -> Any:
        """Run the forward; for a stateful operator, the state is the last result."""
        if self.dense_fault is not None:
            raise self.dense_fault
        if self.stateful and state is None:
            state = self.new_state(arrays)
        results = self.forward(arrays, self._infer, self.mutated, state)
        if state is not None:
            results.append(carried(state))
        return tuple(results)

    def kinds(self, given: Sequence[str]) -> list[str] | None:
        """The storage kinds of the outputs; None if the operator supports only dense arrays."""
        return self.inference.storage(given[: self.inferred], len(self.outputs))

    def gradient_kinds(self, given: Sequence[str]) -> list[str] | None:
        """The storage kinds of the gradients for those of the outputs' gradients, the inputs and the outputs.

        As in MXNet, the library infers them with the function for those of outputs.
        """
        counted = given[: len(given) - (len(self.inputs) - self.inferred)]
        return self.inference.storage(counted, len(self.inputs))

    def compute_stored(
        self, values: Sequence[Value], kinds: Sequence[str], state: OperatorState | None = None
    ) -> list[Any]:
        """Run the forward with values of any storage kinds; see `compute`."""
        if self.stateful and state is None:
            state = self.new_state(values)
        found: list[Any] = list(call_stored(self.forward, values, self._infer, kinds, state))
        return found if state is None else [*found, carried(state)]

    def _infer(self, arrays: Sequence[Any]) -> Any:
        inferred = arrays[: self.inferred]
        _, shapes = self.inference.shapes([a.shape for a in inferred], len(self.outputs))
        _, dtypes = self.inference.dtypes([a.dtype for a in inferred], len(self.outputs))
        return tuple(zip(shapes, dtypes, strict=True))

    def gradients_stored(
        self, values: Sequence[Value], kinds: Sequence[str], state: OperatorState | None
    ) -> list[Value]:
        """Run the backward with values of any storage kinds."""
        return call_stored(self.backward, values, self.inferred_gradients, kinds, state)

    def inferred_gradients(self, arrays: Sequence[Value]) -> Any:
        """The shapes and dtypes of the gradients: those of the inputs, which follow the outputs' gradients."""
        begin = len(self.outputs)
        return tuple([(a.shape, a.dtype) for a in arrays[begin : begin + len(self.inputs)]])


class KeptState(Application):
    """An application of a stateful operator that creates its state at the first call and keeps it.

    Attributes
    ----------
    state_for : returns the state; the first call creates it for the given arrays
    """

    __slots__ = ("state_for",)

    def __init__(self, application: Application, use: OperatorUse) -> None:
        super().__init__(application.op, application.settings)
        made: list[OperatorState] = []

        def state_for(arrays: Sequence[Value]) -> OperatorState:
            if not made:
                made.append(use.new_state(arrays))
            return made[0]

        self.state_for = state_for  # not a method: states are freed with `self`
        self.call = lambda *arrays: use.compute(arrays, state_for(arrays))


def _extra_inputs(attributes: Attributes, name: str) -> int:
    text = attributes.values.get(EXTRA_INPUTS, "0")
    if not text.isdecimal():
        raise AttributeValueError(describe(f"{EXTRA_INPUTS}={text!r} must be a number", where=name))
    return int(text)


def output_names(count: int) -> list[str]:
    """Name the outputs of an operator as in MXNet."""
    return ["output"] if count == 1 else [f"output{i}" for i in range(count)]
