"""Events for the profiler. Nothing is recorded unless :mod:`gluonic.profiler` has switched it on.

``if EVENTS.imperative:`` (eager operators) or ``if EVENTS.symbolic:`` (graphs) decides whether the clock is
read at all; while profiling is off, this check is its only cost.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any, NamedTuple

from gluonic.graph.errors import user_location

if TYPE_CHECKING:
    from gluonic.graph.node import Node


class TraceEvent(NamedTuple):
    """A recorded event; times are nanoseconds of `perf_counter_ns`.

    Attributes
    ----------
    phase : Chrome's letter: X (from begin to end), C (a counter's value), i (an instant)
    """

    phase: str
    name: str
    category: str
    begin: int
    duration: int
    thread: int
    arguments: dict[str, Any] | None


class _Here(threading.local):
    """The current thread's Gluon blocks and custom operator, and when the latter's Python code began."""

    def __init__(self) -> None:
        self.blocks: tuple[str, ...] = ()
        self.custom = ""
        self.since = 0


class Events:
    """The recorded events.

    Attributes
    ----------
    imperative, symbolic : whether eager operators, and whether graphs, are recorded now
    active : whether anything is recorded; tasks, counters and the like always are while the profiler runs
    found : the events
    """

    __slots__ = ("_here", "active", "found", "imperative", "symbolic")

    def __init__(self) -> None:
        self.active = self.imperative = self.symbolic = False
        self.found: list[TraceEvent] = []
        self._here = _Here()

    def add(
        self,
        phase: str,
        name: str,
        category: str,
        begin: int,
        end: int,
        arguments: dict[str, Any] | None = None,
        thread: int | None = None,
    ) -> None:
        """Record an event, of this thread unless another id is given."""
        thread = threading.get_native_id() if thread is None else thread
        self.found.append(TraceEvent(phase, name, category, begin, end - begin, thread, arguments))

    @contextmanager
    def collected(self) -> Iterator[list[TraceEvent]]:
        """Record all events inside in a separate list, which the profiler does not see."""
        kept = self.active, self.imperative, self.symbolic, self.found
        self.active = self.imperative = self.symbolic = True
        self.found = []
        try:
            yield self.found
        finally:
            self.active, self.imperative, self.symbolic, self.found = kept

    @contextmanager
    def span(self, name: str, category: str, **arguments: Any) -> Iterator[None]:
        """Record the duration of the ``with`` block."""
        begin = perf_counter_ns()
        try:
            yield
        finally:
            self.add("X", name, category, begin, perf_counter_ns(), arguments or None)

    def in_block(self, name: str, forward: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap a block's `forward`: it is recorded, and events inside it have the block's path."""

        def call(*args: Any) -> Any:
            here = self._here
            outer, here.blocks = here.blocks, (*here.blocks, name)
            try:
                with self.span(name, "block", block="/".join(here.blocks)):
                    return forward(*args)
            finally:
                here.blocks = outer

        return call

    def eager(self, name: str, begin: int, **arguments: Any) -> None:
        """Record an operator that ran from `begin` until now, with the user's line and the current block."""
        end, here = perf_counter_ns(), self._here
        arguments |= self.place()
        if not here.custom:
            self.add("X", name, "operator", begin, end, arguments)
            return
        self.add("X", f"{here.custom}::pure_python", _CUSTOM, here.since, begin)
        self.add("X", f"{here.custom}::{name}", _CUSTOM, begin, end, arguments)
        here.since = perf_counter_ns()

    def place(self) -> dict[str, str]:
        """The current Gluon block and the user's line, for the arguments of an event."""
        place = {"block": "/".join(self._here.blocks)} if self._here.blocks else {}
        location = user_location()
        if location is not None:
            place["location"] = f"{location.file}:{location.line}"
        return place

    def as_custom(self, name: str, function: Callable[..., None]) -> Callable[..., None]:
        """Wrap a method of a custom operator: its Python code and the operators it calls are recorded."""

        def call(**arguments: Any) -> None:
            here = self._here
            outer = here.custom, here.since
            here.custom, here.since = name, perf_counter_ns()
            try:
                function(**arguments)
            finally:
                self.add("X", f"{name}::pure_python", _CUSTOM, here.since, perf_counter_ns())
                here.custom, here.since = outer

        return call


def described(nodes: Sequence["Node"]) -> dict[str, Any]:
    """The details of nodes that run together, for the profiler."""
    found: dict[str, Any] = {"nodes": [node.title for node in nodes]}
    located = [(node.location, node.block) for node in nodes if node.location is not None]
    if located:
        location, found["block"] = located[-1]
        found["location"] = f"{location.file}:{location.line}"
    return found


_CUSTOM = "Custom Operator"

EVENTS = Events()
