"""Networks that classify images, with MXNet's names and shapes of parameters."""

from collections.abc import Callable
from typing import Any

from gluonic.gluon.model_zoo.vision import (
    alexnet as _alexnet,
)
from gluonic.gluon.model_zoo.vision import (
    densenet as _densenet,
)
from gluonic.gluon.model_zoo.vision import (
    inception as _inception,
)
from gluonic.gluon.model_zoo.vision import (
    mobilenet as _mobilenet,
)
from gluonic.gluon.model_zoo.vision import (
    resnet as _resnet,
)
from gluonic.gluon.model_zoo.vision import (
    squeezenet as _squeezenet,
)
from gluonic.gluon.model_zoo.vision import (
    vgg as _vgg,
)
from gluonic.gluon.model_zoo.vision.alexnet import *
from gluonic.gluon.model_zoo.vision.densenet import *
from gluonic.gluon.model_zoo.vision.inception import *
from gluonic.gluon.model_zoo.vision.mobilenet import *
from gluonic.gluon.model_zoo.vision.resnet import *
from gluonic.gluon.model_zoo.vision.squeezenet import *
from gluonic.gluon.model_zoo.vision.vgg import *
from gluonic.graph.errors import AttributeValueError, describe, nearest

_RESNETS = [f"resnet{n}_v{v}" for v in (1, 2) for n in (18, 34, 50, 101, 152)]
_VGGS = [f"vgg{n}{bn}" for bn in ("", "_bn") for n in (11, 13, 16, 19)]
_DENSENETS = [f"densenet{n}" for n in (121, 161, 169, 201)]
_OTHERS = {
    "alexnet": "alexnet",
    "squeezenet1.0": "squeezenet1_0",
    "squeezenet1.1": "squeezenet1_1",
    "inceptionv3": "inception_v3",
    **{f"mobilenet{m}": f"mobilenet{m.replace('.', '_')}" for m in ("1.0", "0.75", "0.5", "0.25")},
    **{
        f"mobilenetv2_{m}": f"mobilenet_v2_{m.replace('.', '_')}"
        for m in ("1.0", "0.75", "0.5", "0.25")
    },
}
FUNCTIONS = {**{name: name for name in (*_RESNETS, *_VGGS, *_DENSENETS)}, **_OTHERS}


def get_model(name: str, **kwargs: Any) -> Any:
    """Make a network by name.

    Parameters
    ----------
    name : such as ``resnet50_v1`` or ``mobilenet1.0``
    kwargs : its arguments: `pretrained`, `ctx`, `root`, `classes` …

    Raises
    ------
    ValueError
        if there is none of that name
    """
    found = FUNCTIONS.get(name.lower())
    if found is None:
        raise AttributeValueError(
            describe(
                f"there is no model {name!r}{nearest(name.lower(), FUNCTIONS)}",
                where="model_zoo",
                facts=[f"there are {', '.join(FUNCTIONS)}"],
            )
        )
    make: Callable[..., Any] = globals()[found]
    return make(**kwargs)


__all__ = ["get_model"]
__all__ += _alexnet.__all__
__all__ += _densenet.__all__
__all__ += _inception.__all__
__all__ += _mobilenet.__all__
__all__ += _resnet.__all__
__all__ += _squeezenet.__all__
__all__ += _vgg.__all__
