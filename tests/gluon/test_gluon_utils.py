"""Batches are split, gradients clipped, files checked and fetched."""

import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import nd
from gluonic.gluon import utils
from gluonic.graph.errors import FileFormatError

HELLO = "aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d"  # the SHA-1 digest of "hello"


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize(("length", "pieces"), [(6, [2, 2, 2]), (7, [3, 2, 2])])
def test_arrays_are_cut_into_pieces_of_nearly_equal_length(
    axis: int, length: int, pieces: list[int]
) -> None:
    x = nd.array(np.arange(2 * length).reshape((length, 2) if axis == 0 else (2, length)))
    parts = utils.split_data(x, 3, axis, even_split=False)
    assert [part.shape[axis] for part in parts] == pieces
    joined = np.concatenate([part.asnumpy() for part in parts], axis)
    assert (joined == x.asnumpy()).all()


def test_uneven_pieces_must_be_allowed() -> None:
    with pytest.raises(ValueError, match=r"\(7, 2\)[\s\S]*multiple of 3, or even_split=False"):
        utils.split_data(nd.ones((7, 2)), 3)


def test_each_context_gets_its_piece() -> None:
    parts = utils.split_and_load(np.ones((4, 2)), [mx.cpu(0), mx.cpu(1)])
    assert [(part.context, part.shape) for part in parts] == [
        (mx.cpu(0), (2, 2)),
        (mx.cpu(1), (2, 2)),
    ]
    (whole,) = utils.split_and_load([[1, 2], [3, 4], [5, 6]], [mx.cpu(1)])
    assert (whole.context, whole.shape) == (mx.cpu(1), (3, 2))


@pytest.mark.parametrize(("bound", "factor"), [(1.0, 0.2), (5.0, 1.0), (9.0, 1.0)])
def test_arrays_are_scaled_to_a_common_norm(bound: float, factor: float) -> None:
    arrays = [nd.array([3.0, 0.0]), nd.array([[4.0]])]
    assert utils.clip_global_norm(arrays, bound) == pytest.approx(5)
    assert [x.asnumpy().ravel().tolist() for x in arrays] == [
        pytest.approx([3 * factor, 0]),
        pytest.approx([4 * factor]),
    ]


def test_infinite_gradients_cause_a_warning_unless_unchecked() -> None:
    with pytest.warns(UserWarning, match="nan or inf"):
        utils.clip_global_norm([nd.array([np.inf])], 1.0)
    assert np.isnan(
        utils.clip_global_norm([nd.array([np.nan])], 1.0, check_isfinite=False).asscalar()
    )
    with pytest.raises(mx.MXNetError, match="no arrays"):
        utils.clip_global_norm([], 1.0)


def test_digests_are_checked(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("hello")
    assert utils.check_sha1(str(file), HELLO)
    file.write_text("hallo")
    assert not utils.check_sha1(str(file), HELLO)


def test_a_local_address_is_copied(tmp_path: Path) -> None:
    (tmp_path / "a file").write_text("hello")
    folder = tmp_path / "there"
    folder.mkdir()
    address = (tmp_path / "a file").as_uri()
    assert utils.download(address, str(folder), sha1_hash=HELLO) == str(folder / "a file")
    assert utils.download(address, str(tmp_path / "new" / "name")) == str(tmp_path / "new/name")
    assert (tmp_path / "new" / "name").read_text() == (folder / "a file").read_text() == "hello"


def test_an_existing_file_is_not_fetched_again(tmp_path: Path) -> None:
    (tmp_path / "data.bin").write_text("hello")
    assert utils.download(ADDRESS, str(tmp_path), sha1_hash=HELLO) == str(tmp_path / "data.bin")


ADDRESS = "https://example.org/data.bin"


def test_a_copy_with_the_wrong_digest_leaves_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "source").write_text("something else")
    target = tmp_path / "target"
    target.write_text("old")
    with pytest.raises(FileFormatError, match="digest"):
        utils.download((tmp_path / "source").as_uri(), str(target), True, HELLO)
    assert target.read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["source", "target"]


def test_an_interrupted_copy_leaves_nothing(tmp_path: Path, monkeypatch: Any) -> None:
    def fail(*args: Any) -> None:
        raise OSError("the disk is full")

    (tmp_path / "source").write_text("hello")
    monkeypatch.setattr(shutil, "copyfile", fail)
    with pytest.raises(OSError, match="full"):
        utils.download((tmp_path / "source").as_uri(), str(tmp_path / "target"))
    assert [p.name for p in tmp_path.iterdir()] == ["source"]


def test_replacing_moves_a_file_or_deletes_it(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_text("new")
    utils.replace_file(str(source), str(tmp_path / "target"))
    assert (tmp_path / "target").read_text() == "new"
    source.write_text("newer")
    with pytest.raises(OSError, match="folder"):
        utils.replace_file(str(source), os.path.join(tmp_path, "folder", "target"))
    assert not source.exists()


@pytest.mark.parametrize(
    ("shape", "known"), [((2, 3), True), ((2, 0), False), (None, False), ((2, -1), False)]
)
def test_shapes_are_known_or_not(shape: Any, known: bool) -> None:
    assert utils.shape_is_known(shape) is known
