"""`net.summary(x)`: a table of layers, output shapes, numbers of parameters, operations and bytes."""

from collections.abc import Sequence
from functools import singledispatch
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from gluonic.gluon.eager_scope import eagerly
from gluonic.gluon.hooks import HookHandle
from gluonic.ndarray import NDArray

if TYPE_CHECKING:
    from gluonic.gluon.block import Block
    from gluonic.gluon.layer_costs import LayerCost
    from gluonic.gluon.parameter import Parameter
    from gluonic.gluon.trace import Trace

_ROW = "{:>20}  {:>42} {:>15} {:>19} {:>15}"
_WIDTH = 116


class Tracer(Protocol):
    """Traces a call: returns its graph, and the arrays among its inputs."""

    def __call__(self, inputs: Any) -> "tuple[Trace, list[NDArray]]":
        """Trace a call."""


@singledispatch
def has_row(block: object) -> bool:
    """Whether the table has a row for a block; container classes are registered to have none."""
    return True


@singledispatch
def tracer_of(block: object) -> Tracer | None:
    """The function that traces a block's calls; None for classes that register none."""
    return None


class _Layer:
    """A row of the table: a call of a block.

    Attributes
    ----------
    title, output_shape : the text of its columns
    parameters : the block's own parameters
    block : the block's name
    cost : None if unknown
    """

    def __init__(self, block: "Block", number: int, outputs: Any) -> None:
        self.title, self.output_shape = f"{type(block).__name__}-{number}", _shapes(outputs)
        self.parameters, self.block = list(block.params.values()), block.name
        self.cost: LayerCost | None = None

    def __str__(self) -> str:
        cost = ("", "") if self.cost is None else map("{:,}".format, self.cost)
        return _ROW.format(self.title, self.output_shape, _size(self.parameters), *cost)


def _shapes(nested: Any) -> str:
    """The shapes of nested arrays, without the brackets around all of them."""
    if isinstance(nested, (list, tuple)):
        return ", ".join(
            f"[{_shapes(n)}]" if isinstance(n, (list, tuple)) else _shapes(n) for n in nested
        )
    return str(nested.shape) if isinstance(nested, NDArray) else str(nested)


class _Run:
    """One eager run of a net: the results and costs of each layer.

    Attributes
    ----------
    layers : the rows
    counted : the costs of the outermost blocks that can be traced
    not_traced : whether some blocks could not be traced
    """

    def __init__(self, block: "Block", inputs: Sequence[Any]) -> None:
        self.layers: list[_Layer] = []
        self.counted: list[LayerCost] = []
        self.not_traced = False
        self._depth = self._first = 0
        self._watched: set[Block] = set()
        self._handles: list[HookHandle] = []
        block.apply(self._watch)
        try:
            with eagerly():
                block(*inputs)
        finally:
            for handle in self._handles:
                handle.detach()

    def _watch(self, block: "Block") -> None:
        if block not in self._watched:
            self._watched.add(block)
            self._handles.append(block.register_forward_pre_hook(self._enter))
            self._handles.append(block.register_forward_hook(self._leave))

    def _enter(self, block: "Block", inputs: Any) -> None:
        if tracer_of(block) is not None:
            if not self._depth:
                self._first = len(self.layers)
            self._depth += 1

    def _leave(self, block: "Block", inputs: Any, outputs: Any) -> None:
        if has_row(block):
            self.layers.append(_Layer(block, len(self.layers) + 1, outputs))
        tracer = tracer_of(block)
        if tracer is not None:
            self._depth -= 1
            if not self._depth:
                self._count(block, tracer, inputs, self.layers[self._first :])
        elif has_row(block):
            self.not_traced = True

    def _count(self, block: "Block", tracer: Tracer, inputs: Any, layers: Sequence[_Layer]) -> None:
        """Count the costs of the calls within the outermost call that can be traced."""
        from gluonic.gluon.layer_costs import CallCosts

        try:
            trace, arrays = tracer(inputs)
        except Exception:  # it can only run eagerly: it reads values or shapes of arrays
            self.not_traced = True
            return
        costs = CallCosts(block.collect_params().values(), trace, arrays)
        self.counted.append(costs.whole)
        for layer in layers:
            layer.cost = costs.next_call(layer.block)
        if layers and layers[-1].block == block.name:
            layers[-1].cost = costs.whole


def _size(parameters: "Sequence[Parameter]") -> int:
    return sum(parameter.data().size for parameter in parameters)


def print_summary(block: "Block", inputs: Sequence[Any]) -> None:
    """Print the table; it is the same whether the net is hybridized or not."""
    run = _Run(block, inputs)
    print("-" * _WIDTH)
    print(_ROW.format("Layer (type)", "Output Shape", "Param #", "FLOPs", "Memory"))
    print("=" * _WIDTH)
    nested = tuple(inputs) if len(inputs) != 1 else inputs[0]
    print(_ROW.format("Input", _shapes(nested), 0, "", ""))
    for layer in run.layers:
        print(layer)
    uses = [parameter for layer in run.layers for parameter in layer.parameters]
    unique = list(dict.fromkeys(uses))
    total = _size(uses)
    trainable = _size([parameter for parameter in uses if parameter.grad_req != "null"])
    print("=" * _WIDTH)
    print("Parameters in forward computation graph, duplicate included")
    print(f"   Total params: {total}")
    print(f"   Trainable params: {trainable}")
    print(f"   Non-trainable params: {total - trainable}")
    print(f"Shared params in forward computation graph: {total - _size(unique)}")
    print(f"Unique parameters in model: {_size(unique)}")
    print("-" * _WIDTH)
    _print_costs(run, sum(p.data().size * np.dtype(p.data().dtype).itemsize for p in unique))


def _print_costs(run: _Run, parameters: int) -> None:
    operations = sum(cost.operations for cost in run.counted)
    results = sum(cost.results for cost in run.counted)
    print(f"Total FLOPs: {operations:,}")
    print(f"Memory in bytes: parameters {parameters:,}, results {results:,}")
    print("FLOPs and Memory (bytes of results) of a block are those of all in it.")
    if run.not_traced:
        print("Not counted is what is computed outside of hybrid blocks, or cannot be traced.")
    print("-" * _WIDTH)
