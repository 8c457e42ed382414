"""The function in pickles written where gluonic is served as mxnet, so that any gluonic can read them."""

import importlib
from typing import Any


def restore(module: str, name: str, is_new: bool, *arguments: Any) -> Any:
    """Create the object that a pickle describes.

    Parameters
    ----------
    module, name : the module and the name of its class in gluonic
    is_new : whether the object is only allocated, because its state is restored later; else its class is called
    arguments : the arguments of the class
    """
    kind: Any = importlib.import_module(module)
    for part in name.split("."):
        kind = getattr(kind, part)
    return kind.__new__(kind, *arguments) if is_new else kind(*arguments)
