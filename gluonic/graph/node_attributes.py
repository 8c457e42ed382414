"""The string attributes of nodes, with MXNet's names and format.

An operator's own attributes have plain names; all others are ``__between_underscores__``. Some of
the latter also have a bare name: ``lr_mult`` is ``__lr_mult__``.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from gluonic.graph.application import Application
from gluonic.graph.errors import MXNetError
from gluonic.graph.node import Entry, Node
from gluonic.graph.operator import Operator
from gluonic.graph.subgraphs import Subgraphs

BARE = ("ctx_group", "lr_mult", "wd_mult", "force_mirroring", "mirror_stage")
_OF_PYTHON = frozenset({bool, int, float, str, type(None)})
_ENDINGS = tuple(f"_{bare}" for bare in BARE)


def is_extra(name: str) -> bool:
    """Whether an attribute is not the operator's own."""
    return len(name) > 4 and name.startswith("__") and name.endswith("__")


def input_attribute(name: str) -> tuple[str, str] | None:
    """The input, and its attribute, that an old attribute of an operator stood for.

    >>> input_attribute("weight_lr_mult")
    ('weight', 'lr_mult')
    """
    if not name.endswith(_ENDINGS) or is_extra(name):
        return None
    bare = next(each for each in BARE if name.endswith(f"_{each}"))
    return name[: -len(bare) - 1], bare


@lru_cache(maxsize=1024)
def full_name(name: str) -> str:
    """Return the name under which an attribute is stored.

    >>> full_name("lr_mult"), full_name("kernel")
    ('__lr_mult__', 'kernel')

    Raises
    ------
    MXNetError
        for ``weight_lr_mult``, which used to mean an attribute of the input ``weight``
    """
    if name in BARE:
        return f"__{name}__"
    if (found := input_attribute(name)) is not None:
        owner, bare = found
        raise MXNetError(
            f"{name} sets an attribute of the input {owner}; say it of the variable: "
            f"{owner}=Variable('…', {bare}=…)"
        )
    return name


def bare_name(name: str) -> str | None:
    """Return the other name under which an attribute is listed, if there is one."""
    return name[2:-2] if is_extra(name) and name[2:-2] in BARE else None


def listed(attributes: Mapping[str, str]) -> dict[str, str]:
    """Return attributes as a user sees them, under both names if there are two."""
    seen = dict(attributes)
    for name, value in attributes.items():
        if (bare := bare_name(name)) is not None:
            seen[bare] = value
    return seen


@lru_cache(maxsize=1024)
def is_own(name: str) -> bool:
    """Whether an attribute is one of the operator's settings."""
    return not is_extra(name) and input_attribute(name) is None


def own(attributes: Mapping[str, Any], op: Operator | None = None) -> dict[str, Any]:
    """Select the operator's own attributes."""
    extra = () if op is None else op.extra_attributes
    return {name: value for name, value in attributes.items() if is_own(name) or name in extra}


def plain(value: Any) -> Any:
    """Convert NumPy's numbers to Python's, also inside tuples and lists."""
    if type(value) in _OF_PYTHON:
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (tuple, list)):
        kind = list if isinstance(value, list) else tuple
        return kind([plain(element) for element in value])
    return value


def as_text(given: Any, parsed: Any = None) -> str:
    """Return an attribute as text, as the user wrote it.

    Parameters
    ----------
    given : the user's value
    parsed : the operator's parsed value; a dtype is written by its name

    Examples
    --------
    >>> as_text((np.int64(3), 3)), as_text([0, 1]), as_text(np.float16, np.dtype("float16"))
    ('(3, 3)', '[0, 1]', 'float16')
    """
    if isinstance(given, str):
        return given
    if isinstance(parsed, np.dtype):
        return parsed.name
    return str(plain(given))


def written_attributes(node: Node) -> Mapping[str, str]:
    """Return the attributes of a node as in a file.

    Gradient rules and passes make nodes that have settings alone; these become attributes, too.
    """
    application, written = node.application, node.attributes
    if application is None:
        return written
    known = application.op.attributes
    more = {
        name: as_text(value, value)
        for name, value in application.settings.items()
        if name not in written and not isinstance(value, Subgraphs)
        if name not in known or not _is_default(value, known[name].default)
    }
    return {**written, **more} if more else written


def _is_default(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and bool(value == default))


def require_strings(attributes: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> None:
    """Refuse attributes that are not strings."""
    for name, value in dict(attributes).items():
        if not isinstance(value, str):
            raise ValueError(f"the attribute {name} must be a string, not {value!r}")


# Initializers of variables, set on them by the operator that reads them.
_STATES = {"moving_mean": "zero", "moving_var": "one", "moving_avg": "zero"}
_INPUTS = {
    ("LeakyReLU", "gamma"): '["Constant", {"value": 0.25}]',
    ("UpSampling", "weight"): '["bilinear", {}]',
}


def set_initializers(application: Application, entries: Sequence[Entry]) -> None:
    """Set the initializers that an operator wants on the variables that it reads."""
    for name, entry in zip(application.inputs, entries, strict=True):
        if entry.node.application is not None:
            continue
        if name in application.states and name in _STATES:
            initializer = f'["{_STATES[name]}", {{}}]'
        elif (application.op.name, name) in _INPUTS:
            initializer = _INPUTS[application.op.name, name]
        else:
            continue
        entry.node.attributes = {"__init__": initializer, **entry.node.attributes}
