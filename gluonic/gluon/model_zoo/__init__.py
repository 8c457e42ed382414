"""Predefined networks by name; imported on first use."""

from typing import TYPE_CHECKING

from gluonic.support.lazy_import import import_later

if TYPE_CHECKING:
    from gluonic.gluon.model_zoo import model_store, vision

__all__ = ["model_store", "vision"]
if not TYPE_CHECKING:  # a checker would believe that every name is there
    __getattr__, __dir__ = import_later(__name__, {name: f"{__name__}.{name}" for name in __all__})
