"""Tables of parameters, with which iterators declare their arguments as MXNet's do."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from types import SimpleNamespace
from typing import Any, NamedTuple, TypeVar

from gluonic.graph.attributes import REQUIRED, Attribute, wording
from gluonic.graph.errors import AttributeValueError, describe, nearest, warn

# further parameters of MXNet's iterators over rows, and those that programs pass
_OF_SPEED = {
    "ctx",
    "dtype",
    "input_shape",
    "preprocess_threads",
    "prefetch_buffer",
    "seed",
    "silent",
}
Made = TypeVar("Made", bound=type[Any])


class Setting(NamedTuple):
    """A parameter.

    Attributes
    ----------
    name, kind, default : as those of an operator's attribute
    meaning : its description, for the documentation
    least : the least valid value, if any
    """

    name: str
    kind: Any
    default: Any
    meaning: str
    least: Any = None

    def read(self, value: Any, owner: str) -> Any:
        """Check and convert a value."""
        found = Attribute(self.name, self.kind, self.default).read(value, owner)
        if self.least is not None and found is not None and found < self.least:
            raise AttributeValueError(f"{owner}: {self.name}={value} must be at least {self.least}")
        return found


def declares(*tables: Iterable[Setting], **defaults: Any) -> Callable[[Made], Made]:
    """Give a class the signature and the documentation of some tables; a decorator.

    Parameters
    ----------
    tables : the parameters; of two with the same name, the first counts
    defaults : the class's own defaults, where they differ from the tables'
    """

    def declared(made: Made) -> Made:
        parameters: dict[str, Setting] = {}
        for table in tables:
            for p in table:
                parameters.setdefault(p.name, p)
        found = {
            name: p._replace(default=defaults.get(name, p.default))
            for name, p in sorted(
                parameters.items(), key=lambda pair: pair[1].default is not REQUIRED
            )
        }
        made.parameters = found
        made.__signature__ = inspect.Signature(
            [
                inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=p.default)
                for name, p in found.items()
            ]
        )
        made.__doc__ = f"{inspect.cleandoc(made.__doc__ or '')}\n\n{_documentation(found.values())}"
        return made

    return declared


def _documentation(parameters: Iterable[Setting]) -> str:
    lines = ["Parameters", "----------"]
    for p in parameters:
        default = "required" if p.default is REQUIRED else f"by default {p.default!r}"
        lines += [f"{p.name} : {wording(p.kind)}, {default}", f"    {p.meaning}"]
    return "\n".join(lines)


def warn_of_unknown(given: Iterable[str], known: Iterable[str], owner: str) -> None:
    """Warn about unknown keywords, which have no effect; MXNet accepts them silently."""
    for name in given:
        if name not in known and name not in _OF_SPEED:
            warn(f"{owner} has no parameter {name}, which has no effect{nearest(name, known)}")


def read_settings(
    parameters: Mapping[str, Setting], given: Mapping[str, Any], owner: str
) -> SimpleNamespace:
    """Return the values of all parameters; unknown ones have no effect, as in MXNet, with a warning.

    Raises
    ------
    ValueError
        if a value is invalid or missing
    """
    warn_of_unknown(given, parameters, owner)
    missing = [n for n, p in parameters.items() if p.default is REQUIRED and n not in given]
    if missing:
        raise AttributeValueError(describe(f"{' and '.join(missing)} must be given", where=owner))
    return SimpleNamespace(
        **{
            name: p.read(given[name], owner) if name in given else p.default
            for name, p in parameters.items()
        }
    )
