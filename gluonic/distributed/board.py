"""A notice board for the ranks of one machine, in memory that they share.

A rank that is dead or hangs answers no message; what it wrote here last can still be read.
"""

import os
from collections.abc import Iterable
from enum import IntEnum
from pathlib import Path

import numpy as np

from gluonic.distributed.mapped import MappedFile

_TEXT = 400
_FIELDS = [("pid", "i8"), ("state", "i8"), ("step", "i8")]
_RECORD = np.dtype([*_FIELDS, ("reason", f"S{_TEXT}"), ("gave_up", f"S{_TEXT}")])
_HEADER = 64  # bytes, of which the first says whether any rank has given up


class State(IntEnum):
    """What has become of a rank."""

    RUNNING = 0
    ENDED = 1
    FAILED = 2


class Board:
    """What each rank of this machine says of itself.

    Parameters
    ----------
    name : the file behind it, which all ranks of the machine open, and the first of them removes
    ranks : the ranks of the machine
    rank : which of them this is

    Attributes
    ----------
    ranks : those of this machine
    """

    def __init__(self, name: str, ranks: Iterable[int], rank: int) -> None:
        self.ranks = tuple(ranks)
        self._rank = rank
        self._file = MappedFile(name, _HEADER + _RECORD.itemsize * len(self.ranks))
        self._records = np.frombuffer(self._file.memory, _RECORD, offset=_HEADER)
        self._rows = {other: row for row, other in enumerate(self.ranks)}
        self._own = self._records[self._rows[rank]]
        self._own["pid"] = os.getpid()

    def take_down(self) -> None:
        """Remove the file when all have opened it; the memory lasts as long as its processes."""
        if self._rank == self.ranks[0]:
            self._file.unlink()

    def set_step(self, step: int) -> None:
        """Say at which step this rank is."""
        self._own["step"] = step

    def set_state(self, state: State, reason: str = "") -> None:
        """Say what has become of this rank; only the first end counts."""
        if self._own["state"] == State.RUNNING:
            self._own["reason"] = reason.encode()[:_TEXT]
            self._own["state"] = state

    def give_up(self, reason: str) -> None:
        """Say that this rank waits for others no longer, and so may change what it has sent them."""
        self._own["gave_up"] = reason.encode()[:_TEXT]
        self._file.memory[0] = 1

    @property
    def has_any_given_up(self) -> bool:
        """Whether a rank of this machine has given up; asked after each wait, so it takes no time."""
        return self._file.memory[0] != 0

    def given_up(self, rank: int) -> str:
        """Why a rank of this machine has given up, in words; empty if it has not."""
        reason = self._records[self._rows[rank]]["gave_up"]
        return f"gave up: {reason.decode(errors='replace')}" if reason else ""

    def step_of(self, rank: int) -> int:
        """At which step a rank of this machine is, or was last."""
        return int(self._records[self._rows[rank]]["step"])

    def others_ended(self) -> bool:
        """Whether no other rank of this machine is running."""
        return all(self.end_of(rank) for rank in self.ranks if rank != self._rank)

    def end_of(self, rank: int) -> str:
        """Why a rank of this machine sends nothing any more, in words; empty if it is running."""
        record = self._records[self._rows[rank]]
        if record["state"] == State.FAILED:
            return f"was stopped by {record['reason'].decode(errors='replace')}"
        if record["state"] == State.ENDED:
            return "has ended its program"
        return "" if _is_running(int(record["pid"])) else f"died (process {record['pid']})"


def _is_running(pid: int) -> bool:
    """Whether there is such a process, and it is not merely waiting for its parent to take notice."""
    try:
        os.kill(pid, 0)
        status = Path(f"/proc/{pid}/stat").read_text()
    except ProcessLookupError:
        return False
    except (PermissionError, FileNotFoundError):  # someone else's, or no /proc
        return not Path("/proc/self/stat").exists() or Path(f"/proc/{pid}").exists()
    return status.rpartition(")")[2].split()[0] not in ("Z", "X")
