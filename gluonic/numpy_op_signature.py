"""``mxnet.numpy_op_signature``: the functions that call operators.

MXNet documents its NumPy operators by functions of a module ``_numpy_op_doc``. Here those are the functions
that call them.
"""

from collections.abc import Callable
from typing import Any

from gluonic import numpy, numpy_extension

_ROOMS = (("_npx__image_", numpy_extension.image), ("_npx_", numpy_extension), ("_np_", numpy))


def _get_builtin_op(op_name: str) -> Callable[..., Any] | None:
    """The function of `mx.np` or `mx.npx` that calls an operator, None for one of neither.

    Raises
    ------
    ValueError
        if its namespace has no function of that name

    Examples
    --------
    >>> _get_builtin_op("_np_sum").__name__
    'sum'
    """
    for prefix, room in _ROOMS:
        if op_name.startswith(prefix):
            found: Callable[..., Any] | None = getattr(room, op_name.removeprefix(prefix), None)
            if found is None:
                raise ValueError(f"there is no function for the operator {op_name}")
            return found
    return None


def __getattr__(name: str) -> Any:
    try:
        found = _get_builtin_op(name)
    except ValueError:
        found = None
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return found
