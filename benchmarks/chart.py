"""A bar chart of measured times, as SVG: for each workload, the time of each side relative to the slowest."""

from collections.abc import Mapping
from html import escape

COLOURS = {"eager": "#9db4c0", "hybridized": "#2a6f97", "numpy": "#e9c46a", "mxnet": "#bc6c5c"}
LEFT, BAR, GAP, WIDTH, TOP = 120, 14, 16, 520, 48


def _bar(y: int, side: str, value: float, slowest: float) -> str:
    length = max(value / slowest * WIDTH, 1)
    label = f"{value / 1000:.2f} ms" if value >= 1000 else f"{value:.0f} µs"
    return (
        f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR - 2}" rx="2" '
        f'fill="{COLOURS[side]}"/>'
        f'<text x="{LEFT + length + 6:.1f}" y="{y + BAR - 4}" class="value">{label}</text>'
    )


def draw(found: Mapping[str, Mapping[str, float]]) -> str:
    """Return the chart of `found`: microseconds by side, by workload."""
    parts, y = [], TOP
    for workload, row in found.items():
        if not row:
            continue
        middle = y + len(row) * BAR / 2 + 4
        parts.append(f'<text x="{LEFT - 10}" y="{middle}" class="name">{escape(workload)}</text>')
        for side, value in row.items():
            parts.append(_bar(y, side, value, max(row.values())))
            y += BAR
        y += GAP
    legend = "".join(
        f'<rect x="{LEFT + 110 * i}" y="16" width="12" height="12" rx="2" fill="{colour}"/>'
        f'<text x="{LEFT + 110 * i + 18}" y="26">{side}</text>'
        for i, (side, colour) in enumerate(COLOURS.items())
    )
    style = (
        "text{font:12px sans-serif;fill:#333}.name{text-anchor:end;font-weight:600}"
        ".value{font-size:10px;fill:#666}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 90} {y}">'
        f"<style>{style}</style>{legend}{''.join(parts)}</svg>\n"
    )
