"""The parameters that a trainer updates on each context: looked up once, and again after changes."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

from gluonic.gluon.parameter import Parameter
from gluonic.gluon.parameter_values import is_overridden
from gluonic.graph.errors import describe
from gluonic.graph.versions import REPLACEMENTS
from gluonic.ndarray import Context, NDArray


def contexts_of(params: Sequence[Parameter]) -> list[Context]:
    """The contexts that all parameters are on.

    Raises
    ------
    AssertionError
        if they are on different ones
    """
    contexts: list[Context] = []
    for param in params:
        found = param.list_ctx()
        if contexts and found != contexts:
            raise AssertionError(
                describe(
                    "all parameters must be on the same contexts",
                    where="Trainer",
                    facts=[f"{param.name} is on {found}", f"others are on {contexts}"],
                )
            )
        contexts = found
    return contexts


class Trained(NamedTuple):
    """A trained parameter on one context: its value, its gradient, and whether the gradient is fresh."""

    key: int
    param: Parameter
    array: NDArray
    gradient: NDArray
    leaf: Any


class KnownParameters(NamedTuple):
    """The trained parameters of each context, and the conditions under which they are still valid.

    Attributes
    ----------
    at : the number of the latest replacement of a parameter's array when they were looked up
    entries : the values with their entries on the tape: a variable that is marked again has a new entry
    by_context : for each context, the parameters trained there
    """

    at: int
    entries: list[tuple[NDArray, Any]]
    by_context: list[list[Trained]]

    @classmethod
    def of(
        cls, params: Sequence[Parameter], by_context: list[list[Trained]], at: int
    ) -> Self | None:
        """The result of the look-up; None if parameters do not notify of replaced arrays."""
        for param in params:
            own = is_overridden(param, "list_data") or is_overridden(param, "list_grad")
            if own or not param.notes_replacements:
                return None
        values = [array for p in params if p.is_initialized for array in p.held_arrays()]
        return cls(at, [(array, array.tape_entry) for array in values], by_context)

    def holds(self) -> bool:
        """Whether the look-up is still valid."""
        if self.at != REPLACEMENTS.latest:
            return False
        return all(array.tape_entry is entry for array, entry in self.entries)
