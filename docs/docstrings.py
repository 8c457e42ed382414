"""How docstrings of this project become those that Napoleon reads.

Below ``Parameters`` we write ``name : its meaning`` where the signature already has the type. Napoleon takes
what follows the colon for a type.
"""

import re
from itertools import pairwise
from typing import Any

from gluonic.graph.reference import is_type

_STAR = re.compile(r"(``.*?``|`.*?`)|\*(?=\w)")
"""A star that RST would take for the beginning of emphasis, which we do not use."""
_HEADINGS = ("Parameters", "Attributes", "Other Parameters", "Keyword Arguments")


def described(app: Any, kind: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Move meanings to a line of their own; `lines` is changed in place."""
    result: list[str] = []
    is_list = False
    for given, below in pairwise([*lines, ""]):
        line = given
        if re.fullmatch("-{3,}", below):
            is_list = line in _HEADINGS
        if not line.lstrip().startswith((">>>", "...")):
            line = _STAR.sub(lambda m: m[1] or r"\*", line)
        head, colon, rest = line.partition(" : ")
        if is_list and colon and not line.startswith(" ") and not is_type(rest):
            result += [head, f"    {rest}"]
        else:
            result.append(line)
    lines[:] = result
