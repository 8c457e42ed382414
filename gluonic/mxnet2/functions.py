"""Functions of `mx.np` and `mx.npx` as MXNet 2.0 has them: ``device=``, and symbols while a block is traced."""

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from gluonic.mxnet2.traced import while_traced

_Functions = Mapping[str, Callable[..., Any]]


def of_two(eager: _Functions, symbolic: _Functions, module: str) -> dict[str, Callable[..., Any]]:
    """MXNet 2.0's functions for 1.x's.

    Parameters
    ----------
    eager, symbolic : the functions of arrays and those of symbols, by name
    module : the module that they will belong to
    """
    return {name: _of_two(f, symbolic.get(name), module) for name, f in eager.items()}


def _of_two(
    eager: Callable[..., Any], symbolic: Callable[..., Any] | None, module: str
) -> Callable[..., Any]:
    made = eager if symbolic is None else while_traced(eager, symbolic)
    made = with_device(made)
    if made is not eager:
        made.__module__ = module
    return made


def with_device(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with ``device=`` beside its ``ctx=``; one without `ctx` as it is."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return function
    if "ctx" not in signature.parameters:
        return function

    @wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        if "device" in keywords:
            keywords["ctx"] = keywords.pop("device")
        return function(*arguments, **keywords)

    parameters = [
        p.replace(name="device") if p.name == "ctx" else p for p in signature.parameters.values()
    ]
    call.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return call
