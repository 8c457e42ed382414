"""Errors of calls whose inputs and parameters do not match the signature of `hybrid_forward`."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from gluonic.graph.errors import CallError, describe, nearest

_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def explain_call(
    title: str, method: Callable[..., Any], inputs: Sequence[Any], parameters: Sequence[str] = ()
) -> None:
    """Raise if a method cannot be called with these inputs and parameters; otherwise do nothing.

    Parameters
    ----------
    title : the block's class name
    method : `forward` or `hybrid_forward`
    inputs : the inputs of the call
    parameters : the names of the block's own parameters, which are passed by name

    Raises
    ------
    CallError
        if an input is missing, unexpected or surplus
    """
    name = method.__name__
    signature = inspect.signature(method)
    if name == "hybrid_forward":
        signature = signature.replace(parameters=list(signature.parameters.values())[1:])
    try:
        signature.bind(*inputs, **dict.fromkeys(parameters))
    except TypeError as error:
        if name == "hybrid_forward":
            _check_first_arguments(title, method, len(inputs), parameters)
        what, hint = _what_does_not_fit(signature, name, len(inputs), parameters)
        code = inspect.unwrap(method).__code__
        raise CallError(
            describe(
                what or f"{name}: {error}",
                where=title,
                facts=[
                    f"it is defined as {name}{_written(signature, name)}, line {code.co_firstlineno} "
                    f"of {code.co_filename}",
                    f"called with {len(inputs)} inputs; the block's parameters: "
                    f"{', '.join(parameters) or 'none'}",
                ],
                hint=hint,
            )
        ) from None


def _check_first_arguments(
    title: str, method: Callable[..., Any], count: int, parameters: Sequence[str]
) -> None:
    """Raise if `hybrid_forward` is defined without `self` or `F`."""
    code = inspect.unwrap(method).__code__
    first = code.co_varnames[: code.co_argcount]
    inputs = [name for name in first if name not in ("self", "F", *parameters)]
    missing = "self" if first[:1] == ("F",) else "" if "F" in first else "F"
    if missing and len(inputs) == count:
        raise CallError(
            describe(
                f"hybrid_forward({', '.join(first)}) lacks {missing}",
                where=title,
                facts=[
                    f"it is defined in line {code.co_firstlineno} of {code.co_filename}",
                    "it is called with F, the module of operators (mx.nd or mx.sym), before the inputs",
                ],
                hint=f"def hybrid_forward({', '.join(['self', 'F', *inputs, *parameters])}): …",
            )
        ) from None


def _what_does_not_fit(
    signature: inspect.Signature, name: str, count: int, parameters: Sequence[str]
) -> tuple[str, str]:
    taken = [p for p in signature.parameters.values() if p.kind not in _VARIADIC]
    if not any(p.kind == inspect.Parameter.VAR_KEYWORD for p in signature.parameters.values()):
        names = [p.name for p in taken]
        for parameter in parameters:
            if parameter not in names:
                similar = nearest(parameter, names)
                return (
                    f"{name} does not take the block's parameter {parameter!r}{similar}",
                    f"an argument {parameter!r} after the inputs of {name}",
                )
    inputs = [p for p in taken if p.name not in parameters]
    missing = [p.name for p in inputs[count:] if p.default is inspect.Parameter.empty]
    if missing:
        return (
            f"{name} wants {' and '.join(map(repr, missing))}: neither an input nor a parameter of the block",
            f"call the block with {len(inputs)} inputs, or self.{missing[0]} = "
            f"self.params.get({missing[0]!r}, shape=…) in __init__",
        )
    return (
        f"called with {count} inputs, but {name} takes {len(inputs)} "
        f"({', '.join(p.name for p in inputs) or 'none'})",
        "give as many inputs as it takes; a list or tuple counts as one",
    )


def _written(signature: inspect.Signature, name: str) -> str:
    owner = "self, F, " if name == "hybrid_forward" else "self, "
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()]
    inner = str(inspect.Signature(bare))[1:]
    return f"({owner}{inner}" if inner != ")" else f"({owner.removesuffix(', ')})"
