"""The operators and methods of `mx.np`'s arrays and symbols: functions with the object as first argument."""

from collections.abc import Callable, Mapping
from typing import Any

Functions = Mapping[str, Callable[..., Any]]

# Python's operators with another on the right, and with the object on the right.
_BINARY = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "true_divide", "mod": "mod", "pow": "power",
    "matmul": "matmul",
}  # fmt: skip
_ON_INTEGERS = {"and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor"}
_COMPARISONS = {
    "eq": "equal", "ne": "not_equal", "gt": "greater", "ge": "greater_equal", "lt": "less",
    "le": "less_equal",
}  # fmt: skip
_UNARY = {
    "neg": "negative", "abs": "absolute", "invert": "invert", "ceil": "ceil", "floor": "floor",
    "trunc": "trunc",
}  # fmt: skip

# The positional parameters of methods, after the object.
METHODS = {
    "all": "axis out keepdims",
    "any": "axis out keepdims",
    "argmax": "axis out",
    "argmin": "axis out",
    "argsort": "axis kind order",
    "broadcast_to": "shape",
    "clip": "min max out",
    "cumsum": "axis dtype out",
    "dot": "b out",
    "max": "axis out keepdims",
    "mean": "axis dtype out keepdims",
    "min": "axis out keepdims",
    "nonzero": "",
    "prod": "axis dtype out keepdims",
    "repeat": "repeats axis",
    "round": "decimals out",
    "sort": "axis kind order",
    "squeeze": "axis",
    "std": "axis dtype out ddof keepdims",
    "sum": "axis dtype out keepdims",
    "swapaxes": "axis1 axis2",
    "take": "indices axis mode",
    "var": "axis dtype out ddof keepdims",
}
RENAMED = {("clip", "min"): "a_min", ("clip", "max"): "a_max"}
# What methods may be called without, and functions may not.
DEFAULTS: dict[str, dict[str, Any]] = {"clip": {"a_min": None, "a_max": None}}


def _method(name: str, parameters: str, functions: Functions) -> Callable[..., Any]:
    """A function as a method, whose arguments may be given in the method's own order."""
    names, defaults = parameters.split(), DEFAULTS.get(name, {})

    def call(self: Any, *arguments: Any, **keywords: Any) -> Any:
        if len(arguments) > len(names):
            raise TypeError(
                f"{name} takes {len(names)} arguments ({', '.join(names)}), not {len(arguments)}"
            )
        for key, value in zip(names, arguments, strict=False):
            if key in keywords:
                raise TypeError(f"{name}: {key} was given twice, by position and by keyword")
            keywords[key] = value
        given = {RENAMED.get((name, key), key): value for key, value in keywords.items()}
        return functions[name](self, **{**defaults, **given})

    return call


def _reflected(function: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: function(other, self)


def operators(functions: Functions, *, in_place: bool) -> dict[str, Callable[..., Any]]:
    """Python's operators, by the names of their methods.

    Parameters
    ----------
    functions : those of `mx.np`, over arrays or over symbols
    in_place : whether the objects can be written into
    """
    plain = _COMPARISONS | _UNARY
    made = {f"__{name}__": functions[function] for name, function in plain.items()}
    for name, function in (_BINARY | _ON_INTEGERS).items():
        made[f"__{name}__"] = functions[function]
        if name in _BINARY:
            made[f"__r{name}__"] = _reflected(functions[function])
        if in_place:
            made[f"__i{name}__"] = _in_place(functions[function])
    return made


def _in_place(function: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: function(self, other, out=self)


def methods(functions: Functions) -> dict[str, Any]:
    """The methods that are functions, by name; their functions are looked up when they are called."""
    made: dict[str, Any] = {
        name: _method(name, parameters, functions) for name, parameters in METHODS.items()
    }

    def reshape(self: Any, *shape: Any, order: str = "C") -> Any:
        """Return the elements under another shape, given as a tuple or one by one; -1 is inferred."""
        return functions["reshape"](self, _one_or_all(shape), order=order)

    def transpose(self: Any, *axes: Any) -> Any:
        """Return the array with its axes in another order, by default in reverse."""
        return functions["transpose"](self, _one_or_all(axes) if axes else None)

    def __round__(self: Any, ndigits: int = 0) -> Any:
        """Return the elements rounded to `ndigits` decimals."""
        return functions["around"](self, ndigits)

    def transposed(self: Any) -> Any:
        """The array with its axes in reverse order."""
        return functions["transpose"](self)

    def flatten(self: Any, order: str = "C") -> Any:
        """Return a copy with one axis."""
        return functions["reshape"](self, -1, order=order)

    for function in (reshape, transpose, flatten, __round__):
        made[function.__name__] = function
    return {**made, "T": property(transposed)}


def add_to(kind: type, functions: Functions, *, in_place: bool) -> None:
    """Give a class its operators and methods."""
    for name, member in (operators(functions, in_place=in_place) | methods(functions)).items():
        setattr(kind, name, member)


def check_cast(order: str, casting: str, subok: bool) -> None:
    """Refuse arguments of `astype` that are accepted only as in NumPy.

    Raises
    ------
    ValueError
        for any value but the default behaviour's
    """
    for name, value, allowed in (
        ("order", order, ("K", "C")),
        ("casting", casting, ("unsafe",)),
        ("subok", subok, (True,)),
    ):
        if value not in allowed:
            raise ValueError(
                f"astype: {name} must be {' or '.join(map(repr, allowed))}, not {value!r}"
            )


def _one_or_all(given: Any) -> Any:
    """Numbers given one by one as a tuple; one that is given alone, be it a tuple, as it is."""
    return given[0] if isinstance(given, tuple) and len(given) == 1 else given
