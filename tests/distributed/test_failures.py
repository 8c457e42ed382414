"""A rank that dies, hangs, ends or fails: the others report which, and where they were, and all end."""

import os
import re
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.distributed import RankFailedError, world
from gluonic.distributed.waiting import time_limit
from tests.distributed import interrupted
from tests.distributed.ranks import APART, output, ranks, start

FAILURES = {
    "raises": "rank 1 was stopped by ValueError: boom",
    "hangs": "rank 1 has not answered for",
    "ends": "rank 1 has ended its program",
    "brings another shape": "rank 1 disagrees with rank 0 about the keys to initialize: 'other'",
}


def fail(how: str) -> None:
    """Train on two ranks, of which one fails in the third step."""
    store = mx.kv.create("dist_sync")
    store.init("weight", nd.zeros(2000))
    for step in range(3):
        if step == 2 and store.rank == 1:
            if how == "raises":
                raise ValueError("boom")
            if how == "hangs":
                signal.pause()
            if how == "ends":
                sys.exit()
        if step == 2 and how == "brings another shape":
            store.init("other", nd.zeros(2 + store.rank))
        store.push("weight", nd.ones(2000))


knows_others = pytest.mark.skipif(
    APART, reason="ranks of other machines are ended by the launcher, which gives the reason"
)


@knows_others
@pytest.mark.parametrize("how", FAILURES)
def test_the_other_ranks_name_the_failed_one_and_all_end(how: str) -> None:
    code = f"from tests.distributed import test_failures; test_failures.fail({how!r})"
    process = start(2, "-c", code, GLUONIC_RANK_TIMEOUT="2")
    printed = output(process)
    assert process.returncode != 0
    assert FAILURES[how] in printed
    if how != "brings another shape":
        assert "waiting for the pushed keys: 'weight' in step 3" in printed


@knows_others
def test_a_rank_that_is_killed_is_named_and_training_goes_on_with_another_number(
    tmp_path: Path,
) -> None:
    _, printed, rank = interrupted.kill_once(tmp_path, 2, 0.3)
    assert f"RankFailedError: rank {rank} died" in printed
    assert "in step" in printed
    output(interrupted.begin(tmp_path, 3))
    found = interrupted.losses_of(tmp_path)
    (tmp_path / "undisturbed").mkdir()
    output(interrupted.begin(tmp_path / "undisturbed", 1))
    expected = interrupted.losses_of(tmp_path / "undisturbed")
    assert found.keys() == expected.keys()
    assert all(found[step] == pytest.approx(expected[step], abs=1e-5) for step in found)


def wait_for(file: Path) -> None:
    """Come late: when another rank has written a file."""
    while not file.exists():
        os.sched_yield()


@ranks(2)
def test_a_program_can_catch_that_a_rank_does_not_answer(tmp_path: Path) -> None:
    group, caught = world().group, tmp_path / "caught"
    if group.rank == 1:
        wait_for(caught)
    else:
        os.environ["GLUONIC_RANK_TIMEOUT"] = "0.3"
        with pytest.raises(RankFailedError, match="rank 1 has not answered") as error:
            group.barrier(lambda: "a barrier that rank 1 comes late to")
        assert error.value.ranks == (1,)
        assert "a barrier that rank 1 comes late to" in str(error.value)
        caught.touch()


WAYS: dict[str, dict[str, str]] = {
    "in shared memory": {"GLUONIC_SHARED_SUMS": "1"},
    "by messages": {"GLUONIC_SHARED_SUMS": "0"},
    "during backward": {"GLUONIC_OVERLAP": "1"},
}


def train_late(folder: Path) -> None:
    """Train until rank 1 comes late to a step, which rank 0 has given up, to go on with other gradients."""
    weight = gluon.Parameter("weight", shape=(200, 200))
    weight.initialize(mx.init.One())
    trainer = gluon.Trainer([weight], "sgd", kvstore="dist_sync")
    late, caught, told = 3, folder / "caught", folder / "told"
    for step in range(late + 1):
        with autograd.record():
            loss = (weight.data() * (step + 1)).sum()
        if step == late and world().group.rank == 1:
            wait_for(caught)
        loss.backward()
        if step < late:
            trainer.step(1)
    before = weight.data().asnumpy().tobytes()
    if world().group.rank == 0:
        os.environ["GLUONIC_RANK_TIMEOUT"] = "0.3"
        with pytest.raises(RankFailedError, match="rank 1 has not answered"):
            trainer.step(1)
        with autograd.record():
            loss = (weight.data() * 50).sum()
        loss.backward()
        with pytest.raises(RankFailedError, match=r"has given up.*rank 1 has not answered"):
            trainer.step(1)
        caught.touch()
        wait_for(told)
    else:
        with pytest.raises(RankFailedError, match="rank 0 gave up: rank 1 has not answered"):
            trainer.step(1)
        told.touch()
    assert weight.data().asnumpy().tobytes() == before


@knows_others
@pytest.mark.parametrize("way", WAYS)
def test_a_rank_that_comes_late_updates_by_no_gradients_that_were_written_since(
    way: str, tmp_path: Path
) -> None:
    code = (
        "from pathlib import Path; from tests.distributed import test_failures as all;"
        f"all.train_late(Path({str(tmp_path)!r}))"
    )
    process = start(2, "-c", code, **WAYS[way])
    printed = output(process)
    assert process.returncode == 0, printed


def give_up_asynchronously(folder: Path) -> None:
    """Give up waiting for rank 1 at a barrier, and end before it comes there."""
    store, caught = mx.kv.create("dist_async"), folder / "caught"
    store.set_optimizer(mx.optimizer.SGD())
    store.init("w", nd.ones((3,)))
    if store.rank == 1:
        wait_for(caught)
    else:
        os.environ["GLUONIC_RANK_TIMEOUT"] = "0.3"
    with pytest.raises(RankFailedError):
        store._barrier()
    caught.touch()


@knows_others
def test_a_rank_that_has_given_up_does_not_wait_for_others_at_its_end(tmp_path: Path) -> None:
    code = (
        "from pathlib import Path; from tests.distributed import test_failures as all;"
        f"all.give_up_asynchronously(Path({str(tmp_path)!r}))"
    )
    process = start(2, "-c", code)
    printed = output(process)
    assert process.returncode == 0, printed
    assert "Error" not in printed


@pytest.mark.parametrize("given", ["soon", "0", "-1"])
def test_a_limit_of_time_must_be_a_number_above_zero(given: str, monkeypatch: Any) -> None:
    monkeypatch.setenv("GLUONIC_RANK_TIMEOUT", given)
    with pytest.raises(ValueError, match="seconds above 0"):
        time_limit()


def test_info_shows_the_mpi_that_was_found() -> None:
    process = start(2, "-m", "gluonic", "info")
    printed = output(process)
    assert process.returncode == 0, printed
    assert {f"rank {rank} of 2" for rank in (0, 1)} == set(re.findall(r"; (rank \d of 2)", printed))
    assert len(re.findall(r"MPI +.*; MPI \d\.\d;", printed)) == 2
