"""The type of ``F``, for annotations: ``def hybrid_forward(self, F: Functions, x: Any)``.

Type checkers and editors then know the operators that `nd` and `sym` share. Without an annotation they know
nothing of ``F``.
"""

from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gluonic.gluon.typed.functions import Functions
else:
    Functions = ModuleType

__all__ = ["Functions"]
