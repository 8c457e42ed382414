"""The functions of the `sym` namespace, made from the operators' definitions."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gluonic.graph import Operator
from gluonic.graph import ops as _ops  # noqa: F401 - fills the registry
from gluonic.graph.calling import Caller, dress
from gluonic.graph.numpy_names import is_numpy_name, without_prefix
from gluonic.symbol.compose import apply_operator
from gluonic.symbol.numpy_class import numpy_symbol
from gluonic.symbol.symbol import Symbol


def make_function(op: Operator, name: str) -> Callable[..., Symbol]:
    """Make the function that applies an operator to symbols.

    Most operators are never called, so work that takes longer than a microsecond is done at the first call.
    """
    caller: Caller | None = None
    of_numpy = is_numpy_name(name)
    hint = without_prefix(name).lower()

    def function(*args: Any, **kwargs: Any) -> Symbol:
        nonlocal caller
        if caller is None:
            caller = Caller(op, Symbol)
        title = None if "name" in op.attributes else kwargs.pop("name", None)
        attr: Mapping[str, str] | None = kwargs.pop("attr", None)
        kwargs.pop("out", None)
        node = apply_operator(caller, args, kwargs, name=title, attr=attr, hint=hint)
        kind = numpy_symbol() if of_numpy or _has_numpy(args, kwargs) else Symbol
        return kind([node.entry(i) for i in range(node.visible_count)])

    dress(function, op, name, "sym")
    return function


def _has_numpy(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Whether one of a call's symbols, which may be in a list, is of `mx.sym.np`."""
    given = args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args
    for x in (*given, *kwargs.values()):  # noqa: SIM110 (a generator takes twice as long)
        if isinstance(x, Symbol) and x.of_numpy:
            return True
    return False
