"""Waiting for other ranks, never for ever.

What is waited for is asked for again and again, for that is what moves messages on in MPI; in between, other
processes and threads get the processor.

A rank that stops waiting has *given up*. A program may catch that, and save what it has. But others may still
read what the rank has sent them, or what lies in memory that they share, while the program writes there again.
So the rank takes no more part in anything, and a rank of its machine that comes late raises an error instead of
using what it finds.
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
        self._gave_up: tuple[str, Sequence[int]] | None = None

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
            if a rank that is waited for has ended or given up, or does not answer for as long as
            `time_limit` says
        """
        done = mpi().Request.Testall
        is_done = False
        for _ in range(_QUICK):
            is_done = done(requests)
            if is_done:
                break
        if is_done and (self.board is None or not self.board.has_any_given_up):
            return
        self._what = what
        try:
            if not is_done:
                self._await(done, requests, ranks)
            self._check_others(ranks, come=True)
        except BaseException as error:
            let_outlive((requests, kept))
            self.give_up(error)
            raise
        finally:
            self._what = None

    def give_up(self, error: BaseException) -> None:
        """Take no more part in what ranks do together, for an error while they did; the first one counts."""
        if self._gave_up is None:
            said = str(error).strip().rpartition("\n")[2] or type(error).__name__
            self._gave_up = said, getattr(error, "ranks", ())
            if self.board is not None:
                self.board.give_up(said)

    @property
    def has_given_up(self) -> bool:
        """Whether this rank takes no more part."""
        return self._gave_up is not None

    def check(self) -> None:
        """Make sure that this rank still takes part.

        Raises
        ------
        RankFailedError
            if it has given up
        """
        if self._gave_up is None:
            return
        reason, ranks = self._gave_up
        raise RankFailedError(
            describe(
                f"this rank has given up, and takes no more part: {reason}",
                hint="save what there is, and start all ranks again",
            ),
            ranks,
        )

    def _check_others(self, ranks: Sequence[int], *, come: bool) -> None:
        """Make sure that no rank of this machine has given up, or, unless all have come, ended."""
        board, found = self.board, {}
        for rank in sorted({*ranks}):
            if board is not None and rank in board.ranks:
                found[rank] = board.given_up(rank) or ("" if come else board.end_of(rank))
        gone = [rank for rank, end in found.items() if end]
        if gone:
            facts = [f"rank {rank} {found[rank]}" for rank in gone]
            raise RankFailedError(describe(f"{facts[0]}; {self.doing()}", facts=facts[1:]), gone)

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
        self._check_others(late, come=False)
        if late and waited > time_limit():
            facts = [f"rank {rank} has not answered{self._last_step(rank)}" for rank in late[1:]]
            gist = f"rank {late[0]} has not answered for {waited:.1f} s{self._last_step(late[0])}"
            hint = f"{LIMIT}=seconds waits longer"
            raise RankFailedError(describe(f"{gist}; {self.doing()}", facts=facts, hint=hint), late)

    def _last_step(self, rank: int) -> str:
        if self.board is None or rank not in self.board.ranks:
            return ""
        return f", and was in step {self.board.step_of(rank)}"
