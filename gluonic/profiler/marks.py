"""Users' own marks: tasks, frames, events, counters and markers."""

from time import perf_counter_ns
from typing import Any, Self

from gluonic.graph.errors import AttributeValueError, describe
from gluonic.graph.events import EVENTS

_SCOPES = ("global", "process", "thread", "task", "marker")


class Domain:
    """A group of tasks, frames, counters and markers.

    Parameters
    ----------
    name : the name of the group
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return self.name

    def new_task(self, name: str) -> "Task":
        """Make a task of this domain."""
        return Task(self, name)

    def new_frame(self, name: str) -> "Frame":
        """Make a frame of this domain."""
        return Frame(self, name)

    def new_counter(self, name: str, value: int | None = None) -> "Counter":
        """Make a counter of this domain."""
        return Counter(self, name, value)

    def new_marker(self, name: str) -> "Marker":
        """Make a marker of this domain."""
        return Marker(self, name)


class _Stretch:
    """An interval from `start` to `stop`; also a context manager."""

    def __init__(self, name: str, category: str) -> None:
        self.name, self._category = name, category
        self._begin: int | None = None

    def start(self) -> None:
        """Begin now."""
        self._begin = perf_counter_ns()

    def stop(self) -> None:
        """End the interval, and record it if the profiler runs; without a `start` nothing happens."""
        if self._begin is not None and EVENTS.active:
            EVENTS.add("X", self.name, self._category, self._begin, perf_counter_ns())
        self._begin = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def __str__(self) -> str:
        return self.name


class Task(_Stretch):
    """A piece of work.

    Parameters
    ----------
    domain : the group it belongs to
    name : its name
    """

    def __init__(self, domain: Domain, name: str) -> None:
        super().__init__(name, domain.name)


class Frame(_Stretch):
    """One iteration of repeated work, such as a batch.

    Parameters
    ----------
    domain : the group it belongs to
    name : its name
    """

    def __init__(self, domain: Domain, name: str) -> None:
        super().__init__(name, f"{domain.name},frame")


class Event(_Stretch):
    """An event on the current thread; it belongs to no domain.

    Parameters
    ----------
    name : its name
    """

    def __init__(self, name: str) -> None:
        super().__init__(name, "event")


class Counter:
    """A number whose values are recorded.

    Parameters
    ----------
    domain : the group it belongs to
    name : its name
    value : the initial value; None records none
    """

    def __init__(self, domain: Domain, name: str, value: int | None = None) -> None:
        self.domain, self.name = domain, name
        self._value = 0
        if value is not None:
            self.set_value(value)

    def set_value(self, value: int) -> None:
        """Set the value."""
        self._value = int(value)
        if EVENTS.active:
            now = perf_counter_ns()
            EVENTS.add("C", self.name, self.domain.name, now, now, {self.name: self._value})

    def increment(self, delta: int = 1) -> None:
        """Increase the value."""
        self.set_value(self._value + int(delta))

    def decrement(self, delta: int = 1) -> None:
        """Decrease the value."""
        self.set_value(self._value - int(delta))

    def __iadd__(self, delta: int) -> Self:
        self.increment(delta)
        return self

    def __isub__(self, delta: int) -> Self:
        self.decrement(delta)
        return self

    def __str__(self) -> str:
        return self.name


class Marker:
    """An instant.

    Parameters
    ----------
    domain : the group it belongs to
    name : its name
    """

    def __init__(self, domain: Domain, name: str) -> None:
        self.domain, self.name = domain, name

    def mark(self, scope: str = "process") -> None:
        """Record the current time.

        Parameters
        ----------
        scope : the scope of the marker: ``global``, ``process``, ``thread``, ``task`` or ``marker``
        """
        if scope not in _SCOPES:
            raise AttributeValueError(
                describe(
                    f"scope must be one of {', '.join(map(repr, _SCOPES))}, not {scope!r}",
                    where="Marker.mark",
                )
            )
        if EVENTS.active:
            now = perf_counter_ns()
            details: dict[str, Any] = {"scope": scope}
            EVENTS.add("i", self.name, f"{self.domain.name},instant_marker", now, now, details)
