"""Networks that classify images: those of MXNet 1.x as blocks of 2.0, with ``device=``."""

from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import Any

from gluonic.gluon.model_zoo import vision as of_one
from gluonic.mxnet2.gluon.block import adopt
from gluonic.mxnet2.gluon.layers import members_of_two


def _of_two(make: Callable[..., Any]) -> Callable[..., Any]:
    """The function that makes a network, as a block of MXNet 2.0."""

    @wraps(make)
    def made(*args: Any, **kwargs: Any) -> Any:
        if "device" in kwargs:
            kwargs["ctx"] = kwargs.pop("device")
        net = make(*args, **kwargs)
        adopt(net)
        return net

    return made


_members = {
    name: _of_two(value) if isinstance(value, FunctionType) else value
    for name, value in members_of_two(of_one, __name__).items()
}
globals().update(_members)
__all__ = [*_members]
