"""The compiler's passes on a page: the graph after each, with its changes marked."""

from collections.abc import Sequence
from typing import Any

from gluonic.drawing.difference import difference
from gluonic.drawing.page.model import PageFacts, PageModel
from gluonic.drawing.page.packing import packed
from gluonic.graph import Graph
from gluonic.graph.infer import Facts

_MOST_OPERATORS = 4000


def pass_pages(graph: Graph, reports: Sequence[Any]) -> list[dict[str, Any]]:
    """Describe the result of each pass on a graph; for large graphs only whether it changed them.

    Parameters
    ----------
    graph : the user's graph
    reports : `Explanation.passes`
    """
    pages, before = [], graph
    for report in reports:
        page: dict[str, Any] = {
            "name": report.name,
            "contract": report.contract,
            "milliseconds": round(report.seconds * 1000, 2),
        }
        if report.has_changed and len(report.graph.nodes) <= _MOST_OPERATORS:
            found = difference(before, report.graph, (_unknown(before), _unknown(report.graph)))
            model = PageModel(f"after {report.name}")
            model.add(found.graph, PageFacts())
            page["summary"] = found.marks.summary
            page["graph"] = packed({**model.json(), "marks": found.marks.json(model.numbers)})
        pages.append(page)
        before = report.graph
    return pages


def _unknown(graph: Graph) -> Facts:
    return {node: [None] * node.output_count for node in graph.nodes}
