"""``mx.error``: errors by name."""

from gluonic.base import register_error
from gluonic.graph.errors import MXNetError

__all__ = ["InternalError", "MXNetError", "register"]

register = register_error


@register_error
class InternalError(MXNetError):
    """A fault of the library itself, for programs that raise it.

    Parameters
    ----------
    msg : what is wrong
    """

    def __init__(self, msg: str) -> None:
        super().__init__(msg)


for _kind in (ValueError, TypeError, AttributeError, IndexError, NotImplementedError):
    register_error(_kind.__name__, _kind)
