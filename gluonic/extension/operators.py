"""A library's operators as operators of gluonic's registry, with their gradients.

As with `Custom`, a hidden output of a stateful operator carries its state to the backward.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from gluonic.extension.binary import Attributes, ExtensionBinary
from gluonic.extension.catalogue import OperatorEntry
from gluonic.extension.compute import Computation, OperatorState, create_state
from gluonic.extension.inference import Inference, LibraryInference
from gluonic.extension.stored import call_stored
from gluonic.graph import Application, Array, NativeCall, Operator, Signatures
from gluonic.graph.carried import OBJECT, carried
from gluonic.graph.errors import AttributeValueError, InferenceError, describe
from gluonic.graph.json.writer import SUBGRAPHS
from gluonic.graph.storage.forms import Kinds, stored
from gluonic.graph.storage.values import DEFAULT, Value, kind_of
from gluonic.graph.view import NodeView, Unknown, peek, put, settings_of
from gluonic.ndarray import NDArray
from gluonic.ndarray.state import STATE as MODES
from gluonic.ndarray.storage.arrays import made, value_of
from gluonic.ndarray.storage.dispatch import (
    OF_DENSE,
    forget_storage,
    record_stored,
    runs_in_its_own_way,
)
from gluonic.support.cached_property import cached_property

EXTRA_INPUTS = "__ext_extra_inputs__"
EXTRA_ATTRIBUTES = (EXTRA_INPUTS, "__ext_shape__", "__ext_dtype__", SUBGRAPHS)
STATE = "op_state"
_MOST_USES = 1024


class OperatorUse:
    """An operator with given attributes, as the library sees it.

    Attributes
    ----------
    inputs : the names of its inputs
    inferred : with how many of them shapes and dtypes are inferred; the rest are extra inputs
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
        """What is wrong with calls with dense arrays that give dense ones; None if nothing is."""
        dense = [DEFAULT] * self.inferred
        try:
            kinds = self.inference.storage(dense, len(self.outputs)) or []
        except InferenceError as error:
            return error
        for i, kind in enumerate(kinds):
            if kind != DEFAULT:
                return InferenceError(
                    f"{self.entry.name} makes output {i} {kind}, which a compiled graph cannot hold"
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
        """Run the forward; of a stateful operator the state is the last result."""
        if self.dense_fault is not None:
            raise self.dense_fault
        if self.stateful and state is None:
            state = self.new_state(arrays)
        results = self.forward(arrays, self._promise, self.mutated, state)
        if state is not None:
            results.append(carried(state))
        return tuple(results)

    def kinds(self, given: Sequence[str]) -> list[str] | None:
        """The storage kinds of the outputs; None if the operator takes and gives dense arrays alone."""
        return self.inference.storage(given[: self.inferred], len(self.outputs))

    def compute_stored(
        self, values: Sequence[Value], kinds: Sequence[str], state: OperatorState | None = None
    ) -> list[Any]:
        """Run the forward with values of any storage kinds; see `compute`."""
        if self.stateful and state is None:
            state = self.new_state(values)
        found: list[Any] = list(call_stored(self.forward, values, self._promise, kinds, state))
        return found if state is None else [*found, carried(state)]

    def _promise(self, arrays: Sequence[Any]) -> Any:
        inferred = arrays[: self.inferred]
        _, shapes = self.inference.shapes([a.shape for a in inferred], len(self.outputs))
        _, dtypes = self.inference.dtypes([a.dtype for a in inferred], len(self.outputs))
        return tuple(zip(shapes, dtypes, strict=True))

    def promised_gradients(self, arrays: Sequence[Array]) -> Any:
        """Tell the shapes and dtypes of the gradients: those of the inputs, behind the outputs' gradients."""
        begin = len(self.outputs)
        return tuple([(a.shape, a.dtype) for a in arrays[begin : begin + len(self.inputs)]])


class KeptState(Application):
    """A use of a stateful operator that makes its state at the first call and keeps it.

    Attributes
    ----------
    state_for : the state; made for such arrays, if this is the first call
    """

    __slots__ = ("state_for",)

    def __init__(self, application: Application, use: OperatorUse) -> None:
        super().__init__(application.op, application.settings)
        made: list[OperatorState] = []

        def state_for(arrays: Sequence[Value]) -> OperatorState:
            if not made:
                made.append(use.new_state(arrays))
            return made[0]

        self.state_for = state_for  # no method: states go with the last reference to the use
        self.call = lambda *arrays: use.compute(arrays, state_for(arrays))


def _extra_inputs(attributes: Attributes, name: str) -> int:
    text = attributes.values.get(EXTRA_INPUTS, "0")
    if not text.isdecimal():
        raise AttributeValueError(describe(f"{EXTRA_INPUTS}={text!r} must be a number", where=name))
    return int(text)


def output_names(count: int) -> list[str]:
    """Name the outputs of an operator as MXNet does."""
    return ["output"] if count == 1 else [f"output{i}" for i in range(count)]


class LoadedOperator:
    """An operator of a library: what its rules and kernels share.

    Attributes
    ----------
    operators : to be registered: the operator and, if it has one, its gradient
    """

    def __init__(self, binary: ExtensionBinary, entry: OperatorEntry) -> None:
        self.binary, self.entry = binary, entry
        self._uses: dict[Any, OperatorUse] = {}
        self.gradient_name = f"_backward_{entry.name}"
        forward = self._forward()
        self.operators = [forward]
        if entry.backward or entry.create_state:
            forward.all_gradients(self._gradients)
            self.operators.append(self._backward())

    def register_storage(self) -> None:
        """Say how the operator works on stored values, if its library does."""
        name = self.entry.name
        forget_storage(name)  # an operator of this name may have been loaded before
        if self.entry.infer_storage_type:
            stored(name, gives=self._kinds, of_dense=True)(_never)
            OF_DENSE.add(name)
            runs_in_its_own_way(name)(self._run_stored)

    def use(self, settings: Mapping[str, str]) -> OperatorUse:
        """Return the operator with these attributes."""
        key = tuple(settings.items())
        found = self._uses.get(key)
        if found is None:
            if len(self._uses) > _MOST_USES:
                self._uses.clear()
            found = self._uses[key] = self._new_use(settings)
        return found

    def _new_use(self, settings: Mapping[str, str]) -> OperatorUse:
        attributes = Attributes(settings)
        inference = LibraryInference(self.binary, self.entry, attributes)
        return OperatorUse(self.binary, self.entry, attributes, inference)

    def _forward(self) -> Operator:
        stateful = bool(self.entry.create_state)

        def kernel(*data: Array, **settings: str) -> Any:
            return self.use(settings).compute(data)

        kernel.__doc__ = (
            f"Run the operator {self.entry.name} of an extension library.\n\n"
            "Parameters\n----------\n"
            "data : its inputs\n"
            "settings : its attributes, which the library reads as strings\n\n"
            f"The library: {self.binary.title}"
        )
        return Operator(
            self.entry.name,
            kernel,
            arguments=lambda n: self.use(vars(n)).inputs,
            auxiliary=lambda n: _named(self.use(vars(n))),
            outputs=lambda n: self.use(vars(n)).outputs + [STATE] * stateful,
            visible=lambda n: len(self.use(vars(n)).outputs),
            shape=self._infer_shape,
            dtype=self._infer_dtype,
            keeps_state=self._with_state if stateful else None,
            is_loss=bool(self.entry.backward or stateful),  # only the library knows what it is
            native=self._native_forward,
            extra_attributes=EXTRA_ATTRIBUTES,
        )

    def _native_forward(
        self, application: Application, inputs: Signatures, outputs: Signatures
    ) -> NativeCall | None:
        use = self.use(application.settings)
        plain = not use.mutated and use.dense_fault is None
        return use.forward.native(inputs, outputs) if plain else None

    def _native_backward(
        self, application: Application, inputs: Signatures, outputs: Signatures
    ) -> NativeCall | None:
        return self.use(application.settings).backward.native(inputs, outputs)

    def _with_state(self, application: Application) -> Application:
        return KeptState(application, self.use(application.settings))

    def _kinds(self, application: Application, kinds: Kinds) -> Kinds | None:
        """The storage kinds of the outputs, that of a state included; None if everything is dense."""
        use = self.use(application.settings)
        found = use.kinds(kinds)
        if found is None or {DEFAULT} >= {*found, *kinds}:
            return None
        return (*found, *[DEFAULT] * use.stateful)

    def _run_stored(self, application: Application, inputs: Sequence[NDArray]) -> list[NDArray]:
        """Run the operator on arrays of any storage kinds; see `gluonic.ndarray.invoke.invoke`."""
        use = self.use(application.settings)
        values = [value_of(x) for x in inputs]
        kinds = use.kinds([kind_of(value) for value in values])
        assert kinds is not None
        state = None
        if isinstance(application, KeptState):
            state = application.state_for(values)
        outputs = [made(value) for value in use.compute_stored(values, kinds, state)]
        for output in outputs:
            output.stated_context = inputs[0].stated_context if inputs else None
        if MODES.recording:
            record_stored(application, inputs, values, outputs)
        return outputs

    def _infer_shape(self, n: NodeView) -> None:
        use = self.use(settings_of(n))
        if use.stateful:
            put(n, STATE, ())
        names = use.inputs[: use.inferred]
        inputs, outputs = use.inference.shapes([peek(n, x) for x in names], len(use.outputs))
        _learn(n, [*names, *use.outputs], [*inputs, *outputs])

    def _infer_dtype(self, n: NodeView) -> None:
        use = self.use(settings_of(n))
        if use.stateful:
            put(n, STATE, OBJECT)
        names = use.inputs[: use.inferred]
        inputs, outputs = use.inference.dtypes([peek(n, x) for x in names], len(use.outputs))
        _learn(n, [*names, *use.outputs], [*inputs, *outputs])

    def _gradients(self, F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
        use = self.use(settings_of(n))
        outputs = [getattr(n, name) for name in use.outputs]
        found = getattr(F, self.gradient_name)(
            *([getattr(n, STATE)] if use.stateful else []),
            *[
                F.zeros_like(output) if head is None else head
                for output, head in zip(outputs, heads, strict=False)
            ],
            *[getattr(n, name) for name in use.inputs],
            *outputs,
            **settings_of(n),
        )
        return dict(zip(use.inputs, found if isinstance(found, list) else [found], strict=True))

    def _backward(self) -> Operator:
        def kernel(*data: Array, **settings: str) -> Any:
            use = self.use(settings)
            state = data[0].item() if use.stateful else None
            given = data[1:] if use.stateful else data
            return tuple(use.backward(given, use.promised_gradients, (), state))

        kernel.__doc__ = f"Run the backward of the operator {self.entry.name}."
        return Operator(
            self.gradient_name,
            kernel,
            arguments=lambda n: _backward_names(self.use(vars(n))),
            outputs=lambda n: [f"grad_{name}" for name in self.use(vars(n)).inputs],
            shape=self._like_inputs,
            dtype=self._like_inputs,
            native=self._native_backward,
            extra_attributes=EXTRA_ATTRIBUTES,
        )

    def _like_inputs(self, n: NodeView) -> None:
        for name in self.use(settings_of(n)).inputs:
            if (known := peek(n, name)) is None:
                raise Unknown
            put(n, f"grad_{name}", known)


def _never(application: Application, *values: Value) -> Value:
    raise NotImplementedError("operators of libraries run on arrays, not on their values")


def _named(use: OperatorUse) -> list[str]:
    return [use.inputs[i] for i in use.mutated]


def _backward_names(use: OperatorUse) -> list[str]:
    heads = [f"head_{name}" for name in use.outputs]
    return [STATE] * use.stateful + heads + use.inputs + use.outputs


def _learn(n: NodeView, names: Sequence[str], facts: Sequence[Any]) -> None:
    for name, fact in zip(names, facts, strict=True):
        if fact is not None:
            put(n, name, fact)
