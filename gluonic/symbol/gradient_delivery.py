"""The delivery of gradients to the arrays bound for them, and notification of listeners."""

from collections.abc import Mapping, Sequence

from gluonic.graph import Array, Node
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.handing_over import listeners_to
from gluonic.ndarray.kernels import overwrite
from gluonic.support.references import holds_alone


class GradientDelivery:
    """The delivery of the gradients of one backward run.

    There may be listeners, for instance to sum gradients over ranks. Then the run itself writes gradients to
    their arrays, if nothing else can observe these, and reports each as soon as it is finished.

    Parameters
    ----------
    variables : the variables of the gradients, in the order in which the run returns these
    targets : for some of them, the array, and the request: ``write`` or ``add``
    early : whether the run may write gradients itself

    Attributes
    ----------
    into : for each variable, memory that the run may write to, or None; None as a whole without listeners
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
        """The memory for writing a gradient during the run; None if that is observable, or it is added."""
        array, request = self._targets.get(node, (None, ""))
        if array is None or request != "write" or not holds_alone(array, "elements"):
            return None
        memory = array.elements
        return memory if memory.base is None and memory.flags.carray else None

    def finished(self, number: int) -> None:
        """Report that a gradient is finished, in the memory given for it."""
        self._tell(self._variables[number])

    def deliver(self, gradients: Sequence[Array | None]) -> None:
        """Copy the gradients that are not in their arrays yet; None is a gradient of zeros."""
        for node, gradient in zip(self._variables, gradients, strict=True):
            if node not in self._targets or node in self._told:
                continue
            array, request = self._targets[node]
            if gradient is not array.elements:  # the code that wrote it has recorded the write
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
