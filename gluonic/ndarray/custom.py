"""Operators written in Python: `CustomOp`, `CustomOpProp`, `register`, and the operator `Custom`.

Callbacks run in the calling thread, at once. A hidden output of `Custom` carries the user's operator object
to its backward, so the same definition serves the tape, compiled graphs and executors.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gluonic.graph.errors import MXNetError, describe, nearest
from gluonic.graph.operator import Array, Run, operator
from gluonic.graph.view import NodeView, Unknown
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.context import current_context
from gluonic.ndarray.differentiate import flags

_OBJECT = np.dtype(object)


class CustomOp:
    """The computation of an operator written in Python: `forward` and `backward`."""

    def forward(
        self,
        is_train: bool,
        req: list[str],
        in_data: list[NDArray],
        out_data: list[NDArray],
        aux: list[NDArray],
    ) -> None:
        """Compute `out_data` from `in_data`.

        Parameters
        ----------
        is_train : whether this is training
        req : for each output how to write it: ``null``, ``write``, ``inplace`` or ``add``; see `assign`
        in_data : the inputs
        out_data : buffers for the outputs
        aux : auxiliary states, to be changed in place
        """
        raise NotImplementedError(f"{type(self).__name__}.forward")

    def backward(
        self,
        req: list[str],
        out_grad: list[NDArray],
        in_data: list[NDArray],
        out_data: list[NDArray],
        in_grad: list[NDArray],
        aux: list[NDArray],
    ) -> None:
        """Compute `in_grad` from `out_grad`; what `declare_backward_dependency` left out is empty."""
        raise NotImplementedError(f"{type(self).__name__}.backward: no gradient is written")

    def assign(self, dst: NDArray, req: str, src: Any) -> None:
        """Write `src` to `dst` as `req` asks."""
        if req == "null":
            return
        values = src._data if isinstance(src, NDArray) else src
        if req in ("write", "inplace"):
            np.copyto(dst._data, values, casting="unsafe")
        elif req == "add":
            np.add(dst._data, values, out=dst._data, casting="unsafe")
        else:
            raise ValueError(f"req must be null, write, inplace or add, not {req!r}")


class CustomOpProp:
    """The properties of an operator written in Python: its names, shapes and dtypes.

    Parameters
    ----------
    need_top_grad : whether `backward` needs the gradients of the outputs (a loss does not)
    """

    def __init__(self, need_top_grad: bool = True) -> None:
        self.need_top_grad_ = need_top_grad

    def list_arguments(self) -> list[str]:
        """Return the names of the inputs."""
        return ["data"]

    def list_outputs(self) -> list[str]:
        """Return the names of the outputs."""
        return ["output"]

    def list_auxiliary_states(self) -> list[str]:
        """Return the names of the auxiliary states."""
        return []

    def infer_shape(self, in_shape: list[list[int]]) -> Any:
        """Return the shapes of inputs, outputs and states; by default all are as the first input.

        An input whose shape is to be inferred has the shape ``[]`` in `in_shape`.
        """
        return in_shape, (in_shape[0],) * len(self.list_outputs()), ()

    def infer_type(self, in_type: list[Any]) -> Any:
        """Return the dtypes of inputs, outputs and states; by default all are as the first input."""
        return (
            in_type,
            [in_type[0]] * len(self.list_outputs()),
            [in_type[0]] * len(self.list_auxiliary_states()),
        )

    def infer_storage_type(self, in_stype: list[str]) -> Any:
        """Return the storage types of inputs, outputs and states; all are dense."""
        return (
            in_stype,
            ["default"] * len(self.list_outputs()),
            ["default"] * len(self.list_auxiliary_states()),
        )

    def declare_backward_dependency(
        self, out_grad: list[int], in_data: list[int], out_data: list[int]
    ) -> list[int]:
        """Return which of these numbers `backward` reads."""
        needed = list(out_grad) if self.need_top_grad_ else []
        return [*needed, *in_data, *out_data]

    def create_operator(self, ctx: Any, in_shapes: list[Any], in_dtypes: list[Any]) -> CustomOp:
        """Return the `CustomOp` that computes."""
        return CustomOp()


_registered: dict[str, type[CustomOpProp]] = {}


def register(reg_name: str) -> Callable[[type[CustomOpProp]], type[CustomOpProp]]:
    """Register a `CustomOpProp` class as an operator for ``op_type=reg_name``.

    Registering a name again replaces the earlier class.
    """

    def do_register(prop_class: type[CustomOpProp]) -> type[CustomOpProp]:
        if not (inspect.isclass(prop_class) and issubclass(prop_class, CustomOpProp)):
            raise TypeError(f"register({reg_name!r}) decorates a subclass of CustomOpProp")
        _registered[reg_name] = prop_class
        _declared.clear()
        _prepared.clear()
        custom.applications.clear()
        return prop_class

    return do_register


def get_all_registered_operators() -> list[str]:
    """Return the names under which operators written in Python are registered."""
    return list(_registered)


def _new_prop(settings: Mapping[str, str]) -> CustomOpProp:
    op_type = settings["op_type"]
    if op_type not in _registered:
        raise MXNetError(
            describe(
                f"no operator is registered as op_type={op_type!r}{nearest(op_type, _registered)}",
                where="Custom",
                facts=[f"registered: {', '.join(_registered) or 'none'}"],
                hint=f"import the module that has @mx.operator.register({op_type!r}) first",
            )
        )
    keywords = {name: value for name, value in settings.items() if name != "op_type"}
    prop_class = _registered[op_type]
    try:
        return prop_class(**keywords)  # type: ignore[arg-type]
    except TypeError as error:
        try:
            inspect.signature(prop_class).bind(**keywords)
        except TypeError:
            raise MXNetError(
                describe(
                    f"{prop_class.__name__} does not take these attributes: {error}",
                    where=f"Custom op_type={op_type!r}",
                    facts=[f"given: {', '.join(keywords) or 'none'}"],
                )
            ) from error
        raise


_declared: dict[Any, CustomOpProp] = {}


def _prop(settings: Mapping[str, str]) -> CustomOpProp:
    """The properties that go with the attributes, for asking names and partial shapes."""
    key = tuple(settings.items())
    found = _declared.get(key)
    if found is None:
        found = _declared[key] = _new_prop(settings)
    return found


class _Prepared(NamedTuple):
    """Properties that have seen the shapes and dtypes of a call, as users' classes may remember them."""

    prop: CustomOpProp
    in_shapes: list[tuple[int, ...]]
    in_dtypes: list[Any]
    out_shapes: list[tuple[int, ...]]
    out_dtypes: list[Any]


_prepared: dict[Any, _Prepared] = {}


def _prepare(settings: dict[str, str], arrays: Sequence[Array]) -> _Prepared:
    prop = _new_prop(settings)
    count = len(prop.list_arguments())
    shapes = [a.shape for a in arrays[:count]]
    dtypes = [a.dtype.type for a in arrays[:count]]
    _, outputs, _ = _three(prop.infer_shape([list(s) for s in shapes]), prop, "infer_shape")
    _, output_types, _ = _three(prop.infer_type(list(dtypes)), prop, "infer_type")
    return _Prepared(
        prop, shapes, dtypes, [tuple(s) for s in outputs], [np.dtype(t) for t in output_types]
    )


def _three(result: Any, prop: CustomOpProp, method: str) -> tuple[Any, Any, Any]:
    """What `infer_shape` or `infer_type` returned, checked: inputs, outputs, states."""
    parts = tuple(result) if isinstance(result, (tuple, list)) else ()
    if len(parts) == 2:
        parts = (*parts, ())
    wanted = (
        len(prop.list_arguments()), len(prop.list_outputs()), len(prop.list_auxiliary_states()),
    )  # fmt: skip
    if len(parts) != 3 or tuple(map(len, parts)) != wanted:
        got = ", ".join(str(len(p)) for p in parts) if parts else repr(result)
        source = f"{type(prop).__name__}.{method}"
        raise MXNetError(
            describe(
                f"must return {wanted[0]} inputs, {wanted[1]} outputs, {wanted[2]} states; got {got}",
                where=source,
                hint="return (inputs, outputs, states), one entry for each name listed",
            )
        )
    return parts[0], parts[1], parts[2]


class _Call(NamedTuple):
    """What `forward` leaves for `backward`."""

    op: CustomOp
    prop: CustomOpProp


def _names_of(n: Any) -> list[str]:
    prop = _prop(vars(n))
    return [*prop.list_arguments(), *prop.list_auxiliary_states()]


@operator(
    "Custom",
    arguments=_names_of,
    auxiliary=lambda n: _prop(vars(n)).list_auxiliary_states(),
    outputs=lambda n: [*_prop(vars(n)).list_outputs(), "custom_op"],
    visible=lambda n: len(_prop(vars(n)).list_outputs()),
    calls_back=True,
)
def custom(*data: Array, op_type: str, run: Run, **settings: str) -> Any:
    """Run an operator written in Python.

    Parameters
    ----------
    data : its inputs, then its auxiliary states
    op_type : the name under which its `CustomOpProp` is registered
    settings : passed to the `CustomOpProp`, as strings
    """
    given = {"op_type": op_type, **settings}
    key = (*given.items(), *[(a.shape, a.dtype) for a in data])
    prepared = _prepared.get(key)
    if prepared is None:
        if len(_prepared) > 1024:
            _prepared.clear()
        prepared = _prepared[key] = _prepare(given, data)
    prop, in_shapes, in_dtypes, out_shapes, out_dtypes = prepared
    op = prop.create_operator(current_context(), in_shapes, in_dtypes)
    count = len(in_shapes)
    arrays = [NDArray(a) for a in data]
    outputs = [np.zeros(s, t) for s, t in zip(out_shapes, out_dtypes, strict=True)]
    with flags(False, run.train):
        op.forward(
            is_train=run.train,
            req=["write"] * len(outputs),
            in_data=arrays[:count],
            out_data=[NDArray(o) for o in outputs],
            aux=arrays[count:],
        )
    carried = np.empty((), _OBJECT)
    carried[()] = _Call(op, prop)
    return (*outputs, carried)


def _shape_for_user(shape: Any) -> list[int]:
    return [] if shape is None else [0 if axis is None else axis for axis in shape]


@custom.infer_shape
def _(n: NodeView) -> None:
    prop = _prop(n._settings)
    names, states = prop.list_arguments(), prop.list_auxiliary_states()
    known = [n._known(name) for name in names]
    whole = all(shape is not None and None not in shape for shape in known)
    try:
        result = prop.infer_shape([_shape_for_user(shape) for shape in known])
        inputs, outputs, auxiliary = _three(result, prop, "infer_shape")
    except Exception:
        if whole:
            raise
        raise Unknown from None  # the user's code met an input whose shape is not known yet
    slots = [*names, *prop.list_outputs(), *states]
    for name, shape in zip(slots, [*inputs, *outputs, *auxiliary], strict=True):
        if shape is not None and (whole or len(shape)):
            setattr(n, name, tuple(axis if whole or axis else None for axis in map(int, shape)))
    n.custom_op = ()


@custom.infer_dtype
def _(n: NodeView) -> None:
    prop = _prop(n._settings)
    names = prop.list_arguments()
    known = [n._known(name) for name in names]
    n.custom_op = _OBJECT
    if all(dtype is None for dtype in known):
        raise Unknown
    first = next(dtype for dtype in known if dtype is not None)
    filled = [(first if dtype is None else dtype).type for dtype in known]
    inputs, outputs, auxiliary = _three(prop.infer_type(filled), prop, "infer_type")
    slots = [*names, *prop.list_outputs(), *prop.list_auxiliary_states()]
    for name, dtype in zip(slots, [*inputs, *outputs, *auxiliary], strict=True):
        setattr(n, name, np.dtype(dtype))


@custom.all_gradients
def _(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
    prop = _prop(n._settings)
    names, outputs = prop.list_arguments(), prop.list_outputs()
    out_grad, in_data, out_data = _numbered(len(outputs), len(names), len(outputs))
    needed = set(prop.declare_backward_dependency(out_grad, in_data, out_data))
    head_ids = [i for i, number in enumerate(out_grad) if number in needed]
    output_ids = [i for i, number in enumerate(out_data) if number in needed]
    values = [getattr(n, name) for name in outputs]
    found = F._backward_Custom(
        n.custom_op,
        *[getattr(n, name) for name in names],
        *[getattr(n, name) for name in prop.list_auxiliary_states()],
        *[F.zeros_like(values[i]) if heads[i] is None else heads[i] for i in head_ids],
        *[values[i] for i in output_ids],
        inputs=len(names),
        states=len(prop.list_auxiliary_states()),
        heads=tuple(head_ids),
        outputs=tuple(output_ids),
        reads=tuple(i for i, number in enumerate(in_data) if number in needed),
        output_count=len(outputs),
        wanted=tuple(i for i, want in enumerate(n._wanted[: len(names)]) if want),
    )
    return dict(zip(names, found if isinstance(found, list) else [found], strict=True))


def _numbered(*counts: int) -> list[list[int]]:
    """Consecutive numbers, in groups of the given sizes."""
    groups, start = [], 0
    for count in counts:
        groups.append(list(range(start, start + count)))
        start += count
    return groups


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
    heads: tuple[int, ...],
    outputs: tuple[int, ...],
    reads: tuple[int, ...],
    output_count: int,
    wanted: tuple[int, ...],
    run: Run,
) -> Any:
    """Call the `backward` of an operator written in Python.

    Parameters
    ----------
    custom_op : what its forward left
    data : inputs, states, the gradients `heads` of the outputs and the outputs `outputs`
    inputs, states, output_count : how many there are
    heads, outputs, reads : which of the outputs' gradients, outputs and inputs are declared as read
    wanted : which inputs' gradients are asked for
    """
    op, _ = custom_op[()]
    arrays = [NDArray(a) for a in data]
    given, aux = arrays[:inputs], arrays[inputs : inputs + states]
    rest = iter(arrays[inputs + states :])
    out_grad = [next(rest) if i in heads else _nothing() for i in range(output_count)]
    out_data = [next(rest) if i in outputs else _nothing() for i in range(output_count)]
    in_grad = [np.zeros(a.shape, a.dtype) for a in data[:inputs]]
    with flags(False, True):
        op.backward(
            req=["write" if i in wanted else "null" for i in range(inputs)],
            out_grad=out_grad,
            in_data=[a if i in reads else _nothing() for i, a in enumerate(given)],
            out_data=out_data,
            in_grad=[NDArray(g) for g in in_grad],
            aux=aux,
        )
    return tuple(in_grad)


def _nothing() -> NDArray:
    """What stands for an array that `declare_backward_dependency` left out."""
    return NDArray(np.zeros(0, np.float32))


def _like_inputs(n: NodeView) -> None:
    known = [n._known(f"data{i}") for i in range(n.inputs)]
    if any(fact is None for fact in known):
        raise Unknown
    for index, fact in enumerate(known):
        setattr(n, f"in_grad{index}", fact)


backward_custom.shape = backward_custom.dtype = _like_inputs

__all__ = ["CustomOp", "CustomOpProp", "get_all_registered_operators", "register"]
