"""Arrays in files."""

from gluonic.ndarray.numpy.serialization import load, save

__all__ = ["load", "save"]
