"""Dumps of compiled code, ``GLUONIC_DUMP=folder``; and telling others what was compiled.

Each specialization leaves six files: ``PID-NUMBER-NAME.txt`` (the table that `explain` prints),
``.passes.txt`` (the graph after each pass that changed it), ``.kernels.txt`` (the programs of its loops),
``.ll`` (the LLVM module as written), ``.optimised.ll`` and ``.s``. NAME is that of the graph's first output.
"""

import itertools
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from gluonic.codegen.inspection.explain import Explanation, explain
from gluonic.graph import Graph
from gluonic.graph.files import file_name

if TYPE_CHECKING:
    from gluonic.codegen.rewriting.preparation import PassReport
    from gluonic.codegen.runtime.binding import Binding

_numbers = itertools.count()
Watcher = Callable[[Graph, Mapping[str, tuple[int, ...]], Explanation], None]
WATCHERS: list[Watcher] = []
"""Functions to call with each graph that is compiled or found on disk, the shapes of its inputs, and how."""


def tell_of(binding: "Binding", graph: Graph, shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Tell the watchers of a new specialization and its first binding; dump it if the environment requests it.

    Parameters
    ----------
    binding : the binding
    graph : the user's graph
    shapes : those of its inputs, by name
    """
    chosen = os.environ.get("GLUONIC_DUMP")
    if chosen:
        _dump(binding, Path(chosen))
    if WATCHERS:
        explanation = explain(binding, graph)
        for watcher in WATCHERS:
            watcher(graph, shapes, explanation)


def _dump(binding: "Binding", folder: Path) -> None:
    """Write the files about a binding."""
    folder.mkdir(parents=True, exist_ok=True)
    explanation = explain(binding)
    stem = f"{os.getpid()}-{next(_numbers):03}-{file_name(binding.name)}"
    passes = "\n".join(map(_section, explanation.passes))
    files = {"txt": f"{explanation}\n", "passes.txt": passes, "ll": explanation.llvm()}
    files["kernels.txt"] = f"{explanation.programs()}\n"
    if explanation.kernels:
        files |= {"optimised.ll": explanation.llvm(optimised=True), "s": explanation.assembly()}
    for ending, text in files.items():
        (folder / f"{stem}.{ending}").write_text(text, encoding="utf-8")


def _section(report: "PassReport") -> str:
    """The section on one pass."""
    return f"-- {report}\n{report.text}\n" if report.has_changed else f"-- {report}\n"
