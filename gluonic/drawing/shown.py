"""The display of arrays and tables in notebooks: small pieces of HTML, with all texts escaped."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from gluonic.drawing.page.arrays import facts_of_array

_HEIGHT, _BAR = 40, 7
_CELL = 'style="text-align:{align};padding:1px 10px 1px 0"'


def array_html(array: np.ndarray[Any, Any], title: str) -> str:
    """Show an array: a title, statistics with a histogram, and its numbers, abbreviated as in NumPy.

    Parameters
    ----------
    array : the numbers
    title : its description
    """
    facts = facts_of_array(array)
    words = [
        f"{name} {facts[key]:.4g}"
        for name, key in (("least", "least"), ("mean", "mean"), ("most", "most"))
        if key in facts
    ]
    if "not_finite" in facts:
        words.append(f"<b>{facts['not_finite']} not finite</b>")
    numbers = escape(np.array2string(array, threshold=60, edgeitems=3))
    return (
        f"<div><b>{escape(title)}</b> {', '.join(words)}<br>{_histogram(facts)}"
        f'<pre style="margin:2px 0">{numbers}</pre></div>'
    )


def _histogram(facts: Mapping[str, Any]) -> str:
    counts: Sequence[int] = facts.get("histogram", ())
    if not counts:
        return ""
    most = max(counts)
    bars = "".join(
        f'<rect x="{i * _BAR}" y="{_HEIGHT - count / most * _HEIGHT:.1f}" width="{_BAR - 1}" '
        f'height="{count / most * _HEIGHT:.1f}"/>'
        for i, count in enumerate(counts)
    )
    size = f'width="{len(counts) * _BAR}" height="{_HEIGHT}"'
    return f'<svg {size} role="img" aria-label="histogram" fill="#3b82f6">{bars}</svg>'


def table_html(title: str, columns: Sequence[str], rows: Sequence[tuple[str, list[str]]]) -> str:
    """Show a table.

    Parameters
    ----------
    title : its title
    columns : the headings; the first is that of the names
    rows : a name and the other cells
    """
    left, right = _CELL.format(align="left"), _CELL.format(align="right")
    head = "".join(f"<th {right if i else left}>{escape(c)}</th>" for i, c in enumerate(columns))
    body = "".join(
        f"<tr><td {left}>{escape(name)}</td>"
        + "".join(f"<td {right}>{escape(cell)}</td>" for cell in cells)
        + "</tr>"
        for name, cells in rows
    )
    return f"<h4>{escape(title)}</h4><table><tr>{head}</tr>{body}</table>"
