"""Links between pages: in the repository they name files, on the site they lead there."""

import re
from pathlib import Path
from typing import Any

from docs.reference import DOCUMENTS

HERE = Path(__file__).parent
_CODE = re.compile(r"(```.*?```|`[^`\n]+`|^    .*$|^\s*>>>.*$)", re.DOTALL | re.MULTILINE)
_FILE = re.compile(rf"(?<![\w/(\[])(?:docs/(\w+)|({'|'.join(DOCUMENTS)}))\.md")


def linked(app: Any, page: str, source: list[str]) -> None:
    """Make names of pages links; `source` holds the text, and is changed in place."""
    parts = _CODE.split(source[0])
    depth = page.count("/")
    parts[::2] = [_FILE.sub(lambda m: _link(m, depth), part) for part in parts[::2]]
    source[0] = "".join(parts)


def _link(match: re.Match[str], depth: int) -> str:
    target = match[1] or f"reference/{match[2].lower()}"
    if not (HERE / f"{target}.md").exists():
        raise ValueError(f"a page names {match[0]}, which does not exist")
    return f"[{title(target)}]({'../' * depth}{target}.md)"


def title(page: str) -> str:
    """The title of a page: its first heading."""
    heading = re.search(r"^# (.*)$", (HERE / f"{page}.md").read_text(encoding="utf-8"), re.M)
    return page if heading is None else heading[1].replace("`", "")
