"""``mx.attribute`` of MXNet 2.0: scopes of attributes, and the innermost one."""

from gluonic.symbol.scopes import AttrScope, current_attributes

__all__ = ["AttrScope", "current"]


def current() -> AttrScope:
    """Return the innermost scope of the current thread."""
    return current_attributes()
