"""What is saved reaches whoever has the file open or knows it by another name, and is never lost."""

import errno
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import gluonic as mx
from gluonic import gluon, nd, profiler, sym
from gluonic.graph.errors import FileFormatError
from gluonic.graph.files import write_atomically
from gluonic.support import unfinished_files
from gluonic.support.shared_files import is_shared

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="open files cannot be replaced there"
)
OLD = b"the old contents, which are longer than some of the new" * 100


def net() -> Any:
    block = gluon.nn.Dense(2, in_units=3)
    block.initialize()
    return block


def trainer() -> Any:
    return gluon.Trainer(net().collect_params(), "adam")


def module() -> Any:
    made = mx.mod.Module(
        sym.SoftmaxOutput(sym.FullyConnected(sym.var("data"), num_hidden=2), name="softmax")
    )
    made.bind([("data", (2, 3))], [("softmax_label", (2,))])
    made.init_params()
    made.init_optimizer()
    return made


def store() -> Any:
    made = mx.kv.create("local")
    made.set_optimizer(mx.optimizer.SGD())
    return made


def profile(path: str) -> None:
    profiler.set_config(filename=path)
    profiler.set_state("run")
    profiler.set_state("stop")
    profiler.dump()


SAVERS: dict[str, Callable[[str], Any]] = {
    "arrays": lambda path: nd.save(path, [nd.ones((2, 3))]),
    "symbol": lambda path: sym.var("x").save(path),
    "parameters of a block": lambda path: net().save_parameters(path),
    "parameters": lambda path: net().collect_params().save(path),
    "states of a trainer": lambda path: trainer().save_states(path),
    "states of a module": lambda path: module().save_optimizer_states(path),
    "states of a store": lambda path: store().save_optimizer_states(path),
    "profile": profile,
    "records": lambda path: mx.recordio.MXRecordIO(path, "w").close(),
}


@pytest.mark.parametrize("saver", SAVERS)
def test_an_open_handle_and_another_name_see_what_is_saved(saver: str, tmp_path: Path) -> None:
    for mode in ("rb", "r+b"):
        path, other = tmp_path / "file", tmp_path / f"other {mode}"
        path.write_bytes(OLD)
        with path.open(mode) as handle:
            SAVERS[saver](str(path))
            assert handle.read() == path.read_bytes() != OLD
        os.link(path, other)
        path.write_bytes(OLD)
        SAVERS[saver](str(path))
        assert other.read_bytes() == path.read_bytes() != OLD
    assert sorted(os.listdir(tmp_path)) == ["file", "other r+b", "other rb"]


def test_a_temporary_file_has_what_was_saved_under_its_name() -> None:
    with tempfile.NamedTemporaryFile() as file:
        for size in (100, 3):
            nd.save(file.name, nd.arange(size))
            file.seek(0)
            assert nd.load_frombuffer(file.read())[0].shape == (size,)


_HOLDING = """
import sys
file = open(sys.argv[1], sys.argv[2])
print(flush=True)
sys.stdin.read()
file.seek(0)
print(file.read())
"""


@contextmanager
def holding(path: Path, mode: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that has a file open, and prints at its end what the file then has."""
    command = [sys.executable, "-c", _HOLDING, str(path), mode]
    with subprocess.Popen(command, stdin=-1, stdout=-1, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process


def test_another_process_that_only_reads_goes_on_reading_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    with holding(tmp_path / "file", "r") as process:
        write_atomically(tmp_path / "file", b"new")
        assert process.communicate()[0] == "old\n"
    assert (tmp_path / "file").read_text() == "new"


@pytest.mark.skipif(
    sys.platform != "linux", reason="other processes' handles are seen on Linux only"
)
def test_another_process_that_writes_sees_what_is_saved(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    with holding(tmp_path / "file", "r+") as process:
        if not is_shared(tmp_path / "file"):
            pytest.skip("this file system has no leases")
        write_atomically(tmp_path / "file", b"new")
        assert process.communicate()[0] == "new\n"


def test_a_file_that_may_not_be_written_is_replaced_and_its_other_name_keeps_the_old(
    tmp_path: Path,
) -> None:
    """Stores of data link such files in order to share them."""
    (tmp_path / "file").write_text("old")
    (tmp_path / "file").chmod(0o444)
    os.link(tmp_path / "file", tmp_path / "store")
    write_atomically(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_text() == "new"
    assert (tmp_path / "store").read_text() == "old"


@pytest.mark.parametrize("error", [errno.EBUSY, errno.EPERM])
def test_a_file_whose_place_cannot_be_taken_is_written_over(
    error: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mounted"
    path.write_bytes(OLD)
    number = path.stat().st_ino

    def refuse(*_: object) -> None:
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(os, "replace", refuse)
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_ino == number
    assert os.listdir(tmp_path) == ["mounted"]


def test_a_file_without_a_name_is_written(tmp_path: Path) -> None:
    with (tmp_path / "file").open("w+b") as file:
        for name in (f"/dev/fd/{file.fileno()}", f"/proc/self/fd/{file.fileno()}"):
            if os.path.exists(name):
                (tmp_path / "file").unlink(missing_ok=True)
                write_atomically(name, name.encode())
                file.seek(0)
                assert file.read() == name.encode()
    assert os.listdir(tmp_path) == []


_KILLED = """
import os, shutil, signal, sys
from gluonic.graph.files import write_atomically
def copy(source, out, piece):
    out.write(source.read(3))
    out.flush()
    os.kill(os.getpid(), signal.SIGKILL)
shutil.copyfileobj = copy
with open(sys.argv[1]):
    write_atomically(sys.argv[1], b"new contents")
"""


def test_a_process_killed_while_it_writes_over_a_file_leaves_all_in_a_copy(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old contents")
    done = subprocess.run([sys.executable, "-c", _KILLED, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert path.read_bytes() == b"new contents"[:3] + b"old contents"[3:]
    (copy,) = unfinished_files.whole_copies(path)
    assert copy.read_bytes() == b"new contents"
    write_atomically(tmp_path / "another", b"")
    assert copy.exists()
    for load in (nd.load, sym.load, store().load_optimizer_states, trainer().load_states):
        with pytest.raises(FileFormatError, match=f"interrupted.*{copy.name}"):
            load(str(path))
    write_atomically(path, b"newer")
    assert sorted(os.listdir(tmp_path)) == ["another", "file"]


def test_a_full_disk_leaves_a_file_that_is_written_over_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def full(descriptor: int, *_: int) -> None:
        os.ftruncate(descriptor, 5)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with path.open("rb"), pytest.raises(OSError, match="No space left"):
        write_atomically(path, b"newer")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_an_interruption_while_a_file_is_written_over_comes_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, copy = tmp_path / "file", shutil.copyfileobj
    path.write_bytes(OLD)

    def interrupted(source: Any, out: Any, piece: int) -> None:
        monkeypatch.setattr(shutil, "copyfileobj", copy)
        out.write(source.read(1))
        raise KeyboardInterrupt

    monkeypatch.setattr(shutil, "copyfileobj", interrupted)
    with path.open("rb"), pytest.raises(KeyboardInterrupt):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["file"]
