"""Messages to other ranks, where a thread receives them as they arrive, whatever the rank is doing."""

import pickle
from collections import deque
from collections.abc import Callable
from threading import Event, Thread
from time import sleep
from typing import Any

import numpy as np

from gluonic.distributed.board import State
from gluonic.distributed.errors import RankFailedError
from gluonic.distributed.group import RankGroup, as_bytes
from gluonic.distributed.mpi import mpi
from gluonic.graph import Array
from gluonic.graph.errors import describe

_REQUEST, _REPLY = 1, 2
_NAP = 2e-4  # seconds between checks for messages
_MOST_UNSENT = 64


class Mailbox:
    """The messages to a rank; all ranks must create one.

    Messages from one rank to another arrive in the order of sending.

    Parameters
    ----------
    group : the ranks, as a separate group for this mailbox
    answer : ``(sender, message) → reply``: an array, or None
    """

    def __init__(self, group: RankGroup, answer: Callable[[int, Any], Array | None]) -> None:
        self._group, self._answer = group, answer
        self._comm = group.comm  # others are answered even after this rank's last request
        self._unsent: deque[tuple[int, Any, Any]] = deque()
        self._replies: deque[tuple[Any, Array]] = deque()
        self._closing = Event()
        self._failure: Exception | None = None
        self._thread = Thread(target=self._serve, name="gluonic-mailbox", daemon=True)
        self._thread.start()

    def post(self, rank: int, message: Any) -> None:
        """Send a message, as a pickle, without waiting until it has arrived."""
        self._check()
        buffer = np.frombuffer(pickle.dumps(message, protocol=5), np.uint8)
        request = self._group.comm.Isend(as_bytes(buffer), rank, _REQUEST)
        self._unsent.append((rank, request, buffer))
        while self._unsent and self._unsent[0][1].Test():
            self._unsent.popleft()
        if len(self._unsent) > _MOST_UNSENT:
            self.flush()

    def flush(self) -> None:
        """Wait until all messages are sent, so that their memory may be reused."""
        while self._unsent:
            rank, request, buffer = self._unsent.popleft()
            self._group.finish([request], [rank], lambda: "messages to be taken", buffer)

    def ask(self, rank: int, message: Any, reply: Array, what: Callable[[], str]) -> None:
        """Send a message and wait for the reply, which is written into an array."""
        request = self._group.comm.Irecv(as_bytes(reply), rank, _REPLY)
        self.post(rank, message)
        self._group.finish([request], [rank], what, reply)

    def close(self) -> None:
        """Stop receiving messages."""
        self._closing.set()
        self._thread.join()

    def _check(self) -> None:
        if self._failure is not None:
            raise RankFailedError(
                describe(f"a message could not be answered: {self._failure}"), [self._group.rank]
            ) from self._failure

    def _serve(self) -> None:
        try:
            while not self._closing.is_set():
                if not self._take():
                    sleep(_NAP)
        except (
            Exception
        ) as error:  # raised at this rank's next use of the mailbox; the others see it at once
            self._failure = error
            if self._group.watch.board is not None:
                gist = str(error).rpartition("\n")[2]
                self._group.watch.board.set_state(State.FAILED, f"{type(error).__name__}: {gist}")

    def _take(self) -> bool:
        """Answer the next message; return whether there was one."""
        library = mpi()
        status = library.Status()
        found = self._comm.Improbe(library.ANY_SOURCE, _REQUEST, status)
        if found is None:
            return False
        buffer = np.empty(status.Get_count(library.BYTE), np.uint8)
        found.Recv(as_bytes(buffer))
        source = status.Get_source()
        reply = self._answer(source, pickle.loads(buffer.data))
        if reply is not None:
            request = self._comm.Isend(as_bytes(reply), source, _REPLY)
            self._replies.append((request, reply))
        while self._replies and self._replies[0][0].Test():
            self._replies.popleft()
        return True
