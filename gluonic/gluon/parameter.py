"""`Parameter`: a named array that training changes, perhaps before its shape is known."""

import warnings
from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

import numpy as np

from gluonic import initializer
from gluonic import ndarray as nd
from gluonic import symbol as sym
from gluonic.gluon import parameter_errors as errors
from gluonic.gluon.parameter_errors import DeferredInitializationError
from gluonic.gluon.parameter_values import ParameterValues
from gluonic.gluon.sparse_values import with_all_rows
from gluonic.graph.array_semantics import is_np_array
from gluonic.graph.dtypes import as_dtype
from gluonic.graph.memory import converted
from gluonic.graph.shape_semantics import is_np_shape
from gluonic.graph.view import unify
from gluonic.ndarray import Context, NDArray
from gluonic.ndarray.context import CPU, current_context, usable
from gluonic.ndarray.copying import assign_array
from gluonic.ndarray.numpy_class import as_switched
from gluonic.ndarray.state import RANDOM, Flags
from gluonic.ndarray.storage.arrays import BaseSparseNDArray
from gluonic.support.lazy_import import import_later

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


def shape_is_known(shape: Sequence[int | None] | None) -> bool:
    """Whether no axis is unknown (0, -1 or None).

    Parameters
    ----------
    shape : the extents; None if not even their number is known
    """
    return shape is not None and all(axis is not None and axis > 0 for axis in shape)


def expect_draws(parameters: Iterable["Parameter"]) -> None:
    """Prepare for the initialization of parameters: numbers of large nets are drawn by machine code."""
    RANDOM.source.expect(prod(p.shape or ()) for p in parameters if shape_is_known(p.shape))


def _contexts(ctx: Any) -> list[Context]:
    if ctx is None:
        return [current_context()]
    return [usable(one) for one in (ctx if isinstance(ctx, (list, tuple)) else [ctx])]


class Parameter(ParameterValues):
    """A parameter of a block.

    Parameters
    ----------
    name : its full name
    grad_req : ``"write"``, ``"add"`` or ``"null"``: how its gradient is written
    shape : its shape; 0 marks an unknown axis
    dtype : its element type; None means float32
    lr_mult, wd_mult : factors on the learning rate and the weight decay
    init : its own initializer, instead of the net's
    allow_deferred_init : defer initialization until the first batch determines the shape
    differentiable : False if no gradient reaches it
    stype : the storage type of its value: ``"default"``, ``"row_sparse"`` or ``"csr"``
    grad_stype : that of its gradient

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
                raise errors.no_storage_type(name, kind, value)
        self.name = name
        self.lr_mult, self.wd_mult, self.init = lr_mult, wd_mult, init
        self._shape = (
            (shape,) if isinstance(shape, int) else None if shape is None else tuple(shape)
        )
        self._dtype = dtype
        self._element_type()  # raises an error for an unknown one
        self._allow_deferred_init = allow_deferred_init
        self._differentiable = differentiable
        self._stype, self._grad_stype = stype, grad_stype
        self._var: sym.Symbol | None = None
        self._trainer: Any = None
        self._arrays = self._gradients = self._ctx_list = self._ctx_map = None
        self._deferred_init = ()
        self._grad_req = ""
        self.grad_req = grad_req

    def __repr__(self) -> str:
        return f"Parameter {self.name} (shape={self.shape}, dtype={self.dtype})"

    # What it is

    @property
    def shape(self) -> tuple[int, ...] | None:
        """The shape; 0, or -1 with NumPy's shapes, is an unknown axis."""
        if self._shape is None or not is_np_shape():
            return self._shape
        return tuple(axis or -1 for axis in self._shape)

    @shape.setter
    def shape(self, new: Sequence[int]) -> None:
        old = self._shape
        if old is not None:
            compatible = len(old) == len(new) and all(
                a in (b, 0, -1) for a, b in zip(old, new, strict=True)
            )
            if not compatible:
                raise errors.other_shape(self, new)
        self._shape = tuple(new)

    @property
    def dtype(self) -> Any:
        """The element type as given: a NumPy type or a name."""
        return self._dtype

    @dtype.setter
    def dtype(self, dtype: Any) -> None:
        self.cast(dtype)

    def _element_type(self) -> np.dtype[Any]:
        return as_dtype("float32" if self._dtype is None else self._dtype)

    @property
    def grad_req(self) -> str:
        """How the gradient is written: ``"write"``, ``"add"`` or ``"null"``."""
        return self._grad_req

    @grad_req.setter
    def grad_req(self, req: str) -> None:
        if req not in REQUESTS:
            raise errors.unknown_request(self, req, REQUESTS)
        if not self._differentiable:
            req = "null"
        if req == self._grad_req:
            return
        self._grad_req = req
        self._note_whether_frozen()
        if req == "null":
            self._detach_values()
        else:
            self._init_grad()

    def set_trainer(self, trainer: Any) -> None:
        """Set the trainer, which holds the rows of a sparse parameter.

        Raises
        ------
        MXNetError
            if it is sparse and has a different trainer
        """
        self._set_trainer(trainer)

    def _set_trainer(self, trainer: Any) -> None:
        held = self._trainer
        if self._stype != "default" and held and trainer and held is not trainer:
            raise errors.other_trainer(self)
        self._trainer = trainer

    # Initialization

    def initialize(
        self,
        init: Any = None,
        ctx: Any = None,
        default_init: Any = None,
        force_reinit: bool = False,
    ) -> None:
        """Initialize the parameter, now or as soon as its shape is known.

        Parameters
        ----------
        init : the initializer; else the parameter's own, else `default_init`
        ctx : the context or contexts; each gets a separate copy
        default_init : `Uniform` by default
        force_reinit : initialize it again if it is initialized
        """
        if self._data is not None and not force_reinit:
            warnings.warn(
                f"Parameter {self.name!r} is initialized already and stays as it is; "
                "force_reinit=True would initialize it again",
                stacklevel=2,
            )
            return
        self._data = self._grad = None
        default_init = initializer.Uniform() if default_init is None else default_init
        if init is None:
            init = default_init if self.init is None else self.init
        self._deferred_init = (init, _contexts(ctx), default_init, None)
        if shape_is_known(self._shape):
            self._finish_deferred_init()
        elif not self._allow_deferred_init:
            self._deferred_init = ()
            raise errors.unknown_shape(self, may_wait=False)

    def finish_deferred_init(self) -> None:
        """Initialize now if that was deferred; the shape must be known."""
        self._finish_deferred_init()

    def _finish_deferred_init(self) -> None:
        """Initialize now; the shape must be known."""
        if not self._deferred_init:
            return
        init, contexts, default_init, value = self._deferred_init
        if not shape_is_known(self._shape):
            raise errors.unknown_shape(self, may_wait=True)
        with Flags(False, None):
            if value is None:
                value = as_switched(nd.zeros(self._shape, CPU, self._element_type()))
                description = initializer.InitDesc(self.name, {"__init__": init})
                initializer.create(default_init)(description, value)
                value = with_all_rows(value, self._stype)
            self._init_impl(value, contexts)

    def set_data(self, data: Any) -> None:
        """Set the value on all contexts, in the existing memory."""
        value = data if isinstance(data, NDArray) else nd.array(data)
        self.shape = value.shape
        arrays = self._data
        if arrays is None:
            if not self._deferred_init:
                self._refuse_uninitialized()
            self._init_impl(self._cast(value), self._deferred_init[1])
            return
        if self._trainer is not None:
            self._trainer.forget_stored(self)
        for array in arrays:
            assign_array(array, value)

    def _cast(self, value: NDArray) -> NDArray:
        wanted, what = self._element_type(), f"the value of {self.name}"
        if self._stype != "default" or value.stype != "default":
            return value.astype(wanted, copy=False).tostype(self._stype)  # type: ignore[no-any-return]
        if value.on_device:
            return value.astype(wanted, copy=False)
        return value.derived_class(
            converted(value.elements, wanted, what, copy=False), value.stated_context
        )

    # Files

    def check_load(
        self,
        data: NDArray,
        ctx: Any = None,
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """Raise an error unless `load` would accept these arguments."""
        try:
            shape = self._shape
            known = None if shape is None else tuple(axis if axis > 0 else None for axis in shape)
            unify(known, data.shape, "the shape")
        except ValueError:
            raise errors.shape_in_file(self, data) from None
        needed = self._element_type()
        if np.dtype(data.dtype) != needed and not cast_dtype:
            raise errors.dtype_in_file(self, data, needed)
        if dtype_source not in ("current", "saved"):
            raise errors.unknown_dtype_source(self, dtype_source)
        is_somewhere = self._data is not None or self._deferred_init
        if ctx is not None and is_somewhere and set(_contexts(ctx)) != set(self.list_ctx()):
            raise errors.loaded_elsewhere(self, _contexts(ctx))

    def load(
        self,
        data: NDArray,
        ctx: Any = None,
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """Set a value from a file, whether the parameter is initialized or not.

        Parameters
        ----------
        ctx : the target contexts of an uninitialized parameter; otherwise its contexts
        cast_dtype : accept another dtype
        dtype_source : then cast to the parameter's dtype (``"current"``), or change to the value's
            (``"saved"``)

        Raises
        ------
        MismatchError
            if shape, dtype or contexts do not fit
        """
        self._load_init(data, ctx, cast_dtype, dtype_source)

    def _load_init(
        self,
        data: NDArray,
        ctx: Any = None,
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        self.check_load(data, ctx, cast_dtype, dtype_source)
        if dtype_source == "saved" and np.dtype(data.dtype) != self._element_type():
            self.cast(data.dtype)
        self._shape = data.shape
        if self._data is not None:
            self.set_data(data)
            self._deferred_init = ()
            return
        waiting = self._deferred_init[1] if self._deferred_init else None
        contexts = waiting or ([CPU] if ctx is None else _contexts(ctx))
        self._init_impl(self._cast(data), contexts)

    def reset_ctx(self, ctx: Any) -> None:
        """Move the parameter to other contexts."""
        contexts = _contexts(ctx)
        if self._data is not None:
            with Flags(False, None):
                self._init_impl(self._reduce(), contexts)
        elif self._deferred_init:
            init, _, default_init, value = self._deferred_init
            self._deferred_init = (init, contexts, default_init, value)
        else:
            self._refuse_uninitialized()

    def cast(self, dtype: Any) -> None:
        """Convert value and gradient to another dtype."""
        wanted = as_dtype(dtype)
        self._dtype, self._var = dtype, None
        if self._data is not None:
            what = f"{self.name} as {wanted}"
            self._replace_values(
                lambda array: (
                    array.astype(wanted)
                    if isinstance(array, BaseSparseNDArray) or array.on_device
                    else array.derived_class(
                        converted(array.elements, wanted, what), array.stated_context
                    )
                )
            )

    @property
    def _init_in_files(self) -> Any:
        """The initializer as the variable of a graph names it."""
        return self.init

    def var(self) -> sym.Symbol:
        """Return the variable of the parameter."""
        if self._var is None:
            self._var = sym.var(
                self.name,
                shape=self.shape,
                dtype=self._dtype,
                lr_mult=self.lr_mult,
                wd_mult=self.wd_mult,
                init=self._init_in_files,
                stype=self._stype,
            )
            self._var.entries[0].node.location = None  # the line that happens to be the first
        return self._var.as_np_ndarray() if is_np_array() else self._var
