"""The base of symbolic cells: states, steps, unrolling, and weights packed for all gates."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from gluonic import ndarray as nd
from gluonic import symbol as sym
from gluonic.graph.constructors import CheckedArguments
from gluonic.graph.errors import MismatchError, describe
from gluonic.ndarray import NDArray
from gluonic.recurrent.inner_cells import refuse_modified, take_steps
from gluonic.recurrent.steps import Activate
from gluonic.rnn.sequences import arranged, steps_of
from gluonic.symbol import Symbol

Arrays = Mapping[str, NDArray]


class RNNParams:
    """Variables by name, to be shared by cells.

    Parameters
    ----------
    prefix : put before the names
    """

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix
        self._params: dict[str, Symbol] = {}

    def get(self, name: str, **kwargs: Any) -> Symbol:
        """Return the variable of a name, created with `kwargs` (see `sym.Variable`) if it is new."""
        name = self._prefix + name
        if name not in self._params:
            self._params[name] = sym.Variable(name, **kwargs)
        return self._params[name]


def add_variables(params: RNNParams, others: RNNParams) -> None:
    """Add the variables of other cells."""
    params._params.update(others._params)


class BaseRNNCell(CheckedArguments):
    """The base of symbolic cells: ``output, states = cell(input, states)``.

    Parameters
    ----------
    prefix : the prefix of the names of the cell's results, and of its variables if it has its own
    params : the variables, if other cells share them
    """

    _names: ClassVar[Mapping[str, str]] = {}
    """The names of the results of a step; others get automatic names."""
    takes_steps: ClassVar[bool] = True
    """Whether the cell can be called; otherwise it takes whole sequences only."""

    def __init__(self, prefix: str = "", params: RNNParams | None = None) -> None:
        self._own_params = params is None
        self._params = RNNParams(prefix) if params is None else params
        self._prefix, self._modified = prefix, False
        self.reset()

    def reset(self) -> None:
        """Reset the counters of steps and states, for another graph."""
        self._init_counter = self._counter = -1
        for cell in getattr(self, "_cells", ()):
            cell.reset()

    def __call__(self, inputs: Any, states: Any) -> Any:
        """Take one step: return the output, and the states after it."""
        raise NotImplementedError(f"{type(self).__name__} must override __call__")

    @property
    def params(self) -> RNNParams:
        """The variables; from then on they are considered shared with the caller."""
        self._own_params = False
        return self._params

    @property
    def state_info(self) -> Any:
        """The shape and layout of each state; 0 is the batch."""
        raise NotImplementedError(f"{type(self).__name__} must override state_info")

    @property
    def state_shape(self) -> list[tuple[int, ...]]:
        """The shape of each state; 0 is the batch."""
        return [info["shape"] for info in self.state_info]

    @property
    def _gate_names(self) -> Sequence[str]:
        return ()

    def begin_state(self, func: Callable[..., Any] = sym.zeros, **kwargs: Any) -> Any:
        """Return the states before the first step.

        Parameters
        ----------
        func : makes a state from name, shape and layout; `sym.Variable` makes inputs of the states
        kwargs : further arguments for it, such as `dtype`
        """
        self._refuse_modified()
        states = []
        for info in self.state_info:
            self._init_counter += 1
            name = f"{self._prefix}begin_state_{self._init_counter}"
            states.append(func(name=name, **{**kwargs, **(info or {})}))
        return states

    def _refuse_modified(self) -> None:
        refuse_modified(self, f"{type(self).__name__} {self._prefix!r}")

    def unpack_weights(self, args: Arrays) -> dict[str, NDArray]:
        """Return arrays by name, with this cell's weights divided by gates.

        Raises
        ------
        MismatchError
            if one of them is not there
        """
        found = dict(args)
        for joined, parts in self._gate_weights():
            self._require([joined], found)
            whole, rows = found.pop(joined), self._num_hidden
            for number, part in enumerate(parts):
                found[part] = whole[number * rows : (number + 1) * rows].copy()
        return found

    def pack_weights(self, args: Arrays) -> dict[str, NDArray]:
        """Return arrays by name, with the gates of its weights concatenated; undoes `unpack_weights`.

        Raises
        ------
        MismatchError
            if one of them is not there
        """
        found = dict(args)
        for joined, parts in self._gate_weights():
            self._require(parts, found)
            found[joined] = nd.concatenate([found.pop(part) for part in parts])
        return found

    def _require(self, names: Sequence[str], arrays: Arrays) -> None:
        missing = [name for name in names if name not in arrays]
        if missing:
            raise MismatchError(
                describe(f"there is no array {missing[0]!r}", where=f"{self._prefix!r} cell")
            )

    def _gate_weights(self) -> list[tuple[str, list[str]]]:
        """The name of each weight with the names of its parts, one for each gate."""
        gates = self._gate_names
        return [
            (
                f"{self._prefix}{group}_{kind}",
                [f"{self._prefix}{group}{gate}_{kind}" for gate in gates],
            )
            for group in ("i2h", "h2h")
            for kind in ("weight", "bias")
            if gates
        ]

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
    ) -> tuple[Any, Any]:
        """Run the cell over a sequence.

        Parameters
        ----------
        length : number of steps
        inputs : a symbol with a time axis, or a list with one for each step
        begin_state : the states before the first step; `begin_state()` by default
        layout : the order of batch (N), time (T) and channels (C)
        merge_outputs : whether to return one symbol (True) or a list (False); None: whichever was computed

        Returns
        -------
        outputs, states
            the outputs of all steps, and the last states
        """
        self.reset()
        steps = steps_of(length, inputs, layout)
        states = self.begin_state() if begin_state is None else begin_state
        outputs, history = take_steps(self, steps, states)
        return arranged(length, outputs, layout, merge_outputs), history[-1]

    def _get_activation(self, inputs: Any, activation: Any, **kwargs: Any) -> Any:
        """Apply an activation given by name or as a function."""
        if isinstance(activation, str):
            return sym.Activation(inputs, act_type=activation, **kwargs)
        return activation(inputs, **kwargs)

    # For the cells of this package

    _num_hidden: int

    def _make_weights(self, **initializers: Any) -> None:
        """Make the variables of both projections; `initializers` by the variables' names."""
        self._iW, self._iB, self._hW, self._hB = (
            self.params.get(name, init=initializers.get(name))
            for name in ("i2h_weight", "i2h_bias", "h2h_weight", "h2h_bias")
        )

    def _name(self, what: str) -> str | None:
        """Return the name of a result of this step; None leaves it to the name manager."""
        ending = self._names.get(what)
        return None if ending is None else f"{self._prefix}t{self._counter}_{ending}"

    def _activating(self, activation: Any) -> Activate:
        def activate(x: Any, name: str | None) -> Any:
            return self._get_activation(x, activation, **({} if name is None else {"name": name}))

        return activate


def has_own_variables(cell: BaseRNNCell) -> bool:
    """Whether a cell has created its variables, and they have not been requested."""
    return cell._own_params
