"""Docstrings of public classes and functions describe their parameters."""

import inspect
import re
from collections.abc import Iterator
from typing import Any

import gluonic as mx
from docs.reference import MODULES, module_of, public_members

MOST_LACKING = 85
"""It falls: who mends a docstring lowers it."""


def described_of(value: Any) -> set[str]:
    """The parameters that the docstring of a function describes, or those of a class and its bases."""
    kinds = value.__mro__[:-1] if inspect.isclass(value) else (value,)
    return set().union(*(described(inspect.cleandoc(kind.__doc__ or "")) for kind in kinds))


def described(documentation: str) -> set[str]:
    """The names in a docstring's list of parameters."""
    _, _, listed = documentation.partition("Parameters\n----------\n")
    entries = re.split(r"\n\n\w[\w ]*\n---", listed)[0].splitlines()
    heads = [line.partition(" :")[0] for line in entries if not line.startswith(" ")]
    return {name.strip().lstrip("*") for head in heads for name in head.split(",")}


def parameters(value: Any) -> set[str]:
    """The names of the parameters of a class or function that a caller can give by name."""
    try:
        found = inspect.signature(value).parameters.values()
    except ValueError:  # a class of C
        return set()
    return {p.name for p in found if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}


def public() -> Iterator[tuple[str, Any]]:
    """All public classes and functions but those of operators, once each, with a name."""
    seen: set[int] = set()
    for name in " ".join(MODULES.values()).split():
        for member, value in public_members(module_of(name)):
            if id(value) not in seen:
                seen.add(id(value))
                yield f"mx.{name}.{member}", value


def test_fewer_and_fewer_docstrings_lack_parameters() -> None:
    everything = dict(public())
    assert len(everything) > 900
    lacking = {
        name: missing
        for name, value in everything.items()
        if (missing := parameters(value) - described_of(value))
    }
    assert len(lacking) == MOST_LACKING, lacking


def test_everything_public_has_a_docstring() -> None:
    assert [name for name, value in public() if not inspect.getdoc(value)] == []


def test_functions_of_numpy_list_their_parameters_with_defaults() -> None:
    text = inspect.getdoc(mx.np.flip) or ""
    assert "Parameters\n----------\nm : the array\naxis : the axis" in text
    assert "(default None)" in text
    assert described(inspect.getdoc(mx.np.concatenate) or "") == {"seq", "axis", "out"}
