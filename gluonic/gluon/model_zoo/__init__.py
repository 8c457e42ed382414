"""Networks known by name."""

from gluonic.gluon.model_zoo import model_store, vision

__all__ = ["model_store", "vision"]
