"""Symbolic cells that change what other cells see or give: dropout, zoneout and residuals."""

from collections.abc import Callable
from typing import Any

from gluonic import symbol as sym
from gluonic.graph.arithmetic import is_number
from gluonic.graph.errors import describe
from gluonic.ndarray import NDArray
from gluonic.recurrent.inner_cells import set_modified, unmodified
from gluonic.recurrent.steps import zoned
from gluonic.rnn.base import Arrays, BaseRNNCell, RNNParams
from gluonic.rnn.sequences import arranged
from gluonic.symbol import Symbol


class DropoutCell(BaseRNNCell):
    """Dropout between cells; it has no states.

    Parameters
    ----------
    dropout : the part to drop
    prefix, params : see `BaseRNNCell`
    """

    def __init__(
        self, dropout: float, prefix: str = "dropout_", params: RNNParams | None = None
    ) -> None:
        super().__init__(prefix, params)
        if not is_number(dropout):
            raise AssertionError(f"DropoutCell: dropout must be a number, not {dropout!r}")
        self.dropout = dropout

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """No states."""
        return []

    def __call__(self, inputs: Any, states: Any) -> Any:
        """Take one step."""
        if self.dropout > 0:
            inputs = sym.Dropout(data=inputs, p=self.dropout)
        return inputs, states

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
    ) -> tuple[Any, Any]:
        """Drop parts of a sequence, of a whole one at once; see `BaseRNNCell`."""
        self.reset()
        inputs = arranged(length, inputs, layout, merge_outputs)
        if isinstance(inputs, Symbol):
            outputs, states = self(inputs, [])
            return outputs, states
        return super().unroll(length, inputs, begin_state, layout, merge_outputs)


class ModifierCell(BaseRNNCell):
    """The base of cells around another cell, whose variables and states they use.

    Parameters
    ----------
    base_cell : the other cell; from then on it is reached through the modifier only
    """

    def __init__(self, base_cell: BaseRNNCell) -> None:
        super().__init__()
        set_modified(base_cell, True)
        self.base_cell = base_cell

    @property
    def params(self) -> RNNParams:
        """The variables of the other cell."""
        self._own_params = False
        return self.base_cell.params

    @property
    def state_info(self) -> Any:
        """The shape and layout of each state; 0 is the batch."""
        return self.base_cell.state_info

    def begin_state(  # type: ignore[override]
        self, init_sym: Callable[..., Any] = sym.zeros, **kwargs: Any
    ) -> Any:
        """Return the states of the other cell before the first step; see `BaseRNNCell`."""
        self._refuse_modified()
        with unmodified(self.base_cell):
            return self.base_cell.begin_state(init_sym, **kwargs)

    def unpack_weights(self, args: Arrays) -> dict[str, NDArray]:
        """Divide the weights of the other cell; see `BaseRNNCell`."""
        return self.base_cell.unpack_weights(args)

    def pack_weights(self, args: Arrays) -> dict[str, NDArray]:
        """Join the weights of the other cell; see `BaseRNNCell`."""
        return self.base_cell.pack_weights(args)


class ZoneoutCell(ModifierCell):
    """Keep random parts of outputs and states from the step before (Krueger et al., 2017).

    Parameters
    ----------
    base_cell : the cell
    zoneout_outputs, zoneout_states : probability of keeping an element of outputs or states
    """

    def __init__(
        self, base_cell: BaseRNNCell, zoneout_outputs: float = 0.0, zoneout_states: float = 0.0
    ) -> None:
        if not base_cell.takes_steps:
            raise AssertionError(
                describe(
                    f"a {type(base_cell).__name__} takes no single steps",
                    where="ZoneoutCell",
                    hint="unfuse() it, or put zoneout around the cells inside it",
                )
            )
        super().__init__(base_cell)
        self.zoneout_outputs, self.zoneout_states = zoneout_outputs, zoneout_states
        self.prev_output: Any = None

    def reset(self) -> None:
        """Begin anew."""
        super().reset()
        self.prev_output = None

    def __call__(self, inputs: Any, states: Any) -> Any:
        """Take one step."""
        output, after = self.base_cell(inputs, states)
        before = sym.zeros((0, 0)) if self.prev_output is None else self.prev_output
        self.prev_output = output = zoned(sym, self.zoneout_outputs, output, before)
        pairs = zip(after, states, strict=True)
        return output, [zoned(sym, self.zoneout_states, *pair) for pair in pairs]


class ResidualCell(ModifierCell):
    """Add the input to the output (He et al., 2016; Wu et al., 2016).

    Parameters
    ----------
    base_cell : the cell, with outputs as long as its inputs
    """

    def __call__(self, inputs: Any, states: Any) -> Any:
        """Take one step."""
        output, states = self.base_cell(inputs, states)
        return _sum(output, inputs), states

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
    ) -> tuple[Any, Any]:
        """Run the other cell over a sequence and add its inputs; see `BaseRNNCell`."""
        self.reset()
        with unmodified(self.base_cell):
            outputs, states = self.base_cell.unroll(
                length,
                inputs=inputs,
                begin_state=begin_state,
                layout=layout,
                merge_outputs=merge_outputs,
            )
        merge = isinstance(outputs, Symbol) if merge_outputs is None else merge_outputs
        inputs = arranged(length, inputs, layout, merge)
        if merge:
            return _sum(outputs, inputs), states
        return [_sum(*pair) for pair in zip(outputs, inputs, strict=True)], states


def _sum(output: Symbol, inputs: Any) -> Any:
    return sym.elemwise_add(output, inputs, name=f"{output.name}_plus_residual")


__all__ = ["DropoutCell", "ModifierCell", "ResidualCell", "ZoneoutCell"]
