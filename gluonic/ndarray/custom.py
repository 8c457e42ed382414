"""Operators written in Python: `CustomOp`, `CustomOpProp` and `register`.

Their calls are in :mod:`gluonic.ndarray.custom_call`, their nodes in graphs in
:mod:`gluonic.ndarray.custom_node`.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gluonic.graph.errors import CallError, MismatchError, MXNetError, describe, nearest
from gluonic.graph.versions import add, write
from gluonic.ndarray.array import NDArray


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
        req : how to write each output: ``null``, ``write``, ``inplace`` or ``add``; see `assign`
        in_data : the inputs
        out_data : buffers for the outputs
        aux : the auxiliary states, to be changed in place
        """
        raise unwritten(self, "forward")

    def backward(
        self,
        req: list[str],
        out_grad: list[NDArray],
        in_data: list[NDArray],
        out_data: list[NDArray],
        in_grad: list[NDArray],
        aux: list[NDArray],
    ) -> None:
        """Compute `in_grad` from `out_grad`; arrays not declared by `declare_backward_dependency` are empty."""
        raise unwritten(self, "backward")

    def assign(self, dst: NDArray, req: str, src: Any) -> None:
        """Write `src` to `dst` in the way that `req` specifies."""
        if req == "null":
            return
        try:
            target, values = dst.elements, src.elements if isinstance(src, NDArray) else src
        except AttributeError:  # one of them is sparse, or on a device
            target, values = None, src
        if target is None:
            if req not in ("write", "inplace", "add"):
                raise ValueError(f"req must be null, write, inplace or add, not {req!r}")
            dst[:] = src if req != "add" else dst + src
            return
        if not isinstance(values, np.ndarray):
            values = np.asarray(values).astype(target.dtype)
        if req in ("write", "inplace"):
            write(target, values)
        elif req == "add":
            add(target, values)
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
        """Return the shapes of inputs, outputs and states; by default all equal the first input's.

        An input whose shape is to be inferred has the shape ``[]`` in `in_shape`.
        """
        return in_shape, (in_shape[0],) * len(self.list_outputs()), ()

    def infer_type(self, in_type: list[Any]) -> Any:
        """Return the dtypes of inputs, outputs and states; by default all equal the first input's."""
        return (
            in_type,
            [in_type[0]] * len(self.list_outputs()),
            [in_type[0]] * len(self.list_auxiliary_states()),
        )

    def infer_storage_type(self, in_stype: list[str]) -> Any:
        """Return the storage types of the inputs, of the outputs and of the auxiliary states.

        Parameters
        ----------
        in_stype : the storage types of the inputs; this method accepts only dense ones
        """
        _require_dense("infer_storage_type", "in_stype", in_stype)
        return in_stype, ["default"] * len(self.list_outputs()), self._dense_states()

    def infer_storage_type_backward(
        self,
        ograd_stype: list[str],
        in_stype: list[str],
        out_stype: list[str],
        igrad_stype: list[str],
        aux_stype: list[str],
    ) -> Any:
        """Return the storage types of all arguments of `backward`, in their order.

        Parameters
        ----------
        ograd_stype, in_stype, out_stype, aux_stype : those of the outputs' gradients, of the inputs, of the
            outputs and of the auxiliary states
        igrad_stype : the requested ones of the inputs' gradients; this method accepts only dense ones,
            here and in `ograd_stype`
        """
        _require_dense("infer_storage_type_backward", "ograd_stype", ograd_stype)
        _require_dense("infer_storage_type_backward", "igrad_stype", igrad_stype)
        dense = [["default"] * len(types) for types in (ograd_stype, in_stype, out_stype)]
        return *dense, ["default"] * len(igrad_stype), self._dense_states()

    def _dense_states(self) -> list[str]:
        return ["default"] * len(self.list_auxiliary_states())

    def declare_backward_dependency(
        self, out_grad: list[int], in_data: list[int], out_data: list[int]
    ) -> list[int]:
        """Return those of the given numbers whose arrays `backward` reads."""
        needed = list(out_grad) if self.need_top_grad_ else []
        return [*needed, *in_data, *out_data]

    def create_operator(self, ctx: Any, in_shapes: list[Any], in_dtypes: list[Any]) -> CustomOp:
        """Return the `CustomOp` that does the computation."""
        return CustomOp()


def is_written(op: Any, method: str) -> bool:
    """Whether an operator's class has its own `forward` or `backward`."""
    return getattr(type(op), method, None) is not getattr(CustomOp, method)


def unwritten(op: CustomOp, method: str, op_type: str = "") -> NotImplementedError:
    """The error for an operator without `forward` or `backward`.

    Parameters
    ----------
    op_type : the name under which the operator is registered, if known
    """
    title, arguments = type(op).__name__, inspect.signature(getattr(CustomOp, method)).parameters
    what = "gradient" if method == "backward" else "computation"
    written = "in_grad" if method == "backward" else "out_data"
    code = getattr(type(op).forward, "__code__", None)
    facts = [] if code is None or not is_written(op, "forward") else [
        f"its forward is line {code.co_firstlineno} of {code.co_filename}"
    ]  # fmt: skip
    return NotImplementedError(
        describe(
            f"{title}.{method}: no {what} is written",
            where=f"Custom op_type={op_type!r}" if op_type else "",
            facts=facts,
            hint=f"def {method}({', '.join(arguments)}) in {title}, which calls "
            f"self.assign({written}[0], req[0], …)",
        )
    )


_registered: dict[str, type[CustomOpProp]] = {}
_forget: list[Callable[[], None]] = []


def on_change(forget: Callable[[], None]) -> Callable[[], None]:
    """Call a function whenever a class is registered."""
    _forget.append(forget)
    return forget


def register(reg_name: str) -> Callable[[type[CustomOpProp]], type[CustomOpProp]]:
    """Register a `CustomOpProp` class as an operator for ``op_type=reg_name``.

    Registering a name again replaces the earlier class in later calls and graphs.

    Parameters
    ----------
    reg_name : the name
    """

    def do_register(prop_class: type[CustomOpProp]) -> type[CustomOpProp]:
        if not (inspect.isclass(prop_class) and issubclass(prop_class, CustomOpProp)):
            raise CallError(
                describe(
                    f"decorates a subclass of CustomOpProp, not {prop_class!r}",
                    where=f"mx.operator.register({reg_name!r})",
                    hint=f"@mx.operator.register({reg_name!r}) above class …(mx.operator.CustomOpProp)",
                )
            )
        _registered[reg_name] = prop_class
        for forget in _forget:
            forget()
        return prop_class

    return do_register


def registered_names() -> list[str]:
    """Return the names under which operators written in Python are registered."""
    return list(_registered)


def is_registered(settings: Mapping[str, str]) -> bool:
    """Whether a class is registered for the ``op_type`` among the settings."""
    return settings.get("op_type") in _registered


def new_prop(settings: Mapping[str, str]) -> CustomOpProp:
    """Create the `CustomOpProp` for the attributes of a call, ``op_type`` among them.

    Raises
    ------
    MXNetError
        if nothing is registered under that name, or the class does not accept the attributes
    """
    op_type = settings["op_type"]
    if op_type not in _registered:
        similar = nearest(op_type, _registered)
        raise MXNetError(
            describe(
                f"no operator is registered as op_type={op_type!r}{similar}",
                where="Custom",
                facts=[f"registered: {', '.join(_registered) or 'none'}"],
                hint=("that name, or " if similar else "")
                + f"import the module that has @mx.operator.register({op_type!r}) first",
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
            raise CallError(
                describe(
                    f"{prop_class.__name__} does not take these attributes: {error}",
                    where=f"Custom op_type={op_type!r}",
                    facts=[f"given: {', '.join(keywords) or 'none'}"],
                    hint=f"the arguments of {prop_class.__name__}.__init__ are the attributes, as strings",
                )
            ) from error
        raise


__all__ = ["CustomOp", "CustomOpProp", "register", "registered_names"]


def _require_dense(method: str, what: str, types: list[str]) -> None:
    for number, storage in enumerate(types):
        if storage != "default":
            raise MismatchError(
                describe(
                    f"{what}[{number}] is {storage!r}, for which the CustomOpProp infers no storage types",
                    where=method,
                    hint=f"override {method} in the CustomOpProp",
                )
            )
