"""The source of a page: a graph and its facts; the page is written on demand."""

from html import escape
from typing import Any

from gluonic.codegen import Explanation
from gluonic.drawing.page.compiled import compiled_facts
from gluonic.drawing.page.marks import Marks
from gluonic.drawing.page.model import PageFacts, PageModel
from gluonic.drawing.page.times import Times, write_on_boxes
from gluonic.drawing.page.writer import page_text
from gluonic.drawing.static.box_texts import BoxTexts
from gluonic.drawing.static.folding import everything, opening
from gluonic.drawing.static.scene import Scene
from gluonic.drawing.static.shown_graph import ShownGraph
from gluonic.graph import Graph
from gluonic.support.record import record

_FRAME = (
    '<iframe srcdoc="{page}" title="{title}" sandbox="allow-scripts allow-downloads allow-popups" '
    'style="width:100%;height:640px;border:1px solid #8884;border-radius:6px"></iframe>'
)


@record
class GraphPage:
    """A page of a graph.

    Attributes
    ----------
    title : its heading
    graph : the graph
    facts : the facts about it
    hide_parameters : whether parameters are lines in the boxes that read them, not boxes
    explanation, times : the explanation of the compiled graph, and its measured times
    marks : the marks of nodes
    """

    title: str
    graph: Graph
    facts: PageFacts = PageFacts()
    hide_parameters: bool = True
    explanation: Explanation | None = None
    times: Times | None = None
    marks: Marks | None = None

    def text(self) -> str:
        """Write the page: one HTML file, which needs no network."""
        model, data = self._written(self.facts)
        if self.explanation is not None:
            data["compiled"] = compiled_facts(
                self.explanation, self.graph, model.numbers, self.times
            )
        return page_text(data)

    def scene(self, *, folded: bool = False) -> Scene:
        """Lay out the page's contents, for a static picture.

        Parameters
        ----------
        folded : whether to fold the blocks that are folded when the page opens; otherwise all are open
        """
        graph = ShownGraph(self._written(self.facts._replace(values={}))[1])
        opened = opening(graph) if folded else everything(graph)
        return Scene(graph, opened, BoxTexts(graph))

    def _written(self, facts: PageFacts) -> tuple[PageModel, dict[str, Any]]:
        model = PageModel(self.title, hide_parameters=self.hide_parameters)
        model.add(self.graph, facts)
        data = model.json()
        if self.explanation is not None and self.times is not None:
            write_on_boxes(data, self.times, self.explanation, model.numbers)
        if self.marks is not None:
            data["marks"] = self.marks.json(model.numbers)
        return model, data

    def frame(self) -> str:
        """Write the page as a frame for a notebook, where it works as in a separate window."""
        return framed(self.text(), self.title)


def framed(page: str, title: str) -> str:
    """Put a page into a frame for a notebook."""
    return _FRAME.format(page=escape(page), title=escape(title))
