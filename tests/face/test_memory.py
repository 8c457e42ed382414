"""If there is no memory for an array, the error is gluonic's, and names the array's purpose."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gluonic.graph.errors import MXNetError
from gluonic.graph.memory import TooLargeError, allocated, allocating, converted, lacks_memory
from tests.face.memory_entrances import ENTRANCES

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory can be limited on Linux")


@pytest.fixture(scope="module")
def outcomes() -> Any:
    """What each way of making a large array raises in a process with little memory."""
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-m", "tests.face.memory_entrances"],
        cwd=root,
        env={**os.environ, "GLUONIC_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", ENTRANCES)
def test_an_out_of_memory_error_names_what_was_allocated(name: str, outcomes: Any) -> None:
    kind, message = outcomes["found"][name]
    assert kind == "TooLargeError", message
    first, *_, last = message.splitlines()
    assert "there is no memory for" in first
    assert "there is no memory for" in last
    assert "smaller batches" in message


SIZED = [name for name in ENTRANCES if name not in ("states", "orders_of_samples")]


@pytest.mark.parametrize("name", SIZED)
def test_an_out_of_memory_error_states_the_size_needed(name: str, outcomes: Any) -> None:
    assert "GiB" in outcomes["found"][name][1]


def test_nets_keep_working_after_an_out_of_memory_error(outcomes: Any) -> None:
    assert outcomes["works on"]


def test_other_errors_pass_through_unchanged() -> None:
    with pytest.raises(ValueError, match="negative"):
        allocated(np.zeros, (-1,), "float32", "something")
    for error in (KeyError("a"), MXNetError("b"), TooLargeError("c")):
        assert not lacks_memory(error)
        with pytest.raises(type(error)) as found, allocating("something"):
            raise error
        assert found.value is error


def test_an_out_of_memory_error_is_a_memory_error_and_an_mxnet_error() -> None:
    wide = np.broadcast_to(np.float16(1), (1 << 30, 1 << 20))
    with pytest.raises(MemoryError, match=r"no memory for a copy") as found:
        converted(wide, np.float64, "a copy")
    assert isinstance(found.value, MXNetError)
    assert "shape (1073741824, 1048576), float64: 8,388,608.00 GiB" in str(found.value)
