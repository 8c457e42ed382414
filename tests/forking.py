"""Running code in forked children."""

import os
import traceback
from collections.abc import Callable
from typing import TypeVar

import pytest

Test = TypeVar("Test", bound=Callable[..., None])


def forks(test: Test) -> Test:
    """Mark a test that forks: not every system can, and Python warns of the threads that pytest has."""
    warned = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
    return pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")(warned(test))  # type: ignore[no-any-return]


def is_true_in_a_child(look: Callable[[], object]) -> bool:
    """Whether something is true, and no error, in a child of this process."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if look() else 1
        except BaseException:
            traceback.print_exc()
        finally:  # the child is no second run of the tests
            os._exit(status)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) == 0
