"""An operator with its attributes: what a node of a graph runs."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from gluonic.graph.errors import MXNetError
from gluonic.graph.numpy_names import is_numpy_name
from gluonic.graph.view import NodeView, Titled
from gluonic.support.caches import Cache
from gluonic.support.record import record

if TYPE_CHECKING:
    from gluonic.graph.operator import Array, Operator, Run, Settings


@record
class Signature:
    """The shapes and dtypes of the outputs for certain inputs; None where only a run determines a shape."""

    shapes: tuple[tuple[int, ...] | None, ...]
    dtypes: tuple[np.dtype[Any], ...]


def told_apart(names: tuple[str, ...]) -> tuple[str, ...]:
    """Names that differ: one that occurred before is followed by its position.

    >>> told_apart(("x", "y", "y"))
    ('x', 'y', 'y_2')
    """
    if len(set(names)) == len(names):
        return names
    found: list[str] = []
    for position, name in enumerate(names):
        found.append(f"{name}_{position}" if name in found else name)
    return tuple(found)


class Application:
    """An operator with its attributes, ready to be called with inputs.

    Attributes
    ----------
    op : the operator
    settings : its attributes, parsed, with the defaults
    inputs : the names of the inputs that this use has
    weights : the inputs that are a layer's own
    outputs : the names of all outputs
    slots : what rules call inputs and outputs: their names, told apart
    visible : the number of outputs that a user sees
    of_numpy : whether the outputs are arrays of `mx.np`, whatever the inputs are; not if `mx.nd` also has the
        operator
    is_loss : whether it has a gradient even if none flows in; see `Operator`
    filler : for each parameter of the kernel the index of its input, None if that is absent; None if inputs
        and parameters correspond one to one
    signatures : cache of inferred output signatures, by input signatures
    dtypes : cache of inferred output dtypes, by the given dtypes
    """

    __slots__ = (
        "_groups", "call", "dtypes", "filler", "inputs", "is_loss", "of_numpy", "op", "outputs", "settings",
        "signatures", "slots", "states", "visible", "weights",
    )  # fmt: skip

    def __init__(self, op: "Operator", settings: "Settings") -> None:
        self.op, self.settings = op, settings
        self.of_numpy = all(map(is_numpy_name, (op.name, *op.aliases)))
        n = SimpleNamespace(**settings)
        self.inputs, self._groups = self._input_names(n)
        states = op.states if op.auxiliary is None else op.auxiliary(n)
        self.states = tuple(name for name in self.inputs if name in states)
        self.weights = tuple(name for name in self.inputs if name in op.weights)
        self.outputs = tuple(op.outputs(n) if callable(op.outputs) else op.outputs)
        self.slots = told_apart((*self.inputs, *self.outputs))
        visible = op.visible(n) if callable(op.visible) else op.visible
        self.visible = len(self.outputs) if visible is None else visible
        self.is_loss = op.is_loss(n) if callable(op.is_loss) else op.is_loss
        self.filler = self._positions()
        self.signatures: Cache[Any, Signature] = Cache()
        self.dtypes: dict[Any, tuple[Any, ...]] = {}
        self.call = self._bind()

    def _input_names(self, n: Any) -> tuple[tuple[str, ...], dict[str, list[str]]]:
        op = self.op
        if op.arguments is not None:
            names = tuple(op.arguments(n))
            return names, {op.variadic: list(names)} if op.variadic else {}
        absent = set(op.absent(n)) if op.absent is not None else set()
        fixed = [name for name in op.inputs if name not in absent]
        if op.variadic is None:
            return tuple(fixed), {}
        if op.count is None or self.settings[op.count] is None:
            raise MXNetError(f"{op.name}: the number of inputs is not known")
        members = [f"{op.variadic}{i}" for i in range(self.settings[op.count])]
        return (*fixed, *members), {op.variadic: members}

    def states_among(self, inputs: "Sequence[Array]") -> "list[Array]":
        """The inputs that it updates in place."""
        named = zip(self.inputs, inputs, strict=True)
        return [array for name, array in named if name in self.states]

    def _positions(self) -> tuple[int | None, ...] | None:
        """The input of each kernel parameter, if an absent input comes before a present one."""
        if self.op.arguments is not None or self.op.variadic is not None:
            return None
        if self.inputs == self.op.inputs[: len(self.inputs)]:
            return None
        return tuple(
            self.inputs.index(name) if name in self.inputs else None for name in self.op.inputs
        )

    def _bind(self) -> Callable[..., Any]:
        kernel, settings = self.op.kernel, self.settings
        if not settings:
            return kernel
        return partial(kernel, **settings)

    def view(
        self,
        values: Iterable[Any],
        *,
        title: "str | Titled" = "",
        train: bool = False,
        wanted: Sequence[bool] = (),
    ) -> NodeView:
        """The node as a rule sees it, with `values` for the inputs and then the outputs."""
        slots = dict(zip(self.slots, values, strict=True))
        return NodeView(
            slots,
            self.settings,
            declared=self.op.inputs,
            groups=self._groups,
            title=title or self.op.name,
            train=train,
            wanted=wanted,
        )

    def execute(self, arrays: "Sequence[Array]", run: "Run | None") -> tuple[Any, ...]:
        """Run the kernel; one result for each output, not yet cast or reshaped to the signature."""
        if self.filler is not None:
            arrays = [None if i is None else arrays[i] for i in self.filler]  # type: ignore[misc]
        if self.op.run_name is not None:
            result = self.call(*arrays, **{self.op.run_name: run})
        else:
            result = self.call(*arrays)
        return result if type(result) is tuple else (result,)
