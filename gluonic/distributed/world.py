"""All ranks of a program: their start, and their end."""

import atexit
import logging
import os
import signal
import socket
import sys
import threading
from functools import cache
from time import monotonic, sleep
from types import FrameType, TracebackType
from uuid import uuid4

from gluonic.distributed.board import Board, State
from gluonic.distributed.errors import RankFailedError
from gluonic.distributed.group import RankGroup
from gluonic.distributed.mpi import launched_ranks, mpi
from gluonic.distributed.waiting import RankWatch, time_limit
from gluonic.graph.errors import describe

_GRACE = 2.0  # seconds for other ranks to report their errors, too
_PRINTING = 0.2  # seconds for their output to reach the launcher
_FROM_LAUNCHERS = [
    getattr(signal, name) for name in ("SIGTERM", "SIGUSR1") if hasattr(signal, name)
]
"""The signals of launchers when a rank has died: Open MPI sends the first, MPICH may send the second."""


class World:
    """All ranks of the program.

    Attributes
    ----------
    group : all ranks
    watch : the checks of this rank while it waits
    local : the ranks of this machine
    ranks_by_machine : those of each machine, in the order of their first ranks
    """

    def __init__(self) -> None:
        time_limit()
        self._comm = mpi().COMM_WORLD
        self.watch = RankWatch()
        comm, request = self._comm.Idup()
        everyone = range(self._comm.Get_size())
        self.watch.finish([request], [self._comm.Get_rank()], lambda: "all ranks to begin")
        self.group = RankGroup(comm, everyone, self.watch)
        host = socket.gethostname()
        said = [
            one.decode().split("\n")
            for one in self.group.tell(
                f"{host}\n{uuid4().hex}".encode(), lambda: "all ranks to begin"
            )
        ]
        machines: dict[str, list[int]] = {}
        for r in everyone:
            machines.setdefault(said[r][0], []).append(r)
        self.local, self.ranks_by_machine = machines[host], list(machines.values())
        board = Board(f"gluonic-{said[0][1]}", self.local, self.group.rank)
        self.watch.board = board
        self.group.barrier(lambda: "all ranks to begin")
        board.take_down()
        if self.group.size > 1:
            self._take_over_endings()
        elif launched_ranks() == 1:
            logging.getLogger(__name__).warning(
                "one rank alone: the program works as it is; mpirun -n 2 python … starts two"
            )

    def split(self, ranks: list[int]) -> RankGroup | None:
        """Make a group of some ranks, a collective operation of all ranks; None on ranks outside it."""
        self.group.agree(f"ranks {ranks}", lambda: "a group of ranks")
        inside = self.group.rank in ranks
        colour = 0 if inside else mpi().UNDEFINED
        comm = self._comm.Split(colour, ranks.index(self.group.rank) if inside else 0)
        return RankGroup(comm, ranks, self.watch) if inside else None

    # Endings

    def _take_over_endings(self) -> None:
        self._hook = sys.excepthook
        sys.excepthook = self._stopped
        atexit.register(self._ended)
        if threading.current_thread() is threading.main_thread():
            for number in _FROM_LAUNCHERS:
                if signal.getsignal(number) == signal.SIG_DFL:
                    signal.signal(number, self._terminated)

    def _terminated(self, number: int, frame: FrameType | None) -> None:
        """Handle the launcher's signal to the remaining ranks: report why, instead of ending silently."""
        board = self.watch.board
        assert board is not None
        ends = {r: board.end_of(r) for r in self.local if r != self.group.rank}
        found = [f"rank {r} {end}" for r, end in ends.items() if end]
        gist = "; ".join(found) or f"the launcher ends this rank ({signal.Signals(number).name})"
        raise RankFailedError(
            describe(f"{gist}; {self.watch.doing()}"), [r for r, end in ends.items() if end]
        )

    def _stopped(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        """End all ranks after an uncaught error on this one."""
        for number in _FROM_LAUNCHERS:
            if signal.getsignal(number) == self._terminated:
                signal.signal(number, signal.SIG_IGN)  # this rank is already ending
        self._hook(kind, error, trace)
        sys.stderr.flush()
        board = self.watch.board
        assert board is not None
        last = str(error).strip().rpartition("\n")[2]
        board.set_state(State.FAILED, f"{kind.__name__}: {last}" if last else kind.__name__)
        end = monotonic() + _GRACE
        while monotonic() < end and not board.others_ended():
            sleep(0.02)
        sleep(_PRINTING)
        self._comm.Abort(1)

    def _ended(self) -> None:
        assert self.watch.board is not None
        self.watch.board.set_state(State.ENDED)


@cache
def _world_of(process: int) -> World:
    return World()


def world() -> World:
    """All ranks; the first call starts MPI, and is collective.

    Raises
    ------
    MPIMissingError
        if there is no MPI
    """
    return _world_of(os.getpid())
