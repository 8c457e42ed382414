"""Layers that MXNet keeps apart."""

from gluonic.gluon.contrib import nn, rnn

__all__ = ["nn", "rnn"]
