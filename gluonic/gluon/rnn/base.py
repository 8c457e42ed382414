"""The base of recurrent cells: states, steps and unrolling."""

import contextlib
from collections.abc import Callable, Iterable
from typing import Any

from gluonic.gluon.block import Block
from gluonic.gluon.hybrid import HybridBlock
from gluonic.gluon.nn import LeakyReLU
from gluonic.gluon.parameter_dict import ParameterDict
from gluonic.gluon.rnn.sequences import (
    make_state,
    mask,
    put_together,
    take_apart,
    zeros_for,
)
from gluonic.ndarray import NDArray
from gluonic.recurrent.inner_cells import refuse_modified, take_steps
from gluonic.recurrent.steps import Activate

_FUNCTIONS = ("tanh", "relu", "sigmoid", "softsign")


class RecurrentCell(Block):
    """The base of all cells: ``output, states = cell(input, states)``.

    Parameters
    ----------
    prefix, params : see `Block`
    """

    def __init__(self, prefix: str | None = None, params: ParameterDict | None = None) -> None:
        super().__init__(prefix=prefix, params=params)
        self._modified = False
        self.reset()

    def reset(self) -> None:
        """Reset the counters of steps and states."""
        self._init_counter = self._counter = -1
        for cell in self._children.values():
            if isinstance(cell, RecurrentCell):
                cell.reset()

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Return the shape and layout of each state."""
        raise NotImplementedError(f"{type(self).__name__} must override state_info")

    def begin_state(
        self, batch_size: int = 0, func: Callable[..., Any] | None = None, **kwargs: Any
    ) -> list[Any]:
        """Return the states before the first step.

        Parameters
        ----------
        batch_size : number of samples in a batch; 0 leaves it to inference
        func : makes a state from its shape; `nd.zeros` by default
        kwargs : further arguments for it, such as `ctx` and `dtype`
        """
        self._refuse_modified()
        states = []
        for info in self.state_info(batch_size):
            self._init_counter += 1
            name = f"{self._prefix}begin_state_{self._init_counter}"
            states.append(make_state(func, name, {**info, **kwargs}))
        return states

    def _refuse_modified(self) -> None:
        refuse_modified(self, self.name)

    def _first_states(
        self, inputs: Any, begin_state: Any, batch_size: int, layout: str = "NC"
    ) -> list[Any]:
        """Return the given states, or zeros on the context of the inputs."""
        if begin_state is not None:
            return list(begin_state)
        if isinstance(inputs, (list, tuple)):
            inputs, layout = inputs[0], "NC"
        on_context = inputs.context if isinstance(inputs, NDArray) else contextlib.nullcontext()
        with on_context:
            return self.begin_state(batch_size, func=zeros_for(inputs, layout.find("N")))

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, list[Any]]:
        """Run the cell over a sequence.

        Parameters
        ----------
        length : number of steps
        inputs : an array or symbol, or a list with one for each step
        begin_state : the states before the first step; zeros by default
        layout : the order of batch (N), time (T) and channels (C)
        merge_outputs : whether to return one array (True) or a list (False); None: whichever was computed
        valid_length : the length of each sample, of shape ``(batch,)``; outputs after it are zero,
            and states are those at its end

        Returns
        -------
        outputs, states
            the outputs of all steps, and the last states
        """
        self.reset()
        steps, F, batch_size = take_apart(length, inputs, layout)
        states = self._first_states(steps, begin_state, batch_size)
        outputs, history = take_steps(self, steps, states)
        if valid_length is None:
            return put_together(outputs, layout, merge_outputs), history[-1]
        states = [
            F.SequenceLast(
                F.stack(*one, axis=0), sequence_length=valid_length, use_sequence_length=True
            )
            for one in zip(*history[1:], strict=True)
        ]
        masked = mask(F, outputs, length, valid_length, layout, True)
        return put_together(masked, layout, merge_outputs, length), states

    def _get_activation(self, F: Any, inputs: Any, activation: Any, **kwargs: Any) -> Any:
        """Apply an activation given by name, as a block or as a function."""
        if activation in _FUNCTIONS:
            return getattr(F, activation)(inputs, **kwargs)
        if isinstance(activation, str):
            return F.Activation(inputs, act_type=activation, **kwargs)
        if isinstance(activation, LeakyReLU):
            return F.LeakyReLU(inputs, act_type="leaky", slope=activation._alpha, **kwargs)
        return activation(inputs, **kwargs)

    def _activating(self, F: Any, activation: Any) -> Activate:
        """Return the function that applies an activation to the results of a step."""

        def activate(x: Any, name: str | None) -> Any:
            return self._get_activation(
                F, x, activation, **({} if name is None else {"name": name})
            )

        return activate

    def forward(self, inputs: Any, states: Any) -> Any:
        """Take one step."""
        self._counter += 1
        return super().forward(inputs, states)


class HybridRecurrentCell(RecurrentCell, HybridBlock):
    """The base of cells that can be hybridized; a new one overrides `hybrid_forward`.

    Parameters
    ----------
    prefix, params : see `Block`
    """

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Take one step; to be overridden."""
        raise NotImplementedError(f"{type(self).__name__} must override hybrid_forward")


def join(lists: Iterable[list[Any]]) -> list[Any]:
    """Join lists."""
    return [one for some in lists for one in some]
