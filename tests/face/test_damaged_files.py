"""Files of all kinds load when they are whole; damaged, they load or raise an error of gluonic."""

import random
from contextlib import suppress
from pathlib import Path

import pytest

from gluonic.gluon.npz_files import read_npz
from gluonic.graph.errors import FileFormatError, MismatchError, MXNetError
from tests.face.file_kinds import KINDS


@pytest.mark.parametrize("name", KINDS)
def test_whole_files_load(name: str, tmp_path: Path) -> None:
    files, loaded = KINDS[name].make(tmp_path), 0
    for whole in files:
        with suppress(MismatchError):  # states of another optimizer
            KINDS[name].use(tmp_path, whole)
            loaded += 1
    assert loaded > len(files) * (0.6 if name == "states" else 0.99)


@pytest.mark.filterwarnings("ignore:Summing up updates in float16")
@pytest.mark.filterwarnings("ignore:Ignoring unknown external data")
@pytest.mark.parametrize("name", KINDS)
def test_damaged_files_load_or_are_refused(name: str, tmp_path: Path) -> None:
    kind = KINDS[name]
    files = kind.make(tmp_path)
    for seed in range(100):
        draw = random.Random(seed)
        damaged = draw.choice(kind.damages)(draw.choice(files), draw)
        with suppress(MXNetError):
            kind.use(tmp_path, damaged)


def test_a_small_file_of_numpy_with_a_huge_header_is_refused_unread(tmp_path: Path) -> None:
    (tmp_path / "x.npy").write_bytes(b"\x93NUMPY\2\0\xff\xff\xff\xff{}")
    with pytest.raises(FileFormatError, match="header of 4,294,967,295 bytes"):
        read_npz(tmp_path / "x.npy")
