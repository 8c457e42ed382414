"""``mx.sym`` of MXNet 2.0: that of 1.x, and its names for the inputs and the file of a symbol."""

from gluonic import symbol as of_one
from gluonic.mxnet2.fallback import all_of, of_module
from gluonic.symbol import Symbol

__getattr__, __dir__ = of_module(of_one, globals())
__all__ = all_of(of_one, "fromjson")


def fromjson(json_str: str) -> Symbol:
    """Return the symbol that a text of JSON describes; see `load_json`."""
    return of_one.load_json(json_str)


def get_inputs(self: Symbol) -> Symbol:
    """Return the variables that a symbol is computed from, as a group."""
    variables = self.graph().variables
    return type(self)([node.entry() for node in variables])


Symbol.get_inputs = get_inputs  # type: ignore[attr-defined]
