"""The parameters that a trainer updates on each context: looked up once, and again after changes."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

from gluonic.gluon.parameter import Parameter
from gluonic.gluon.parameter_values import ParameterArrays, is_overridden
from gluonic.graph.versions import REPLACEMENTS
from gluonic.ndarray import NDArray


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
    places : for each context the parameters trained there
    """

    at: int
    entries: list[tuple[NDArray, Any]]
    places: list[list[Trained]]

    @classmethod
    def of(cls, params: Sequence[Parameter], places: list[list[Trained]], at: int) -> Self | None:
        """The look-up's result; None if parameters do not notify when they hold other arrays."""
        for param in params:
            own = is_overridden(param, "list_data") or is_overridden(param, "list_grad")
            held = [x for x in (param._data, param._grad) if x is not None]
            if own or not all(isinstance(x, ParameterArrays) for x in held):
                return None
        values = [array for param in params for array in param._data or ()]
        return cls(at, [(array, array.tape_entry) for array in values], places)

    def holds(self) -> bool:
        """Whether the look-up is still valid."""
        if self.at != REPLACEMENTS.latest:
            return False
        return all(array.tape_entry is entry for array, entry in self.entries)
