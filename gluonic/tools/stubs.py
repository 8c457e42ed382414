"""Stub files with the types of operators' functions, for type checkers and editors.

The functions of ``mx.nd`` and ``mx.sym`` exist only at run time. ``python -m gluonic.tools.stubs`` writes their
signatures, derived from the operators' definitions, to the folders ``typed`` of ``gluonic/ndarray`` and
``gluonic/symbol``, those of ``mx.np`` and ``mx.npx`` to those of ``gluonic/numpy`` and
``gluonic/numpy_extension``, and those that both `nd` and `sym` have, as the methods of ``F``, to that of
``gluonic/gluon``. The folder ``mxnet-stubs`` has a file for each module that programs import from ``mxnet``.
"""

import ast
import inspect
import keyword
import re
import sys
import textwrap
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from gluonic.graph import REGISTRY
from gluonic.graph.namespaces import FLUENT, Functions
from gluonic.symbol.fluent import UNPACKED
from gluonic.tools.functions_stub import functions_stub
from gluonic.tools.mxnet_stubs import stubs_of_mxnet
from gluonic.tools.numpy_stubs import NUMPY_MODULES, numpy_methods, numpy_stub
from gluonic.tools.stub_text import (
    HEAD,
    ROOMS,
    STARS,
    ParameterText,
    StubRoom,
    function_of,
    function_text,
    names_defined_in,
    parameters_of,
    result_of,
    summary_of,
)

_MODULES = ("op", "contrib", "image", "linalg", "random", "sparse")
_PACKAGE = '"""Types of what is made at run time."""\n'
_SPARSE = ("tostype",)
"""Methods that may return arrays of another class."""


def _other_function(name: str, function: Callable[..., Any], room: StubRoom) -> str:
    """A function that is no operator's, but made at run time."""
    parameters = []
    for each in inspect.signature(function).parameters.values():
        star = STARS.get(each.kind.name, "")
        has_default = each.default is not each.empty
        text = "self" if each.name == "self" else f"{star}{each.name}: Any"
        parameters.append(str(ParameterText(text, "..." if has_default else None)))
    stated = inspect.signature(function).return_annotation
    is_known = stated is inspect.Signature.empty or room.kind in str(stated)
    result = room.kind if is_known and name not in _SPARSE else "Any"
    return function_text(name, parameters, result, summary_of(function.__doc__), "")


def stub_of(
    module: types.ModuleType,
    room: StubRoom,
    operators: Mapping[str, str],
    others: Iterable[str] = (),
) -> str:
    """The stub of a module's functions that exist only at run time.

    Parameters
    ----------
    module : the module
    room : its package
    operators : the names of its operators, by those of their functions
    others : names that have a stub elsewhere
    """
    defined = names_defined_in(module).union(others)
    is_sparse = module.__name__ == "gluonic.ndarray.sparse"
    functions = []
    names = sorted(n for n in vars(module) if n.isidentifier() and not n.startswith("_"))
    for name in names:
        value = getattr(module, name)
        if name in defined or keyword.iskeyword(name) or not inspect.isfunction(value):
            continue
        if name in operators:
            operator = REGISTRY[operators[name]]
            functions.append((name, function_of(name, operator, room, is_sparse=is_sparse)))
        else:
            functions.append((name, _other_function(name, value, room)))
    title = f"The functions of {module.__name__.removeprefix('gluonic.')} that are made at run time"
    listed = "".join(f'    "{name}",\n' for name, _ in functions)
    head = HEAD.format(title=title, module=room.module, kind=room.kind)
    return "\n".join(
        [head, f"__all__: list[str] = [\n{listed}]\n", *(text for _, text in functions)]
    )


def methods_stub(room: StubRoom) -> str:
    """The stub of the class of the methods that other modules add."""
    title = f"The methods of {room.kind} that other modules add"
    head = HEAD.format(title=title, module=room.module, kind=room.kind)
    kind = getattr(import_module(room.module), room.kind)
    (tree,) = ast.parse(inspect.getsource(kind)).body
    assert isinstance(tree, ast.ClassDef)
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    is_private = re.compile("_[^_]").match
    added = [name for name in sorted(vars(kind)) if name not in own and not is_private(name)]
    methods = [_method(name, vars(kind)[name], room) for name in added]
    return head + "\n\nclass Methods:\n" + "\n".join(filter(None, methods))


def _method(name: str, value: Any, room: StubRoom) -> str:
    """A method that is an operator or another function, or a property; empty for anything else."""
    if isinstance(value, property):
        stated = inspect.signature(value.fget).return_annotation if value.fget else "Any"
        result = room.kind if room.kind in str(stated) else "Any"
        return f"    @property\n    def {name}(self) -> {result}: ...\n"
    if not inspect.isfunction(value) or inspect.signature(value).return_annotation is NoReturn:
        return ""
    is_operator = room.kind == "Symbol" or hasattr(value, "__signature__")
    if name not in FLUENT or not is_operator or name in UNPACKED:
        return textwrap.indent(_other_function(name, value, room), "    ")
    operator = REGISTRY[name]
    parameters = ["self", *parameters_of(operator, room)[1:]]
    result, summary = result_of(operator, room), summary_of(operator.documentation)
    return function_text(name, parameters, result, summary, "    ")


def stubs() -> Iterator[tuple[Path, str]]:
    """All stub files, with their text."""
    root = Path(__file__).parent.parent
    for room in ROOMS:
        folder = root / room.package / "typed"
        yield folder / "__init__.pyi", _PACKAGE
        yield folder / "methods.pyi", methods_stub(room)
        for name in _MODULES:
            module = import_module(f"gluonic.{room.package}.{name}")
            yield folder / f"{name}.pyi", stub_of(module, room, Functions.operators_of(name))
    package = import_module("gluonic.ndarray")  # a symbol's own functions are all defined there
    text = stub_of(package, ROOMS[0], {}, Functions.operators_of("op"))
    yield root / "ndarray" / "typed" / "package.pyi", text
    yield root / "ndarray" / "typed" / "numpy_methods.pyi", numpy_methods()
    yield root / "gluon" / "typed" / "functions.pyi", functions_stub()
    for name in ("gluon", "numpy", "numpy_extension"):
        yield root / name / "typed" / "__init__.pyi", _PACKAGE
    for name in NUMPY_MODULES:
        place, _, rest = name.partition(".")
        yield root / place / "typed" / f"{rest or 'functions'}.pyi", numpy_stub(name)
    for name, text in stubs_of_mxnet():
        yield root.parent / "mxnet-stubs" / name, text


def main() -> int:
    """Write the stub files that are missing or stale, and print their names; with --check only print them."""
    for path, text in stubs():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        print(path)
        if "--check" not in sys.argv:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
