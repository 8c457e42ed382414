"""Progress bars on standard error, if it is a terminal."""

import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Protocol

from tqdm import tqdm
from tqdm.contrib.logging import logging_redirect_tqdm


class Progress(Protocol):
    """A progress bar, updated after each step."""

    def update(self, n: float = 1) -> bool | None:
        """Count `n` more steps."""


@contextmanager
def progress(
    total: int | None, unit: str, loggers: Sequence[logging.Logger] = ()
) -> Iterator[Progress]:
    """Show a bar while the ``with`` block runs, if standard error is a terminal.

    Parameters
    ----------
    total : number of steps; None if unknown
    unit : the name of a step, such as ``"batch"``
    loggers : loggers whose lines on the terminal go above the bar
    """
    watched = sys.stderr.isatty()
    lines = logging_redirect_tqdm(list(loggers)) if watched and loggers else nullcontext()
    with lines, tqdm(total=total, unit=unit, leave=False, disable=not watched) as bar:
        yield bar
