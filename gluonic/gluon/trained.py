"""Which parameters a trainer updates on which context: found once, and again where they have changed."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

from gluonic.gluon.parameter import Parameter
from gluonic.gluon.parameter_values import ParameterArrays, is_overridden
from gluonic.graph.versions import REPLACEMENTS
from gluonic.ndarray import NDArray


class Trained(NamedTuple):
    """A trained parameter on one context: its value, its gradient, and what tells whether that is new."""

    key: int
    param: Parameter
    array: NDArray
    gradient: NDArray
    leaf: Any


class KnownParameters(NamedTuple):
    """The trained parameters of each context, and what must be the same for that.

    Attributes
    ----------
    at : the number of the latest replacement of a parameter's array when they were looked up
    entries : the values, with where they stand on the tape: a variable that is marked anew has a new entry
    places : for each context what is trained there
    """

    at: int
    entries: list[tuple[NDArray, Any]]
    places: list[list[Trained]]

    @classmethod
    def of(cls, params: Sequence[Parameter], places: list[list[Trained]], at: int) -> Self | None:
        """What was found; None if parameters do not tell when they hold other arrays."""
        for param in params:
            own = is_overridden(param, "list_data") or is_overridden(param, "list_grad")
            held = [x for x in (param._data, param._grad) if x is not None]
            if own or not all(isinstance(x, ParameterArrays) for x in held):
                return None
        values = [array for param in params for array in param._data or ()]
        return cls(at, [(array, array.tape_entry) for array in values], places)

    def holds(self) -> bool:
        """Whether it still is the same."""
        if self.at != REPLACEMENTS.latest:
            return False
        return all(array.tape_entry is entry for array, entry in self.entries)
