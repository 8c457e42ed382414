"""A bar chart as SVG."""

from collections.abc import Sequence
from html import escape

from gluonic.support.record import record

_COLOURS = ("#9db4c0", "#2a6f97", "#e9c46a", "#bc6c5c")
_LEFT, _WIDTH, _RIGHT, _TOP, _BAR, _GAP = 180, 480, 90, 64, 16, 12
_STYLE = "text{font:12px sans-serif;fill:#333}.title{text-anchor:end}.number{font-size:10px}"


@record
class Bar:
    """A bar; those of one title stand together, those of one kind have one colour.

    Attributes
    ----------
    title, kind : what it shows
    value : its length
    """

    title: str
    kind: str
    value: float


def chart(bars: Sequence[Bar], unit: str) -> str:
    """Draw bars.

    Parameters
    ----------
    bars : the bars, those of one title after each other
    unit : what their lengths are
    """
    kinds = [*dict.fromkeys(bar.kind for bar in bars)]
    colours = {kind: _COLOURS[i % len(_COLOURS)] for i, kind in enumerate(kinds)}
    longest = max((bar.value for bar in bars), default=1.0) or 1.0
    parts = [f'<text x="10" y="18">{escape(unit)}</text>']
    for i, kind in enumerate(kinds):
        parts.append(
            f'<rect x="{10 + 120 * i}" y="30" width="12" height="12" fill="{colours[kind]}"/>'
        )
        parts.append(f'<text x="{28 + 120 * i}" y="40">{escape(kind)}</text>')
    y, title = _TOP - _GAP, None
    for bar in bars:
        if bar.title != title:
            y, title = y + _GAP, bar.title
            parts.append(
                f'<text class="title" x="{_LEFT - 10}" y="{y + 12}">{escape(title)}</text>'
            )
        length = max(1.0, bar.value / longest * _WIDTH)
        parts.append(
            f'<rect x="{_LEFT}" y="{y}" width="{length:.1f}" height="{_BAR - 2}" fill="{colours[bar.kind]}"/>'
            f'<text class="number" x="{_LEFT + length + 6:.1f}" y="{y + 11}">{bar.value:.4g}</text>'
        )
        y += _BAR
    size = f'viewBox="0 0 {_LEFT + _WIDTH + _RIGHT} {y + _GAP}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{_STYLE}</style>{"".join(parts)}</svg>\n'
