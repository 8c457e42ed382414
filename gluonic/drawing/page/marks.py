"""Marks on a page: of nodes in which two models differ, or of the node that caused an error."""

from collections.abc import Mapping, Sequence
from typing import Any

from gluonic.graph import Node
from gluonic.support.record import record


@record
class Marks:
    """Marks on a page.

    Attributes
    ----------
    summary : their summary
    kinds : for marked nodes: ``added``, ``removed``, ``changed`` or ``failed``
    notes : the lines of text about them
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
