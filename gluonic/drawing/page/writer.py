"""The assembly of a page: one file of data, style and script; the script's modules are in ``web/``."""

import json
import re
from functools import cache
from graphlib import TopologicalSorter
from html import escape
from importlib.resources import files
from typing import Any

from gluonic.drawing.families import FAMILIES

_WEB = files("gluonic.drawing.page") / "web"
_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?(?:class|const|function\*?) (\w+))", re.MULTILINE)
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:"
)


def page_text(data: dict[str, Any]) -> str:
    """Write a page.

    Parameters
    ----------
    data : the result of `PageModel.json`
    """
    families = {name: colours._asdict() for name, colours in FAMILIES.items()}
    styles = "".join(
        f".family.{name}{{background:var(--{name}-fill);border-color:var(--{name}-line);color:var(--{name}-text)}}\n"
        for name in FAMILIES
    )
    text = json.dumps({**data, "families": families}, separators=(",", ":"), allow_nan=False)
    title = escape(data["title"])
    body = _read("page.html").replace("<h1></h1>", f"<h1>{title}</h1>")
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{_read('page.css')}{styles}</style></head><body>\n{body}"
        f'<script type="application/json" id="graph">{_in_script(text)}</script>\n'
        f"<script>\n{script()}</script>\n</body></html>\n"
    )


def _in_script(text: str) -> str:
    """JSON that cannot end the element that contains it."""
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@cache
def _read(name: str) -> str:
    return (_WEB / name).read_text(encoding="utf-8")


@cache
def script() -> str:
    """The modules as one script: each is a function that returns its exports, after those that it imports."""
    needed: dict[str, set[str]] = {}
    waiting = ["main"]
    for name in waiting:
        needed[name] = {found[2] for found in _IMPORT.finditer(_read(f"{name}.js"))}
        waiting += sorted(needed[name] - needed.keys() - set(waiting))
    order = TopologicalSorter(needed).static_order()
    return '"use strict";\n' + "".join(_module(name) for name in order)


def _module(name: str) -> str:
    text = _IMPORT.sub(
        lambda found: f"const {{{found[1]}}} = {found[2]}_js;\n", _read(f"{name}.js")
    )
    exports = ", ".join(found[2] for found in _EXPORT.finditer(text))
    inside = _EXPORT.sub(r"\1", text)
    return f"const {name}_js = (() => {{\n{inside}return {{ {exports} }};\n}})();\n"
