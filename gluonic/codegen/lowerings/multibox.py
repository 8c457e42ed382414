"""Boxes of single-shot detectors."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_contrib_MultiBoxPrior",
    "_contrib_MultiBoxTarget",
    "_contrib_MultiBoxDetection",
    python="the data determine the boxes: NumPy finds them",
)
