"""``mx.mod``: training of symbols, MXNet's interface before Gluon."""

from gluonic.module.base import BaseModule
from gluonic.module.bucketing import BucketingModule
from gluonic.module.module import Module
from gluonic.module.python import PythonLossModule, PythonModule
from gluonic.module.sequential import SequentialModule

__all__ = [
    "BaseModule",
    "BucketingModule",
    "Module",
    "PythonLossModule",
    "PythonModule",
    "SequentialModule",
]
