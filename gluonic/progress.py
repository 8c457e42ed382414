"""Progress bars where someone watches: on standard error if it is a terminal, and in notebooks."""

import logging
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, Protocol


class Progress(Protocol):
    """A progress bar, updated after each step."""

    def update(self, n: float = 1) -> bool | None:
        """Count `n` more steps."""


class _Unseen:
    """Progress that nobody watches."""

    def update(self, n: float = 1) -> None:
        pass


@contextmanager
def progress(
    total: int | None, unit: str, loggers: Sequence[logging.Logger] = ()
) -> Iterator[Progress]:
    """Show a bar while the ``with`` block runs, at a terminal or in a notebook.

    Parameters
    ----------
    total : number of steps; None if unknown
    unit : the name of a step, such as ``"batch"``
    loggers : loggers whose lines on the terminal go above the bar
    """
    if not _is_watched():
        yield _Unseen()
        return
    from tqdm.contrib.logging import logging_redirect_tqdm  # it takes a while, only where it shows

    kind = _kind_of_bar()
    lines = logging_redirect_tqdm(list(loggers), kind) if loggers else nullcontext()
    with lines, kind(total=total, unit=unit, leave=False) as bar:
        yield bar


def _is_watched() -> bool:
    return (sys.stderr is not None and sys.stderr.isatty()) or _is_notebook()


def _is_notebook() -> bool:
    """Whether IPython runs as the kernel of a notebook."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return "IPKernelApp" in getattr(shell, "config", ())


def _kind_of_bar() -> Any:
    """The class of bars: a widget in notebooks that have ipywidgets, otherwise text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that there are no widgets, or that they are new
        from tqdm.auto import tqdm
    return tqdm
