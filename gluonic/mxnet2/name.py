"""``mx.name`` of MXNet 2.0: the managers of names, and the innermost one."""

from gluonic.symbol.naming import NameManager, Prefix, current_names

__all__ = ["NameManager", "Prefix", "current"]


def current() -> NameManager:
    """Return the innermost manager of the current thread."""
    return current_names()
