"""``mx.operator`` of MXNet 2.0: that of 1.x, and the operators with all their names."""

from gluonic import operator as of_one
from gluonic.graph import REGISTRY
from gluonic.mxnet2.fallback import all_of, of_module

__getattr__, __dir__ = of_module(of_one, globals())
__all__ = all_of(of_one, "get_all_registered_operators_grouped")


def get_all_registered_operators_grouped() -> dict[str, list[str]]:
    """Return the names of each operator, by the first of them."""
    names: dict[str, list[str]] = {}
    for name in of_one.get_all_registered_operators():
        first = REGISTRY[name].name if name in REGISTRY else name  # a custom operator
        names.setdefault(first, []).append(name)
    return names
