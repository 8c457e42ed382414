"""Files that a killed process left unfinished are removed by the next save; those of others are left alone."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gluonic.codegen.machine import cache
from gluonic.graph.files import write_atomically
from gluonic.support.unfinished_files import remove_abandoned, unfinished

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals that kill")
_SAVING = """
import sys
from gluonic.graph.files import write_atomically

def pieces():
    yield b"first "
    print("writing", flush=True)
    sys.stdin.readline()
    yield b"second"

write_atomically(sys.argv[1], pieces())
"""


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that is in the middle of writing ``slow``, until it may continue."""
    command = [sys.executable, "-c", _SAVING, str(tmp_path / "slow")]
    with subprocess.Popen(command, stdin=-1, stdout=-1, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "writing\n"
        yield process
        process.kill()


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_what_a_killed_process_left_is_removed_by_the_next_save(
    writer: subprocess.Popen[str], tmp_path: Path
) -> None:
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    assert len(names(tmp_path)) == 1
    write_atomically(tmp_path / "other", b"x")
    assert names(tmp_path) == ["other"]


def test_what_a_living_process_is_writing_is_left_alone(
    writer: subprocess.Popen[str], tmp_path: Path
) -> None:
    for _ in range(3):
        write_atomically(tmp_path / "other", b"x")
    assert len(names(tmp_path)) == 2
    writer.communicate("go on\n")
    assert writer.returncode == 0
    assert names(tmp_path) == ["other", "slow"]
    assert (tmp_path / "slow").read_bytes() == b"first second"


def test_what_another_thread_is_writing_is_left_alone(tmp_path: Path) -> None:
    with unfinished(tmp_path / "slow") as file:
        file.stream.write(b"mine")
        thread = threading.Thread(target=write_atomically, args=(tmp_path / "other", b"x"))
        thread.start()
        thread.join()
        file.put_in_place()
    assert names(tmp_path) == ["other", "slow"]


def test_a_name_as_long_as_can_be_is_written(tmp_path: Path) -> None:
    write_atomically(tmp_path / ("n" * 255), b"x")
    assert names(tmp_path) == ["n" * 255]


@pytest.mark.parametrize("age", [0, 2 * 24 * 3600])
def test_files_of_other_machines_are_removed_when_no_write_takes_so_long(
    tmp_path: Path, age: int
) -> None:
    path = tmp_path / ".gluonic-0badcafe-abcdefgh.part"
    path.write_bytes(b"")
    os.utime(path, (time.time() - age,) * 2)
    remove_abandoned(tmp_path)
    assert path.exists() == (age == 0)


def test_nothing_but_files_of_such_names_is_removed(tmp_path: Path) -> None:
    with unfinished(tmp_path / "x") as file:
        name = Path(file.path).name
    target = tmp_path / "target"
    target.write_bytes(b"kept")
    (tmp_path / name).symlink_to(target)
    os.mkfifo(tmp_path / name.replace(".part", "a.part"))
    (tmp_path / name.replace(".part", "b.part")).mkdir()
    for other in (".net.params.abcdefgh", "gluonic.part", ".gluonic-x"):
        (tmp_path / other).write_bytes(b"")
    before = names(tmp_path)
    write_atomically(target, b"new")
    assert names(tmp_path) == before


def test_the_cache_is_tidied_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    with unfinished(folder / "x") as file:
        left = Path(file.path)
    left.write_bytes(b"")
    monkeypatch.setenv("GLUONIC_CACHE", "1")
    monkeypatch.setenv("GLUONIC_CACHE_DIR", str(folder))
    cache.fetch("a" * 64, lambda: b"code")
    assert names(folder) == [f"{'a' * 64}.object"]


def test_a_new_file_has_the_permissions_of_others_and_the_umask_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = os.umask(0o027)
    try:
        (tmp_path / "usual").write_bytes(b"")
        with monkeypatch.context() as patch:
            patch.delattr(os, "umask")  # other threads create files meanwhile
            write_atomically(tmp_path / "new", b"contents")
    finally:
        os.umask(before)
    modes = {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    assert modes == {0o640}
    assert {path.name for path in tmp_path.iterdir()} == {"usual", "new"}
