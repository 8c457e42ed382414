"""Stub files with the types of operators' functions, for type checkers and editors.

The functions of ``mx.nd`` and ``mx.sym`` exist only at run time. ``python -m gluonic.tools.stubs`` writes their
signatures, derived from the operators' definitions, to ``gluonic/ndarray/typed`` and ``gluonic/symbol/typed``.
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
from typing import Any, NamedTuple

import numpy as np

from gluonic.graph import REGISTRY, Operator
from gluonic.graph.attributes import REQUIRED, annotation
from gluonic.graph.namespaces import FLUENT, Functions
from gluonic.support.record import record


@record
class _Room:
    """A package of functions on arrays of one class.

    Attributes
    ----------
    package : its name
    kind : the name of the class
    module : where that is defined
    last : the parameters after those of the operator
    makes_inputs : whether inputs that are not given become variables
    """

    package: str
    kind: str
    module: str
    last: tuple[str, ...]
    makes_inputs: bool


_OUT = "out: {kind} | Sequence[{kind}] | None = None"
_NAME = "name: str | None = None"
ROOMS = (
    _Room("ndarray", "NDArray", "gluonic.ndarray.array", (_OUT, _NAME), False),
    _Room(
        "symbol",
        "Symbol",
        "gluonic.symbol.symbol",
        (_NAME, "attr: Mapping[str, str] | None = None"),
        True,
    ),
)
_MODULES = ("op", "contrib", "image", "linalg", "random", "sparse")
_HEAD = '''"""{title}; written by ``python -m gluonic.tools.stubs``."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import DTypeLike

from gluonic.ndarray.context import Context
from {module} import {kind}
'''
_SPARSE = ("tostype",)
"""Methods that may return arrays of another class."""
_STARS = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}
_LONGEST = 112


class _Parameter(NamedTuple):
    """A parameter of a function.

    Attributes
    ----------
    text : its name and type
    default : as text; None if it must be given
    """

    text: str
    default: str | None

    def __str__(self) -> str:
        return self.text if self.default is None else f"{self.text} = {self.default}"


def _default(value: Any) -> str:
    if value is REQUIRED:
        return "..."
    if isinstance(value, np.dtype):
        return repr(value.name)
    is_plain = value is None or isinstance(value, (bool, int, str))
    is_plain |= isinstance(value, float) and np.isfinite(value)
    is_plain |= isinstance(value, tuple) and all(isinstance(each, int) for each in value)
    return repr(value) if is_plain else "..."


def _inputs(operator: Operator, room: _Room) -> Iterator[_Parameter]:
    for i, name in enumerate(operator.inputs):
        may_lack = name in operator.optional or (operator.absent is not None and i > 0)
        if may_lack or operator.arguments is not None or room.makes_inputs:
            yield _Parameter(f"{name}: {room.kind} | None", "None")
        else:
            yield _Parameter(f"{name}: {room.kind}", None)


def _parameters(operator: Operator, room: _Room) -> list[str]:
    inputs = [*_inputs(operator, room)]
    attributes = [
        _Parameter(f"{each.name}: {annotation(each.kind)}", _default(each.default))
        for each in operator.attributes.values()
        if not keyword.iskeyword(each.name)
    ]
    found = [*map(str, inputs)]
    if operator.variadic is not None:
        found.append(f"*{operator.variadic}: {room.kind}")
    found += map(str, attributes)
    found += [text.format(kind=room.kind) for text in room.last]
    takes_context = not operator.inputs and operator.variadic is None
    if takes_context and "ctx" not in operator.attributes:
        found.append("ctx: Context | None = None")
    if operator.catch_all is not None:
        found.append(f"**{operator.catch_all}: Any")
    return found


def _result(operator: Operator, room: _Room) -> str:
    """The type of what a function returns; Any where it depends on the attributes."""
    if room.kind == "Symbol":
        return "Symbol"
    visible = operator.visible
    if visible is None:
        visible = None if callable(operator.outputs) else len(operator.outputs)
    if callable(visible) or visible is None:
        return "Any"
    return room.kind if visible == 1 else f"list[{room.kind}]"


def _written(name: str, parameters: Iterable[str], result: str, summary: str, indent: str) -> str:
    """A function, on as few lines as it needs."""
    listed = [*parameters]
    head = f"{indent}def {name}({', '.join(listed)}) -> {result}:"
    if len(head) > _LONGEST:
        lines = "".join(f"{indent}    {each},\n" for each in listed)
        head = f"{indent}def {name}(\n{lines}{indent}) -> {result}:"
    return f'{head}\n{indent}    """{summary}"""\n'


def _summary(documentation: str | None) -> str:
    first = (documentation or "").strip().split("\n\n")[0]
    return " ".join(first.split()).replace('"""', "'''").replace("\\", "\\\\")


def _function(name: str, operator: Operator, room: _Room, *, is_sparse: bool) -> str:
    summary = _summary(operator.documentation)
    result = "Any" if is_sparse else _result(operator, room)
    return _written(name, _parameters(operator, room), result, summary, "")


def _other_function(name: str, function: Callable[..., Any], room: _Room) -> str:
    """A function that is no operator's, but made at run time."""
    parameters = []
    for each in inspect.signature(function).parameters.values():
        star = _STARS.get(each.kind.name, "")
        has_default = each.default is not each.empty
        text = "self" if each.name == "self" else f"{star}{each.name}: Any"
        parameters.append(str(_Parameter(text, "..." if has_default else None)))
    stated = inspect.signature(function).return_annotation
    is_known = stated is inspect.Signature.empty or room.kind in str(stated)
    result = room.kind if is_known and name not in _SPARSE else "Any"
    return _written(name, parameters, result, _summary(function.__doc__), "")


def _defined(module: types.ModuleType) -> set[str]:
    """The names that a type checker sees in the module itself."""
    tree = ast.parse(inspect.getsource(module))
    found = set()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found.update(alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Assign):
            found.update(each.id for each in node.targets if isinstance(each, ast.Name))
    return found


def stub_of(
    module: types.ModuleType, room: _Room, operators: Mapping[str, str], others: Iterable[str] = ()
) -> str:
    """The stub of a module's functions that exist only at run time.

    Parameters
    ----------
    module : the module
    room : its package
    operators : the names of its operators, by those of their functions
    others : names that have a stub elsewhere
    """
    defined = _defined(module).union(others)
    is_sparse = module.__name__ == "gluonic.ndarray.sparse"
    functions = []
    names = sorted(n for n in vars(module) if n.isidentifier() and not n.startswith("_"))
    for name in names:
        value = getattr(module, name)
        if name in defined or keyword.iskeyword(name) or not inspect.isfunction(value):
            continue
        if name in operators:
            operator = REGISTRY[operators[name]]
            functions.append((name, _function(name, operator, room, is_sparse=is_sparse)))
        else:
            functions.append((name, _other_function(name, value, room)))
    title = f"The functions of {module.__name__.removeprefix('gluonic.')} that are made at run time"
    listed = "".join(f'    "{name}",\n' for name, _ in functions)
    head = _HEAD.format(title=title, module=room.module, kind=room.kind)
    return "\n".join(
        [head, f"__all__: list[str] = [\n{listed}]\n", *(text for _, text in functions)]
    )


def methods_stub(room: _Room) -> str:
    """The stub of the class of the methods that other modules add."""
    title = f"The methods of {room.kind} that other modules add"
    head = _HEAD.format(title=title, module=room.module, kind=room.kind)
    kind = getattr(import_module(room.module), room.kind)
    (tree,) = ast.parse(inspect.getsource(kind)).body
    assert isinstance(tree, ast.ClassDef)
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    is_private = re.compile("_[^_]").match
    added = [name for name in sorted(vars(kind)) if name not in own and not is_private(name)]
    methods = [_method(name, vars(kind)[name], room) for name in added]
    return head + "\n\nclass Methods:\n" + "\n".join(filter(None, methods))


def _method(name: str, value: Any, room: _Room) -> str:
    """A method that is an operator or another function, or a property; empty for anything else."""
    if isinstance(value, property):
        stated = inspect.signature(value.fget).return_annotation if value.fget else "Any"
        result = room.kind if room.kind in str(stated) else "Any"
        return f"    @property\n    def {name}(self) -> {result}: ...\n"
    if not inspect.isfunction(value):
        return ""
    if name not in FLUENT or not hasattr(value, "__signature__"):
        return textwrap.indent(_other_function(name, value, room), "    ")
    operator = REGISTRY[name]
    parameters = ["self", *_parameters(operator, room)[1:]]
    result, summary = _result(operator, room), _summary(operator.documentation)
    return _written(name, parameters, result, summary, "    ")


def stubs() -> Iterator[tuple[Path, str]]:
    """All stub files, with their text."""
    root = Path(__file__).parent.parent
    for room in ROOMS:
        folder = root / room.package / "typed"
        yield folder / "__init__.pyi", '"""Types of what is made at run time."""\n'
        yield folder / "methods.pyi", methods_stub(room)
        for name in _MODULES:
            module = import_module(f"gluonic.{room.package}.{name}")
            yield folder / f"{name}.pyi", stub_of(module, room, Functions.operators_of(name))
    package = import_module("gluonic.ndarray")  # a symbol's own functions are all defined there
    text = stub_of(package, ROOMS[0], {}, Functions.operators_of("op"))
    yield root / "ndarray" / "typed" / "package.pyi", text


def main() -> int:
    """Write the stub files that are missing or stale, and print their names; with --check only print them."""
    for path, text in stubs():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        print(path)
        if "--check" not in sys.argv:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
