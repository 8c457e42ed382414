"""Parameters of MXNet 2.0: attributes of blocks, whose names need not be unique."""

from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np

from gluonic import ndarray as nd
from gluonic.gluon import constant, parameter
from gluonic.gluon.parameter import DeferredInitializationError, shape_is_known
from gluonic.gluon.parameter_dict import ParameterDict
from gluonic.mxnet2.traced import tracer
from gluonic.ndarray import Context, NDArray
from gluonic.ndarray.numpy_class import as_switched
from gluonic.symbol import Symbol

__all__ = ["Constant", "DeferredInitializationError", "Parameter", "shape_is_known", "tensor_types"]

tensor_types = (Symbol, NDArray)
_serials = count()


class ParameterOfTwo(parameter.Parameter):
    """A parameter of a block: an array that training changes, perhaps before its shape is known.

    Parameters
    ----------
    name : what chooses its initializer, such as ``"bias"``; not unique
    grad_req : ``"write"``, ``"add"`` or ``"null"``: how its gradient is written
    shape : its shape; -1 or 0 marks an unknown axis
    dtype : its element type
    lr_mult, wd_mult : factors on the learning rate and the weight decay
    init : its own initializer, instead of the net's
    allow_deferred_init : defer initialization until the first batch determines the shape
    differentiable : False if no gradient reaches it
    stype, grad_stype : the storage types of its value and of its gradient
    """

    def __init__(
        self,
        name: str = "weight",
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
        super().__init__(
            name, grad_req, shape, dtype, lr_mult, wd_mult, init, allow_deferred_init, differentiable,
            stype, grad_stype,
        )  # fmt: skip
        self.name = f"p{next(_serials)}_{name}"

    @classmethod
    def adopt(cls, held: parameter.Parameter) -> None:
        """Make a parameter of MXNet 1.x one of 2.0."""
        if not isinstance(held, ParameterOfTwo):
            held.__class__ = ConstantOfTwo if isinstance(held, constant.Constant) else cls

    def rename(self) -> None:
        """Take another name, which is that of no other parameter."""
        self.name, self._var = f"p{next(_serials)}_{self.name}", None

    def data(self, device: Context | None = None, ctx: Context | None = None) -> NDArray:  # type: ignore[override]
        """Return the value on a device; while a block is traced, the variable that stands for it."""
        if tracer() is not None:
            return self.var()  # type: ignore[return-value]
        return super().data(device or ctx)

    data.gives_the_value = True  # type: ignore[attr-defined]

    def grad(self, device: Context | None = None, ctx: Context | None = None) -> NDArray:  # type: ignore[override]
        """Return the gradient buffer on a device."""
        return super().grad(device or ctx)

    def initialize(  # type: ignore[override]
        self,
        init: Any = None,
        device: Any = None,
        default_init: Any = None,
        force_reinit: bool = False,
        *,
        ctx: Any = None,
    ) -> None:
        """Initialize the parameter, now or as soon as its shape is known.

        Parameters
        ----------
        init : the initializer; else the parameter's own, else `default_init`
        device : the device or devices; each gets a separate copy
        default_init : `Uniform` by default
        force_reinit : initialize it again if it is initialized
        ctx : the name of `device` in MXNet 1.x
        """
        super().initialize(init, ctx if device is None else device, default_init, force_reinit)

    def reset_device(self, device: Any) -> None:
        """Move the parameter to other devices."""
        self.reset_ctx(device)

    def list_device(self) -> list[Context]:
        """Return the devices that the parameter is, or will be, on."""
        return self.list_ctx()


class ConstantOfTwo(ParameterOfTwo, constant.Constant):
    """A parameter that training does not change.

    Parameters
    ----------
    value : its value, an array or anything that `np.array` takes
    """

    def __init__(self, value: Any) -> None:
        array = value if isinstance(value, NDArray) else as_switched(nd.array(value))
        constant.Constant.__init__(self, f"p{next(_serials)}_const", array)


class OwnParameters(ParameterDict):
    """The parameters of one block, by the names of its attributes."""

    def get(self, name: str, default: Any = None, **kwargs: Any) -> Any:
        """Return the parameter of a name; with `kwargs` it is made if there is none, for layers."""
        if not kwargs:
            return self._params.get(name, default)
        given = {} if self._shared is None else dict(self._shared.items())
        shared = given.get(name, given.get(f"{getattr(self._shared, 'prefix', '')}{name}"))
        if name not in self._params:
            self._params[name] = ParameterOfTwo(name, **kwargs) if shared is None else shared
            if shared is None:
                self._params[name].name = self.prefix + name
        return self._params[name]

    def get_constant(self, name: str, value: Any = None) -> Any:
        """Return the constant of a name, made with `value` if there is none."""
        if name not in self._params:
            self._params[name] = ConstantOfTwo(value)
        return self._params[name]

    def enter(self, name: str, value: parameter.Parameter) -> None:
        """Note that a parameter was set as an attribute."""
        for other in [key for key, held in self._params.items() if held is value]:
            del self._params[other]
        self._params[name] = value

    def __eq__(self, other: object) -> bool:
        return self is other or dict(self.items()) == other

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        return True


Parameter = ParameterOfTwo
Constant = ConstantOfTwo
for _kind, _name in ((ParameterOfTwo, "Parameter"), (ConstantOfTwo, "Constant")):
    _kind.__name__ = _kind.__qualname__ = _name
