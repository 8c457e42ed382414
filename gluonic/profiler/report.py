"""The profiler's results: a trace for chrome://tracing and Perfetto, and statistics."""

import os
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from gluonic.drawing.shown import table_html
from gluonic.graph.events import TraceEvent

Statistics: TypeAlias = dict[str, dict[str, dict[str, float]]]
"""For each category and name: Count, and Total, Min, Max and Avg in milliseconds."""

_CHROME_SCOPES = {"global": "g", "process": "p"}
_COLUMNS = ("Total Count", "Time (ms)", "Min Time (ms)", "Max Time (ms)", "Avg Time (ms)")
_KEYS = ("Count", "Total", "Min", "Max", "Avg")


def chrome_trace(events: Sequence[TraceEvent]) -> dict[str, Any]:
    """The events in Chrome's format; times begin with the first event."""
    process = os.getpid()
    beginning = min((event.begin for event in events), default=0)
    named = {"ph": "M", "name": "process_name", "pid": process, "args": {"name": "gluonic"}}
    return {
        "traceEvents": [named, *(_chrome_event(event, beginning, process) for event in events)],
        "displayTimeUnit": "ms",
    }


def _chrome_event(event: TraceEvent, beginning: int, process: int) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": event.name,
        "cat": event.category,
        "ph": event.phase,
        "ts": (event.begin - beginning) / 1000,
        "pid": process,
        "tid": event.thread,
    }
    if event.phase == "X":
        found["dur"] = event.duration / 1000
    arguments = event.arguments or {}
    if event.phase == "i":
        found["s"] = _CHROME_SCOPES.get(arguments["scope"], "t")
    elif arguments:
        found["args"] = arguments
    return found


def statistics(events: Iterable[TraceEvent], *, sort_by: str, ascending: bool) -> Statistics:
    """Counts and durations by category and name; of operators also by the path of their blocks."""
    durations: dict[str, dict[str, list[float]]] = {}
    for event in events:
        if event.phase != "X":
            continue
        rows = [(event.category, event.name)]
        if event.category == "operator" and event.arguments and event.arguments.get("block"):
            rows.append(("operators of block", event.arguments["block"]))
        for category, name in rows:
            names = durations.setdefault(category, {})
            names.setdefault(name, []).append(event.duration / 1e6)
    return {
        category: _sorted({name: _summary(d) for name, d in names.items()}, sort_by, ascending)
        for category, names in sorted(durations.items())
    }


def _summary(durations: Sequence[float]) -> dict[str, float]:
    count, total = len(durations), sum(durations)
    numbers = count, total, min(durations), max(durations), total / count
    return {key: round(number, 6) for key, number in zip(_KEYS, numbers, strict=True)}


def _sorted(
    rows: dict[str, dict[str, float]], sort_by: str, ascending: bool
) -> dict[str, dict[str, float]]:
    return dict(sorted(rows.items(), key=lambda row: row[1][sort_by], reverse=not ascending))


class Report(str):
    """The statistics as a text, which a notebook shows as tables.

    Attributes
    ----------
    found : the statistics
    """

    found: Statistics

    def _repr_html_(self) -> str:
        return "".join(
            table_html(
                category, ("Name", *_COLUMNS), [(n, _numbers(row)) for n, row in rows.items()]
            )
            for category, rows in self.found.items()
        )


def report(found: Statistics) -> Report:
    """The statistics, to read."""
    made = Report(table(found))
    made.found = found
    return made


def _numbers(row: dict[str, float]) -> list[str]:
    return [f"{row['Count']:.0f}", *(f"{row[key]:.4f}" for key in _KEYS[1:])]


def table(found: Statistics) -> str:
    """The statistics, to read."""
    lines = [
        "",
        "Profile Statistics:",
        "\tTimes are of this process; an outer one contains inner ones.",
    ]
    for category, rows in found.items():
        width = max([25, *map(len, rows)])
        lines += [category, "=================", f"{'Name':{width}}{_cells(_COLUMNS)}"]
        lines.append(f"{'----':{width}}{_cells(['-' * len(title) for title in _COLUMNS])}")
        for name, row in rows.items():
            lines.append(f"{name:{width}}{_cells(_numbers(row))}")
        lines.append("")
    return "\n".join(lines)


def _cells(texts: Iterable[str]) -> str:
    return "".join(f"{text:>17}" for text in texts)
