"""`Custom` as an operator of graphs and of the tape.

A hidden output carries the user's operator object to its backward, so that one definition serves the tape,
compiled graphs and executors.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gluonic.graph import Application, Array, Run
from gluonic.graph.all_gradients import by_input, wanted_indices
from gluonic.graph.application import told_apart
from gluonic.graph.carried import OBJECT, carried
from gluonic.graph.operator import operator
from gluonic.graph.rules import gradients_like
from gluonic.graph.view import NodeView, Unknown, peek, put, settings_of, slots_of
from gluonic.ndarray.custom import CustomOp, CustomOpProp, is_registered, new_prop, on_change
from gluonic.ndarray.custom_call import (
    CustomSignature,
    Dependency,
    as_shape,
    backward,
    checked,
    site_of,
)
from gluonic.support.caches import Cache

_CARRIED = "_custom_op"
_NEVER_FOR_WANT_OF_A_SHAPE = (NameError, AttributeError, ImportError, NotImplementedError)

_props: Cache[Any, CustomOpProp] = Cache()
on_change(_props.clear)


def prop_of(settings: Mapping[str, str]) -> CustomOpProp:
    """The `CustomOpProp` for the attributes, for names and partial shapes."""
    key = tuple(settings.items())
    found = _props.get(key)
    if found is None:
        found = _props.remember(key, new_prop(settings))
    return found


def _names(n: Any) -> list[str]:
    prop = prop_of(vars(n))
    return list(told_apart((*prop.list_arguments(), *prop.list_auxiliary_states())))


def _states(n: Any) -> list[str]:
    return _names(n)[len(prop_of(vars(n)).list_arguments()) :]


class _Slots:
    """What the rules call the inputs, states and outputs of a user's operator."""

    def __init__(self, n: NodeView, prop: CustomOpProp) -> None:
        names, inputs = list(slots_of(n)), len(prop.list_arguments())
        first = inputs + len(prop.list_auxiliary_states())
        self.inputs, self.states = names[:inputs], names[inputs:first]
        self.outputs, self.carried = names[first:-1], names[-1]


class KeptCustom(Application):
    """An application whose operator object is created at the first call and kept, as in MXNet's executors.

    Attributes
    ----------
    made : the objects, one for each kind of call
    """

    __slots__ = ("made",)

    def __init__(self, application: Application) -> None:
        super().__init__(application.op, application.settings)
        settings = self.settings
        made: dict[CustomSignature, CustomOp] = {}

        def call(*data: Array, run: Run) -> Any:
            return _run(settings, data, run, made)

        self.call, self.made = call, made


def op_of(site: CustomSignature, made: dict[CustomSignature, CustomOp]) -> CustomOp:
    """The operator object for a kind of call; created at the first call and kept."""
    op = made.get(site)
    if op is None:
        op = made[site] = site.new_op()
    return op


@operator(
    "Custom",
    arguments=_names,
    auxiliary=_states,
    outputs=lambda n: [*prop_of(vars(n)).list_outputs(), _CARRIED],
    visible=lambda n: len(prop_of(vars(n)).list_outputs()),
    is_loss=True,  # `backward` may compute gradients from zeros
    calls_back=True,
    keeps_state=KeptCustom,
    is_there=is_registered,
)
def custom(*data: Array, op_type: str, run: Run, **settings: str) -> Any:
    """Run an operator written in Python.

    Parameters
    ----------
    data : its inputs, then its auxiliary states
    op_type : the name under which its `CustomOpProp` is registered
    settings : passed to the `CustomOpProp`, as strings
    """
    return _run({"op_type": op_type, **settings}, data, run, {})


on_change(custom.applications.clear)


def _run(
    settings: Mapping[str, str],
    data: Sequence[Array],
    run: Run,
    made: dict[CustomSignature, CustomOp],
) -> tuple[Array, ...]:
    """Call the operator's forward; `made` keeps its object for each kind of call."""
    site = site_of(settings, data)
    op = op_of(site, made)
    arrays = [a if i >= site.count else _lasting(a) for i, a in enumerate(data)]
    return (*site.forward(op, arrays, run.train), carried(op))


def _lasting(array: Array) -> Array:
    """An array that the user may keep: not a view of memory that other operators will reuse."""
    return array if array.base is None and array.flags.c_contiguous else array.copy()


# ------------------------------------------------------------------------------------ inference


def _for_user(shape: Any) -> list[int]:
    return [] if shape is None else [0 if axis is None else axis for axis in shape]


@custom.infer_shape
def _(n: NodeView) -> None:
    prop = prop_of(settings_of(n))
    slots = _Slots(n, prop)
    put(n, slots.carried, ())
    known = [peek(n, name) for name in slots.inputs]
    whole = all(shape is not None and None not in shape for shape in known)
    try:
        result = prop.infer_shape([_for_user(shape) for shape in known])
    except _NEVER_FOR_WANT_OF_A_SHAPE:
        raise
    except Exception:
        if whole:
            raise
        raise Unknown from None  # the user's code got an input whose shape is not known yet
    inputs, outputs, auxiliary = checked(result, prop, "infer_shape")
    all_slots = [*slots.inputs, *slots.outputs, *slots.states]
    for name, shape in zip(all_slots, [*inputs, *outputs, *auxiliary], strict=True):
        if shape is not None and (whole or len(shape)):
            sizes = as_shape(shape, prop)
            put(n, name, tuple(axis if whole or axis else None for axis in sizes))


@custom.infer_dtype
def _(n: NodeView) -> None:
    prop = prop_of(settings_of(n))
    slots = _Slots(n, prop)
    put(n, slots.carried, OBJECT)
    known = [peek(n, name) for name in slots.inputs]
    first = next((dtype for dtype in known if dtype is not None), None)
    if slots.inputs and first is None:
        raise Unknown
    filled = [np.dtype(first if dtype is None else dtype).type for dtype in known]
    inputs, outputs, auxiliary = checked(prop.infer_type(filled), prop, "infer_type")
    all_slots = [*slots.inputs, *slots.outputs, *slots.states]
    for name, dtype in zip(all_slots, [*inputs, *outputs, *auxiliary], strict=True):
        put(n, name, np.dtype(dtype))


# ------------------------------------------------------------------------------------- gradient


@custom.all_gradients
def _(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
    prop = prop_of(settings_of(n))
    reads = Dependency(prop)
    slots = _Slots(n, prop)
    names, states = slots.inputs, slots.states
    values = [getattr(n, name) for name in slots.outputs]
    found = F._backward_Custom(
        getattr(n, slots.carried),
        *[getattr(n, name) for name in names],
        *[getattr(n, name) for name in states],
        *[F.zeros_like(values[i]) if heads[i] is None else heads[i] for i in reads.heads],
        *[values[i] for i in reads.outputs],
        inputs=len(names),
        states=len(states),
        output_count=len(values),
        heads=reads.heads,
        outputs=reads.outputs,
        reads=reads.inputs,
        wanted=tuple(i for i in wanted_indices(n) if i < len(names)),
        op_type=settings_of(n)["op_type"],
    )
    return by_input(names, found)


@operator(
    "_backward_Custom",
    count="num_args",
    outputs=lambda n: [f"in_grad{i}" for i in range(n.inputs)],
    calls_back=True,
)
def backward_custom(
    custom_op: Array,
    *data: Array,
    num_args: int,
    inputs: int,
    states: int,
    output_count: int,
    heads: tuple[int, ...],
    outputs: tuple[int, ...],
    reads: tuple[int, ...],
    wanted: tuple[int, ...],
    op_type: str = "",
) -> Any:
    """Call the `backward` of an operator written in Python.

    Parameters
    ----------
    custom_op : the operator object from the forward call
    data : inputs, states, the gradients `heads` of the outputs and the outputs `outputs`
    inputs, states, output_count : their numbers
    heads, outputs, reads : the indices of outputs' gradients, outputs and inputs that are declared as read
    wanted : the inputs whose gradients are requested
    op_type : the name under which the operator is registered
    """
    given, aux = data[:inputs], data[inputs : inputs + states]
    rest = iter(data[inputs + states :])
    out_grad = [_lasting(next(rest)) if i in heads else None for i in range(output_count)]
    out_data = [_lasting(next(rest)) if i in outputs else None for i in range(output_count)]
    in_data = [_lasting(a) if i in reads else None for i, a in enumerate(given)]
    like = [(a.shape, a.dtype) for a in given]
    op: CustomOp = custom_op.item()
    return tuple(backward(op, in_data, aux, out_grad, out_data, like, wanted, op_type))


backward_custom.shape = backward_custom.dtype = gradients_like("data", "in_grad")
