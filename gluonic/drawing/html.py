"""A picture as one HTML page: blocks can be folded, boxes explain themselves; no network, no libraries.

The browser lays the rows out; the script in the page only draws the arrows between what is visible.
"""

import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from gluonic.drawing.families import FAMILIES
from gluonic.drawing.layout import Item, layers
from gluonic.drawing.picture import Box, Picture
from gluonic.drawing.svg import xml

_FOLD_FROM = 120
_MOST_BOXES = 20_000
_DEEPEST = 30

_Path: TypeAlias = tuple[str, ...]
_Key: TypeAlias = int | _Path  # a box's number, or a group's path


class _Group(NamedTuple):
    """A block: what it holds, boxes (their numbers) and other groups, in order."""

    path: tuple[str, ...]
    members: "list[int | _Group]"


def html(picture: Picture) -> str:
    """Write a picture as an HTML page."""
    return "\n".join(_page(picture))


def _page(picture: Picture) -> Iterator[str]:
    title = xml(picture.title)
    operators = sum(not box.node.is_variable for box in picture.boxes)
    yield f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
    yield f"<style>{_STYLE}{_family_styles()}</style></head><body>"
    yield (
        f"<header><h1>{title}</h1><p>{_count(operators, 'operator')}, "
        f"{_count(len(picture.boxes) - operators, 'input')}</p><nav>"
        '<button id="unfold">Unfold all</button><button id="fold">Fold all</button></nav>'
        f"{_legend(picture)}</header>"
    )
    if len(picture.boxes) > _MOST_BOXES:
        yield f"<p>Only the first {_MOST_BOXES} nodes are drawn.</p>"
    yield '<main><svg id="arrows" aria-hidden="true"></svg>'
    yield from _groups(picture)
    yield "</main>"
    yield f'<script type="application/json" id="graph">{_data(picture)}</script>'
    yield f"<script>{_SCRIPT}</script></body></html>"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _data(picture: Picture) -> str:
    arrows = [[a.source, a.target, a.label] for a in picture.arrows]
    text = json.dumps({"arrows": arrows}, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _tree(picture: Picture) -> _Group:
    """Nest the boxes by block."""
    root = _Group((), [])
    known: dict[tuple[str, ...], _Group] = {(): root}
    for number, path in enumerate(picture.blocks[:_MOST_BOXES]):
        group = root
        for length in range(1, min(len(path), _DEEPEST) + 1):
            prefix = path[:length]
            if prefix not in known:
                known[prefix] = _Group(prefix, [])
                group.members.append(known[prefix])
            group = known[prefix]
        group.members.append(number)
    return root


def _groups(picture: Picture) -> Iterator[str]:
    """Write the groups without recursion: a stack of what is still to be written."""
    fold = len(picture.boxes) > _FOLD_FROM
    arrows = _arrows_by_group(picture)
    tree = _tree(picture)
    outermost = [member.path for member in tree.members if isinstance(member, _Group)]
    stack: list[str | int | _Group] = [tree]
    while stack:
        piece = stack.pop()
        if isinstance(piece, str):
            yield piece
        elif isinstance(piece, int):
            yield _box(piece, picture.boxes[piece])
        else:
            folded = fold and outermost != [piece.path]  # one block that holds all is open
            stack.extend(reversed(_group(piece, arrows.get(piece.path, ()), fold=folded)))


def _arrows_by_group(picture: Picture) -> "dict[_Path, dict[tuple[_Key, _Key], None]]":
    """For each group the arrows between its members, be they boxes or groups."""
    found: dict[_Path, dict[tuple[_Key, _Key], None]] = {}
    for source, target, _ in picture.arrows:
        if max(source, target) >= _MOST_BOXES:
            continue
        above, below = picture.blocks[source][:_DEEPEST], picture.blocks[target][:_DEEPEST]
        common = 0
        while common < min(len(above), len(below)) and above[common] == below[common]:
            common += 1
        ends = (
            above[: common + 1] if len(above) > common else source,
            below[: common + 1] if len(below) > common else target,
        )
        found.setdefault(above[:common], {})[ends] = None
    return found


def _group(
    group: _Group, arrows: "Iterable[tuple[_Key, _Key]]", *, fold: bool
) -> "list[str | int | _Group]":
    """Take a group apart: tags, and members in rows."""
    pieces: list[str | int | _Group] = []
    if group.path:
        outer = group.path[-2] if len(group.path) > 1 else ""
        name = group.path[-1].removeprefix(outer).strip("_/") or group.path[-1]
        state = "" if fold else " open"
        pieces.append(f"<details{state}><summary>{xml(name)}<small></small></summary>")
    positions: dict[_Key, int] = {
        member if isinstance(member, int) else member.path: position
        for position, member in enumerate(group.members)
    }
    ordered = layers(len(group.members), [(positions[a], positions[b]) for a, b in arrows])
    for row in ordered.rows:
        pieces.append('<div class="row">')
        pieces += [_member(group, item) for item in row]
        pieces.append("</div>")
    if group.path:
        pieces.append("</details>")
    return pieces


def _member(group: _Group, item: Item) -> "str | int | _Group":
    return '<i class="via"></i>' if item.is_via else group.members[item.number]


def _box(number: int, box: Box) -> str:
    lines = [f"<b>{xml(box.title)}</b>"]
    if box.detail:
        lines.append(f"<span>{xml(box.detail)}</span>")
    if box.name:
        lines.append(f"<small>{xml(box.name)}</small>")
    shape = f"<em>{xml(box.shape)}</em>" if box.shape else ""
    kind = "box variable" if box.node.is_variable else "box"
    return (
        f'<div class="{kind} {box.family}" id="n{number}" tabindex="0" '
        f'title="{xml(box.tooltip)}">{"".join(lines)}{shape}</div>'
    )


def _legend(picture: Picture) -> str:
    present = dict.fromkeys(box.family for box in picture.boxes)
    entries = (f'<li class="{family}">{family}</li>' for family in FAMILIES if family in present)
    return f'<ul class="legend">{"".join(entries)}</ul>'


def _family_styles() -> str:
    return "".join(
        f".{family}{{--fill:{c.fill};--line:{c.line};--text:{c.text}}}"
        for family, c in FAMILIES.items()
    )


_STYLE = """
:root{color-scheme:light dark;--page:#ffffff;--ink:#0f172a;--faint:#64748b;--edge:#94a3b8;
--group:rgba(100,116,139,.07);--rim:rgba(100,116,139,.35)}
@media(prefers-color-scheme:dark){:root{--page:#0f172a;--ink:#e2e8f0;--faint:#94a3b8;--edge:#64748b;
--group:rgba(148,163,184,.08)}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:13px/1.35 system-ui,Helvetica,Arial,sans-serif}
header{position:sticky;top:0;z-index:3;display:flex;flex-wrap:wrap;gap:4px 18px;align-items:center;
padding:10px 18px;background:var(--page);border-bottom:1px solid var(--rim)}
h1{font-size:16px;margin:0}header p{margin:0;color:var(--faint)}
button{font:inherit;margin-right:6px;padding:3px 10px;border:1px solid var(--rim);border-radius:6px;
background:none;color:inherit;cursor:pointer}button:hover{border-color:var(--edge)}
.legend{display:flex;flex-wrap:wrap;gap:6px;list-style:none;margin:0;padding:0}
.legend li{padding:1px 8px;border-radius:9px;font-size:11px;color:var(--text);background:var(--fill);
border:1px solid var(--line)}
main{position:relative;width:max-content;min-width:100%;padding:26px}
#arrows{position:absolute;left:0;top:0;pointer-events:none;overflow:visible}
#arrows path{fill:none;stroke:var(--edge);stroke-width:1.4}
#arrows path.near{stroke:var(--ink);stroke-width:2.2}
.row{display:flex;justify-content:center;align-items:center;gap:26px;margin-bottom:34px}
.row:last-child{margin-bottom:0}
.via{width:10px}
.box{position:relative;z-index:1;display:flex;flex-direction:column;align-items:center;min-width:70px;
max-width:270px;padding:5px 12px;border:1.3px solid var(--line);border-radius:7px;background:var(--fill);
color:var(--text);white-space:nowrap;cursor:default}
.box>:not(em){overflow:hidden;text-overflow:ellipsis;max-width:100%}
.box.variable{border-radius:99px}.box.unknown{border-style:dashed}
.box span,.box small{font-size:11px;opacity:.8}
.box em{position:absolute;top:100%;margin-top:1px;font:10.5px system-ui,sans-serif;color:var(--faint);
background:var(--page);padding:0 3px;border-radius:3px}
.box:focus{outline:2px solid var(--line);outline-offset:2px}
details{position:relative;padding:8px 14px 14px;border:1px solid var(--rim);border-radius:10px;
background:var(--group)}
details[open]>summary{margin-bottom:14px}
details:not([open]){padding:7px 14px}
summary{cursor:pointer;font-weight:600;text-align:left;white-space:nowrap}
summary small{margin-left:8px;font-weight:400;color:var(--faint)}
"""

_SCRIPT = """
"use strict";
const graph = JSON.parse(document.getElementById("graph").textContent);
const main = document.querySelector("main"), canvas = document.getElementById("arrows");
const name = "http://www.w3.org/2000/svg", groups = [...document.querySelectorAll("details")];
for (const g of groups) {
  const count = g.querySelectorAll(".box:not(.variable)").length;
  g.querySelector("small").textContent = count + (count === 1 ? " operator" : " operators");
}
function visible(number) {
  let seen = document.getElementById("n" + number);
  for (let e = seen && seen.parentElement; e && e !== main; e = e.parentElement)
    if (e.tagName === "DETAILS" && !e.open) seen = e;
  return seen;
}
let drawn = [];
function draw() {
  const origin = main.getBoundingClientRect(), done = new Set(), places = new Map();
  const place = e => {
    if (!places.has(e)) places.set(e, e.getBoundingClientRect());
    return places.get(e);
  };
  drawn = [];
  const parts = document.createDocumentFragment();
  const tip = document.createElementNS(name, "defs");
  tip.innerHTML = '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" ' +
    'markerHeight="7" orient="auto"><path d="M0 .5 7 4 0 7.5Z" style="fill:var(--edge);stroke:none"/></marker>';
  parts.append(tip);
  const keys = new Map(); const key = e => keys.get(e) ?? (keys.set(e, keys.size), keys.size - 1);
  for (const [source, target] of graph.arrows) {
    const a = visible(source), b = visible(target);
    if (!a || !b || a === b) continue;
    const id = key(a) + ">" + key(b);
    if (done.has(id)) continue;
    done.add(id);
    const p = place(a), q = place(b);
    const x1 = p.left + p.width / 2 - origin.left, y1 = p.bottom - origin.top;
    const x2 = q.left + q.width / 2 - origin.left, y2 = q.top - origin.top;
    const path = document.createElementNS(name, "path");
    path.setAttribute("d", way(x1, y1, x2, y2, p, q));
    path.setAttribute("marker-end", "url(#tip)");
    parts.append(path);
    drawn.push([a, b, path]);
  }
  canvas.replaceChildren(parts);
  canvas.setAttribute("width", main.scrollWidth);
  canvas.setAttribute("height", main.scrollHeight);
}
function way(x1, y1, x2, y2, p, q) {
  const far = y2 - y1;
  if (far > 0 && far < 160) {
    const bend = Math.max(14, far / 2);
    return `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`;
  }
  const side = Math.max(x1 + p.width / 2, x2 + q.width / 2) + 22 + Math.min(60, Math.abs(far) / 30);
  const a = y1 + 26, b = y2 - 26;
  return `M${x1} ${y1}C${x1} ${a} ${side} ${y1} ${side} ${a + 18}L${side} ${b - 18}` +
    `C${side} ${y2} ${x2} ${b} ${x2} ${y2}`;
}
let waiting = 0;
function soon() { cancelAnimationFrame(waiting); waiting = requestAnimationFrame(draw); }
for (const g of groups) g.addEventListener("toggle", soon);
addEventListener("resize", soon);
const all = open => { for (const g of groups) g.open = open; soon(); };
document.getElementById("fold").onclick = () => all(false);
document.getElementById("unfold").onclick = () => all(true);
main.addEventListener("mouseover", event => {
  const box = event.target.closest(".box,details");
  for (const [a, b, path] of drawn) path.classList.toggle("near", a === box || b === box);
});
draw();
"""
