"""`Monitor`: statistics of an executor's arrays, every few batches."""

import logging
import math
import re
from collections.abc import Callable
from typing import Any

from gluonic import ndarray as nd
from gluonic.ndarray import NDArray

__all__ = ["Monitor"]


def _root_mean_square(x: NDArray) -> Any:
    return nd.norm(x) / math.sqrt(max(math.prod(x.shape), 1))  # sparse arrays have no size


class Monitor:
    r"""Collect statistics of outputs, arguments and states.

    Parameters
    ----------
    interval : number of batches between two collections
    stat_func : maps an array to an array, or a list of arrays; the root mean square by default
    pattern : a regular expression that the monitored names must match at their beginning
    sort : whether to sort by name
    monitor_all : whether to monitor the inputs of operators, too

    Examples
    --------
    >>> from gluonic import cpu, sym
    >>> executor = (sym.var("x") * 2).bind(cpu(), {"x": nd.ones((4,))})
    >>> monitor = Monitor(1, pattern="x")
    >>> monitor.install(executor)
    >>> monitor.tic()
    >>> outputs = executor.forward()
    >>> monitor.toc()
    [(1, 'x', '1.0\t')]
    """

    def __init__(
        self,
        interval: int,
        stat_func: Callable[[NDArray], Any] | None = None,
        pattern: str = ".*",
        sort: bool = False,
        monitor_all: bool = False,
    ) -> None:
        self.interval, self.stat_func = interval, stat_func or _root_mean_square
        self.re_prog, self.sort, self.monitor_all = re.compile(pattern), sort, monitor_all
        self.activated, self.step = False, 0
        self.queue: list[tuple[int, str, Any]] = []
        self.exes: list[Any] = []

    def install(self, exe: Any) -> None:
        """Monitor an executor."""
        exe.set_monitor_callback(self.stat_helper, self.monitor_all)
        self.exes.append(exe)

    def stat_helper(self, name: str, array: NDArray) -> None:
        """Collect the statistics of an array, if they are due."""
        if self.activated and self.re_prog.match(name):
            self.queue.append((self.step, name, self.stat_func(array)))

    def tic(self) -> None:
        """Begin a batch."""
        if self.step % self.interval == 0:
            self.queue = []
            self.activated = True
        self.step += 1

    def toc(self) -> list[tuple[int, str, str]]:
        """End a batch and return its statistics: number, name and value, as text."""
        if not self.activated:
            return []
        for exe in self.exes:
            for name, array in (*exe.arg_dict.items(), *exe.aux_dict.items()):
                self.stat_helper(name, array)
        self.activated = False
        found = sorted(self.queue, key=lambda entry: entry[1]) if self.sort else self.queue
        self.queue = []
        return [(step, name, _text(values)) for step, name, values in found]

    def toc_print(self) -> None:
        """End a batch and log its statistics."""
        for step, name, text in self.toc():
            logging.info("Batch: %7d %30s %s", step, name, text)


def _text(values: Any) -> str:
    parts = values if isinstance(values, list) else [values]
    return "".join(
        f"{part.asscalar() if part.shape == (1,) else part.asnumpy()}\t" for part in parts
    )
