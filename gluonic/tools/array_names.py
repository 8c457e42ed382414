"""Other names for arrays: what ``gluonic convert`` is told about them."""

import argparse
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from gluonic.gluon.parameter_dict import without_kind
from gluonic.graph.errors import nearest
from gluonic.tools.command import CommandError
from gluonic.tools.model_files import load_network

_Value = TypeVar("_Value")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that name arrays; they apply in this order."""
    add = parser.add_argument_group("names of arrays, changed in this order").add_argument
    add("--drop-kinds", action="store_true", help="remove arg: and aux:")
    add("--names", metavar="FILE", help='a table in JSON: {"old name": "new name", …}')
    add(
        "--rename",
        action="append",
        default=[],
        type=_substitution,
        metavar="PATTERN=NAME",
        help=r"a regular expression and what to put in its place, such as '_weight$=.weight' or "
        r"'layer(\d+)=stage\1'; may be given several times",
    )
    add(
        "--kinds-of",
        metavar="NETWORK",
        help="put arg: or aux: before the names, as symbol JSON says",
    )


def renamed(values: Mapping[str, _Value], options: argparse.Namespace) -> dict[str, _Value]:
    """The same values by their new names.

    Raises
    ------
    CommandError
        if a name in the table or in the network is not there, or two arrays would have one name
    """
    names = {name: name for name in values}
    for change in _changes(options):
        new = change([*names.values()])
        names = {old: new[name] for old, name in names.items()}
    taken: dict[str, str] = {}
    for old, name in names.items():
        if name in taken:
            raise CommandError(f"{taken[name]} and {old} would both become {name}")
        taken[name] = old
    return {names[old]: value for old, value in values.items()}


_Change = Callable[[list[str]], dict[str, str]]


def _changes(options: argparse.Namespace) -> list[_Change]:
    changes: list[_Change] = []
    if options.drop_kinds:
        changes.append(lambda names: {name: without_kind(name) for name in names})
    if options.names:
        changes.append(_table(Path(options.names)))
    for pattern, replacement in options.rename:
        changes.append(_replacing(pattern, replacement))
    if options.kinds_of:
        changes.append(_kinds(Path(options.kinds_of)))
    return changes


def _table(file: Path) -> _Change:
    try:
        table = json.loads(file.read_text())
    except ValueError as error:
        raise CommandError(f"{file} is not JSON: {error}") from error
    if not isinstance(table, dict) or not all(isinstance(new, str) for new in table.values()):
        raise CommandError(f'{file} is not a table such as {{"old name": "new name"}}')

    def change(names: list[str]) -> dict[str, str]:
        for name in table:
            if name not in names:
                raise CommandError(f"{file}: there is no array {name!r}{nearest(name, names)}")
        return {name: table.get(name, name) for name in names}

    return change


def _replacing(pattern: re.Pattern[str], replacement: str) -> _Change:
    return lambda names: {name: pattern.sub(replacement, name) for name in names}


def _kinds(network: Path) -> _Change:
    graph = load_network(network).graph()
    kinds = {node.name: "arg" for node in graph.arguments}
    kinds |= {node.name: "aux" for node in graph.states}

    def change(names: list[str]) -> dict[str, str]:
        changed = {}
        for name in names:
            bare = without_kind(name)
            if bare not in kinds:
                raise CommandError(f"{network} has no variable {bare!r}{nearest(bare, kinds)}")
            changed[name] = f"{kinds[bare]}:{bare}"
        return changed

    return change


def _substitution(text: str) -> tuple[re.Pattern[str], str]:
    pattern, equals, replacement = text.partition("=")
    if not equals or not pattern:
        raise argparse.ArgumentTypeError(f"{text!r} is not like PATTERN=NAME")
    try:
        compiled = re.compile(pattern)
        compiled.sub(replacement, "")
        if compiled.groups:  # that the groups exist is seen only where the pattern matches
            re.compile(f"(?:{pattern})|").sub(replacement, "")
    except (re.error, IndexError) as error:
        raise argparse.ArgumentTypeError(f"{text!r}: {error}") from None
    return compiled, replacement
