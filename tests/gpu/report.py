"""What parts find: rows, written as they come, so that a part that ends early has still said something."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

OK, WRONG, FAILED, SKIPPED = "ok", "wrong", "failed", "skipped"


class Row(NamedTuple):
    """A check or a measurement.

    Attributes
    ----------
    part : that of the run
    name : what was tried
    status : ok; wrong: other numbers; failed: an error; skipped
    figures : what was measured, by name with unit
    detail : what to know of a row that is not ok
    """

    part: str
    name: str
    status: str
    figures: dict[str, Any] = {}
    detail: str = ""


class Report:
    """The rows of a part.

    Parameters
    ----------
    part : its name
    file : where each row becomes a line
    small : whether sizes are for the emulator
    share, shares : which of how many processes that divide the part's work this is
    """

    def __init__(
        self, part: str, file: Path, *, small: bool, share: int = 0, shares: int = 1
    ) -> None:
        self.part, self.small, self.share, self.shares = part, small, share, shares
        self._file = file

    def add(self, name: str, status: str = OK, detail: str = "", **figures: Any) -> None:
        """Write a row."""
        row = Row(self.part, name, status, figures, detail)
        with self._file.open("a") as file:
            file.write(json.dumps(row, default=str) + "\n")

    def require(self, name: str, condition: object, detail: str = "", **figures: Any) -> None:
        """Write a row that is ok if a condition holds."""
        self.add(name, OK if condition else WRONG, "" if condition else detail, **figures)

    @contextmanager
    def going_on(self, name: str) -> Iterator[None]:
        """A ``with`` statement whose error becomes a row."""
        try:
            yield
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{Path(last.filename).name}:{last.lineno}"
            self.add(name, FAILED, f"{type(error).__name__} at {place}: {error}"[:1500])

    def mine(self, number: int) -> bool:
        """Whether work of a number is this process's."""
        return number % self.shares == self.share


Part = Callable[[Report], None]


def read(file: Path) -> list[Row]:
    """The rows in a file; a line that its process could not finish is left out."""
    if not file.exists():
        return []
    lines = file.read_text().splitlines()
    return [Row(*json.loads(line)) for line in lines if line.endswith("]")]
