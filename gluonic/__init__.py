"""The MXNet 1.x API as a compact symbolic graph compiler: ``import gluonic as mx``."""

from gluonic._version import __version__

__all__ = ["__version__"]
