"""Networks known by name; imported when first asked for."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gluonic.gluon.model_zoo import model_store, vision

__all__ = ["model_store", "vision"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"gluonic.gluon.model_zoo has no {name!r}")
    return importlib.import_module(f"gluonic.gluon.model_zoo.{name}")
