"""``mx.mod``: training symbols, as before Gluon."""

from gluonic.module.base import BaseModule
from gluonic.module.module import Module

__all__ = ["BaseModule", "Module"]
