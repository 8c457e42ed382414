"""docs/native.md: the operators that run as machine code, those that Python runs, and why.

python -m tests.codegen.lowerings.native_page     # writes it from `gluonic/codegen/lowerings/`
"""

import textwrap
from collections import defaultdict
from pathlib import Path

from gluonic.codegen.lowerings.entry import lowering_of
from gluonic.graph.operator import REGISTRY
from tests.graph.registry_samples import SAMPLES

PAGE = Path(__file__).parents[3] / "docs" / "native.md"
_HEAD = """# What runs as machine code

In a hybridized net all operators run as machine code except those below, which Python runs between the
compiled parts. `print(net.explain(x))` gives the same reasons for the steps of a net that Python runs. Custom
operators call your Python code, and control flow calls the machine code of its bodies from Python.

Written by `python -m tests.codegen.lowerings.native_page`; the tests compile every operator and compare.

Of {count} operators, {native} always run as machine code. Python runs the others, always or in the cases named:
"""


def page() -> str:
    """The text."""
    found: dict[str, list[str]] = defaultdict(list)
    for name in SAMPLES:
        if reason := lowering_of(REGISTRY[name]).python:
            found[reason].append(f"`{name}`")
    native = len(SAMPLES) - sum(map(len, found.values()))
    head = _HEAD.format(count=len(SAMPLES), native=native)
    rows = sorted((", ".join(names), reason) for reason, names in found.items())
    return "\n".join([head, *(_item(names, reason) for names, reason in rows)]) + "\n"


def _item(names: str, reason: str) -> str:
    """An entry of the list, on lines that are read without scrolling."""
    return textwrap.fill(
        f"- {names}: {reason}", 120, subsequent_indent="  ", break_on_hyphens=False
    )


if __name__ == "__main__":
    PAGE.write_text(page())
