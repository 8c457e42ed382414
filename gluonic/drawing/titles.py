"""The titles of blocks: what the user's model calls them, by the prefixes of its names."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from gluonic.drawing.details import title_of
from gluonic.drawing.groups import BoxGroup, groups_below, nodes_below
from gluonic.graph import Node

_MOST_NAMED = 3
_NUMBER = re.compile(r"(\d+)")


class Title(NamedTuple):
    """The title of a block, and what else is written in its box: its class, or the names in it."""

    text: str
    detail: str = ""


def titles_of(root: BoxGroup) -> dict[BoxGroup, Title]:
    """The title of each block below a block, and its own."""
    groups = groups_below(root)
    prefix_around = {root: ""}
    for group in groups:
        own = group.name if group.role in ("", "block") else prefix_around[group]
        prefix_around |= {inner: own for inner in group.members if isinstance(inner, BoxGroup)}
    found: dict[BoxGroup, Title] = {}
    for group in reversed(groups):
        found[group] = _title(group, prefix_around[group], found)
    return found


def _title(group: BoxGroup, outer: str, inner: dict[BoxGroup, Title]) -> Title:
    kind = "" if "Sequential" in group.kind else group.kind
    match group.role:
        case "repeat":
            return _of_repeat(group, inner)
        case "part":
            holds_blocks = isinstance(group.members[0], BoxGroup)
            return Title(group.name if holds_blocks else f"operators {group.name}")
        case "body":
            return Title(group.name)
        case "unit":
            return Title(_span(group) or _operators(group, inner))
        case "step":
            return Title(_step_prefix(group), kind)
    if group.name and group.name != outer:
        return Title(group.name, group.kind)
    # A block with the prefix of the one around it: the names in it tell it from its neighbours.
    return Title(_span(group) or group.kind or group.name or "block", group.kind)


def _of_repeat(group: BoxGroup, inner: dict[BoxGroup, Title]) -> Title:
    """What repeats itself, how often, and the names of the first and the last."""
    first = _without_parts(group)
    last = _without_parts(group, -1)
    if isinstance(first, Node) or isinstance(last, Node):
        what = title_of(first) if isinstance(first, Node) else inner[first].text
        return Title(f"{what} {group.name}", _span(group))
    if first.role == "unit":
        return Title(f"{_operators(first, inner)} {group.name}", _span(group))
    names = _common(inner[first].text, inner[last].text)
    if "…" in inner[first].text + inner[last].text:
        names = _span(group)
    what = first.kind or ("step" if first.role == "step" else "")
    return Title(f"{what} {group.name}", names) if what else Title(f"{names} {group.name}")


def _without_parts(group: BoxGroup, end: int = 0) -> Node | BoxGroup:
    """The first or the last member; those of a part, instead of the part."""
    found: Node | BoxGroup = group.members[end]
    while isinstance(found, BoxGroup) and found.role == "part":
        found = found.members[end]
    return found


def _operators(group: BoxGroup, inner: dict[BoxGroup, Title]) -> str:
    """The different operators and blocks in a group, in a few words."""
    names = (inner[m].text if isinstance(m, BoxGroup) else title_of(m) for m in group.members)
    titles = list(dict.fromkeys(names))
    if len(titles) > _MOST_NAMED:
        return f"{titles[0]} … {titles[-1]}"
    return ", ".join(titles)


def _span(group: BoxGroup) -> str:
    """The names of the first and the last operator: ``net_conv0 … relu0``."""
    names = _given_names(group)
    if not names:
        return ""
    # A branch that is listed first may have been made last, so numbers decide among names of one kind.
    first = min((name for name in names if _differ_in_numbers(name, names[0])), key=_numbers)
    last = max((name for name in names if _differ_in_numbers(name, names[-1])), key=_numbers)
    return _common(first, last)


def _differ_in_numbers(a: str, b: str) -> bool:
    return _NUMBER.sub("0", a) == _NUMBER.sub("0", b)


def _numbers(name: str) -> list[tuple[int, str]]:
    """The numbers in a name, to compare; Python refuses to read one of thousands of digits."""
    return [(len(digits), digits) for digits in _NUMBER.findall(name)]


def _given_names(group: BoxGroup) -> Sequence[str]:
    """The names of the operators, without those that were made up (``_plus0``) if there are others."""
    names = [n.name.removesuffix("_fwd") for n in nodes_below(group) if not n.is_variable]
    return [name for name in names if not name.startswith("_")] or names


def _common(first: str, last: str) -> str:
    """Two names as one text that says once what they share.

    >>> _common("net_layer0_", "net_layer5_"), _common("net_conv0", "net_relu0"), _common("a", "a")
    ('net_layer0…5_', 'net_conv0 … relu0', 'a')
    """
    if first == last:
        return first
    words = [_NUMBER.split(name) for name in (first, last)]
    if len(words[0]) == len(words[1]):
        differ = [i for i, pair in enumerate(zip(*words, strict=True)) if pair[0] != pair[1]]
        if len(differ) == 1 and differ[0] % 2:
            (at,) = differ
            return "".join([*words[0][: at + 1], "…", *words[1][at:]])
    return f"{first} … {last[len(_prefix([first, last])) :]}"


def _step_prefix(group: BoxGroup) -> str:
    """``lstm_t3_`` if that is how all names in the step begin, otherwise ``t3``."""
    prefix = _prefix(_given_names(group))
    return prefix if prefix.endswith(f"{group.name}_") else group.name


def _prefix(names: Sequence[str]) -> str:
    """The common beginning of names, up to an underscore."""
    first, last = min(names, default=""), max(names, default="")
    same = 0
    while same < min(len(first), len(last)) and first[same] == last[same]:
        same += 1
    return first[: first[:same].rfind("_") + 1]
