"""Ways of changing a parameter's value or replacing its array."""

from tests.gluon.writing import arrays, nets, parameters
from tests.gluon.writing.ways import ONE_INPUT, SHAPE, WAYS

__all__ = ["ONE_INPUT", "SHAPE", "WAYS", "arrays", "nets", "parameters"]
