"""``mx.contrib.text``: vocabularies, and vectors of words from local files."""

from gluonic.contrib.text import embedding, vocab

__all__ = ["embedding", "vocab"]
