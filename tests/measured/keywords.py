"""Keywords that no operator has: which operators take them all the same, and which refuse them."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

MODULES = ("op", "_internal", "contrib", "linalg", "image")


def taken(function: Callable[..., Any]) -> bool | None:
    """Whether a function takes a keyword without a meaning; None if something else is the matter."""
    try:
        function(no_such_keyword="1")
    except Exception as error:
        message = str(error)
        unknown = (
            "Cannot find argument" in message or "has no attribute 'no_such_keyword'" in message
        )
        return False if unknown else None
    return True


def sorted_out(mx: Any, module: str) -> dict[str, list[str]]:
    """Return the names of a module's operators by whether they take such a keyword."""
    functions = vars(importlib.import_module(f"{mx.__name__}.symbol.{module}"))
    answers = {
        name: taken(function)
        for name, function in functions.items()
        if callable(function) and not isinstance(function, type) and not name.startswith("__")
    }
    return {
        kind: sorted(name for name, answer in answers.items() if answer is wanted)
        for kind, wanted in (("taken", True), ("refused", False))
    }


def cases(mx: Any) -> dict[str, Callable[[], Any]]:
    """Build the cases for a package that is called like MXNet."""
    return {module: lambda m=module: sorted_out(mx, m) for module in MODULES}  # type: ignore[misc]
