"""A page about a run of a program: what was compiled and what was not, and why; times, memory, pictures."""

import sys
import time
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape

from gluonic.codegen import WATCHERS, Explanation
from gluonic.commands.info import found
from gluonic.graph import Graph
from gluonic.graph.events import EVENTS, TraceEvent
from gluonic.profiler.report import statistics
from gluonic.support.record import record
from gluonic.symbol.plotting import drawing_of, name_of

if sys.platform != "win32":
    import resource

_MOST_ROWS = 30
_MOST_PICTURES = 12
_CATEGORIES = {
    "graph": "Compiled graphs, each call as a whole",
    "operator": "Operators and steps, eager or compiled",
    "operators of block": "Operators by block",
    "block": "Blocks, each call as a whole",
    "compile": "Compiling",
    "custom": "Custom operators",
}
_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;color:#222}
h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2rem}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.2rem .6rem;vertical-align:top}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}tr:nth-child(even) td{background:#f5f6f7}
pre{background:#f5f6f7;padding:.8rem;overflow:auto;font-size:12px}summary{cursor:pointer;padding:.3rem 0}
iframe{width:100%;height:36rem;border:1px solid #ccc}.bad{color:#a40000}
@media(prefers-color-scheme:dark){body{background:#1b1d1f;color:#ddd}
pre,tr:nth-child(even) td{background:#26292c}
a{color:#8ab4f8}}
"""


def _peak_memory() -> dict[str, str]:
    """The most memory that this process has used; Windows does not tell."""
    if sys.platform == "win32":
        return {}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # in KiB, on macOS in bytes
    return {"memory": f"{peak / (1024 if sys.platform != 'darwin' else 1 << 20):,.0f} MiB at most"}


@record
class _Compiled:
    """A graph that was compiled, or found on disk."""

    graph: Graph
    shapes: Mapping[str, tuple[int, ...]]
    explanation: Explanation
    seconds: float


class RunReport:
    """What happens while a program runs.

    Parameters
    ----------
    arguments : the program and its arguments
    """

    def __init__(self, arguments: Sequence[str]) -> None:
        self._arguments = arguments
        self._compiled: list[_Compiled] = []
        self._events: list[TraceEvent] = []
        self._seconds = 0.0
        self._failure = ""

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Record the ``with`` block."""
        begin = time.perf_counter()

        def watch(
            graph: Graph, shapes: Mapping[str, tuple[int, ...]], explanation: Explanation
        ) -> None:
            elapsed = time.perf_counter() - begin
            self._compiled.append(_Compiled(graph, shapes, explanation, elapsed))

        WATCHERS.append(watch)
        try:
            with EVENTS.collected() as self._events:
                yield
        except SystemExit as ended:
            self._failure = "" if ended.code in (None, 0) else f"it ended with status {ended.code}"
            raise
        except BaseException as error:
            self._failure = "".join(traceback.format_exception(error))
            raise
        finally:
            WATCHERS.remove(watch)
            self._seconds = time.perf_counter() - begin

    def page(self) -> str:
        """The page; it refers to no other file."""
        title = f"gluonic: {self._arguments[0]}"
        body = "".join(self._sections())
        return (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f"<title>{escape(title)}</title><style>{_STYLE}</style></head>"
            f"<body><h1>{escape(title)}</h1>{body}</body></html>\n"
        )

    def _sections(self) -> Iterator[str]:
        yield _table(("", ""), self._facts().items(), numbers=0)
        if self._failure:
            yield f'<h2 class="bad">How it ended</h2><pre>{escape(self._failure)}</pre>'
        yield from self._graphs()
        yield from self._in_python()
        yield from self._times()

    def _facts(self) -> dict[str, str]:
        compiling = sum(e.duration for e in self._events if e.category == "compile") / 1e9
        return {
            "program": " ".join(self._arguments),
            "time": f"{self._seconds:.2f} s, of which compiling {compiling:.2f} s",
            **_peak_memory(),
            "graphs compiled": str(len(self._compiled)),
            **found(),
        }

    # --------------------------------------------------------------------- graphs

    def _graphs(self) -> Iterator[str]:
        yield "<h2>What was compiled</h2>"
        if not self._compiled:
            yield (
                "<p>Nothing: no net was hybridized, or each was called too rarely for compiling to pay off. "
                "<code>net.hybridize(compile_at_once=True)</code> or <code>GLUONIC_EXECUTOR=compile</code> "
                "compile at the first call.</p>"
            )
        for number, one in enumerate(self._compiled):
            yield "".join(_graph(one, with_picture=number < _MOST_PICTURES))

    def _in_python(self) -> Iterator[str]:
        """The steps of compiled graphs that Python runs, with reasons."""
        rows = [
            (", ".join(step.operators), step.location, step.why, name_of(one.graph))
            for one in self._compiled
            for step in one.explanation.steps
            if step.kind == "python"
        ]
        if rows:
            yield "<h2>What Python runs within compiled graphs, and why</h2>"
            yield _table(("operators", "line", "why", "graph"), rows, numbers=0)

    # --------------------------------------------------------------------- times

    def _times(self) -> Iterator[str]:
        totals = statistics(self._events, sort_by="Total", ascending=False)
        for category in dict.fromkeys([*_CATEGORIES, *totals]):
            rows = totals.get(category)
            if not rows:
                continue
            yield f"<h2>{escape(_CATEGORIES.get(category, category))}</h2>"
            shown = [
                (name, f"{row['Count']:,.0f}", *(f"{value:,.3f}" for value in [*row.values()][1:]))
                for name, row in [*rows.items()][:_MOST_ROWS]
            ]
            headings = ("name", "calls", "total ms", "shortest", "longest", "mean")
            yield _table(headings, shown, numbers=5)
            if len(rows) > _MOST_ROWS:
                yield f"<p>… and {len(rows) - _MOST_ROWS:,} more</p>"


def _graph(one: _Compiled, *, with_picture: bool) -> Iterator[str]:
    """The section on a graph."""
    explanation = one.explanation
    steps = len(explanation.steps)
    shapes = ", ".join(
        f"{node.name} {'x'.join(map(str, one.shapes[node.name]))}"
        for node in one.graph.variables[:1]
    )
    yield f"<details><summary><b>{escape(name_of(one.graph))}</b> ({escape(shapes)}, …): "
    yield f"{steps} steps, {one.seconds:.2f} s after the start</summary>"
    yield f"<pre>{escape(str(explanation))}</pre>"
    if with_picture:
        drawn = drawing_of(one.graph, name_of(one.graph), shape=one.shapes, explanation=explanation)
        page = drawn.pipe("html").decode()
        yield f'<iframe sandbox="allow-scripts" loading="lazy" srcdoc="{escape(page)}"></iframe>'
    yield "</details>"


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: int) -> str:
    """A table, the last columns of which are numbers."""
    first = len(headings) - numbers

    def cells(tag: str, row: Sequence[str]) -> str:
        return "".join(
            f"<{tag}{' class=n' if i >= first else ''}>{escape(text)}</{tag}>"
            for i, text in enumerate(row)
        )

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    head = f"<tr>{cells('th', headings)}</tr>" if any(headings) else ""
    return f"<table>{head}{body}</table>"
