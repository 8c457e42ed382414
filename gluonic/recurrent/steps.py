"""The computations of recurrent cells from their gates, written once for all kinds of cells.

The cells of `mx.rnn`, of `gluon.rnn` and, with convolutions, of `gluon.contrib.rnn` differ in the projections
of inputs and states, in the names of results, and in the application of activations. These are arguments here:
`i2h` and `h2h` are the contributions of inputs and states to all gates, `name` returns the name of a result of
this step (None leaves it to the name manager), and an `Activate` applies an activation and names the result.
"""

from collections.abc import Callable
from typing import Any

Name = Callable[[str], str | None]
Activate = Callable[[Any, str | None], Any]


def applied(F: Any, act_type: str) -> Activate:
    """Return a function that applies the operator `Activation`, with a function such as ``"tanh"``."""
    return lambda x, name: F.Activation(x, act_type=act_type, name=name)


def zoned(F: Any, part: float, new: Any, old: Any) -> Any:
    """Return `new`; in training, random elements are taken from `old` (Krueger et al., 2017)."""
    return F.where(F.Dropout(F.ones_like(new), p=part), new, old) if part else new


def rnn_step(F: Any, i2h: Any, h2h: Any, activate: Activate, name: Name) -> Any:
    """Return the output, which is also the state, of a plain recurrent cell: ``activate(i2h + h2h)``."""
    return activate(F._internal._plus(i2h, h2h, name=name("plus0")), name("out"))


def lstm_step(
    F: Any,
    i2h: Any,
    h2h: Any,
    memory: Any,
    activations: tuple[Activate, Activate, Activate],
    name: Name,
    **axis: int,
) -> tuple[Any, Any]:
    """Return the output and the memory of a long short-term memory cell.

    Parameters
    ----------
    memory : the memory before this step
    activations : for the gates i, f and o; for the new content c; and for the memory in the output
    axis : the axis of channels, if it is not the second
    """
    gate, transform, show = activations
    plus, times = F._internal._plus, F._internal._mul
    parts = F.SliceChannel(
        plus(i2h, h2h, name=name("plus0")), num_outputs=4, name=name("slice"), **axis
    )
    write, forget, new, read = (
        activate(parts[number], name(letter))
        for number, (letter, activate) in enumerate(
            [("i", gate), ("f", gate), ("c", transform), ("o", gate)]
        )
    )
    memory = plus(
        times(forget, memory, name=name("mul0")),
        times(write, new, name=name("mul1")),
        name=name("state"),
    )
    return times(read, show(memory, name("activation0")), name=name("out")), memory


def gru_step(
    F: Any,
    i2h: Any,
    h2h: Any,
    state: Any,
    activations: tuple[Activate, Activate],
    complement: Callable[[Any], Any],
    name: Name,
    **axis: int,
) -> Any:
    """Return the output, which is also the state, of a gated recurrent unit.

    Parameters
    ----------
    state : the state before this step
    activations : for the gates r and z; and for the new content
    complement : computes ``1 - x``
    axis : the axis of channels, if it is not the second
    """
    gate, transform = activations
    plus, times = F._internal._plus, F._internal._mul
    i2h = F.SliceChannel(i2h, num_outputs=3, name=name("i2h_slice"), **axis)
    h2h = F.SliceChannel(h2h, num_outputs=3, name=name("h2h_slice"), **axis)
    reset, update = (
        gate(plus(i2h[number], h2h[number], name=name(f"plus{number}")), name(f"{letter}_act"))
        for number, letter in enumerate("rz")
    )
    recalled = times(reset, h2h[2], name=name("mul0"))
    new = transform(plus(i2h[2], recalled, name=name("plus2")), name("h_act"))
    return plus(
        times(complement(update), new, name=name("mul1")),
        times(update, state, name=name("mul20")),
        name=name("out"),
    )
