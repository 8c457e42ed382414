"""A library's operators as operators of gluonic's registry, with their gradients.

As with `Custom`, a hidden output of a stateful operator passes its state to the backward.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from gluonic.extension.binary import Attributes, ExtensionBinary
from gluonic.extension.catalogue import OperatorEntry
from gluonic.extension.inference import LibraryInference
from gluonic.extension.use import EXTRA_INPUTS, KeptState, OperatorUse
from gluonic.graph import Application, Array, NativeCall, Operator, Signatures
from gluonic.graph.all_gradients import by_input, or_zeros
from gluonic.graph.carried import OBJECT
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

EXTRA_ATTRIBUTES = (EXTRA_INPUTS, "__ext_shape__", "__ext_dtype__", SUBGRAPHS)
STATE = "op_state"
_MOST_USES = 1024


class LoadedOperator:
    """An operator of a library: the shared data of its rules and kernels.

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
        """Declare how the operator works on stored values, if its library supports them."""
        ways = (self._kinds, self._run_stored), (self._gradient_kinds, self._run_gradient)
        for operator, (kinds, run) in zip(self.operators, ways, strict=False):
            name = operator.name
            forget_storage(name)  # an operator of this name may have been loaded before
            if self.entry.infer_storage_type:
                stored(name, gives=kinds, of_dense=True)(_never)
                OF_DENSE.add(name)
                runs_in_its_own_way(name)(run)

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
            is_loss=bool(self.entry.backward or stateful),  # only the library knows
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
        use = self.use(application.settings)
        return use.backward.native(inputs, outputs) if use.dense_gradient_fault is None else None

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
        return _given_back(application, inputs, values, use.compute_stored(values, kinds, state))

    def _gradient_kinds(self, application: Application, kinds: Kinds) -> Kinds | None:
        """The storage kinds of the gradients; None if everything is dense."""
        use = self.use(application.settings)
        found = use.gradient_kinds(kinds[use.stateful :])
        return None if found is None or {DEFAULT} >= {*found, *kinds} else tuple(found)

    def _run_gradient(self, application: Application, inputs: Sequence[NDArray]) -> list[NDArray]:
        """Run the backward on arrays of any storage kinds."""
        use = self.use(application.settings)
        values = [value_of(x) for x in inputs]
        given = values[use.stateful :]
        state = inputs[0].elements.item() if use.stateful else None
        kinds = use.gradient_kinds([kind_of(value) for value in given])
        assert kinds is not None
        return _given_back(application, inputs, values, use.gradients_stored(given, kinds, state))

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
            *or_zeros(F, heads, outputs),
            *[getattr(n, name) for name in use.inputs],
            *outputs,
            **settings_of(n),
        )
        return by_input(use.inputs, found)

    def _backward(self) -> Operator:
        def kernel(*data: Array, **settings: str) -> Any:
            use = self.use(settings)
            if use.dense_gradient_fault is not None:
                raise use.dense_gradient_fault
            state = data[0].item() if use.stateful else None
            given = data[1:] if use.stateful else data
            return tuple(use.backward(given, use.inferred_gradients, (), state))

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


def _given_back(
    application: Application,
    inputs: Sequence[NDArray],
    values: list[Value],
    found: Sequence[Value],
) -> list[NDArray]:
    """The arrays that an operator gives, on the tape if it is to be there."""
    context = inputs[0].stated_context if inputs else None
    outputs = [made(value, context) for value in found]
    if MODES.recording:
        record_stored(application, inputs, values, outputs)
    return outputs


def _named(use: OperatorUse) -> list[str]:
    return [use.inputs[i] for i in use.mutated]


def _backward_names(use: OperatorUse) -> list[str]:
    heads = [f"head_{name}" for name in use.outputs]
    return [STATE] * use.stateful + heads + use.inputs + use.outputs


def _learn(n: NodeView, names: Sequence[str], facts: Sequence[Any]) -> None:
    for name, fact in zip(names, facts, strict=True):
        if fact is not None:
            put(n, name, fact)
