"""Cells made of cells: stacks, both directions, dropout, zoneout and residuals."""

from collections.abc import Callable, Iterator
from typing import Any

from gluonic.gluon.parameter_dict import ParameterDict
from gluonic.gluon.rnn.base import HybridRecurrentCell, RecurrentCell, join
from gluonic.gluon.rnn.sequences import (
    batch_size_of,
    is_whole,
    mask,
    namespace_of,
    put_together,
    reverse,
    take_apart,
)
from gluonic.graph.attributes import Rate
from gluonic.graph.errors import AttributeValueError, describe
from gluonic.recurrent.inner_cells import (
    is_modified,
    set_modified,
    step_through,
    unmodified,
    unroll_through,
    with_states,
)
from gluonic.recurrent.steps import zoned


class _OfCells(RecurrentCell):
    """A cell whose states are those of its children, one after the other."""

    def _cells(self) -> list[Any]:
        return list(self._children.values())

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Return the shape and layout of each state."""
        return join(cell.state_info(batch_size) for cell in self._cells())

    def begin_state(
        self, batch_size: int = 0, func: Callable[..., Any] | None = None, **kwargs: Any
    ) -> list[Any]:
        """Return the states of all cells before the first step; see `RecurrentCell`."""
        self._refuse_modified()
        return join(cell.begin_state(batch_size, func=func, **kwargs) for cell in self._cells())

    def _with_states(self, states: Any) -> Iterator[tuple[Any, Any]]:
        """Pair each cell with its states."""
        counts = (len(cell.state_info()) for cell in self._cells())
        return with_states(self._cells(), counts, states)


class _Stack(_OfCells):
    """The base of both kinds of stack."""

    def add(self, cell: RecurrentCell) -> None:
        """Add a cell on top of the stack."""
        self.register_child(cell)

    def _take_step(self, inputs: Any, states: Any) -> Any:
        return step_through(self._with_states(states), inputs)

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, list[Any]]:
        """Run the cells over a sequence, one cell after the other; see `RecurrentCell`."""
        self.reset()
        size = batch_size_of(inputs, layout)
        begin_state = self._first_states(inputs, begin_state, size, layout)
        pairs = self._with_states(begin_state)
        return unroll_through(
            pairs, length, inputs, merge_outputs, layout=layout, valid_length=valid_length
        )

    def __getitem__(self, i: int) -> Any:
        return self._cells()[i]

    def __len__(self) -> int:
        return len(self._children)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._cells())

    def __repr__(self) -> str:
        lines = [f"({key}): {cell!r}".replace("\n", "\n  ") for key, cell in self._children.items()]
        return "\n".join([f"{type(self).__name__}(", *lines, ")"])


class SequentialRNNCell(_Stack):
    """Cells on top of each other, each fed with the output of the one below.

    Parameters
    ----------
    prefix, params : see `Block`
    """

    def forward(self, inputs: Any, states: Any) -> Any:
        """Take one step with every cell."""
        self._counter += 1
        return self._take_step(inputs, states)


class HybridSequentialRNNCell(_Stack, HybridRecurrentCell):
    """Hybrid cells on top of each other, each fed with the output of the one below.

    Parameters
    ----------
    prefix, params : see `Block`
    """

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> Any:
        """Take one step with every cell."""
        return self._take_step(inputs, states)


class DropoutCell(HybridRecurrentCell):
    """Dropout between cells; it has no states.

    Parameters
    ----------
    rate : the fraction to drop
    axes : axes along which the mask is broadcast, so that elements are dropped together
    prefix, params : see `Block`
    """

    def __init__(
        self,
        rate: Rate,
        axes: tuple[int, ...] = (),
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(prefix, params)
        if not isinstance(rate, (int, float)):
            raise AttributeValueError(f"DropoutCell: rate must be a number, not {rate!r}")
        self._rate, self._axes = rate, axes

    def _alias(self) -> str:
        return "dropout"

    def __repr__(self) -> str:
        return f"{type(self).__name__}(rate={self._rate}, axes={self._axes})"

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Return no states."""
        return []

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> Any:
        """Take one step."""
        if self._rate > 0:
            name = f"t{self._counter}_fwd"
            inputs = F.Dropout(data=inputs, p=self._rate, axes=self._axes, name=name)
        return inputs, states

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, list[Any]]:
        """Apply dropout to a sequence, at once if it is one array; see `RecurrentCell`."""
        self.reset()
        inputs = put_together(inputs, layout, merge_outputs, length)
        if not is_whole(inputs):
            return super().unroll(length, inputs, begin_state, layout, merge_outputs)
        outputs, states = self.hybrid_forward(namespace_of(inputs), inputs, begin_state or [])
        return outputs, states


class ModifierCell(HybridRecurrentCell):
    """The base of cells around another cell, whose parameters and states they use.

    Parameters
    ----------
    base_cell : the other cell; from then on it is used only through the modifier
    """

    def __init__(self, base_cell: Any) -> None:
        if is_modified(base_cell):
            raise AssertionError(f"the cell {base_cell.name} is modified already; once is enough")
        set_modified(base_cell, True)
        super().__init__(prefix=base_cell.prefix + self._alias(), params=None)
        self.base_cell = base_cell

    @property
    def params(self) -> ParameterDict:
        """The parameters of the other cell."""
        found: ParameterDict = self.base_cell.params
        return found

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Return the shape and layout of each state."""
        found: list[dict[str, Any]] = self.base_cell.state_info(batch_size)
        return found

    def begin_state(
        self, batch_size: int = 0, func: Callable[..., Any] | None = None, **kwargs: Any
    ) -> list[Any]:
        """Return the states of the other cell before the first step; see `RecurrentCell`."""
        self._refuse_modified()
        with unmodified(self.base_cell):
            begin: list[Any] = self.base_cell.begin_state(batch_size, func=func, **kwargs)
        return begin

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_cell!r})"


class ZoneoutCell(ModifierCell):
    """Keep random elements of outputs and states from the previous step (Krueger et al., 2017).

    Parameters
    ----------
    base_cell : the cell
    zoneout_outputs, zoneout_states : probability of keeping an element of outputs or states
    """

    def __init__(
        self, base_cell: Any, zoneout_outputs: Rate = 0.0, zoneout_states: Rate = 0.0
    ) -> None:
        if isinstance(base_cell, BidirectionalCell):
            raise AssertionError(
                describe(
                    "a BidirectionalCell takes no single steps",
                    where="ZoneoutCell",
                    hint="put zoneout around the cells inside it",
                )
            )
        super().__init__(base_cell)
        self.zoneout_outputs, self.zoneout_states = zoneout_outputs, zoneout_states
        self._prev_output: Any = None

    def _alias(self) -> str:
        return "zoneout"

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(p_out={self.zoneout_outputs}, p_state={self.zoneout_states}, "
            f"{self.base_cell!r})"
        )

    def reset(self) -> None:
        """Reset the cell."""
        super().reset()
        self._prev_output = None

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> Any:
        """Take one step."""
        output, after = self.base_cell(inputs, states)
        before = F.zeros_like(output) if self._prev_output is None else self._prev_output
        self._prev_output = output = zoned(F, self.zoneout_outputs, output, before)
        pairs = zip(after, states, strict=True)
        return output, [zoned(F, self.zoneout_states, *pair) for pair in pairs]


class ResidualCell(ModifierCell):
    """Add the input to the output (He et al., 2016; Wu et al., 2016).

    Parameters
    ----------
    base_cell : the cell, with outputs as long as its inputs
    """

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> Any:
        """Take one step."""
        output, states = self.base_cell(inputs, states)
        return F.elemwise_add(output, inputs, name=f"t{self._counter}_fwd"), states

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, list[Any]]:
        """Run the other cell over a sequence and add its inputs; see `RecurrentCell`."""
        self.reset()
        with unmodified(self.base_cell):
            outputs, states = self.base_cell.unroll(
                length, inputs, begin_state, layout, merge_outputs, valid_length
            )
        merge = is_whole(outputs) if merge_outputs is None else merge_outputs
        inputs = put_together(inputs, layout, merge, length)
        F = namespace_of(inputs)
        if valid_length is not None:
            inputs = mask(F, inputs, length, valid_length, layout, merge)
        if merge:
            return F.elemwise_add(outputs, inputs), states
        return [F.elemwise_add(*pair) for pair in zip(outputs, inputs, strict=True)], states


class BidirectionalCell(_OfCells, HybridRecurrentCell):
    """Two cells, one of which runs backwards; their outputs are concatenated.

    Parameters
    ----------
    l_cell, r_cell : the cells that run forwards and backwards
    output_prefix : put before the names of the outputs
    """

    def __init__(self, l_cell: Any, r_cell: Any, output_prefix: str = "bi_") -> None:
        super().__init__(prefix="", params=None)
        self.register_child(l_cell, "l_cell")
        self.register_child(r_cell, "r_cell")
        self._output_prefix = output_prefix

    def __call__(self, *args: Any) -> Any:
        """Raise an error: the backward cell needs the whole sequence."""
        raise NotImplementedError("BidirectionalCell takes no single steps; use unroll")

    def __repr__(self) -> str:
        forward, backward = self._cells()
        return f"{type(self).__name__}(forward={forward!r}, backward={backward!r})"

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, list[Any]]:
        """Run both cells over a sequence and concatenate their outputs; see `RecurrentCell`."""
        self.reset()
        steps, F, size = take_apart(length, inputs, layout)
        states = self._first_states(steps, begin_state, size)
        (left, left_states), (right, right_states) = self._with_states(states)
        forward, left_states = left.unroll(
            length, steps, left_states, layout, merge_outputs, valid_length
        )
        backward, right_states = right.unroll(
            length, reverse(steps, valid_length), right_states, layout, False, valid_length
        )
        backward = reverse(backward, valid_length)
        merge = is_whole(forward) if merge_outputs is None else merge_outputs
        outputs = self._joined(F, put_together(forward, layout, merge, length), backward, layout)
        if valid_length is not None:
            outputs = mask(F, outputs, length, valid_length, layout, merge)
        return outputs, [*left_states, *right_states]

    def _joined(self, F: Any, forward: Any, backward: list[Any], layout: str) -> Any:
        prefix = self._output_prefix
        if is_whole(forward):
            whole = put_together(backward, layout, True)
            return F.concat(forward, whole, dim=2, name=f"{prefix}out")
        pairs = zip(forward, backward, strict=True)
        return [F.concat(*pair, dim=1, name=f"{prefix}t{i}") for i, pair in enumerate(pairs)]
