"""``mx.operator``: operators written in Python."""

from gluonic.ndarray.custom import (
    CustomOp,
    CustomOpProp,
    get_all_registered_operators,
    register,
)

__all__ = ["CustomOp", "CustomOpProp", "get_all_registered_operators", "register"]
