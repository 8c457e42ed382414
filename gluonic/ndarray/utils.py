"""``mx.nd.utils``: where MXNet keeps creation and files."""

from gluonic.ndarray.creation import array, empty, zeros
from gluonic.ndarray.serialization import load, load_frombuffer, save

__all__ = ["array", "empty", "load", "load_frombuffer", "save", "zeros"]
