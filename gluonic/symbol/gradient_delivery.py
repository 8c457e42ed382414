"""Bringing gradients to the arrays that were bound for them, and telling those who listen."""

from collections.abc import Mapping, Sequence

from gluonic.graph import Array, Node
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.handing_over import listeners_to
from gluonic.ndarray.kernels import overwrite
from gluonic.support.references import holds_alone


class GradientDelivery:
    """Where the gradients of one backward run go.

    Somebody may listen, to sum them up over ranks, say. Then the run writes gradients to their arrays itself,
    where nobody else sees these, and tells of each as soon as it is finished.

    Parameters
    ----------
    variables : what the gradients belong to, in the order in which the run returns them
    targets : for some of them the array, and how it is written: ``write`` or ``add``
    early : whether the run may write by itself

    Attributes
    ----------
    into : for each variable memory that the run may write to, or None; None altogether if nobody listens
    """

    def __init__(
        self,
        variables: Sequence[Node],
        targets: Mapping[Node, tuple[NDArray, str]],
        *,
        early: bool,
    ) -> None:
        self._variables, self._targets = variables, targets
        arrays = [array for array, _ in targets.values()]
        self._listeners = listeners_to(arrays) if len(set(map(id, arrays))) == len(arrays) else []
        self._told: set[Node] = set()
        self.into: list[Array | None] | None = None
        if self._listeners and early:
            self.into = [self._memory(node) for node in variables]

    def _memory(self, node: Node) -> Array | None:
        """Where a gradient may be written during the run; None if somebody could tell, or it is added."""
        array, request = self._targets.get(node, (None, ""))
        if array is None or request != "write" or not holds_alone(array, "elements"):
            return None
        memory = array.elements
        return memory if memory.base is None and memory.flags.carray else None

    def finished(self, number: int) -> None:
        """Tell that a gradient is finished, in the memory that was given for it."""
        self._tell(self._variables[number])

    def deliver(self, gradients: Sequence[Array | None]) -> None:
        """Bring gradients to where they are not yet; None is a gradient of zeros."""
        for node, gradient in zip(self._variables, gradients, strict=True):
            if node not in self._targets or node in self._told:
                continue
            array, request = self._targets[node]
            if gradient is not array.elements:  # whoever wrote it there has noted the write
                _give(array, gradient, request)
            self._tell(node)

    def _tell(self, node: Node) -> None:
        self._told.add(node)
        array, _ = self._targets[node]
        for each in self._listeners:
            if each.listens_to(array):
                each.written(array)


def _give(target: NDArray, gradient: Array | None, request: str) -> None:
    if request == "write":
        overwrite(target, 0 if gradient is None else gradient)
    elif gradient is not None:
        overwrite(target, target.elements + gradient)
