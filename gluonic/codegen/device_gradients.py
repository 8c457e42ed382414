"""The gradient rules of operators as graphs on a device, for tapes of operators that were called one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import compress

from gluonic.codegen.cuda.device_graph import DeviceGraph
from gluonic.codegen.gradient_use import GradientUse, rule_as_graph
from gluonic.device.array import DeviceArray
from gluonic.graph import Application, Graph, Run
from gluonic.support.caches import Cache


class GradientOnDevice:
    """The gradient rule of an operator.

    Parameters
    ----------
    application : the operator with its attributes
    use : the gradients requested
    """

    def __init__(self, application: Application, use: GradientUse) -> None:
        gradients, variables = rule_as_graph(application, use)
        positions = {node.entry(): i for i, node in enumerate(variables)}
        self._given = [None if entry is None else positions.get(entry) for entry in gradients]
        """For each gradient the array that it is, where the rule does not compute it."""
        self._is_computed = [
            entry is not None and i is None for entry, i in zip(gradients, self._given, strict=True)
        ]
        computed = [entry for entry in gradients if entry is not None and entry not in positions]
        self._graph = DeviceGraph(Graph(computed), variables) if computed else None

    def __call__(
        self,
        arrays: Sequence[DeviceArray],
        run: Run,
        into: Sequence[DeviceArray | None] | None = None,
    ) -> list[DeviceArray | None]:
        """The gradients of the inputs, None where there is none.

        Parameters
        ----------
        arrays : the inputs, the outputs, and the gradients of the outputs that have one
        into : for each input an array that its gradient may be written to, or None
        """
        computed: Iterator[DeviceArray] = iter(())
        if self._graph is not None:
            targets = None if into is None else [*compress(into, self._is_computed)]
            computed = iter(self._graph(arrays, run, None, targets))
        return [
            next(computed) if is_computed else None if i is None else arrays[i]
            for is_computed, i in zip(self._is_computed, self._given, strict=True)
        ]


_gradients: Cache[tuple[Application, GradientUse], GradientOnDevice] = Cache()


def gradient_on_device(application: Application, use: GradientUse) -> GradientOnDevice:
    """The gradient rule of an operator, made once."""
    key = application, use
    there = _gradients.get(key)
    return there or _gradients.remember(key, GradientOnDevice(application, use))
