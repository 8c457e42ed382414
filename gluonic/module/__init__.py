"""``mx.mod``: training symbols, as before Gluon."""

from typing import NoReturn

from gluonic.graph.errors import NotThereError
from gluonic.module.base import BaseModule
from gluonic.module.module import Module

__all__ = ["BaseModule", "Module"]

_ABSENT = {"BucketingModule", "SequentialModule", "PythonModule", "PythonLossModule"}


def __getattr__(name: str) -> NoReturn:
    if name in _ABSENT:
        raise NotThereError(f"mx.mod.{name}: this kind of module is not there")
    raise AttributeError(f"mx.mod has no {name!r}")
