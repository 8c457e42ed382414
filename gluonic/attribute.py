"""Attributes for all symbols made in a block: ``with mx.AttrScope(ctx_group="dev1"):``."""

from gluonic.symbol.scopes import AttrScope

__all__ = ["AttrScope"]
