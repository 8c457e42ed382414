"""The list of operators in docs/onnx.md, from the table.

python -m tests.onnx.table     # writes it
"""

import re
from pathlib import Path

from gluonic.graph import REGISTRY
from gluonic.onnx import families, get_operator_support
from gluonic.onnx.table import FAMILIES, WRITES

PAGE = Path(__file__).parent.parent.parent / "docs" / "onnx.md"
_BETWEEN = re.compile(r"(?<=<!-- table -->\n).*(?=<!-- end -->)", re.DOTALL)


def listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names, key=str.lower)) or "–"


def table() -> str:
    """The rows by subject, and the operators that need none."""
    assert families
    rows = [
        f"| {each.title} | {listed(list(each.writes))} | {listed(list(each.reads))} |"
        for each in FAMILIES
    ]
    others = [
        name
        for name in get_operator_support()
        if name not in WRITES and not name.startswith("_backward") and REGISTRY[name].name == name
    ]
    return "\n".join(
        [
            "| subject | gluonic's operators that are written | ONNX's operators that are read |",
            "|---|---|---|",
            *rows,
            f"| without a row: expressions, views, constants, variants of others | {listed(others)} | |",
            "",
        ]
    )


def page() -> str:
    """The page with the table as it is now."""
    return _BETWEEN.sub(lambda _: table(), PAGE.read_text())


if __name__ == "__main__":
    PAGE.write_text(page())
