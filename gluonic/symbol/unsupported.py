"""Members that only arrays have."""

from typing import Any, NoReturn

from gluonic.graph.errors import MXNetError, describe, nearest
from gluonic.graph.failures import not_made, note_failure
from gluonic.symbol.scopes import block_path


class NotImplementedForSymbol(MXNetError):
    """A Symbol was used where values are needed; it has none.

    Parameters
    ----------
    what : the method or the Python operator
    hint : what to use instead
    """

    def __init__(self, what: str, hint: str = "") -> None:
        self.what = what
        super().__init__(
            describe(
                f"a Symbol has no {what}: it stands for a computation and holds no values",
                hint=hint or _instead_of_values(),
            )
        )


def _instead_of_values() -> str:
    if block_path():
        return (
            "operators of F instead, such as F.max(x); to look at values, compute with NDArrays: "
            "without net.hybridize(), x is one"
        )
    return "bind or eval the symbol, y.eval(x=array)[0].asnumpy(), or compute with NDArrays"


# Attributes of arrays, each with the symbol's substitute.
_ARRAYS_ONLY = {
    "shape": "infer_shape, or inside hybrid_forward F.shape_array(x), or codes that need no shape: "
    "F.reshape(x, shape=(0, -1)) keeps the first axis",
    "dtype": "infer_type",
    "ndim": "infer_shape",
    "size": "infer_shape, or F.size_array(x) inside hybrid_forward",
    "T": "F.transpose(x)",
    "context": "pass the context to bind",
    "ctx": "pass the context to bind",
    "grad": "bind with args_grad",
}
_METHODS = {
    "wait_to_read": "nothing instead: there is nothing to wait for",
    "asnumpy": "",
    "asscalar": "",
    "copy": "the Symbol itself, which never changes",
    "as_in_context": "nothing instead: a graph runs where its inputs are",
    "detach": "F.BlockGrad(x)",
    "backward": "autograd.record() around the call, and backward() of its result",
}
_IN_PLACE = {"add": "+=", "sub": "-=", "mul": "*=", "truediv": "/="}


_SPECIAL = {
    "__setitem__": ("item assignment", "a new value, such as F.where(…) or F.concat(…)"),
    "__float__": ("float()", "the Symbol itself: F.broadcast_mul(x, F.max(x)) and the like"),
    "__int__": ("int()", "the Symbol itself, or a plain number given to the block"),
}


class SymbolAttributeError(MXNetError, AttributeError):
    """A Symbol does not have an attribute of that name."""


def missing_attribute(symbol: Any, name: str) -> str:
    """Return the message that a symbol lacks an attribute, with a replacement."""
    hint = _ARRAYS_ONLY.get(name)
    if hint is not None:
        return describe(
            f"a Symbol has no {name!r}: it holds no values", where=repr(symbol), hint=hint
        )
    similar = "" if name.startswith("_") else nearest(name, dir(type(symbol)))
    return f"Symbol has no {name!r}{similar}"


def refuse_array_methods(kind: type) -> None:
    """Give a class the methods that only arrays have; they raise `NotImplementedForSymbol`."""
    refused = {f"__i{n}__": (f"in-place {operator}", "") for n, operator in _IN_PLACE.items()}
    refused |= {name: (f"{name}()", hint) for name, hint in _METHODS.items()} | _SPECIAL
    for name, (what, hint) in refused.items():
        setattr(kind, name, _refusal(name, what, hint))


def _refusal(name: str, what: str, hint: str) -> Any:
    def method(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
        error = NotImplementedForSymbol(what, hint)
        note_failure(error, not_made(what, self.entries, error.location), {})
        raise error

    method.__name__ = name
    method.__doc__ = f"Raise: a Symbol has no {what}."
    return method
