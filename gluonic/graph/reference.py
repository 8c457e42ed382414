"""The page of an operator as text, derived from its definition: what ``help(mx.nd.Convolution)`` shows.

A docstring need only say what the definition does not know. The types and defaults of parameters, those that
the docstring leaves out, the names, the rules of shapes and dtypes and what is differentiable are added here.
"""

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

from gluonic.graph.attributes import REQUIRED, wording
from gluonic.graph.namespaces import public_name_of
from gluonic.graph.numpy_names import is_numpy_name, without_prefix
from gluonic.graph.operator import REGISTRY, Operator, Rule
from gluonic.graph.parameter_meanings import meaning
from gluonic.support.record import record

MORE_LINES: list[Callable[[Operator], str]] = []
"""Functions that add a line about an operator, from rooms above this one."""

_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)
_TYPE = re.compile(
    r"(an? )?(any |floating |integer )?(arrays?|bool|booleans?|dict|dtype(?! of)|floats?|ints?|lists?|"
    r"NDArray|number(?! of)|str|Symbol|symbols?|tuples?)\b|\{"
)


@record
class _Entry:
    """A parameter, or parameters described together.

    Attributes
    ----------
    names : their names
    type : their type, with the default
    meaning : their description, of several lines
    """

    names: tuple[str, ...]
    type: str
    meaning: str

    def __str__(self) -> str:
        head = f"{', '.join(self.names)} : {self.type}" if self.type else ", ".join(self.names)
        return head + "".join(f"\n    {line}" for line in self.meaning.splitlines())


def page(op: Operator, room: str) -> str:
    """The page of an operator.

    Parameters
    ----------
    op : the operator
    room : ``"nd"`` or ``"sym"``
    """
    introduction, sections = _sections(op.documentation)
    described = [*_described(op, sections.pop("Parameters", ""))]
    returns = sections.pop("Returns", "") or _results(op)
    notes = [sections.pop("Notes", ""), *_notes(op, room)]
    parts = {
        "Parameters": "\n".join(map(str, [*described, *_common_parameters(op, room)])),
        "Returns": returns,
        **sections,
        "Notes": "\n\n".join(filter(None, notes)),
    }
    examples = parts.pop("Examples", "")
    if examples:
        parts["Examples"] = examples
    return "\n\n".join([introduction, *(_section(title, text) for title, text in parts.items())])


def is_type(text: str) -> bool:
    """Whether what follows the name of a parameter is its type, not its meaning.

    >>> is_type("tuple of int, default 1"), is_type("the axis; None: all")
    (True, False)
    """
    return _TYPE.match(text) is not None


def undescribed(op: Operator) -> list[str]:
    """The parameters of an operator that neither its docstring nor the table of meanings describes."""
    _, sections = _sections(op.documentation)
    have = {name for head, _ in _entries(sections.get("Parameters", "")) for name in _names(head)}
    return [name for name in _parameters(op) if name not in have and not meaning(_family(op), name)]


def _section(title: str, text: str) -> str:
    return f"{title}\n{'-' * len(title)}\n{text}"


def _sections(documentation: str) -> tuple[str, dict[str, str]]:
    """What stands before the first heading of a docstring, and the texts below the headings."""
    introduction, *rest = _SECTION.split(documentation)
    texts = [text.strip("\n") for text in rest[1::2]]
    return introduction.strip(), dict(zip(rest[::2], texts, strict=True))


def _family(op: Operator) -> str:
    """The file that defines an operator."""
    return op.kernel.__module__.rpartition(".")[2]


def _parameters(op: Operator) -> tuple[str, ...]:
    """The names of all parameters, in order."""
    variadic = () if op.variadic is None else (op.variadic,)
    return (*op.inputs, *variadic, *op.attributes)


def _described(op: Operator, text: str) -> Iterator[_Entry]:
    """The entries of a docstring with types and defaults, and those that it lacks, in the operator's order."""
    entries = [_parsed(op, head, body) for head, body in _entries(text)]
    order = {name: i for i, name in enumerate(_parameters(op))}
    have = {name for entry in entries for name in entry.names}
    entries += [
        _Entry((name,), _type_of(op, name), meaning(_family(op), name))
        for name in order
        if name not in have
    ]
    yield from sorted(entries, key=lambda e: order.get(e.names[0], len(order)))


def _entries(text: str) -> Iterator[tuple[str, str]]:
    """The entries below a heading: the first line of each, and the indented ones below it."""
    for entry in re.split(r"\n(?=\S)", text):
        head, _, body = entry.partition("\n")
        if head:
            yield head, inspect.cleandoc(body)


def _names(head: str) -> tuple[str, ...]:
    """The names at the beginning of an entry."""
    return tuple(name.strip().lstrip("*") for name in head.partition(" :")[0].split(","))


def _parsed(op: Operator, head: str, body: str) -> _Entry:
    names, rest = _names(head), head.partition(" :")[2].strip()
    kinds = dict.fromkeys(_type_of(op, name) for name in names)
    derived = next(iter(kinds)) if len(kinds) == 1 else ""
    if not is_type(rest):  # the entry has a meaning alone
        return _Entry(names, derived, "\n".join(filter(None, [rest, body])))
    default = derived.partition(", default ")[2]
    if default and not re.search("default|optional", rest):
        rest = f"{rest}, default {default}"
    return _Entry(names, rest, body)


def _type_of(op: Operator, name: str) -> str:
    """The type of a parameter in words, with its default."""
    attribute = op.attributes.get(name)
    if attribute is None:
        return _kind_of_input(op, name)
    kind = wording(attribute.kind)
    if attribute.default is REQUIRED:
        return kind
    return f"{kind}, default {_default(attribute.default)}"


def _default(value: Any) -> str:
    return repr(value) if not hasattr(value, "itemsize") else str(value)


def _kind_of_input(op: Operator, name: str) -> str:
    if name == op.variadic:
        return "any number of arrays"
    if name not in op.inputs:
        return ""
    kind = "array, a state that the operator updates" if name in op.states else "array"
    return f"{kind}, optional" if name in op.optional else kind


def _common_parameters(op: Operator, room: str) -> Iterator[_Entry]:
    """The parameters that all functions of operators have."""
    taken = _parameters(op)
    name = "the name of the result, for messages"
    if room == "nd":
        out = "receives the result, which is then `out` itself"
        yield _Entry(("out",), "NDArray or list of NDArray, optional", out)
    else:
        attr = "further attributes of the node"
        yield _Entry(("attr",), "dict from str to str, optional", attr)
        name = "the name of the result; inputs that are not given become variables named after it"
    if "name" not in taken:
        yield _Entry(("name",), "str, optional", name)


def _results(op: Operator) -> str:
    """What an operator returns."""
    visible = op.visible
    if callable(op.outputs) or callable(visible):
        return "array, or list of arrays\n    Their number depends on the attributes."
    names = op.outputs if visible is None else op.outputs[:visible]
    if len(names) <= 1:
        return "array"
    return f"list of arrays\n    {', '.join(names)}"


def _notes(op: Operator, room: str) -> Iterator[str]:
    for what, rule in (("Shapes", op.shape), ("Dtypes", op.dtype)):
        if text := _rule(rule):
            yield f"{what}: {text}"
    yield f"Gradient: {_gradient(op)}"
    for line in MORE_LINES:
        yield line(op)  # empty if there is nothing to say
    if names := other_names(op, room):
        yield f"Other names: {', '.join(names)}."


def _rule(rule: Rule | None) -> str:
    """What a rule of shapes or dtypes states: the first sentence of its docstring after ``The … rule:``."""
    paragraph = (inspect.getdoc(rule) or "").partition("\n\n")[0] if rule is not None else ""
    stated = re.match(r"The [\w ]*rule[^:]*: (.*)", " ".join(paragraph.split()))
    return stated[1] if stated else ""


def _gradient(op: Operator) -> str:
    if op.backward is not None:
        return "yes; one rule gives those of all inputs."
    if op.gradients is None:
        return "no; going back through it is an error."
    if not op.gradients:
        return "zero."
    return f"yes, of {', '.join(op.gradients)}."


def other_names(op: Operator, room: str) -> list[str]:
    """The names of an operator's functions, but for that of `page`, and NumPy's function of the same name."""
    names = [_dotted(name, room) for name in (op.name, *op.aliases)]
    plain = without_prefix(op.name)
    for prefix in ("_np_", "_npi_", "_npx_"):
        if not is_numpy_name(op.name) and f"{prefix}{plain}" in REGISTRY:
            names.append(_dotted(f"{prefix}{plain}", room))
    return list(dict.fromkeys(names))[1:]


def _dotted(name: str, room: str) -> str:
    """The name of a function as programs write it.

    >>> _dotted("_contrib_box_iou", "nd"), _dotted("_npi_add", "nd"), _dotted("tanh", "sym")
    ('nd.contrib.box_iou', 'np.add', 'sym.tanh')
    """
    if is_numpy_name(name):
        return f"{'npx' if name.startswith('_npx') else 'np'}.{without_prefix(name)}"
    public = public_name_of(name)
    return ".".join([room, *([] if public.module == "op" else [public.module]), public.name])


class LaterPage(str):
    """A docstring: of its own the operator's, and its page when it is shown.

    ``help``, ``inspect.getdoc``, notebooks and Sphinx call `expandtabs`, and ``print`` makes a string. There
    are a thousand such pages, of which few are read, and making one takes a hundred times as long as this.
    """

    __slots__ = ("_op", "_room")
    _op: Operator
    _room: str

    def __new__(cls, op: Operator, room: str) -> "LaterPage":
        """The page of an operator, which is not made yet."""
        made = super().__new__(cls, op.kernel.__doc__ or "")
        made._op, made._room = op, room
        return made

    def __str__(self) -> str:
        return page(self._op, self._room)

    def expandtabs(self, tabsize: Any = 8) -> str:
        """The page."""
        return str(self)

    def __reduce__(self) -> Any:
        return str, (str(self),)
