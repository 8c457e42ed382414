"""Programs for MXNet 1.x rewritten with the names of 2.0, on syntax trees that keep formatting and comments."""

from gluonic.tools.modernizing.rewriting import Modernized, modernized

__all__ = ["Modernized", "modernized"]
