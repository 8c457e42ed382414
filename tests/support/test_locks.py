"""What another thread was in the middle of keeps no child of a fork waiting."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from gluonic import nd
from gluonic.gluon import nn
from gluonic.gluon.traces import traces_of
from gluonic.support.cached_property import cached_property
from gluonic.support.locks import lock
from tests.forking import forks, is_true_in_a_child


@contextmanager
def held_elsewhere(*locks: threading.RLock) -> Iterator[None]:
    """Have another thread hold locks."""
    holds, done = threading.Event(), threading.Event()

    def hold() -> None:
        for each in locks:
            each.acquire()
        holds.set()
        done.wait()
        for each in locks:
            each.release()

    thread = threading.Thread(target=hold)
    thread.start()
    holds.wait()
    try:
        yield
    finally:
        done.set()
        thread.join()


@forks
def test_a_lock_held_by_another_thread_is_free_in_a_forked_child() -> None:
    made = lock()
    with held_elsewhere(made):
        assert not made.acquire(blocking=False)
        assert is_true_in_a_child(lambda: made.acquire(blocking=False))
        assert not made.acquire(blocking=False)


@forks
def test_a_lock_held_by_the_forking_thread_stays_locked_in_the_child() -> None:
    made = lock()

    def is_free_for_others() -> bool:
        found: list[bool] = []
        thread = threading.Thread(target=lambda: found.append(made.acquire(blocking=False)))
        thread.start()
        thread.join()
        return found[0]

    with made:
        assert is_true_in_a_child(lambda: not is_free_for_others())
    assert is_true_in_a_child(is_free_for_others)


@forks
def test_a_net_that_another_thread_prepares_can_be_called_in_a_child() -> None:
    net = nn.Dense(2, in_units=3)
    net.initialize()
    net.hybridize()
    with held_elsewhere(traces_of(net).lock):
        assert is_true_in_a_child(lambda: net(nd.ones((4, 3))).shape == (4, 2))


@forks
def test_what_another_thread_computes_for_the_first_time_is_computed_in_a_child_too() -> None:
    parent, asked, done = os.getpid(), threading.Event(), threading.Event()

    class Slow:
        @cached_property
        def number(self) -> int:
            if os.getpid() == parent:
                asked.set()
                done.wait()
            return 3

    one, other = Slow(), Slow()
    thread = threading.Thread(target=lambda: one.number)
    thread.start()
    asked.wait()
    try:
        assert is_true_in_a_child(lambda: (one.number, other.number) == (3, 3))
    finally:
        done.set()
        thread.join()
    assert one.__dict__["number"] == 3
