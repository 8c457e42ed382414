"""``mx.gluon.model_zoo`` of MXNet 2.0."""

from gluonic.support.lazy_import import import_later

__all__ = ["model_store", "vision"]
__getattr__, __dir__ = import_later(__name__, {name: f"{__name__}.{name}" for name in __all__})
