"""What is marked on a page: nodes that two models differ in, or the one that an error is about."""

from collections.abc import Mapping, Sequence
from typing import Any

from gluonic.graph import Node
from gluonic.support.record import record


@record
class Marks:
    """Marks on a page.

    Attributes
    ----------
    summary : what they are about
    kinds : of nodes that are marked: ``added``, ``removed``, ``changed`` or ``failed``
    notes : what is said of them, a line each
    """

    summary: str
    kinds: Mapping[Node, str]
    notes: Mapping[Node, Sequence[str]]

    def json(self, numbers: Mapping[Node, int]) -> dict[str, Any]:
        """The marks by the numbers of nodes on the page."""
        return {
            "summary": self.summary,
            "kinds": {str(numbers[node]): kind for node, kind in self.kinds.items()},
            "notes": {str(numbers[node]): list(lines) for node, lines in self.notes.items()},
        }
