"""The stub file of the class of ``F`` in `hybrid_forward`."""

import inspect
import keyword
import types
from importlib import import_module

from gluonic.graph import REGISTRY
from gluonic.graph.namespaces import Functions
from gluonic.tools.stub_text import (
    HEAD,
    NAME,
    ROOMS,
    StubRoom,
    function_text,
    parameters_of,
    summary_of,
)

_BOTH = StubRoom("gluon", "Any", "", (NAME,), True)


def functions_stub() -> str:
    """The stub of the class of ``F`` in `hybrid_forward`."""
    head = HEAD.partition("\nfrom gluonic")[0].format(title="The functions of F in hybrid_forward")
    parts = [_class_of_functions("", "Functions")]
    for name in ("contrib", "image", "linalg", "random", "sparse"):
        parts.insert(0, _class_of_functions(f".{name}", f"_{name.capitalize()}"))
        parts[-1] += f"    {name}: _{name.capitalize()}\n"
    parts[-1] += "    np: Any\n    npx: Any\n    _internal: Any\n"
    return "\n\n".join([head, *parts])


def _class_of_functions(module: str, title: str) -> str:
    """The functions that modules of the same name in `nd` and `sym` share, as methods."""
    nd, sym = (import_module(f"gluonic.{room.package}{module}") for room in ROOMS)
    operators = Functions.operators_of(module.removeprefix(".") or "op")
    shared = sorted(_public_functions(nd) & _public_functions(sym) | operators.keys())
    methods = []
    for name in shared:
        if name.startswith("_") or keyword.iskeyword(name):
            continue
        if name in operators:
            operator = REGISTRY[operators[name]]
            parameters = parameters_of(operator, _BOTH)
            summary = summary_of(operator.documentation)
        else:
            parameters, summary = (
                ["*args: Any", "**kwargs: Any"],
                summary_of(getattr(nd, name).__doc__),
            )
        methods.append(function_text(name, ["self", *parameters], "Any", summary, "    "))
    return f"class {title}:\n" + "\n".join(methods)


def _public_functions(module: types.ModuleType) -> set[str]:
    return {name for name in dir(module) if inspect.isfunction(getattr(module, name, None))}
