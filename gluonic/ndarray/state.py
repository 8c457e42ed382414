"""The modes of the current thread (recording, training), and the source of random numbers."""

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

import numpy as np

from gluonic.graph import Run
from gluonic.graph.random_source import RandomSource
from gluonic.support.forks import in_forked_children


class ThreadState(threading.local):
    """Whether operators are recorded, and whether they behave as in training, for each thread.

    Attributes
    ----------
    recording, training : the flags
    going_back : the number of nested walks with sparse gradients, whose operators the user did not call
    """

    recording = False
    training = False
    going_back = 0


STATE = ThreadState()


class GoingBack:
    """A ``with`` block in which sparse gradients are computed."""

    __slots__ = ()

    def __enter__(self) -> None:
        STATE.going_back += 1

    def __exit__(self, *error: object) -> None:
        STATE.going_back -= 1


class Flags:
    """A ``with`` block that sets the thread's flags; None leaves one as it is."""

    __slots__ = ("before", "recording", "training")

    def __init__(self, recording: bool | None, training: bool | None) -> None:
        self.recording, self.training = recording, training
        self.before: list[tuple[bool, bool]] = []

    def __enter__(self) -> Self:
        self.before.append((STATE.recording, STATE.training))
        if self.recording is not None:
            STATE.recording = self.recording
        if self.training is not None:
            STATE.training = self.training
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        STATE.recording, STATE.training = self.before.pop()


def _machine() -> Any:
    """The machine code of draws; the first large draw imports the compiler."""
    from gluonic.codegen.random_numbers import machine

    return machine()


class RandomState:
    """The random numbers of this process; one seed fixes them all.

    Attributes
    ----------
    source : the numbers of operators and initializers, equal to MXNet's
    generator : the numbers of everything else, which MXNet's programs never see
    number : the latest seed
    listeners : called with the seed after each `seed`, for objects with states of their own
    """

    def __init__(self) -> None:
        RandomSource.load_machine = staticmethod(_machine)
        self.listeners: list[Callable[[int], None]] = []
        self.source = RandomSource()
        self.seed(0)
        in_forked_children(self._renew)

    def seed(self, number: int, single: int | None = None) -> None:
        """Restart from a seed; see `RandomSource.seed`."""
        self.source.seed(number, single)
        self.generator = np.random.Generator(np.random.Philox(number))
        self.number = number
        for listener in self.listeners:
            listener(number)

    def _renew(self) -> None:
        """Continue with the same numbers and a new lock: another thread may have held the old one."""
        fresh = np.random.Philox(0)
        fresh.state = self.generator.bit_generator.state  # type: ignore[assignment]
        self.generator = np.random.Generator(fresh)


RANDOM = RandomState()


_runs = {train: Run(train, RANDOM.source) for train in (False, True)}


def current_run() -> Run:
    """The context of a kernel called now: the training flag and the source of random numbers."""
    return _runs[STATE.training]
