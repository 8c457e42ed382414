"""Threads that compute batches ahead, in the child of a fork."""

import threading
from collections.abc import Iterator

from gluonic.io.working_ahead import WorkingAhead
from tests.forking import forks, is_true_in_a_child


class Batch:
    """A batch of one row."""

    count = 1

    def make(self, row: int) -> None:
        """There is nothing to make."""


@forks
def test_the_child_of_a_fork_closes_what_a_thread_is_about_to_begin() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def batches() -> Iterator[Batch]:
        begun.set()
        go_on.wait()
        yield Batch()

    found = WorkingAhead(batches(), threads=1, ahead=1)
    begun.wait()  # the thread holds the lock now

    def child() -> bool:
        found.close()
        return True

    closed = is_true_in_a_child(child)
    go_on.set()
    found.close()
    assert closed
