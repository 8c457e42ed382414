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
from typing import Any, NamedTuple, NoReturn

import numpy as np

from gluonic.graph import REGISTRY, Operator
from gluonic.graph.attributes import REQUIRED, annotation
from gluonic.graph.namespaces import FLUENT, Functions
from gluonic.numpy_functions.extension import operators_of
from gluonic.numpy_functions.methods import DEFAULTS, METHODS, RENAMED, operators
from gluonic.support.record import record
from gluonic.symbol.fluent import UNPACKED
from gluonic.tools.mxnet_stubs import stubs_of_mxnet


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

    @property
    def optional(self) -> str:
        """The type of an input that need not be given."""
        return self.kind if self.kind == "Any" else f"{self.kind} | None"


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
_NUMPY = _Room("numpy", "ndarray", "gluonic.ndarray.numpy.array", (_OUT, _NAME), False)
_BOTH = _Room("gluon", "Any", "", (_NAME,), True)
_NUMPY_MODULES = (
    "numpy",
    "numpy.random",
    "numpy.linalg",
    "numpy_extension",
    "numpy_extension.random",
)
_SEVERAL = {
    "array_split", "atleast_1d", "atleast_2d", "atleast_3d", "average", "broadcast_arrays", "cond",
    "diag_indices_from", "dsplit", "eig", "eigh", "foreach", "histogram", "hsplit", "linspace", "load",
    "may_share_memory", "meshgrid", "nonzero", "npx_nonzero", "shape", "shares_memory", "slogdet", "split",
    "svd", "unique", "unravel_index", "vsplit", "where", "while_loop",
}  # fmt: skip
"""Functions of `mx.np` whose result is not, or not always, an array."""
_MODULES = ("op", "contrib", "image", "linalg", "random", "sparse")
_HEAD = '''"""{title}; written by ``python -m gluonic.tools.stubs``."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import DTypeLike

from gluonic.ndarray.context import Context
from {module} import {kind}
'''
_PACKAGE = '"""Types of what is made at run time."""\n'
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
            yield _Parameter(f"{name}: {room.optional}", "None")
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


def _numpy_stub(name: str) -> str:
    """The stub of a module of `mx.np` or `mx.npx`."""
    module = import_module(f"gluonic.{name}")
    operators = operators_of({"numpy": "np", "numpy_extension": "npx"}.get(name, ""))
    written = _defined(module)
    texts = {}
    for each in sorted(module.__all__):
        value = getattr(module, each)
        if each in written or not callable(value) or inspect.isclass(value):
            continue
        if each in operators:
            texts[each] = _function(each, REGISTRY[operators[each]], _NUMPY, is_sparse=False)
        else:
            texts[each] = _numpy_function(each, value)
    title = f"The functions of {name} that are made at run time"
    head = _HEAD.format(title=title, module=_NUMPY.module, kind=_NUMPY.kind)
    listed = "".join(f'    "{each}",\n' for each in texts)
    return "\n".join([head, f"__all__: list[str] = [\n{listed}]\n", *texts.values()])


def _numpy_function(name: str, function: Any) -> str:
    """A function written over `F`; of those that NumPy computes, the parameters stay open."""
    if not inspect.isfunction(function) or (function.__module__ or "").startswith("numpy"):
        open_ended = ["*args: Any", "**kwargs: Any"]
        return _written(name, open_ended, "Any", f"Return what NumPy's `{name}` does.", "")
    signature = inspect.signature(function)
    parameters = [_numpy_parameter(each) for each in signature.parameters.values()]
    stated = signature.return_annotation
    result = "None" if stated is None else "Any" if name in _SEVERAL else _NUMPY.kind
    return _written(name, parameters, result, _summary(function.__doc__), "")


def _numpy_parameter(parameter: inspect.Parameter) -> str:
    stated = inspect.formatannotation(parameter.annotation).replace("typing.", "")
    kind = stated if re.fullmatch(r"(Any|bool|int|float|str|None|\W)+", stated) else "Any"
    text = f"{_STARS.get(parameter.kind.name, '')}{parameter.name}: {kind}"
    has_default = parameter.default is not parameter.empty
    return str(_Parameter(text, _default(parameter.default) if has_default else None))


def _numpy_methods() -> str:
    """The stub of the class of the operators and methods of arrays of `mx.np`."""
    functions = import_module("gluonic.numpy").functions
    parts = []
    for name, listed in METHODS.items():
        known = inspect.signature(functions[name]).parameters
        parameters = ["self"]
        for each in listed.split():
            of_function = RENAMED.get((name, each), each)
            must_be_given = known[of_function].default is inspect.Parameter.empty
            must_be_given &= of_function not in DEFAULTS.get(name, {})
            parameters.append(str(_Parameter(f"{each}: Any", None if must_be_given else "...")))
        result = "Any" if name in _SEVERAL else "ndarray"
        summary = _summary(functions[name].__doc__)
        parts.append(_written(name, parameters, result, summary, "    "))
    for name, given in operators(functions, in_place=True).items():
        count = len(inspect.signature(given).parameters)
        names = ["self", "other: Any"] if count > 1 else ["self"]
        ignored = "  # type: ignore[override]" if name in ("__eq__", "__ne__") else ""
        parts.append(f"    def {name}({', '.join(names)}) -> ndarray: ...{ignored}\n")
    for text in (
        "reshape(self, *shape: Any, order: str = 'C')",
        "transpose(self, *axes: Any)",
        "flatten(self, order: str = 'C')",
        "__getitem__(self, key: Any)",
    ):
        parts.append(f"    def {text} -> ndarray: ...\n")
    parts.append("    @property\n    def T(self) -> ndarray: ...\n")
    title = "The operators and methods of arrays of mx.np that are made at run time"
    head = _HEAD.format(title=title, module=_NUMPY.module, kind=_NUMPY.kind)
    return head + "\n\nclass NumPyMethods:\n" + "\n".join(parts)


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


def _functions_stub() -> str:
    """The stub of the class of ``F`` in `hybrid_forward`."""
    head = _HEAD.partition("\nfrom gluonic")[0].format(title="The functions of F in hybrid_forward")
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
            parameters = _parameters(operator, _BOTH)
            summary = _summary(operator.documentation)
        else:
            parameters, summary = (
                ["*args: Any", "**kwargs: Any"],
                _summary(getattr(nd, name).__doc__),
            )
        methods.append(_written(name, ["self", *parameters], "Any", summary, "    "))
    return f"class {title}:\n" + "\n".join(methods)


def _public_functions(module: types.ModuleType) -> set[str]:
    return {name for name in dir(module) if inspect.isfunction(getattr(module, name, None))}


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
    if not inspect.isfunction(value) or inspect.signature(value).return_annotation is NoReturn:
        return ""
    is_operator = room.kind == "Symbol" or hasattr(value, "__signature__")
    if name not in FLUENT or not is_operator or name in UNPACKED:
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
        yield folder / "__init__.pyi", _PACKAGE
        yield folder / "methods.pyi", methods_stub(room)
        for name in _MODULES:
            module = import_module(f"gluonic.{room.package}.{name}")
            yield folder / f"{name}.pyi", stub_of(module, room, Functions.operators_of(name))
    package = import_module("gluonic.ndarray")  # a symbol's own functions are all defined there
    text = stub_of(package, ROOMS[0], {}, Functions.operators_of("op"))
    yield root / "ndarray" / "typed" / "package.pyi", text
    yield root / "ndarray" / "typed" / "numpy_methods.pyi", _numpy_methods()
    yield root / "gluon" / "typed" / "functions.pyi", _functions_stub()
    for name in ("gluon", "numpy", "numpy_extension"):
        yield root / name / "typed" / "__init__.pyi", _PACKAGE
    for name in _NUMPY_MODULES:
        place, _, rest = name.partition(".")
        yield root / place / "typed" / f"{rest or 'functions'}.pyi", _numpy_stub(name)
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
