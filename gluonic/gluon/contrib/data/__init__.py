"""Data sets for language models, and a sampler for them."""

from gluonic.gluon.contrib.data import text
from gluonic.gluon.contrib.data.sampler import IntervalSampler

__all__ = ["IntervalSampler", "text"]
