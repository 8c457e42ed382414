"""How many cores a process counts: threads of one core once, no more than its container grants."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from gluonic.graph.threads import thread_count
from gluonic.support.cpu_count import available_cores, available_processors

System = Callable[[Mapping[str, str]], Path]
_PAIRS = {
    f"devices/system/cpu/cpu{number}/topology/thread_siblings_list": f"{number % 2},{number % 2 + 2}\n"
    for number in range(4)
}
"""A machine of two cores with two threads each."""


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> System:
    """A function that writes the files that describe a machine of four processors."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3}, raising=False)

    def write(files: Mapping[str, str]) -> Path:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return write


def test_processors_without_topology_count_as_cores(system: System) -> None:
    assert available_cores(system({})) == 4


def test_two_threads_of_a_core_count_once(system: System) -> None:
    assert available_cores(system(_PAIRS)) == 2


def test_only_processors_that_the_process_may_run_on_count(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {1, 3}, raising=False)
    assert available_cores(system(_PAIRS)) == 1


@pytest.mark.parametrize(
    ("text", "cores"), [("150000 100000\n", 2), ("20000 100000\n", 1), ("max 100000\n", 4)]
)
def test_a_container_has_the_cores_of_its_quota(system: System, text: str, cores: int) -> None:
    assert available_cores(system({"fs/cgroup/cpu.max": text})) == cores


@pytest.mark.parametrize(("quota", "cores"), [("300000", 3), ("-1", 4)])
def test_a_container_of_version_1_has_the_cores_of_its_quota(
    system: System, quota: str, cores: int
) -> None:
    files = {"cpu.cfs_quota_us": quota, "cpu.cfs_period_us": "100000"}
    machine = system({f"fs/cgroup/cpu/{name}": text for name, text in files.items()})
    assert available_cores(machine) == cores


def test_there_are_as_many_threads_as_cores_unless_the_environment_sets_a_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("GLUONIC_NUM_THREADS", raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert thread_count() == available_cores()
    monkeypatch.setenv("GLUONIC_NUM_THREADS", str(available_cores() + 3))
    assert thread_count() == available_cores() + 3


@pytest.mark.parametrize(("text", "count"), [("3", 3), ("5,2", 5), ("", 0), ("0", 0), ("many", 0)])
def test_the_number_for_openmp_counts_if_there_is_none_for_gluonic(
    text: str, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GLUONIC_NUM_THREADS", raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", text)
    assert thread_count() == (count or available_cores())
    monkeypatch.setenv("GLUONIC_NUM_THREADS", "7")
    assert thread_count() == 7


@pytest.mark.parametrize(("limit", "count"), [("max 100000", 4), ("150000 100000", 2)])
def test_threads_of_a_core_count_as_processors_up_to_a_containers_share(
    limit: str, count: int, system: System
) -> None:
    assert available_processors(system({**_PAIRS, "fs/cgroup/cpu.max": limit})) == count
