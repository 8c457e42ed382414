"""Contributed layers, data sets of text, and a training loop with handlers."""

from typing import TYPE_CHECKING

from gluonic.gluon.contrib import nn, rnn
from gluonic.support.lazy_import import import_later

if TYPE_CHECKING:
    from gluonic.gluon.contrib import cnn, data, estimator

if not TYPE_CHECKING:  # a checker would believe that every name is there
    __getattr__, __dir__ = import_later(
        __name__, {name: f"{__name__}.{name}" for name in ("cnn", "data", "estimator")}
    )

__all__ = ["cnn", "data", "estimator", "nn", "rnn"]
