"""Automatic names of symbols: ``fullyconnected0``, ``_plus1``, …, counted for each kind."""

from gluonic.symbol.current import Current, Scope


class NameManager(Scope):
    """Names symbols that the user does not name; ``with`` makes it the current manager.

    Each thread has its own managers.

    Examples
    --------
    >>> names = NameManager()
    >>> names.get(None, "dense"), names.get(None, "dense"), names.get("mine", "dense")
    ('dense0', 'dense1', 'mine')
    """

    def __init__(self) -> None:
        super().__init__()
        self._counter: dict[str, int] = {}

    def get(self, name: str | None, hint: str) -> str:
        """Return the name of a new symbol.

        Parameters
        ----------
        name : the user's choice; None to number it
        hint : the kind of symbol
        """
        if name:
            return name
        number = self._counter.get(hint, 0)
        self._counter[hint] = number + 1
        return f"{hint}{number}"


class Prefix(NameManager):
    """A name manager that adds a prefix to all names, including those the user chose.

    Parameters
    ----------
    prefix : the prefix
    """

    def __init__(self, prefix: str) -> None:
        super().__init__()
        self._prefix = prefix

    def get(self, name: str | None, hint: str) -> str:
        """Return the prefix and the name."""
        return self._prefix + super().get(name, hint)


_NAMES = NameManager._current = Current(NameManager)


def current_names() -> NameManager:
    """Return the name manager of the current thread."""
    manager: NameManager = _NAMES.value
    return manager
