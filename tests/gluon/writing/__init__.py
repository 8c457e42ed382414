"""Ways in which a parameter's value changes, or another array takes its place."""

from tests.gluon.writing import arrays, nets, parameters
from tests.gluon.writing.ways import ONE_INPUT, SHAPE, WAYS

__all__ = ["ONE_INPUT", "SHAPE", "WAYS", "arrays", "nets", "parameters"]
