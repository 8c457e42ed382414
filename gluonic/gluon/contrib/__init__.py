"""Layers that MXNet keeps apart."""

from gluonic.gluon.contrib import nn

__all__ = ["nn"]
