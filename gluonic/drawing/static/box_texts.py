"""The texts in boxes and on arrows, and their sizes."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from gluonic.drawing.details import shortened
from gluonic.drawing.static.helvetica import text_width
from gluonic.drawing.static.shown_graph import Json, ShownGraph, shape_text, short

LINE, STACK = 15.0, 6.0
FRAME, QUIET_FRAME = 11.0, 4.0
"""The height of a box without its lines."""
_LONGEST, _LONGEST_TITLE = 38, 48

Measure = Callable[[str, float, bool], float]
"""The width of a text: the text, its size, and whether it is bold."""


class BoxLine(NamedTuple):
    """A line of text in a box."""

    text: str
    size: float
    bold: bool = False


class Extent(NamedTuple):
    """The size of a box."""

    width: float
    height: float


class BoxTexts:
    """The texts of a graph, and their sizes.

    Parameters
    ----------
    graph : the graph
    measure : the width of a text
    """

    def __init__(self, graph: ShownGraph, measure: Measure = text_width) -> None:
        self.graph, self.measure = graph, measure
        self._known: dict[int, list[BoxLine]] = {}

    def lines(self, thing: int) -> list[BoxLine]:
        """The lines in a closed box."""
        if thing not in self._known:
            self._known[thing] = self._of_block(thing) if thing < 0 else self._of_node(thing)
        return self._known[thing]

    def _of_node(self, number: int) -> list[BoxLine]:
        node = self.graph.nodes[number]
        if node["family"] == "output":
            return [BoxLine(_brief(node["name"]), 11.5, True)]
        if not self.graph.is_operator(number):
            text = self.type_text(number, 0)
            name = BoxLine(_brief(node["name"] or "(no name)"), 12, True)
            return [name, BoxLine(text, 10)] if text else [name]
        title, detail = node["title"], node.get("detail", "")
        if self.is_quiet(number):
            return [BoxLine(_brief(f"{title} {detail}".strip()), 10), *_note(node)]
        if detail and len(title) + len(detail) < 26:
            found = [BoxLine(f"{_brief(title)} {detail}", 12, True)]
        else:
            found = [BoxLine(_brief(title), 12, True), *([BoxLine(detail, 10.5)] if detail else [])]
        parameters = self.graph.parameters_of(number)
        shapes = [text for p in parameters if (text := shape_text(self.graph.shape_of(p)))]
        alike = len(shapes) > 2 and len(set(shapes)) == 1
        if text := f"{len(shapes)} × ({shapes[0]})" if alike else " · ".join(shapes):
            found.append(BoxLine(_brief(text), 10))
        return [*found, *_note(node)]

    def _of_block(self, block: int) -> list[BoxLine]:
        title, detail = self.head_texts(block)
        found = [BoxLine(title, 12, True), *([BoxLine(detail, 10.5)] if detail else [])]
        total = self.graph.total(block)
        counts = f"{total.operators} operator{'' if total.operators == 1 else 's'}"
        if total.parameters:
            counts += f" · {short(total.parameters)} parameters"
        return [*found, BoxLine(counts, 10), *_note(self.graph.block(block))]

    def is_repeat(self, thing: int) -> bool:
        """Whether a closed box represents several equal ones."""
        return thing < 0 and self.graph.block(thing)["role"] == "repeat"

    def is_quiet(self, thing: int) -> bool:
        """Whether a box is small and pale: its operator only gives the same numbers another shape."""
        return thing >= 0 and "quiet" in self.graph.nodes[thing]

    def extent(self, thing: int) -> Extent:
        """The size of a closed box."""
        lines = self.lines(thing)
        width = max(self.measure(*line) for line in lines)
        behind = STACK if self.is_repeat(thing) else 0
        handle = 30 if self.graph.can_open(thing) else 0
        strip = 8 if thing < 0 else 0
        if self.is_quiet(thing):
            return Extent(width + 14, len(lines) * LINE + QUIET_FRAME)
        return Extent(
            max(58.0, width + 22 + handle) + behind, len(lines) * LINE + FRAME + strip + behind
        )

    def head_texts(self, thing: int) -> tuple[str, str]:
        """The title and the subtitle of an open block."""
        if thing >= 0:
            return self.lines(thing)[0].text, ""
        title, detail = self.graph.title(thing), self.graph.subtitle(thing)
        return shortened(title, _LONGEST_TITLE), shortened(detail, _LONGEST_TITLE)

    def head_width(self, thing: int) -> float:
        """The width of the head of an open block."""
        title, detail = self.head_texts(thing)
        width = self.measure(title, 11.5, True) + 46
        return width + self.measure(detail, 11, False) + 8 if detail else width

    def label(self, flows: Sequence[str], start: int) -> str:
        """The label of flows (``node:output``) that leave a box together."""
        pairs = [(int(node), int(output)) for node, output in (f.split(":") for f in flows)]
        if len(pairs) == 1:
            ((number, output),) = pairs
            if not self.graph.is_operator(number):
                return ""  # a variable has it in its box
            text = self.type_text(number, output)
            several = number == start and self.graph.nodes[number].get("visible", 1) > 1
            return ": ".join(filter(None, (f"output {output}", text))) if several else text
        what = "outputs" if all(number == start for number, _ in pairs) else "arrays"
        types = {self.type_text(*pair) for pair in pairs}
        each = types.pop() if len(types) == 1 else ""
        return f"{len(pairs)} {what}" + (f", each {each}" if each else "")

    def label_width(self, flows: Sequence[str], start: int) -> float:
        """The width of that label."""
        text = self.label(flows, start)
        return self.measure(text, 10, False) if text else 0

    def type_text(self, number: int, output: int) -> str:
        """The shape and dtype of a result; float32 is omitted."""
        dtype = self.graph.dtype_of(number, output)
        shape = shape_text(self.graph.shape_of(number, output))
        return " ".join(filter(None, (shape, "" if dtype == "float32" else dtype)))


def _note(thing: Json) -> list[BoxLine]:
    """The last line of a box: what was measured."""
    return [BoxLine(thing["note"], 10)] if "note" in thing else []


def _brief(text: str) -> str:
    return shortened(text, _LONGEST)
