"""The functions of the `sym` namespace, made from the operators' definitions."""

from collections.abc import Callable, Mapping
from typing import Any

from gluonic.graph import Operator
from gluonic.graph import ops as _ops  # noqa: F401 - fills the registry
from gluonic.graph.calling import Caller, dress
from gluonic.symbol.compose import apply_operator
from gluonic.symbol.symbol import Symbol


def make_function(op: Operator, name: str) -> Callable[..., Symbol]:
    """Make the function that applies an operator to symbols.

    Most operators are never called: what takes longer than a microsecond is made at the first call.
    """
    caller: Caller | None = None

    def function(*args: Any, **kwargs: Any) -> Symbol:
        nonlocal caller
        if caller is None:
            caller = Caller(op, Symbol)
        title = None if "name" in op.attributes else kwargs.pop("name", None)
        attr: Mapping[str, str] | None = kwargs.pop("attr", None)
        kwargs.pop("out", None)
        node = apply_operator(caller, args, kwargs, name=title, attr=attr, hint=name.lower())
        return Symbol([node.entry(i) for i in range(node.visible_count)])

    dress(function, op, name, "sym")
    return function
