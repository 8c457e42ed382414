"""What the present thread is doing (recording, training), and where random numbers come from."""

import threading

import numpy as np

from gluonic.graph.operator import Run


class ThreadState(threading.local):
    """Whether operators are recorded, and whether they behave as in training; a thread of its own each."""

    recording = False
    training = False


STATE = ThreadState()


class RandomSource:
    """The generator behind all samplers, dropout, shuffling and initialization; one seed fixes them all."""

    def __init__(self) -> None:
        self.seed(0)

    def seed(self, number: int) -> None:
        """Start anew."""
        self.generator = np.random.Generator(np.random.Philox(number))


RANDOM = RandomSource()


def current_run() -> Run:
    """What a kernel called now may need: the training flag and the random generator."""
    return Run(STATE.training, RANDOM.generator)
