"""The moments of training at which an `Estimator` calls its handlers."""

from typing import TYPE_CHECKING, Any

from gluonic.graph.errors import AttributeValueError

if TYPE_CHECKING:
    from gluonic.gluon.contrib.estimator.estimator import Estimator

__all__ = [
    "BatchBegin",
    "BatchEnd",
    "EpochBegin",
    "EpochEnd",
    "EventHandler",
    "TrainBegin",
    "TrainEnd",
]


class EventHandler:
    """The base of all handlers. Those with a lower attribute `priority` (default 0) are called first."""


class TrainBegin(EventHandler):
    """A handler that is called before the first epoch."""

    def train_begin(self, estimator: "Estimator", *args: Any, **kwargs: Any) -> None:
        """Called before the first epoch."""


class TrainEnd(EventHandler):
    """A handler that is called after the last epoch."""

    def train_end(self, estimator: "Estimator", *args: Any, **kwargs: Any) -> None:
        """Called after the last epoch."""


class EpochBegin(EventHandler):
    """A handler that is called before each epoch, also of validation."""

    def epoch_begin(self, estimator: "Estimator", *args: Any, **kwargs: Any) -> None:
        """Called before each epoch."""


class EpochEnd(EventHandler):
    """A handler that is called after each epoch, also of validation."""

    def epoch_end(self, estimator: "Estimator", *args: Any, **kwargs: Any) -> bool | None:
        """Called after each epoch; training ends if it returns True."""
        return False


class BatchBegin(EventHandler):
    """A handler that is called before each batch, with the keyword `batch`."""

    def batch_begin(self, estimator: "Estimator", *args: Any, **kwargs: Any) -> None:
        """Called before each batch."""


class BatchEnd(EventHandler):
    """A handler that is called after each batch, with the keywords `batch`, `pred`, `label` and `loss`."""

    def batch_end(self, estimator: "Estimator", *args: Any, **kwargs: Any) -> bool | None:
        """Called after each batch; the epoch ends if it returns True."""
        return False


def _check_event_handlers(handlers: Any) -> list[Any]:
    """Return handlers as a list, given one, several or None."""
    found = [handlers] if isinstance(handlers, EventHandler) else list(handlers or [])
    for handler in found:
        if not isinstance(handler, EventHandler):
            raise AttributeValueError(
                f"Estimator: event_handlers must be EventHandlers, not {type(handler).__name__}: {handler!r}"
            )
    return found
