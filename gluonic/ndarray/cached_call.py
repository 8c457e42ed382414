"""``nd.CachedOp``: a Symbol called on arrays."""

from collections.abc import Sequence
from typing import Any

from gluonic.graph.errors import MXNetError, describe
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.cached_op import CachedGraph
from gluonic.ndarray.copying import assign_array
from gluonic.ndarray.invoke import NotAnArrayError
from gluonic.ndarray.numpy_class import numpy_array
from gluonic.ndarray.recording import check_writable
from gluonic.ndarray.state import STATE


class CachedOp:
    """A Symbol that is called like an operator.

    Parameters
    ----------
    sym : the Symbol
    flags : settings of MXNet's executor, which change nothing here
    """

    def __init__(self, sym: Any, flags: Sequence[tuple[str, Any]] = ()) -> None:
        graph = sym.graph()
        self._names = [node.name for node in graph.variables]
        kind = numpy_array() if sym.of_numpy else NDArray
        self._call = CachedGraph(graph, graph.variables, kind=kind)

    def __call__(self, *args: NDArray, out: Any = None, default_ctx: Any = None) -> Any:
        """Compute the outputs.

        Parameters
        ----------
        args : an array for each of the Symbol's inputs, in the order of `list_inputs`
        out : the array, or the list of arrays, that receives the outputs

        Returns
        -------
        NDArray or list of NDArray
            the only output, or all
        """
        if len(args) != len(self._names):
            names = ", ".join(self._names)
            raise MXNetError(
                describe(
                    f"takes {len(self._names)} inputs ({names}), not {len(args)}", where="CachedOp"
                )
            )
        for name, array in zip(self._names, args, strict=True):
            if not isinstance(array, NDArray):
                raise NotAnArrayError(
                    describe(
                        f"{name} must be an NDArray, not {type(array).__name__}", where="CachedOp"
                    )
                )
        outputs = self._call(*args)
        if out is None:
            return outputs[0] if len(outputs) == 1 else outputs
        for target, output in zip(
            out if isinstance(out, (list, tuple)) else [out], outputs, strict=True
        ):
            check_writable(target, args)
            assign_array(target, output)
            if STATE.recording:
                target.tape_entry = output.tape_entry
        return out
