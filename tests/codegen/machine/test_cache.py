"""The disk cache: private, checked, capped, and never in the way."""

from __future__ import annotations

import os
import resource
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest

from gluonic.codegen.machine import cache
from gluonic.codegen.machine.target import cross, host


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "objects"
    monkeypatch.setenv("GLUONIC_CACHE_DIR", str(path))
    monkeypatch.setenv("GLUONIC_CACHE", "1")
    return path


class _Maker:
    """Stands for a compiler; counts its calls."""

    def __init__(self, result: bytes = b"machine code") -> None:
        self.calls, self.result = 0, result

    def __call__(self) -> bytes:
        self.calls += 1
        return self.result


def test_second_fetch_does_not_compile(folder: Path) -> None:
    make = _Maker()
    assert [cache.fetch("a" * 64, make) for _ in range(3)] == [b"machine code"] * 3
    assert make.calls == 1


def test_folder_is_private_and_holds_no_leftovers(folder: Path) -> None:
    cache.fetch("a" * 64, _Maker())
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [path.suffix for path in folder.iterdir()] == [".object"]


@pytest.mark.parametrize("where", [0, 20, 60, -1])
def test_any_flipped_byte_is_a_miss(folder: Path, where: int) -> None:
    make = _Maker()
    cache.fetch("b" * 64, make)
    (entry,) = folder.iterdir()
    damaged = bytearray(entry.read_bytes())
    damaged[where] ^= 1
    entry.write_bytes(damaged)
    assert cache.fetch("b" * 64, make) == b"machine code"
    assert cache.fetch("b" * 64, make) == b"machine code"
    assert make.calls == 2


@pytest.mark.parametrize("length", [0, 5, 48, 55])
def test_a_truncated_entry_is_a_miss(folder: Path, length: int) -> None:
    make = _Maker()
    cache.fetch("c" * 64, make)
    (entry,) = folder.iterdir()
    entry.write_bytes(entry.read_bytes()[:length])
    assert cache.fetch("c" * 64, make) == b"machine code"
    assert make.calls == 2


def test_an_entry_under_the_name_of_another_is_a_miss(folder: Path) -> None:
    makers = {name: _Maker(name.encode()) for name in ("a" * 64, "b" * 64)}
    for name, make in makers.items():
        cache.fetch(name, make)
    one, other = folder.iterdir()
    _exchange(one, other)
    for name, make in makers.items():
        assert cache.fetch(name, make) == name.encode()
        assert make.calls == 2


def _exchange(one: Path, other: Path) -> None:
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)


def _in_the_way(kind: str, path: Path) -> None:
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "link to nothing":
        path.symlink_to(path.with_name("nothing"))
    else:
        path.touch()
        path.chmod(0)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
@pytest.mark.parametrize("kind", ["folder", "pipe", "link to nothing", "locked"])
def test_invalid_cache_entries_cost_only_time(folder: Path, kind: str) -> None:
    folder.mkdir(mode=0o700)
    _in_the_way(kind, folder / f"{'a' * 64}.object")
    assert [cache.fetch("a" * 64, _Maker()) for _ in range(2)] == [b"machine code"] * 2


@contextmanager
def no_space() -> Iterator[None]:
    """Let files grow to a thousand bytes, and no further."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_costs_only_time(folder: Path) -> None:
    make = _Maker(bytes(100_000))
    with no_space():
        found = [cache.fetch("a" * 64, make) for _ in range(2)]
    assert found == [bytes(100_000)] * 2
    assert make.calls == 2
    assert not list(folder.iterdir())


_HURRIED = """
import sys
from gluonic.codegen.machine import cache
for turn in range(150):
    name = format(turn % 7, "064x")
    if cache.fetch(name, lambda: name.encode() * 20) != name.encode() * 20:
        sys.exit(1)
    if turn % 50 == 49:
        cache.clear()
"""


def test_processes_that_write_trim_and_clear_at_once_never_read_something_else(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLUONIC_CACHE_SIZE", "3000")
    running = [subprocess.Popen([sys.executable, "-c", _HURRIED]) for _ in range(3)]
    assert [process.wait() for process in running] == [0, 0, 0]
    assert {path.suffix for path in folder.iterdir()} <= {".object"}


def test_what_another_process_removes_after_it_was_listed_is_not_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lists = os.scandir

    def list_and_remove(path: Path) -> Any:
        with lists(path) as listed:
            entries = list(listed)
        for entry in entries:
            os.unlink(entry.path)
        return nullcontext(iter(entries))

    for use in (cache.sizes, cache.clear, lambda: cache.store("b" * 64, bytes(100))):
        monkeypatch.setenv("GLUONIC_CACHE_SIZE", "")
        cache.store("a" * 64, b"machine code")
        monkeypatch.setenv("GLUONIC_CACHE_SIZE", "1")
        with monkeypatch.context() as patch:
            patch.setattr(os, "scandir", list_and_remove)
            assert not use()
        assert cache.sizes() == {}


def test_a_folder_others_can_write_to_is_not_used(folder: Path) -> None:
    make = _Maker()
    folder.mkdir()
    folder.chmod(0o777)
    assert [cache.fetch("d" * 64, make) for _ in range(2)] == [b"machine code"] * 2
    assert make.calls == 2
    assert not list(folder.iterdir())


def test_a_folder_that_cannot_be_made_costs_only_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("GLUONIC_CACHE_DIR", str(tmp_path / "file" / "below"))
    assert cache.fetch("e" * 64, _Maker()) == b"machine code"


def test_a_disabled_cache_touches_no_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLUONIC_CACHE", "0")
    make = _Maker()
    for _ in range(2):
        cache.fetch("f" * 64, make)
    assert make.calls == 2
    assert not folder.exists()


def test_oldest_entries_go_when_the_cap_is_reached(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLUONIC_CACHE_SIZE", "2500")
    for age, name in enumerate("123"):
        cache.fetch(name * 64, _Maker(bytes(1000)))
        os.utime(folder / f"{name * 64}.object", (age, age))
    cache.fetch("4" * 64, _Maker(bytes(1000)))
    assert {path.name[0] for path in folder.iterdir()} == {"3", "4"}


def test_clear_empties_it(folder: Path) -> None:
    cache.fetch("a" * 64, _Maker())
    cache.clear()
    assert not list(folder.iterdir())


def test_key_depends_on_code_and_processor() -> None:
    other = cross("aarch64-unknown-linux-gnu")
    assert len({cache.key("a", host()), cache.key("b", host()), cache.key("a", other)}) == 3
    assert cache.key("a", host()) == cache.key("a", host())
