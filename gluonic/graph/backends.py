"""The backends that `optimize_for` calls by name: functions from graph to graph."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from gluonic.graph.errors import nearest
from gluonic.graph.node import Graph
from gluonic.graph.operator import Array


@dataclass
class PartitionRequest:
    """The arguments of a call of `optimize_for`, and the parameters it creates.

    Attributes
    ----------
    options : options for the library
    args, aux : the known values of parameters, by name
    shapes, dtypes : those of further variables, by name
    skip_inference : whether to skip shape and dtype inference
    new_args, new_aux : parameters that a pass has created
    """

    options: dict[str, str] = field(default_factory=dict)
    args: dict[str, Array] = field(default_factory=dict)
    aux: dict[str, Array] = field(default_factory=dict)
    shapes: dict[str, Any] = field(default_factory=dict)
    dtypes: dict[str, Any] = field(default_factory=dict)
    skip_inference: bool = False
    new_args: dict[str, Array] = field(default_factory=dict)
    new_aux: dict[str, Array] = field(default_factory=dict)


Backend: TypeAlias = Callable[[Graph, PartitionRequest], Graph]


class Backends:
    """All registered partitioners and graph passes."""

    def __init__(self) -> None:
        self.by_name: dict[str, Backend] = {}

    def add(self, name: str, backend: Backend) -> None:
        """Register a partitioner or pass; it replaces an earlier one of the same name."""
        self.by_name[name] = backend

    def find(self, name: str) -> Backend | None:
        """Return the partitioner or pass of that name; warn and return None if there is none."""
        if name not in self.by_name:
            known = ", ".join(self.by_name) or "none"
            warnings.warn(
                f"Error optimizing for backend '{name}' cannot be found{nearest(name, self.by_name)}; "
                f"the graph stays as it is. Backends that are loaded: {known}",
                stacklevel=4,
            )
        return self.by_name.get(name)


BACKENDS = Backends()
