"""``mx.contrib.text``: vocabularies, and word vectors from local files."""

from gluonic.contrib.text import embedding, vocab

__all__ = ["embedding", "vocab"]
