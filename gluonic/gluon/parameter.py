"""`Parameter`: a named array that training changes, perhaps before its shape is known."""

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np

from gluonic import initializer
from gluonic import ndarray as nd
from gluonic import symbol as sym
from gluonic.gluon import parameter_complaints as complaints
from gluonic.gluon.parameter_complaints import DeferredInitializationError
from gluonic.graph.dtypes import as_dtype
from gluonic.graph.errors import NotThereError
from gluonic.graph.later import import_later
from gluonic.graph.view import unify
from gluonic.graph.writes import note_write
from gluonic.ndarray import Context, NDArray
from gluonic.ndarray.context import current_context, usable
from gluonic.ndarray.kernels import overwrite
from gluonic.ndarray.state import Flags
from gluonic.ndarray.tape import Leaf

__all__ = ["DeferredInitializationError", "Parameter", "shape_is_known"]

REQUESTS = ("write", "add", "null")
# programs written for MXNet import them from here
__getattr__, __dir__ = import_later(
    __name__,
    {
        "Constant": "gluonic.gluon.constant:Constant",
        "ParameterDict": "gluonic.gluon.parameter_dict:ParameterDict",
    },
)


class _Deferred(NamedTuple):
    """An initialization that waits for the shape."""

    init: Any
    contexts: list[Context]
    default_init: Any


def shape_is_known(shape: Sequence[int | None] | None) -> bool:
    """Whether no axis is unknown (0, -1 or None)."""
    return shape is not None and all(axis is not None and axis > 0 for axis in shape)


def _contexts(ctx: Any) -> list[Context]:
    if ctx is None:
        return [current_context()]
    return [usable(one) for one in (ctx if isinstance(ctx, (list, tuple)) else [ctx])]


class Parameter:
    """A parameter of a block.

    Parameters
    ----------
    name : its full name
    grad_req : ``"write"``, ``"add"`` or ``"null"``: what happens to its gradient
    shape : its shape; 0 is an axis that is not known yet
    dtype : its element type
    lr_mult, wd_mult : factors on the learning rate and the weight decay
    init : its own initializer, instead of the net's
    allow_deferred_init : let initialization wait until the first batch tells the shape
    differentiable : False for what gradients do not reach
    stype, grad_stype : only ``"default"``: sparse parameters are not there

    Attributes
    ----------
    name, lr_mult, wd_mult, init : as given
    """

    def __init__(
        self,
        name: str,
        grad_req: str = "write",
        shape: int | Sequence[int] | None = None,
        dtype: Any = np.float32,
        lr_mult: float = 1.0,
        wd_mult: float = 1.0,
        init: Any = None,
        allow_deferred_init: bool = False,
        differentiable: bool = True,
        stype: str = "default",
        grad_stype: str = "default",
    ) -> None:
        for kind, value in (("stype", stype), ("grad_stype", grad_stype)):
            if value not in ("default", "row_sparse", "csr"):
                raise complaints.no_storage_type(name, kind, value)
            if value != "default":
                raise NotThereError(f"Parameter {name!r}: {kind}={value!r}: sparse storage")
        self.name = name
        self.lr_mult, self.wd_mult, self.init = lr_mult, wd_mult, init
        self._shape = (
            (shape,) if isinstance(shape, int) else None if shape is None else tuple(shape)
        )
        self._dtype, self._given_dtype = as_dtype(dtype), dtype
        self._allow_deferred_init = allow_deferred_init
        self._differentiable = differentiable
        self._stype = self._grad_stype = "default"
        self._arrays: list[NDArray] | None = None
        self._deferred: _Deferred | None = None
        self._variable: sym.Symbol | None = None
        self._trainer: Any = None
        self._grad_req = ""
        self.grad_req = grad_req

    def __repr__(self) -> str:
        return f"Parameter {self.name} (shape={self.shape}, dtype={self.dtype})"

    # What it is

    @property
    def shape(self) -> tuple[int, ...] | None:
        """The shape; 0 is an axis that is not known yet."""
        return self._shape

    @shape.setter
    def shape(self, new: Sequence[int]) -> None:
        old = self._shape
        if old is not None:
            compatible = len(old) == len(new) and all(
                a in (b, 0, -1) for a, b in zip(old, new, strict=True)
            )
            if not compatible:
                raise complaints.other_shape(self, new)
        self._shape = tuple(new)

    @property
    def dtype(self) -> Any:
        """The element type, as it was given: a NumPy type or a name."""
        return self._given_dtype

    @dtype.setter
    def dtype(self, dtype: Any) -> None:
        self.cast(dtype)

    @property
    def grad_req(self) -> str:
        """What happens to the gradient: ``"write"``, ``"add"`` or ``"null"``."""
        return self._grad_req

    @grad_req.setter
    def grad_req(self, req: str) -> None:
        if req not in REQUESTS:
            raise complaints.unknown_request(self, req, REQUESTS)
        if not self._differentiable:
            req = "null"
        if req != self._grad_req:
            self._grad_req = req
            self._attach_gradients()

    def _set_trainer(self, trainer: Any) -> None:
        self._trainer = trainer

    # Initialization

    def initialize(
        self,
        init: Any = None,
        ctx: Any = None,
        default_init: Any = None,
        force_reinit: bool = False,
    ) -> None:
        """Give the parameter its first value, now or as soon as its shape is known.

        Parameters
        ----------
        init : the initializer; else the parameter's own, else `default_init`
        ctx : the context or contexts; each gets a copy of its own
        default_init : `Uniform` by default
        force_reinit : initialize again what is initialized
        """
        if self._arrays is not None and not force_reinit:
            warnings.warn(
                f"Parameter {self.name!r} is initialized already and stays as it is; "
                "force_reinit=True would initialize it again",
                stacklevel=2,
            )
            return
        self._arrays = None
        note_write()
        default_init = initializer.Uniform() if default_init is None else default_init
        if init is None:
            init = default_init if self.init is None else self.init
        self._deferred = _Deferred(init, _contexts(ctx), default_init)
        if shape_is_known(self._shape):
            self._finish_deferred_init()
        elif not self._allow_deferred_init:
            self._deferred = None
            raise complaints.unknown_shape(self, may_wait=False)

    def _finish_deferred_init(self) -> None:
        """Initialize now, the shape being known."""
        if self._deferred is None:
            return
        init, contexts, default_init = self._deferred
        if not shape_is_known(self._shape):
            raise complaints.unknown_shape(self, may_wait=True)
        with Flags(False, None):
            value = nd.zeros(self._shape, dtype=self._dtype.name)
            description = initializer.InitDesc(self.name, {"__init__": init})
            initializer.create(default_init)(description, value)
        self._place(value, contexts, own=True)

    def _place(self, value: NDArray, contexts: Sequence[Context], *, own: bool = False) -> None:
        """Take copies of a value, one for each context; the first is the value itself if it is our own."""
        data = value._data
        arrays = [data if own and i == 0 else data.copy() for i in range(len(contexts))]
        self._arrays = [NDArray(a, ctx) for a, ctx in zip(arrays, contexts, strict=True)]
        self._deferred = None  # not before: what is stopped on the way here can be tried again
        note_write()
        self._attach_gradients()

    def _attach_gradients(self) -> None:
        for array in self._arrays or ():
            if self._grad_req == "null":
                array._entry = None
            else:
                array.attach_grad(self._grad_req)

    def check_value(self, value: NDArray, *, cast: bool = False) -> None:
        """Raise unless `load` would take the value: shape and dtype fit, or it may be cast."""
        try:
            known = (
                None if self._shape is None else tuple(a if a > 0 else None for a in self._shape)
            )
            unify(known, value.shape, "the shape")
        except ValueError:
            raise complaints.shape_in_file(self, value) from None
        if np.dtype(value.dtype) != self._dtype and not cast:
            raise complaints.dtype_in_file(self, value, self._dtype)

    def load(
        self, value: NDArray, ctx: Any = None, *, cast: bool = False, keep_dtype: bool = True
    ) -> None:
        """Take a value read from a file.

        Parameters
        ----------
        ctx : where to, if the parameter is not initialized
        cast : accept another dtype: cast to the parameter's (`keep_dtype`), or take on the value's

        Raises
        ------
        MismatchError
            if shape or dtype do not fit
        """
        self.check_value(value, cast=cast)
        if np.dtype(value.dtype) != self._dtype:
            if keep_dtype:
                value = NDArray(value._data.astype(self._dtype))
            else:
                self.cast(value.dtype)
        self._shape = value.shape
        if self._arrays is not None:
            self.set_data(value)
            return
        contexts = self._deferred.contexts if self._deferred and ctx is None else _contexts(ctx)
        self._place(value, contexts)

    # Values

    def _value(self, ctx: Any) -> NDArray:
        arrays = self._arrays
        if arrays is None:
            self._refuse_uninitialized()
        if ctx is None and len(arrays) == 1:
            return arrays[0]
        wanted = current_context() if ctx is None else usable(ctx)
        for array in arrays:
            if array.context == wanted:
                return array
        raise complaints.other_context(self, wanted)

    def _refuse_uninitialized(self) -> NoReturn:
        if self._deferred is not None:
            raise complaints.still_deferred(self)
        raise complaints.uninitialized(self)

    def data(self, ctx: Context | None = None) -> NDArray:
        """Return the value on a context.

        Raises
        ------
        DeferredInitializationError
            while its shape is not known
        RuntimeError
            if it was never initialized, or not on that context
        """
        return self._value(ctx)

    @property
    def _data(self) -> list[NDArray] | None:
        """The values on all contexts, None while there are none: a name that MXNet's users know."""
        return self._arrays

    @property
    def _grad(self) -> list[NDArray] | None:
        """The gradients on all contexts, None while there are none: a name that MXNet's users know."""
        if self._arrays is None or self._grad_req == "null":
            return None
        return [self._gradient(array) for array in self._arrays]

    def list_data(self) -> list[NDArray]:
        """Return the values on all contexts."""
        if self._arrays is None:
            self._refuse_uninitialized()
        return list(self._arrays)

    def set_data(self, data: Any) -> None:
        """Set the value on all contexts; memory stays where it is."""
        value = data if isinstance(data, NDArray) else nd.array(data)
        self.shape = value.shape
        if self._arrays is None:
            if self._deferred is None:
                self._refuse_uninitialized()
            _, contexts, _ = self._deferred
            self._place(NDArray(value._data.astype(self._dtype)), contexts)
            return
        for array in self._arrays:
            overwrite(array, value._data)
        if self._trainer is not None:
            self._trainer._take_new_values()

    def _gradient(self, array: NDArray) -> NDArray:
        record = array._entry[0] if array._entry is not None else None
        if not isinstance(record, Leaf) or record.grad is None:
            raise complaints.no_gradient(self)
        return record.grad

    def grad(self, ctx: Context | None = None) -> NDArray:
        """Return the gradient buffer on a context."""
        return self._gradient(self._value(ctx))

    def list_grad(self) -> list[NDArray]:
        """Return the gradient buffers on all contexts."""
        return [self._gradient(array) for array in self.list_data()]

    def zero_grad(self) -> None:
        """Set the gradients to zero."""
        if self._grad_req != "null":
            for array in self._arrays or ():
                overwrite(self._gradient(array), 0)

    def list_ctx(self) -> list[Context]:
        """Return the contexts the parameter is, or will be, on."""
        if self._arrays is not None:
            return [array.context for array in self._arrays]
        if self._deferred is not None:
            return self._deferred.contexts
        return self._refuse_uninitialized()

    def reset_ctx(self, ctx: Any) -> None:
        """Move the parameter to other contexts."""
        contexts = _contexts(ctx)
        if self._arrays is not None:
            self._place(self._arrays[0], contexts)
        elif self._deferred is not None:
            self._deferred = self._deferred._replace(contexts=contexts)
        else:
            self._refuse_uninitialized()

    def cast(self, dtype: Any) -> None:
        """Convert value and gradient to another dtype."""
        self._dtype, self._given_dtype = as_dtype(dtype), dtype
        self._variable = None
        if self._arrays is not None:
            self._arrays = [NDArray(a._data.astype(self._dtype), a._context) for a in self._arrays]
            note_write()
            self._attach_gradients()

    @property
    def _init_in_files(self) -> Any:
        """The initializer as the variable of a graph names it."""
        return self.init

    def var(self) -> sym.Symbol:
        """Return the symbol that stands for the parameter."""
        if self._variable is None:
            self._variable = sym.var(
                self.name,
                shape=self._shape,
                dtype=self._dtype,
                lr_mult=self.lr_mult,
                wd_mult=self.wd_mult,
                init=self._init_in_files,
                stype=self._stype,
            )
        return self._variable

    def row_sparse_data(self, row_id: NDArray) -> NDArray:
        """Raise, for sparse parameters are not there."""
        raise RuntimeError(f"Parameter {self.name!r} is dense: call data() instead")

    def list_row_sparse_data(self, row_id: NDArray) -> list[NDArray]:
        """Raise, for sparse parameters are not there."""
        raise RuntimeError(f"Parameter {self.name!r} is dense: call list_data() instead")
