"""The frozen parameters, so that the error of a `backward` without variables can name them."""

from typing import Protocol
from weakref import WeakSet


class WithName(Protocol):
    """An object with a name for messages, such as a parameter of a net."""

    name: str


FROZEN: WeakSet[WithName] = WeakSet()
_MOST_NAMED = 10


def frozen_names() -> list[str]:
    """A line with the names of the parameters that are frozen, if there are any."""
    names = sorted({parameter.name for parameter in FROZEN})
    if not names:
        return []
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return [f"frozen, for their grad_req is 'null': {', '.join(names[:_MOST_NAMED])}{more}"]
