"""Symbolic cells made of cells: stacks, and both directions."""

from collections.abc import Callable, Iterator
from typing import Any

from gluonic import symbol as sym
from gluonic.graph.errors import describe
from gluonic.ndarray import NDArray
from gluonic.recurrent.inner_cells import step_through, unroll_through, with_states
from gluonic.rnn.base import (
    Arrays,
    BaseRNNCell,
    RNNParams,
    add_variables,
    has_own_variables,
)
from gluonic.rnn.sequences import steps_of, time_axis
from gluonic.symbol import Symbol


class _OfCells(BaseRNNCell):
    """A cell whose states and variables are those of its cells."""

    def __init__(self, params: RNNParams | None) -> None:
        super().__init__(prefix="", params=params)
        self._override_cell_params = params is not None
        self._cells: list[Any] = []

    def _adopt(self, cell: Any) -> None:
        if self._override_cell_params:
            if not has_own_variables(cell):
                raise AssertionError(
                    describe(
                        "both the cell and what it is put into were given variables",
                        where=type(self).__name__,
                        hint="give params= to one of them",
                    )
                )
            add_variables(cell.params, self.params)
        self._cells.append(cell)
        add_variables(self.params, cell.params)

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """The shape and layout of each state; 0 is the batch."""
        return [info for cell in self._cells for info in cell.state_info]

    def begin_state(self, func: Callable[..., Any] = sym.zeros, **kwargs: Any) -> Any:
        """Return the states of all cells before the first step; see `BaseRNNCell`."""
        self._refuse_modified()
        return [state for cell in self._cells for state in cell.begin_state(func, **kwargs)]

    def unpack_weights(self, args: Arrays) -> dict[str, NDArray]:
        """Return arrays by name, with those of all cells' weights divided gate by gate."""
        for cell in self._cells:
            args = cell.unpack_weights(args)
        return dict(args)

    def pack_weights(self, args: Arrays) -> dict[str, NDArray]:
        """Return arrays by name, with the gates of all cells' weights joined."""
        for cell in self._cells:
            args = cell.pack_weights(args)
        return dict(args)

    def _with_states(self, states: Any) -> Iterator[tuple[Any, Any]]:
        """Pair each cell with its states."""
        counts = (len(cell.state_info) for cell in self._cells)
        return with_states(self._cells, counts, states)


class SequentialRNNCell(_OfCells):
    """Cells on top of each other, each fed with the output of the one below.

    Parameters
    ----------
    params : see `BaseRNNCell`
    """

    def __init__(self, params: RNNParams | None = None) -> None:
        super().__init__(params)

    @property
    def takes_steps(self) -> bool:  # type: ignore[override]
        """Whether each of the cells can be called."""
        return all(cell.takes_steps for cell in self._cells)

    def add(self, cell: BaseRNNCell) -> None:
        """Put a cell on top."""
        self._adopt(cell)

    def __call__(self, inputs: Any, states: Any) -> Any:
        """Take one step with every cell."""
        self._counter += 1
        return step_through(self._with_states(states), inputs)

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
    ) -> tuple[Any, Any]:
        """Run the cells over a sequence, one cell after the other; see `BaseRNNCell`."""
        self.reset()
        states = self.begin_state() if begin_state is None else begin_state
        pairs = self._with_states(states)
        return unroll_through(pairs, length, inputs, merge_outputs, layout=layout)


class BidirectionalCell(_OfCells):
    """Two cells, one of which runs backwards; their outputs are joined.

    Parameters
    ----------
    l_cell, r_cell : the cells that run forwards and backwards
    params : see `BaseRNNCell`
    output_prefix : put before the names of the outputs
    """

    takes_steps = False

    def __init__(
        self,
        l_cell: BaseRNNCell,
        r_cell: BaseRNNCell,
        params: RNNParams | None = None,
        output_prefix: str = "bi_",
    ) -> None:
        super().__init__(params)
        self._output_prefix = output_prefix
        for cell in (l_cell, r_cell):
            self._adopt(cell)

    def __call__(self, inputs: Any, states: Any) -> Any:
        """Raise: the backward cell needs the whole sequence."""
        raise NotImplementedError("BidirectionalCell takes no single steps; use unroll")

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
    ) -> tuple[Any, Any]:
        """Run both cells over a sequence and join their outputs; see `BaseRNNCell`.

        Returns
        -------
        outputs, states
            the states of the forward cell, and those of the backward cell
        """
        self.reset()
        steps = steps_of(length, inputs, layout)
        begin = self.begin_state() if begin_state is None else begin_state
        ways, last = [], []
        for (cell, own), sequence in zip(
            self._with_states(begin), (steps, steps[::-1]), strict=True
        ):
            outputs, states = cell.unroll(
                length,
                inputs=sequence,
                begin_state=own,
                layout=layout,
                merge_outputs=merge_outputs,
            )
            ways.append(outputs)
            last.append(states)
        merge = merge_outputs
        if merge is None:
            merge = all(isinstance(outputs, Symbol) for outputs in ways)
        return (self._joined if merge else self._joined_steps)(ways, length, layout), last

    def _joined(self, ways: list[Any], length: int, layout: str) -> Any:
        forward, backward = ways
        backward = sym.reverse(backward, axis=time_axis(layout))
        return sym.Concat(forward, backward, dim=2, name=f"{self._output_prefix}out")

    def _joined_steps(self, ways: list[Any], length: int, layout: str) -> list[Symbol]:
        split: dict[str, Any] = {
            "axis": time_axis(layout),
            "num_outputs": length,
            "squeeze_axis": 1,
        }
        forward, backward = (
            list(sym.SliceChannel(outputs, **split)) if isinstance(outputs, Symbol) else outputs
            for outputs in ways
        )
        return [
            sym.Concat(*pair, dim=1, name=f"{self._output_prefix}t{number}")
            for number, pair in enumerate(zip(forward, reversed(backward), strict=True))
        ]


__all__ = ["BidirectionalCell", "SequentialRNNCell"]
