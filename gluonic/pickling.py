"""What pickles name that are made where gluonic is served as mxnet, to be read wherever it is."""

import importlib
from typing import Any


def restore(module: str, name: str, is_new: bool, *arguments: Any) -> Any:
    """Make the object that a pickle describes.

    Parameters
    ----------
    module, name : where gluonic defines its class
    is_new : whether the object is only made, for its state comes later; else its class is called
    arguments : what the class gets
    """
    kind: Any = importlib.import_module(module)
    for part in name.split("."):
        kind = getattr(kind, part)
    return kind.__new__(kind, *arguments) if is_new else kind(*arguments)
