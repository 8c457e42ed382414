"""Text to model, and a sampler for it."""

from gluonic.gluon.contrib.data import text
from gluonic.gluon.contrib.data.sampler import IntervalSampler

__all__ = ["IntervalSampler", "text"]
