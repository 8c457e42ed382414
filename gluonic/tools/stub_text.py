"""What the writers of stub files share: the signature of an operator as the text of a function."""

import ast
import inspect
import keyword
import types
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from gluonic.graph import Operator
from gluonic.graph.attributes import REQUIRED, annotation
from gluonic.support.record import record


@record
class StubRoom:
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


OUT = "out: {kind} | Sequence[{kind}] | None = None"
NAME = "name: str | None = None"
ROOMS = (
    StubRoom("ndarray", "NDArray", "gluonic.ndarray.array", (OUT, NAME), False),
    StubRoom(
        "symbol",
        "Symbol",
        "gluonic.symbol.symbol",
        (NAME, "attr: Mapping[str, str] | None = None"),
        True,
    ),
)
HEAD = '''"""{title}; written by ``python -m gluonic.tools.stubs``."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import DTypeLike

from gluonic.ndarray.context import Context
from {module} import {kind}
'''
STARS = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}
_LONGEST = 112


class ParameterText(NamedTuple):
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


def default_text(value: Any) -> str:
    """A default as text, an ellipsis where it has none that is short."""
    if value is REQUIRED:
        return "..."
    if isinstance(value, np.dtype):
        return repr(value.name)
    is_plain = value is None or isinstance(value, (bool, int, str))
    is_plain |= isinstance(value, float) and np.isfinite(value)
    is_plain |= isinstance(value, tuple) and all(isinstance(each, int) for each in value)
    return repr(value) if is_plain else "..."


def _inputs(operator: Operator, room: StubRoom) -> Iterator[ParameterText]:
    for i, name in enumerate(operator.inputs):
        may_lack = name in operator.optional or (operator.absent is not None and i > 0)
        if may_lack or operator.arguments is not None or room.makes_inputs:
            yield ParameterText(f"{name}: {room.optional}", "None")
        else:
            yield ParameterText(f"{name}: {room.kind}", None)


def parameters_of(operator: Operator, room: StubRoom) -> list[str]:
    """The parameters of an operator's function, in order."""
    inputs = [*_inputs(operator, room)]
    attributes = [
        ParameterText(f"{each.name}: {annotation(each.kind)}", default_text(each.default))
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


def result_of(operator: Operator, room: StubRoom) -> str:
    """The type of what a function returns; Any where it depends on the attributes."""
    if room.kind == "Symbol":
        return "Symbol"
    visible = operator.visible
    if visible is None:
        visible = None if callable(operator.outputs) else len(operator.outputs)
    if callable(visible) or visible is None:
        return "Any"
    return room.kind if visible == 1 else f"list[{room.kind}]"


def function_text(
    name: str, parameters: Iterable[str], result: str, summary: str, indent: str
) -> str:
    """A function, on as few lines as it needs."""
    listed = [*parameters]
    head = f"{indent}def {name}({', '.join(listed)}) -> {result}:"
    if len(head) > _LONGEST:
        lines = "".join(f"{indent}    {each},\n" for each in listed)
        head = f"{indent}def {name}(\n{lines}{indent}) -> {result}:"
    return f'{head}\n{indent}    """{summary}"""\n'


def summary_of(documentation: str | None) -> str:
    """The first sentence or sentences of a docstring, as one line."""
    first = (documentation or "").strip().split("\n\n")[0]
    return " ".join(first.split()).replace('"""', "'''").replace("\\", "\\\\")


def function_of(name: str, operator: Operator, room: StubRoom, *, is_sparse: bool) -> str:
    """The function of an operator."""
    summary = summary_of(operator.documentation)
    result = "Any" if is_sparse else result_of(operator, room)
    return function_text(name, parameters_of(operator, room), result, summary, "")


def names_defined_in(module: types.ModuleType) -> set[str]:
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
