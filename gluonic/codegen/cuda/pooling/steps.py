"""Steps of pooling, of its gradients, and of their gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from gluonic.codegen.cuda.kernel_function import WARP
from gluonic.codegen.cuda.pooling.kernels import (
    write_places,
    write_pooling,
    write_row_pooling,
    write_scatter,
    write_spread,
    write_taken,
)
from gluonic.codegen.cuda.pooling.windows import THREADS, PoolForm, Side, numbers_of
from gluonic.codegen.cuda.products.steps import are_small
from gluonic.codegen.cuda.steps import DeviceStep, KernelLaunch
from gluonic.codegen.shapes.facts import Facts
from gluonic.device.processors import Processor
from gluonic.graph import Node
from gluonic.graph.attributes import Shape
from gluonic.graph.ops.pooling import _GEOMETRY, pool_of
from gluonic.graph.ops.pooling_kernels import Pool
from gluonic.graph.ops.windows import first_shape, is_channels_last
from gluonic.graph.view import complete
from gluonic.support.record import record

_NORMS = {1: "sum", 2: "norm"}
"""What pools by the exponent of a norm; the host computes cubes and their roots."""


@record
class PoolLaunch:
    """A launch.

    Attributes
    ----------
    write : what writes the kernel
    side : which array a thread has an element of
    operands : among the step's
    """

    write: Callable[..., None]
    side: Side
    operands: tuple[int, ...]


@record
class PoolKernels:
    """The kernels of an operator.

    Attributes
    ----------
    data : the index of the input with the data
    reads : the indices of the inputs whose elements are read
    launches : in order; operands are these inputs, the result, the workspace
    has_places : whether the workspace holds the places of maxima
    """

    data: int
    reads: tuple[int, ...]
    launches: tuple[PoolLaunch, ...]
    has_places: bool = False


FORWARD = PoolKernels(0, (0,), (PoolLaunch(write_pooling, "pooled", (0, 1)),))
SPREAD = PoolKernels(1, (0,), (PoolLaunch(write_spread, "data", (0, 1)),))
SCATTER = PoolKernels(
    1,
    (0, 1, 2),
    (
        PoolLaunch(write_places, "pooled", (1, 2, 4)),
        PoolLaunch(write_scatter, "data", (0, 4, 3)),
    ),
    has_places=True,
)
TAKEN = PoolKernels(1, (0, 1, 2), (PoolLaunch(write_taken, "pooled", (0, 1, 2, 3)),))


class WindowPoolStep(DeviceStep):
    """An operator on windows."""

    def __init__(self, node: Node, kernels: PoolKernels, facts: Facts, form: PoolForm) -> None:
        self.node, self.kernels, self.form = node, kernels, form
        self.operands = (*[node.inputs[i] for i in kernels.reads], node.entry())
        self.outputs = (node.entry(),)

    @classmethod
    def of(
        cls, node: Node, facts: Facts, processor: Processor, *, kernels: PoolKernels
    ) -> WindowPoolStep | None:
        """The step of pooling of floats; None for norms of cubes."""
        settings: Any = node.applied.settings
        kind = settings["pool_type"]
        if kind == "lp":
            if settings["p_value"] not in _NORMS and kernels is FORWARD:
                return None
            kind = _NORMS[settings["p_value"]] if kernels is FORWARD else "sum"
        entries = [*node.inputs, node.entry()]
        dtype = facts.dtypes[node.entry()]
        if dtype.kind != "f" or not are_small(facts, entries):
            return None
        if any(facts.dtypes[entry] != dtype for entry in entries):
            return None
        form = PoolForm(
            dtype,
            kind,
            len(facts.shapes[node.inputs[kernels.data]]) - 2,
            is_channels_last(settings["layout"]),
            settings["count_include_pad"] is not False,
        )
        return cls(node, kernels, facts, form)

    def launches(self, facts: Facts, processor: Processor) -> Sequence[KernelLaunch]:
        """A launch for each kernel; none where there are no elements."""
        settings = self.node.applied.settings
        shape = facts.shapes[self.node.inputs[self.kernels.data]]
        data = complete(first_shape(shape, self.form.channels_last))
        geometry = {name: settings[name] for name in _GEOMETRY}
        pool = pool_of(data, "", **geometry).complete()
        if self.kernels is FORWARD and self._is_of_rows(pool, data):
            numbers, rows = numbers_of(self.form, pool, data, "pooled"), prod(data[:2])
            grid = (-(-rows * WARP // THREADS), 1, 1)
            code = write_row_pooling, self.form
            return [KernelLaunch(code, (0, 1), numbers, grid, (THREADS, 1, 1))]
        found = []
        for launch in self.kernels.launches:
            numbers = numbers_of(self.form, pool, data, launch.side)
            total = prod(data[:2]) * prod(pool.counts if launch.side == "pooled" else data[2:])
            found.append(
                KernelLaunch(
                    (launch.write, self.form),
                    launch.operands,
                    numbers,
                    (-(-total // THREADS), 1, 1),
                    (THREADS, 1, 1),
                )
            )
        return found

    def _is_of_rows(self, pool: Pool, data: Shape) -> bool:
        """Whether windows are whole channels, which lie together, and long enough for a warp."""
        is_whole = pool.kernel == data[2:] and not any(pool.pad) and prod(pool.counts) == 1
        return is_whole and prod(data[2:]) >= WARP and not self.form.channels_last

    def workspace(self, facts: Facts, processor: Processor) -> int:
        """The places of maxima."""
        pooled = self.node.inputs[-1]
        return prod(facts.shapes[pooled]) * 4 if self.kernels.has_places else 0
