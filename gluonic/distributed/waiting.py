"""Waiting for other ranks, never for ever.

What is waited for is asked for again and again, for that is what moves messages on in MPI; in between, other
processes and threads get the processor.
"""

import ctypes
import os
from collections.abc import Callable, Sequence
from time import monotonic, sleep
from typing import Any

from gluonic.distributed.board import Board
from gluonic.distributed.errors import RankFailedError
from gluonic.distributed.mpi import mpi
from gluonic.graph.errors import describe

LIMIT = "GLUONIC_RANK_TIMEOUT"
_QUICK = 100  # so often it is asked without a pause: 100 µs
_EAGER = 0.02  # seconds before it naps
_NAP = 1e-4  # seconds
_LOOK = 0.05  # seconds between looks at the board


def let_outlive(kept: Any) -> None:
    """Keep what MPI may still write into until the process is gone, and not only until Python is at its end."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))


def time_limit() -> float:
    """How many seconds a rank waits for others, as ``GLUONIC_RANK_TIMEOUT`` says; 600 by default.

    Raises
    ------
    ValueError
        if it is no positive number
    """
    given = os.environ.get(LIMIT, "600")
    try:
        seconds = float(given)
    except ValueError:
        seconds = -1.0
    if not seconds > 0:
        raise ValueError(f"{LIMIT}={given!r} must be a number of seconds above 0")
    return seconds


class RankWatch:
    """What a rank looks at while it waits.

    Attributes
    ----------
    board : what the ranks of this machine say of themselves; None before there is one
    step : at which step this rank is
    """

    def __init__(self) -> None:
        self.board: Board | None = None
        self.step = 0
        self._what: Callable[[], str] | None = None

    def doing(self) -> str:
        """What this rank does now, in words."""
        waiting = f"waiting for {self._what()} " if self._what is not None else "computing "
        return f"{waiting}in step {self.step}"

    def advance(self) -> None:
        """Begin another step."""
        self.step += 1
        if self.board is not None:
            self.board.set_step(self.step)

    def finish(
        self, requests: list[Any], ranks: Sequence[int], what: Callable[[], str], kept: Any = None
    ) -> None:
        """Wait until requests are done.

        Parameters
        ----------
        requests : requests of MPI
        ranks : whom each is for or from
        what : says what is waited for
        kept : what must outlive the requests, should they never be done

        Raises
        ------
        RankFailedError
            if a rank that is waited for has ended, or does not answer for as long as `time_limit` says
        """
        done = mpi().Request.Testall
        for _ in range(_QUICK):
            if done(requests):
                return
        self._what = what
        try:
            self._await(done, requests, ranks)
        except BaseException:
            let_outlive((requests, kept))
            raise
        finally:
            self._what = None

    def _await(self, done: Any, requests: list[Any], ranks: Sequence[int]) -> None:
        begin = monotonic()
        look = begin + _LOOK
        while not done(requests):
            now = monotonic()
            if now > look:
                late = sorted(
                    {rank for q, rank in zip(requests, ranks, strict=True) if not q.Test()}
                )
                self._look(late, now - begin)
                look = now + _LOOK
            if now - begin > _EAGER:
                sleep(_NAP)
            else:
                os.sched_yield()

    def _look(self, late: Sequence[int], waited: float) -> None:
        board = self.board
        ended = {r: board.end_of(r) for r in late if r in board.ranks} if board else {}
        gone = [rank for rank, end in ended.items() if end]
        if gone:
            facts = [f"rank {rank} {ended[rank]}" for rank in gone]
            raise RankFailedError(describe(f"{facts[0]}; {self.doing()}", facts=facts[1:]), gone)
        if late and waited > time_limit():
            facts = [f"rank {rank} has not answered{self._last_step(rank)}" for rank in late[1:]]
            gist = f"rank {late[0]} has not answered for {waited:.1f} s{self._last_step(late[0])}"
            hint = f"{LIMIT}=seconds waits longer"
            raise RankFailedError(describe(f"{gist}; {self.doing()}", facts=facts, hint=hint), late)

    def _last_step(self, rank: int) -> str:
        if self.board is None or rank not in self.board.ranks:
            return ""
        return f", and was in step {self.board.step_of(rank)}"
