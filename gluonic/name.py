"""Automatic names of symbols: ``mx.name.NameManager``, ``mx.name.Prefix``."""

from gluonic.symbol.naming import NameManager, Prefix

__all__ = ["NameManager", "Prefix"]
