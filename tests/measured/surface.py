"""What MXNet's modules offer: classes and their members, other names, and what they merely import."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import types
import warnings
from typing import Any

# Made for MXNet itself, or `mx.np`, which gluonic does not have at all.
PLUMBING = (
    "_", "api", "cython", "gen_", "libmxnet", "misc", "notebook", "numpy", "onnx", "register", "rtc", "setup",
    "space", "symbol_doc", "ndarray_doc", "torch", "tvmop",
)  # fmt: skip


def module_names(mx: Any) -> list[str]:
    """The names of modules that programs can have imported, after ``mxnet.``."""
    found = pkgutil.walk_packages(mx.__path__, f"{mx.__name__}.", onerror=lambda name: None)
    names = [info.name.partition(".")[2] for info in found]
    return [n for n in names if not any(part.startswith(PLUMBING) for part in n.split("."))]


def origin(value: Any) -> str:
    """Where a value was made: ``module``, or ``module:name``; empty if it is unknown."""
    if isinstance(value, types.ModuleType):
        return value.__name__
    name = getattr(value, "__qualname__", "<")
    return "" if "<" in name else f"{getattr(value, '__module__', None) or ''}:{name}"


def is_taken(value: Any, module: types.ModuleType) -> bool:
    """Whether a module has a value from elsewhere, not from a module below it."""
    made_in = origin(value)
    if made_in.startswith((module.__name__ + ".", module.__name__ + ":")):
        return False
    if inspect.isfunction(value):
        return made_in.startswith("mxnet.")  # those of operators do not record where they were made
    return isinstance(value, (type, types.ModuleType))


def offered(mx: Any, name: str) -> dict[str, Any]:
    """What a module offers: classes with their members, other names, names taken from elsewhere, `__all__`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = importlib.import_module(f"{mx.__name__}.{name}" if name else mx.__name__)
    public = {n: v for n, v in sorted(vars(module).items()) if not n.startswith("_")}
    own = {n: v for n, v in public.items() if not is_taken(v, module)}
    classes = {
        n: " ".join(sorted(m for m in vars(v) if not m.startswith("_")))
        for n, v in own.items()
        if inspect.isclass(v)
    }
    star = getattr(module, "__all__", None)
    return {
        "classes": classes,
        "others": " ".join(n for n in own if n not in classes),
        "taken": {n: origin(v) for n, v in public.items() if n not in own},
        "star": None if star is None else " ".join(sorted({*star} - {*own})),
    }


def cases(mx: Any) -> dict[str, Any]:
    """A case a module."""
    return {n: lambda n=n: offered(mx, n) for n in ["", *module_names(mx)]}
